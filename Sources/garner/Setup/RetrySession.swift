import Catalog
import Persistence
import Sync

/// Loads records from quarantine again, stream by stream, as `garner quarantine retry` does.
struct RetrySession {
    let setup: Setup
    let configuration: Configuration

    /// Throws `Ending` with the code for what became of them all.
    func run(_ streams: [Catalog.Stream], _ chosen: [Int64]?) async throws {
        guard !streams.isEmpty else {
            if !setup.isQuiet { StandardError.write("Nothing is in quarantine.\n") }
            return
        }
        let reporter = SyncReporter(setup)
        let (outcomes, signals) = try await setup.withStore(configuration) { store, _ in
            let work = Task { await all(streams, chosen, store, reporter) }
            let signals = Signals { _ in work.cancel() }
            defer { signals.stop() }
            return (await work.value, signals)
        }
        if let signal = signals.first { throw Ending(code: 128 + signal) }
        if let code = SyncSession.code(for: outcomes) { throw Ending(code: code) }
        if let error = reporter.writeError { throw error }
    }

    private func all(
        _ streams: [Catalog.Stream], _ chosen: [Int64]?, _ store: Store, _ reporter: SyncReporter
    ) async -> [RunOutcome] {
        var outcomes: [RunOutcome] = []
        for stream in streams where !Task.isCancelled {
            let started = setup.clock.now
            let outcome = await QuarantineRetry(stream, in: store).run(chosen)
            reporter.report(outcome, of: stream, took: setup.clock.now - started)
            outcomes.append(outcome)
        }
        return outcomes
    }
}
