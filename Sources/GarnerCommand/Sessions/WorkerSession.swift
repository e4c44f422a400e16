import Dashboard
import GarnerCatalog
import GarnerControl
import GarnerFetcher
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerPresentation
import GarnerReports
import GarnerRuntime
import GarnerShards
import GarnerTasks
import Logging
import ServiceLifecycle
import Synchronization

/// Runs the service on one of several machines: it stands by while another one writes the database, and takes over when that one is gone.
///
/// To take over is to start a service on a copy of the database. To lose the right to write is to stop it, and to throw the copy away.
final class WorkerSession: Sendable {
    private struct State {
        var configuration: Configuration
        /// Why this worker stands by, in words.
        var reason: String?
        /// The time before which it claims nothing, by the stopwatch.
        var rest: Duration = .zero
    }

    /// The time for which a worker claims nothing that could not make its copy.
    private static let rest = Duration.seconds(60)
    private static let beat = Duration.seconds(10)

    private let session: ServeSession
    private let shard: ShardPlace
    private let identity: WorkerIdentity
    private let worker: ShardWorker
    private let relay = SignalRelay()
    private let notifier: ServiceNotifier
    private let stopwatch: Stopwatch
    private let startedAt: Timestamp
    private let state: Mutex<State>

    init(_ session: ServeSession, _ shard: ShardPlace) {
        (self.session, self.shard) = (session, shard)
        let setup = session.setup
        identity = WorkerIdentity(of: session.configuration, userAgent: setup.context.userAgent)
        worker = ShardWorker(shard, as: identity)
        notifier = ServiceNotifier(environment: setup.environment)
        stopwatch = Stopwatch(setup.clock)
        startedAt = setup.now()
        state = Mutex(State(configuration: session.configuration))
    }

    private var setup: Setup { session.setup }
    private var logger: Logger { session.logger }
    private var configuration: Configuration { state.withLock(\.configuration) }

    /// Runs until `ending` has an element and every active run has ended. Returns true if all ended within their grace period.
    func run(ending: AsyncStream<Void>, reloads: AsyncStream<Void>) async throws -> Bool {
        let relaying = Task { await relay.run(ending: ending, reloads: reloads) }
        defer { relaying.cancel() }
        let result: Result<Bool, any Error>
        do {
            var isInTime = true
            while !relay.hasEnded, let keeper = try await standBy() { isInTime = try await work(keeper) }
            result = .success(isInTime)
        } catch {
            result = .failure(error)
        }
        await worker.leave()
        return try result.get()
    }

    // MARK: - Standing by

