import Dashboard
import GarnerCatalog
import GarnerFetcher
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerRuntime
import GarnerShards
import GarnerTasks
import Logging
import ServiceLifecycle
import Synchronization

/// Runs the service on one of several machines: it claims its share of the shards, serves each in a session of its own, and takes over those of
/// a machine that is gone. Without one it stands by.
///
/// To take over is to start a service on a copy of the shard. To lose the right to write is to stop it, and to throw the copy away.
final class WorkerSession: Sendable {
    private struct State {
        /// Why this worker stands by, in words.
        var reason: String?
        /// The time before which it claims a shard not again, by the stopwatch.
        var rests: [Int: Duration] = [:]
        /// The shards of the sources.
        var places: [String: Int] = [:]
        /// True if sources may have no place yet.
        var mustPlace = true
        var share: ShardShare
        var held: [Int: Held] = [:]
        var hasEnded = false
        var isInTime = true
        var failure: (any Error)?
    }

    private struct Held {
        let session: ShardSession
        let task: Task<Void, Never>
    }

    /// The time for which a worker leaves a shard alone that it could not copy, or not serve.
    private static let rest = Duration.seconds(60)

    private let session: ServeSession
    private let place: ShardPlace
    private let identity: WorkerIdentity
    private let worker: ShardWorker
    private let notifier: ServiceNotifier
    private let stopwatch: Stopwatch
    private let live: LiveConfiguration
    private let state: Mutex<State>
    private let (finish, finishing) = AsyncStream<Void>.makeStream()

    init(_ session: ServeSession, _ place: ShardPlace) {
        (self.session, self.place) = (session, place)
        let setup = session.setup
        identity = WorkerIdentity(of: session.configuration, userAgent: setup.context.userAgent)
        worker = ShardWorker(place, as: identity)
        notifier = ServiceNotifier(environment: setup.environment)
        stopwatch = Stopwatch(setup.clock)
        live = LiveConfiguration(session.configuration)
        state = Mutex(State(share: ShardShare(lease: place.lease)))
    }

    private var setup: Setup { session.setup }
    private var logger: Logger { session.logger }
    private var sessions: [Int: ShardSession] { state.withLock { $0.held.mapValues(\.session) } }

