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

    /// Throws `ExitError` with the exit code for all results.
    ///
    /// - Parameter refuse: Throws if a service would have to do what it does not do.
    func run(_ scope: RunScope, refuse: (RunningService) throws -> Void = { _ in }) async throws {
        var services: [RunningService?] = []
        for part in parts {
            // A dry run of what PostgreSQL keeps has a copy of its own.
            let service: RunningService? =
                await isDryRun && part.shard != nil ? nil : RunningService(of: part, setup)
            if let service { try refuse(service) }
            services.append(service)
        }
        if let part = parts.first, parts.count == 1 {
            guard let service = services[0] else {
                return try await session(of: part).run(part.streams, RunOptions(scope: scope))
            }
            return try await ServiceSession(setup, service, part.configuration, requests: requests)
                .run(part.streams, scope)
        }
        let reporter = SyncReporter(setup, requests: requests, isDryRun: isDryRun)
        let (categories, signal) = await Signals.cancelling { [services] in
            await withTaskGroup(of: [ErrorCategory?].self) { group in
                for (part, service) in zip(parts, services) {
                    group.addTask { await results(of: part, service, scope, reporter) }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
        }
        if isDryRun, !setup.isQuiet { StandardError.write("This was a dry run: nothing was stored.\n") }
        try reporter.end(categories, signal: signal)
    }

    private func session(of part: Setup.Part) -> SyncSession {
        SyncSession(
            setup: setup, configuration: part.configuration, shard: part.shard, isDryRun: isDryRun,
            callsHooks: callsHooks, wait: wait, tellsCreated: part.shard?.shard == parts.first?.shard?.shard,
            requests: requests)
    }

    /// Returns a category for each stream; nil for a success.
    private func results(
        of part: Setup.Part, _ service: RunningService?, _ scope: RunScope, _ reporter: SyncReporter
    ) async -> [ErrorCategory?] {
        do {
            guard let service else {
                return try await session(of: part).outcomes(
                    of: part.streams, RunOptions(scope: scope), reporter: reporter
                )
                .map { $0.failure?.category }
            }
            let session = ServiceSession(setup, service, part.configuration, requests: requests, reporter: reporter)
            return ServiceSession.categories(of: await session.outcomes(of: part.streams, scope))
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
