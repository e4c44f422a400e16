import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerShards
import GarnerSync

/// Synchronises streams of several shards at once: by the worker that has a shard, or else in this process.
struct PartedSync {
    let setup: Setup
    let parts: [Setup.Part]
    var isDryRun = false
    let callsHooks: Bool
    var wait = Duration.zero
    /// The names of the requested runs by stream; nil if there are none.
    var requests: [StreamName: String]?

    /// What does a part.
    private enum Doer: Sendable {
        case service(RunningService)
        case session(SyncSession)
    }

    /// Throws `ExitError` with the exit code for all results.
    ///
    /// - Parameter refuse: Throws if a service would have to do what it does not do.
    func run(_ scope: RunScope, refuse: (RunningService) throws -> Void = { _ in }) async throws {
        if let part = parts.first, parts.count == 1 {
            switch try await doer(of: part, refuse) {
            case .service(let service):
                return try await ServiceSession(setup, service, part.configuration, requests: requests)
                    .run(part.streams, scope)
            case .session(let session): return try await session.run(part.streams, RunOptions(scope: scope))
            }
        }
        var doers: [(part: Setup.Part, doer: Doer)] = []
        for part in parts { doers.append((part, try await doer(of: part, refuse))) }
        let reporter = SyncReporter(setup, requests: requests, isDryRun: isDryRun)
        let (categories, signal) = await Signals.cancelling { [doers] in
            await withTaskGroup(of: [ErrorCategory?].self) { group in
                for (part, doer) in doers { group.addTask { await results(of: part, doer, scope, reporter) } }
                return await group.reduce(into: []) { $0 += $1 }
            }
        }
        reporter.finish()
        if isDryRun, !setup.isQuiet { StandardError.write("This was a dry run: nothing was stored.\n") }
        try reporter.end(categories, signal: signal)
    }

    private func doer(of part: Setup.Part, _ refuse: (RunningService) throws -> Void) async throws -> Doer {
        // A dry run of what PostgreSQL keeps has a copy of its own.
        if !isDryRun || part.shard == nil, let service = await RunningService(of: part, setup) {
            try refuse(service)
            return .service(service)
        }
        return .session(
            SyncSession(
                setup: setup, configuration: part.configuration, shard: part.shard, isDryRun: isDryRun,
                callsHooks: callsHooks, wait: wait, tellsCreated: part.shard?.shard == parts.first?.shard?.shard,
                requests: requests))
    }

    /// Returns a category for each stream; nil for a success.
    private func results(
        of part: Setup.Part, _ doer: Doer, _ scope: RunScope, _ reporter: SyncReporter
    ) async -> [ErrorCategory?] {
        do {
            switch doer {
            case .service(let service):
                let session = ServiceSession(
                    setup, service, part.configuration, requests: requests, reporter: reporter)
                return ServiceSession.categories(of: await session.outcomes(of: part.streams, scope))
            case .session(let session):
                return try await session.outcomes(of: part.streams, RunOptions(scope: scope), reporter: reporter)
                    .map { $0.failure?.category }
            }
        } catch {
            // The others go on.
            return part.streams.map { stream in
                let outcome = RunOutcome(unbegun: stream.name, error)
                reporter.report(outcome, of: stream, took: .zero)
                return outcome.failure?.category
            }
        }
    }
}
