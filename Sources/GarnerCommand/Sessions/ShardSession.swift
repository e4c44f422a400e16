import GarnerCatalog
import GarnerFetcher
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerPresentation
import GarnerReports
import GarnerRuntime
import GarnerShards
import Logging
import Synchronization

/// Serves the streams of one shard on a copy of it, until it is to end or until the right to write is lost.
final class ShardSession: Sendable {
    /// What the sessions of a process share.
    struct Shared: Sendable {
        let setup: Setup
        let transports: Transports
        let hooks: HookRunner?
        let gate = RunGate()
        let notifier: ServiceNotifier
        /// The configuration of all shards.
        let live: LiveConfiguration
        /// Returns the part of a configuration that a shard has.
        let part: @Sendable (_ of: Configuration, _ shard: Int) -> Configuration
    }

    private let shared: Shared
    private let keeper: ShardKeeper
    private let logger: Logger
    private let (ending, endings) = AsyncStream<Void>.makeStream()
    private let (reloads, reloading) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let source = Mutex<SourceService?>(nil)
    private let hasToEnd = Atomic(false)
    private let hasNoRoom = Atomic(false)

    init(_ keeper: ShardKeeper, _ shared: Shared, logger: Logger) {
        (self.keeper, self.shared, self.logger) = (keeper, shared, logger)
    }

    private var setup: Setup { shared.setup }
    private var place: ShardPlace { keeper.place }

    /// True if it is to end, and may have active runs.
    var isEnding: Bool { hasToEnd.load(ordering: .relaxed) }

    /// True if it serves, and no run is active.
    var isIdle: Bool { source.withLock(\.self)?.isIdle ?? false }

    /// Has the service end, and the shard be given back. It may not have begun yet.
    func end() {
        hasToEnd.store(true, ordering: .relaxed)
        endings.yield()
    }

    func reload() { reloading.yield() }

    /// Returns when the scheduler has handled what came before.
    func pulse() async { await source.withLock(\.self)?.pulse() }

    /// Runs until the shard is lost, or given back. Returns true if all runs ended within their grace period, and nil if the copy could not be
    /// written, so that another worker should go on. Throws what ends the process.
    func run() async throws -> Bool? {
        logger.info("Taking over", metadata: ["database": "\(place)"])
        shared.notifier.tell("Taking over \(place)")
        let copy: ShardCopy
        do {
            copy = try await ShardCopy(keeper, setup.environment)
        } catch {
            try? await keeper.release()
            let failure = RunFailure(error)
            logger.error(
                "Database not copied",
                metadata: ["error": "\(failure.message)", "try": "\(failure.hint?.serviceWords ?? "-")"])
            return nil
        }
        defer { copy.remove() }
        let (result, loss) = await RuntimeContext.whileHeld(keeper) { try await serve(copy) }
        source.withLock { $0 = nil }
        if let loss = loss ?? (result.failure as? PersistenceError).flatMap({ $0.isLoss ? $0 : nil }) {
            logger.warning(
                "Database lost", metadata: ["error": "\(loss.message)", "try": "\(loss.hint.serviceWords)"])
            try? await keeper.release()
            return true
        }
        do { try await keeper.release() } catch {
            logger.warning("Database not given back", metadata: ["error": "\(RunFailure(error).message)"])
        }
        let isInTime = try result.get()
        return hasNoRoom.load(ordering: .relaxed) ? nil : isInTime
    }

    private func serve(_ copy: ShardCopy) async throws -> Bool {
        let shard = place.shard
        let part: @Sendable (Configuration) -> Configuration = { [shared] configuration in
            var part = shared.part(configuration, shard)
            part.database = copy.path
            return part
        }
        let configuration = part(shared.live.configuration)
        tellOfSeparated(configuration.streams)
        return try await setup.context.withWriter(at: copy.path, publishing: configuration, commits: keeper) {
            writer, publication in
            try await writer.safe()
            shared.notifier.tell("Serving \(place)")
            let records = try ReadOnlyDatabase(path: copy.path).scheduleStates()
            if !setup.isQuiet, isatty(STDERR_FILENO) == 1 {
                StandardError.write(ServiceGreeting(configuration, records, now: setup.now()).text)
            }
            let service = try await SourceService(
                setup.context.loading(part), configuration, writer: writer, transports: shared.transports,
                hooks: shared.hooks, publication: publication, giveBack: { [self] in end() },
                cannotWrite: { [self] in
                    hasNoRoom.store(true, ordering: .relaxed)
                    end()
                }, gate: shared.gate, logger: logger)
            source.withLock { $0 = service }
            return try await ServiceProcess(
                service, [], observer: ShardObserver(notifier: shared.notifier),
                // Another one each time: what this worker took before it lost the shard is still to be answered.
                holding: ShardHolding(place, .random())
            ).run(maximumClients: DescriptorLimit.current.clients, until: ending, reloads: reloads) {
                [self] (_) throws(ReloadRefusal) in
                if let refusal = shared.live.refusal { throw refusal }
                let after = part(shared.live.configuration)
                tellOfSeparated(after.streams)
                return after
            }
        }
    }

    private func tellOfSeparated(_ streams: [StreamConfiguration]) {
        for stream in streams {
            for (needed, move) in stream.elsewhere.sorted(by: { $0.key < $1.key }) {
                logger.warning(
                    "Stream needs another shard",
                    metadata: ["stream": "\(stream.name)", "needed": "\(needed)", "try": "\(move)"])
            }
        }
    }
}

/// Tells the service manager of a shard only that it is served: the rest belongs to the process.
private struct ShardObserver: ServiceObserver {
    let notifier: ServiceNotifier

    var watchdogInterval: Duration? { nil }

    func ready() { notifier.ready() }
    func reloading() {}
    func alive() {}
    func stopping() {}
}

extension PersistenceError {
    /// True if nothing more can be stored, while another worker can go on.
    fileprivate var isLoss: Bool { kind == .lost || kind == .server }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