    /// Runs until `ending` has an element and every active run has ended. Returns true if all ended within their grace period.
    func run(ending: AsyncStream<Void>, reloads: AsyncStream<Void>) async throws -> Bool {
        let transports = try setup.context.transports(keepingTokensBeside: session.place)
        let hooks = session.usesHooks ? HookRunner(setup.context, transports: transports, logger: logger) : nil
        let dashboard = session.dashboard(
            of: session.place.path, { [live] in live.configuration }, notices: { [self] in notices },
            actions: WorkerActions(setup: setup, place: place))
        try await dashboard?.requireFreeAddress()
        let shared = ShardSession.Shared(
            setup: setup, transports: transports, hooks: hooks, notifier: notifier,
            live: live, part: { [self] in part(of: $0, in: $1) })
        // What goes on until the last run has ended.
        let services: [(any Service)?] = [dashboard, hooks]
        let group = ServiceGroup(
            configuration: .init(
                services: services.compactMap(\.self).map {
                    .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
                }, logger: Logger(label: "garner") { _ in SwiftLogNoOpLogHandler() }))
        let serving = Task { [self] in
            do {
                if services.contains(where: { $0 != nil }) { try await group.run() }
            } catch  where !state.withLock(\.hasEnded) {
                fail(error)
            } catch {}
        }
        let claiming = Task { [self] in await claim(shared) }
        let others = [
            Task { [finishing] in for await _ in ending { finishing.yield() } },
            Task { [self] in for await _ in reloads { await reload() } },
            Task { [self] in await keepWatchdogQuiet() },
        ]
        for await _ in finish { break }
        notifier.stopping()
        state.withLock { $0.hasEnded = true }
        for session in sessions.values { session.end() }
        claiming.cancel()
        await claiming.value
        for held in state.withLock(\.held).values {
            held.session.end()
            await held.task.value
        }
        for task in others { task.cancel() }
        await group.triggerGracefulShutdown()
        await serving.value
        try? await transports.shutdown()
        await worker.leave()
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.isInTime
        }
    }

    /// Ends the process.
    private func fail(_ error: any Error) {
        state.withLock { $0.failure = $0.failure ?? error }
        finishing.yield()
    }

    private func keepWatchdogQuiet() async {
        guard let interval = notifier.watchdogInterval else { return }
        while (try? await setup.clock.sleep(for: interval)) != nil {
            // A scheduler that does not handle its inputs is not alive.
            for session in sessions.values { await session.pulse() }
            notifier.alive()
        }
    }

    // MARK: - Sharing

    /// Claims and gives back until the task is cancelled.
    private func claim(_ shared: ShardSession.Shared) async {
        var isFirst = true
        while !Task.isCancelled {
            // A claim that is interrupted may have been stored.
            let outcome = await Task { [self] in try await attempt(shared) }.result
            if case .failure(let error) = outcome {
                if isFirst, let error = error as? PersistenceError, error.kind == .configuration {
                    // A person must mend it before this can work at all.
                    return fail(error)
                }
                let failure = RunFailure(error)
                stand("it cannot be claimed: \(failure.message)", try: failure.hint?.serviceWords)
            }
            isFirst = false
            // Workers that were started together do not ask together.
            try? await setup.clock.sleep(for: .milliseconds(Int.random(in: 800...1200)))
        }
    }

    /// Claims one shard, or has one given back, if this worker's share says so.
    private func attempt(_ shared: ShardSession.Shared) async throws {
        guard !state.withLock(\.hasEnded) else { return }
        var company = try await worker.company()
        if let later = company.later {
            return stand(
                "\(later) has read another configuration later, and this worker's is older",
                try: "write the same file here, and reload it with: \(LiveConfiguration.reload)", evenHolding: true)
        }
        if state.withLock(\.mustPlace), try await placeSources() {
            for one in sessions.values { one.reload() }
            company = try await worker.company()
        }
        let (wanted, sessions) = (work(in: company.layout), sessions.filter { !$0.value.isEnding })
        take(company.layout)
        let (claims, givesBack) = state.withLock { state in
            let now = stopwatch.elapsed
            var decision = state.share.decide(company, wanted: wanted, own: Set(sessions.keys), at: now)
            // A session that ends may not be over when its shard is free.
            decision.claims.removeAll { state.held[$0] != nil || state.rests[$0].map { now < $0 } ?? false }
            return decision
        }
        for (shard, session) in sessions where session.isIdle && !wanted.contains(shard) { session.end() }
        if givesBack, let idle = sessions.first(where: { $0.value.isIdle }) {
            state.withLock { $0.share.gave(at: stopwatch.elapsed) }
            logger.info("Giving back", metadata: ["shard": "\(idle.key)", "reason": "another worker has fewer"])
            idle.value.end()
        }
        var holders = company.layout.shards.filter { wanted.contains($0.number) }.compactMap(\.holder?.name)
        // So that workers do not all claim the same one.
        for shard in claims.shuffled() {
            switch try await worker.claim(shard) {
            case .claimed(let keeper):
                // Nothing leaves the shard from now on, but something may have left it since the look above.
                do { take(try await worker.company().layout) } catch {
                    try? await keeper.release()
                    throw error
                }
                return begin(keeper, shared, isAlone: wanted.count == 1)
            case .held(let holder): holders.append(holder.name)
            }
        }
        guard !holders.isEmpty else { return }
        stand("the database is written by \(Set(holders).sorted().joined(separator: " and "))")
    }

    /// Takes up where the sources are. A look at it that took longer than a reload may have been too early for what that brought.
    private func take(_ layout: ShardLayout) {
        let areAllPlaced = live.configuration.sources.allSatisfy { layout.shard(of: $0) != nil }
        let before = state.withLock { state in
            defer { state.places = layout.places }
            // PostgreSQL may have gone back to a time before some had a place.
            if !areAllPlaced { state.mustPlace = true }
            return state.places
        }
        let moved = before.filter { layout.shard(of: $0.key) != $0.value }.map(\.value)
        let come = layout.places.filter { before[$0.key] != $0.value }.map(\.value)
        for (shard, session) in sessions where moved.contains(shard) || come.contains(shard) { session.reload() }
    }

    /// The shards that have sources of the configuration; the first one if there are no sources.
    private func work(in layout: ShardLayout) -> Set<Int> {
        let wanted = Set(live.configuration.sources.compactMap(layout.shard))
        return wanted.isEmpty ? [layout.shards.first?.number ?? place.shard] : wanted
    }

    /// Gives places to the sources that have none, unless somebody has a newer configuration. Returns true if that was done.
    private func placeSources() async throws -> Bool {
        let configuration = live.configuration
        // The server may have been away when the file was read.
        try await onOwnThread { [setup] in try setup.refuseSharedTables(in: configuration) }
        guard let places = try await worker.place(configuration.groups) else { return false }
        state.withLock { ($0.places, $0.mustPlace) = (places, false) }
        return true
    }

    private func part(of configuration: Configuration, in shard: Int) -> Configuration {
        let places = state.withLock(\.places)
        return configuration.restricted(to: Set(places.filter { $0.value == shard }.keys), places: places)
    }

    private func begin(_ keeper: ShardKeeper, _ shared: ShardSession.Shared, isAlone: Bool) {
        var logger = logger
        if !isAlone { logger[metadataKey: "shard"] = "\(keeper.place.shard)" }
        let session = ShardSession(keeper, shared, logger: logger)
        state.withLock { state in
            state.reason = nil
            state.held[keeper.place.shard] = Held(
                session: session, task: Task { [self] in await work(session, keeper.place.shard, isAlone: isAlone) })
        }
    }

    private func work(_ session: ShardSession, _ shard: Int, isAlone: Bool) async {
        var rests = false
        do {
            if let isInTime = try await session.run() {
                state.withLock { $0.isInTime = isInTime && $0.isInTime }
            } else {
                rests = true
            }
        } catch  where isAlone && sessions.count == 1 {
            fail(error)
        } catch {
            // The other shards go on, and another worker may be able to serve this one.
            let failure = RunFailure(error)
            logger.error(
                "Shard not served",
                metadata: [
                    "shard": "\(shard)", "error": "\(failure.message)", "try": "\(failure.hint?.serviceWords ?? "-")",
                ])
            rests = true
        }
        state.withLock { state in
            // At the end, it is waited for.
            if !state.hasEnded { state.held[shard] = nil }
            if rests { state.rests[shard] = stopwatch.elapsed + Self.rest }
        }
    }

    // MARK: - Standing by

    /// Tells why it stands by, or why it claims nothing more, once for each reason.
    ///
    /// - Parameter evenHolding: True if a worker that has shards has to be told, too.
    private func stand(_ reason: String, try advice: String? = nil, evenHolding: Bool = false) {
        let (former, isHolding) = state.withLock { state in
            defer { if state.held.isEmpty || evenHolding { state.reason = reason } }
            return (state.reason, !state.held.isEmpty)
        }
        guard evenHolding || !isHolding, reason != former else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if let advice { metadata["try"] = "\(advice)" }
        if isHolding { return logger.warning("Claiming nothing more", metadata: metadata) }
        logger.info("Standing by", metadata: metadata)
        if former == nil {
            notifier.ready()
            if !setup.isQuiet, isatty(STDERR_FILENO) == 1 {
                StandardError.write("Standing by: \(reason). Ctrl-C stops.\n")
            }
        }
        notifier.tell("Standing by: \(reason)")
    }

    private var notices: [ServiceNotice] {
        let (reason, isHolding) = state.withLock { ($0.reason, !$0.held.isEmpty) }
        guard !isHolding || reason != nil else { return live.notices }
        return live.notices + [
            ServiceNotice(
                .standby,
                "this worker \(isHolding ? "claims nothing more" : "stands by"); \(reason ?? "it has not claimed anything yet")",
                remedy: "see all workers with: garner workers")
        ]
    }

    // MARK: - Reloading

    private func reload() async {
        notifier.reloading()
        let isHolding = !sessions.isEmpty
        do throws(ReloadRefusal) {
            let after = try setup.reloadedConfiguration(after: live.configuration, place: session.place)
            live.replace(with: after)
            state.withLock { ($0.mustPlace, $0.reason) = (true, nil) }
            await worker.note(configurationDigest: after.digest)
            // Where the server is away, sources get their places later.
            _ = try? await placeSources()
            if !isHolding {
                logger.info("Configuration reloaded", metadata: ["streams": "\(after.streams.count)"])
            }
        } catch {
            live.refuse(error)
            if !isHolding { error.log(to: logger) }
        }
        for session in sessions.values { session.reload() }
        notifier.ready()
    }
}
