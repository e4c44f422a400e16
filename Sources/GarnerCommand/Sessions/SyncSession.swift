import GarnerCatalog
import GarnerFetcher
import Logging
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime
import GarnerShards
import GarnerSync
import GarnerTasks

/// Synchronises several streams once, as `garner sync` does: some at a time, with a line or JSON object for each.
struct SyncSession {
    private static let maximumConcurrentRuns = 4

    let setup: Setup
    let configuration: Configuration
    /// The shard of a database that PostgreSQL keeps; nil for a file.
    var shard: ShardPlace?
    /// True if all changes are undone at the end.
    let isDryRun: Bool
    let callsHooks: Bool
    /// The time to wait for another program that writes to the database.
    var wait = Duration.zero
    /// False if somebody else tells that a database is new.
    var tellsCreated = true
    /// The names of the requested runs by stream, to be stored and reported; nil if there are none.
    var requests: [StreamName: String]?

    /// Throws `ExitError` with the exit code for all results.
    func run(_ streams: [StreamConfiguration], _ options: RunOptions) async throws {
        let reporter = SyncReporter(setup, requests: requests, isDryRun: isDryRun)
        let (outcomes, signal) = try await withStore { writer, transports, publication in
            await Signals.cancelling {
                await self.outcomes(of: streams, options, writer, transports, publication, reporter)
            }
        }
        if isDryRun, !setup.isQuiet { StandardError.write("This was a dry run: nothing was stored.\n") }
        try reporter.end(outcomes.map { $0.failure?.category }, signal: signal)
    }

    /// Returns the results of streams whose runs others may make beside this. Throws if the database cannot be opened.
    func outcomes(
        of streams: [StreamConfiguration], _ options: RunOptions, reporter: SyncReporter
    ) async throws -> [RunOutcome] {
        try await withStore { await outcomes(of: streams, options, $0, $1, $2, reporter) }
    }

    private func withStore<Result>(
        _ body: (DatabaseWriter, Transports, TablePublication?) async throws -> Result
    ) async throws -> Result {
        try await setup.withStore(
            configuration, in: shard, isDryRun: isDryRun, waiting: wait, tellCreated: tellsCreated ? nil : { _ in }
        ) { writer, transports, publication in
            // Whoever had the shard may have moved them.
            return try await body(writer, transports, publication)
        }
    }

    private func outcomes(
        of streams: [StreamConfiguration], _ options: RunOptions, _ writer: DatabaseWriter, _ transports: Transports,
        _ publication: TablePublication?, _ reporter: SyncReporter
    ) async -> [RunOutcome] {
        // The queue has no limit, since waiting hooks delay nothing here.
        let hooks = HookRunner(
            setup.context, transports: transports, logger: setup.logger("garner", usual: .warning), capacity: .max)
        async let telling: Void = hooks.run()
        let outcomes = await all(streams, options, writer, transports, reporter, callsHooks ? hooks : nil)
        hooks.finish()
        await telling
        reporter.finish()
        await setup.publish(with: publication, configuration.publish)
        return outcomes
    }

    private func all(
        _ streams: [StreamConfiguration], _ options: RunOptions, _ writer: DatabaseWriter, _ transports: Transports,
        _ reporter: SyncReporter, _ hooks: HookRunner?
    ) async -> [RunOutcome] {
        // If the views cannot be read, the runs of the streams fail, and say why.
        let views = streams.contains(where: \.readsTables) ? try? await writer.viewDefinitions() : nil
        return await RunQueue.perform(streams, views: views ?? [:], atMost: Self.maximumConcurrentRuns) { stream in
            await one(stream, options, writer, transports, reporter, hooks)
        }
    }