    /// Returns the right to write once this worker has it; nil if the service is to end.
    private func standBy() async throws -> ShardKeeper? {
        let (ending, reloads) = relay.phase()
        let claimed = Mutex<ShardKeeper?>(nil)
        let dashboard = session.listening.map { listening in
            DashboardServer(
                setup.dashboard(
                    of: session.place.path, { [self] in configuration }, access: listening.access,
                    notices: { [self] in notices }, actions: StandbyActions { [self] in refusal },
                    startedAt: startedAt, demo: listening.demo),
                at: listening.address, logger: logger
            ) { [logger] port in listening.announce(port: port, logger) }
        }
        try await dashboard?.requireFreeAddress()
        let claiming = Work { [self] in
            let keeper = try await claim()
            claimed.withLock { $0 = keeper }
        }
        let reloading = Work { [self] in for await _ in reloads { await reload() } }
        let waiting = Work { for await _ in ending { return } }
        let services: [(any Service)?] = [dashboard, reloading]
        try await ServiceGroup(
            configuration: .init(
                services: services.compactMap(\.self).map {
                    .init(
                        service: $0, successTerminationBehavior: .ignore,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                }
                    + [claiming, waiting].map {
                        .init(
                            service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                            failureTerminationBehavior: .gracefullyShutdownGroup)
                    }, logger: Logger(label: "garner") { _ in SwiftLogNoOpLogHandler() })
        ).run()
        guard let keeper = claimed.withLock({ $0 }) else { return nil }
        guard relay.hasEnded else { return keeper }
        try? await keeper.release()
        return nil
    }

    /// Claims until it has the right to write. Returns nil if the task is cancelled.
    ///
    /// - Throws: What a person must mend before this can work at all.
    private func claim() async throws -> ShardKeeper? {
        var isFirst = true
        while !Task.isCancelled {
            // A claim that is interrupted may have been stored.
            let outcome = await Task { [self] in try await attempt() }.result
            switch outcome {
            case .success(.claimed(let keeper)): return keeper
            case .success(.held(let holder)): stand("the database is written by \(holder.name)")
            case .success(nil): break
            case .failure(let error as PersistenceError) where isFirst && error.kind == .configuration: throw error
            case .failure(let error):
                let failure = RunFailure(error)
                stand("it cannot be claimed: \(failure.message)", try: failure.hint?.serviceWords)
            }
            isFirst = false
            if notifier.watchdogInterval != nil { notifier.alive() }
            // Workers that were started together do not ask together.
            try? await setup.clock.sleep(for: .milliseconds(Int.random(in: 800...1200)))
        }
        return nil
    }

    private func attempt() async throws -> ShardClaim? {
        guard stopwatch.elapsed >= state.withLock(\.rest) else { return nil }
        if let later = try await worker.laterReader() {
            stand(
                "\(later) has read another configuration later, and this worker's is older",
                try: "write the same file here, and reload it with: \(LiveConfiguration.reload)")
            return nil
        }
        return try await worker.claim()
    }

    /// Tells why it stands by, once for each reason.
    private func stand(_ reason: String, try advice: String? = nil) {
        let former = state.withLock { state in
            defer { state.reason = reason }
            return state.reason
        }
        guard reason != former else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if let advice { metadata["try"] = "\(advice)" }
        logger.info("Standing by", metadata: metadata)
        if former == nil {
            notifier.ready()
            greet("Standing by: \(reason). Ctrl-C stops.\n")
        }
        notifier.tell("Standing by: \(reason)")
    }

    private func greet(_ text: DisplayText) {
        if !setup.isQuiet, isatty(STDERR_FILENO) == 1 { StandardError.write(text) }
    }

    private var notices: [ServiceNotice] {
        let reason = state.withLock(\.reason) ?? "it has not been claimed yet"
        return [
            ServiceNotice(
                .standby, "this worker stands by; \(reason)",
                remedy: "see all workers with: garner workers")
        ]
    }

    private var refusal: ControlError {
        ControlError(
            .busy, kind: "standby",
            message: "this worker stands by; \(state.withLock(\.reason) ?? "it has not claimed the database yet")",
            hint: "use the dashboard of that worker, or garner trigger, pause and resume, which ask it")
    }

    private func reload() async {
        do throws(ReloadRefusal) {
            let after = try setup.reloadedConfiguration(after: configuration, place: session.place)
            adopt(after)
            logger.info("Configuration reloaded", metadata: ["streams": "\(after.streams.count)"])
        } catch {
            error.log(to: logger)
        }
    }

    private func adopt(_ after: Configuration) {
        var after = after
        after.place = session.place
        state.withLock { [after] in $0.configuration = after }
        Task { [worker, after] in await worker.note(configurationDigest: after.digest) }
    }

    // MARK: - Working

    /// Runs the service until it is to end, or until the right to write is lost. Returns true if all runs ended within their grace period.
    private func work(_ keeper: ShardKeeper) async throws -> Bool {
        state.withLock { $0.reason = nil }
        logger.info("Taking over", metadata: ["database": "\(shard)"])
        notifier.tell("Taking over \(shard)")
        let copy: ShardCopy
        do {
            copy = try await ShardCopy(keeper, setup.environment)
        } catch {
            try? await keeper.release()
            let failure = RunFailure(error)
            logger.error(
                "Database not copied",
                metadata: ["error": "\(failure.message)", "try": "\(failure.hint?.serviceWords ?? "-")"])
            state.withLock { $0.rest = stopwatch.elapsed + Self.rest }
            return true
        }
        defer { copy.remove() }
        let phase = relay.phase()
        let loss = Mutex<PersistenceError?>(nil)
        let serving = Task { [self] in
            try await serve(keeper, copy, until: phase.ending, reloads: phase.reloads)
        }
        let watching = Task {
            let error = await keeper.untilLost()
            guard !Task.isCancelled else { return }
            loss.withLock { $0 = error }
            serving.cancel()
        }
        let result = await serving.result
        watching.cancel()
        await watching.value
        let found = loss.withLock { $0 } ?? (result.failure as? PersistenceError).flatMap { $0.isLoss ? $0 : nil }
        if let found {
            logger.warning(
                "Database lost", metadata: ["error": "\(found.message)", "try": "\(found.hint.serviceWords)"])
            try? await keeper.release()
            return true
        }
        do { try await keeper.release() } catch {
            logger.warning("Database not given back", metadata: ["error": "\(RunFailure(error).message)"])
        }
        return try result.get()
    }

    private func serve(
        _ keeper: ShardKeeper, _ copy: ShardCopy, until ending: AsyncStream<Void>, reloads: AsyncStream<Void>
    ) async throws -> Bool {
        var session = session
        session.configuration = configuration
        session.configuration.database = copy.path
        session.holding = Holding(
            shard: ShardHolding(shard, identity.worker), beat: beating,
            observer: WorkerObserver(notifier: notifier, relay: relay)
        ) { [self] in adopt($0) }
        let transports = try setup.context.transports(keepingTokensBeside: session.place)
        let result: Result<Bool, any Error>
        do {
            result = .success(
                try await setup.context.withWriter(of: session.configuration, commits: keeper) {
                    [session] writer, publication in
                    try await writer.safe()
                    notifier.tell("Serving \(shard)")
                    let records = try ReadOnlyDatabase(path: copy.path).scheduleStates()
                    greet(ServiceGreeting(session.configuration, records, now: setup.now()).text)
                    return try await session.serve(writer, transports, publication, until: ending, reloads: reloads)
                })
        } catch {
            result = .failure(error)
        }
        try? await transports.shutdown()
        return try result.get()
    }

    /// Says that this worker is there while it works.
    private var beating: any Service {
        Work { [worker, clock = setup.clock] in
            while (try? await clock.sleep(for: Self.beat)) != nil { try? await worker.beat() }
        }
    }
}

/// A service that writes a database of PostgreSQL's has this beside what every service has.
struct Holding: Sendable {
    let shard: ShardHolding
    /// Says that the worker is there.
    let beat: any Service
    let observer: any ServiceObserver
    /// Receives each configuration that takes the place of the one in force.
    let adopt: @Sendable (Configuration) -> Void
}

/// Tells the service manager of a worker that it stops only if it does: one that has lost the database stands by.
private struct WorkerObserver: ServiceObserver {
    let notifier: ServiceNotifier
    let relay: SignalRelay

    var watchdogInterval: Duration? { notifier.watchdogInterval }

    func ready() { notifier.ready() }
    func reloading() { notifier.reloading() }
    func alive() { notifier.alive() }
    func stopping() { if relay.hasEnded { notifier.stopping() } }
}

/// Work that is cancelled by a graceful shutdown.
private struct Work: Service {
    let body: @Sendable () async throws -> Void

    init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

    func run() async throws { try await cancelWhenGracefulShutdown(body) }
}

/// The buttons of a standby's dashboard do nothing but say who could do it.
private struct StandbyActions: DashboardActions {
    let refusal: @Sendable () -> ControlError

    init(_ refusal: @escaping @Sendable () -> ControlError) { self.refusal = refusal }

    func sync(_ stream: StreamName) async throws { throw refusal() }
    func pause(_ stream: StreamName) async throws { throw refusal() }
    func resume(_ stream: StreamName) async throws { throw refusal() }
    func retryQuarantine(of stream: StreamName, record: Int64?) async throws { throw refusal() }
    func dropQuarantined(_ record: Int64) async throws { throw refusal() }
}

extension PersistenceError {
    /// True if nothing more can be stored, while another worker can go on.
    fileprivate var isLoss: Bool { kind == .lost || kind == .server }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