    private func one(
        _ stream: StreamConfiguration, _ options: RunOptions, _ writer: DatabaseWriter, _ transports: Transports,
        _ reporter: SyncReporter, _ hooks: HookRunner?
    ) async -> RunOutcome {
        let started = setup.clock.now
        var options = options
        if let request = requests?[stream.name] { options.occasion = .manual(requests: [request]) }
        if setup.options.telling.verbose { options.onRequest = { reporter.tell($0, of: stream.name) } }
        hooks?.began(stream, nominal: nil)
        var outcome: RunOutcome
        var duration: Duration?
        do {
            let sync = await setup.context.streamSync(stream, of: configuration, into: writer, over: transports)
            outcome = await sync.run(options) { reporter.progress(stream.name, $0) }
            if let run = outcome.servedBy.values.first {
                // The run was requested before. Its earlier result is the answer.
                let record = try ReadOnlyDatabase(path: configuration.database).run(run)
                outcome = RunOutcome(record, of: stream.name)
                duration = record.duration
            }
        } catch {
            outcome = RunOutcome(unbegun: stream.name, error)
        }
        reporter.report(outcome, of: stream, took: duration ?? setup.clock.now - started)
        hooks?.ended(outcome, of: stream, nominal: nil)
        return outcome
    }

    /// Returns nil if all succeeded, the common code of all failures, or the code for different results.
    ///
    /// - Parameter categories: One category for each stream; nil for a success.
    static func code(forFailures categories: [ErrorCategory?]) -> Int32? {
        let failed = categories.compactMap(\.self)
        guard let first = failed.first else { return nil }
        if failed.count < categories.count { return ExitCode.partial }
        return failed.allSatisfy { $0 == first } ? first.exitCode : ErrorCategory.failed.exitCode
    }
}

/// Loads records from quarantine again, stream by stream, as `garner quarantine retry` does.
struct RetrySession {
    let setup: Setup
    let configuration: Configuration

    /// Throws `ExitError` with the exit code for all results.
    func run(_ streams: [StreamConfiguration], _ chosen: [Int64]?) async throws {
        guard !streams.isEmpty else {
            if !setup.isQuiet { StandardError.write("Nothing is in quarantine.\n") }
            return
        }
        let reporter = SyncReporter(setup)
        let configuration = try setup.withSecretsOfPublication(configuration)
        var outcomes: [RunOutcome] = []
        for part in try await setup.parts(of: streams, in: configuration) {
            let (found, signal) = try await setup.withStore(part.configuration, in: part.shard, askingHolder: true) {
                writer, _, publication in
                await Signals.cancelling {
                    let outcomes = await all(part.streams, chosen, writer, reporter)
                    await setup.publish(with: publication, configuration.publish)
                    return outcomes
                }
            }
            outcomes += found
            if signal != nil { try reporter.end([], signal: signal) }
        }
        try reporter.end(outcomes.map { $0.failure?.category })
    }

    private func all(
        _ streams: [StreamConfiguration], _ chosen: [Int64]?, _ writer: DatabaseWriter, _ reporter: SyncReporter
    ) async -> [RunOutcome] {
        var outcomes: [RunOutcome] = []
        for stream in streams where !Task.isCancelled {
            let started = setup.clock.now
            let outcome = await QuarantineRetry(stream, among: configuration.streams, in: writer).run(chosen)
            reporter.report(outcome, of: stream, took: setup.clock.now - started)
            outcomes.append(outcome)
        }
        return outcomes
    }
}

extension RunQueue {
    /// Runs all streams, some at a time. Returns the results in the order in which the runs ended.
    ///
    /// No run begins after a cancellation.
    static func perform<Outcome: Sendable>(
        _ streams: [StreamConfiguration], views: [String: String], atMost limit: Int,
        _ run: @escaping @Sendable (StreamConfiguration) async -> Outcome
    ) async -> [Outcome] {
        var queue = RunQueue(streams, views: views)
        var outcomes: [Outcome] = []
        await performConcurrently(atMost: limit) {
            Task.isCancelled ? nil : queue.startNext()
        } _: { stream in
            (stream.name, await run(stream))
        } handle: { stream, outcome in
            outcomes.append(outcome)
            queue.finish(stream)
        }
        return outcomes
    }
}
