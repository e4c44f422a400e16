import Catalog
import Fetcher
import Foundation
import Logging
import Persistence
import Sync

/// Synchronises several streams once, as `garner sync` does: some at a time, one line or JSON object each.
struct SyncSession {
    private static let maximumConcurrentRuns = 4

    let setup: Setup
    let configuration: Configuration
    /// Whether all that is stored is undone at the end.
    let isRehearsal: Bool
    /// Whether those hear of the runs whom `hooks` names.
    let callsHooks: Bool
    /// How long another program that writes to the database is waited for.
    var wait = Duration.zero
    /// By stream, what its run was asked for by, where that is to be remembered and told.
    var requests: [StreamName: String]?

    /// Throws `Ending` with the code for what became of them all.
    func run(_ streams: [Catalog.Stream], _ options: RunOptions) async throws {
        let reporter = SyncReporter(setup, requests: requests)
        let (outcomes, signals) = try await setup.withStore(configuration, isRehearsal: isRehearsal, waiting: wait) {
            store, transports in
            // All that wait are told of: nothing else is kept from its time by that.
            let hooks = HookRunner(
                setup, transports: transports, logger: setup.logger("garner", usual: .warning), capacity: .max)
            let work = Task {
                async let telling: Void = hooks.run()
                let outcomes = await all(streams, options, store, transports, reporter, callsHooks ? hooks : nil)
                hooks.finish()
                await telling
                return outcomes
            }
            let signals = Signals { _ in work.cancel() }
            defer { signals.stop() }
            return (await work.value, signals)
        }
        reporter.finish()
        if let signal = signals.first { throw Ending(code: 128 + signal) }
        if let code = Self.code(for: outcomes) { throw Ending(code: code) }
        if let error = reporter.writeError { throw error }
    }

    private func all(
        _ streams: [Catalog.Stream], _ options: RunOptions, _ store: Store, _ transports: Transports,
        _ reporter: SyncReporter, _ hooks: HookRunner?
    ) async -> [RunOutcome] {
        await RunQueue.perform(streams, atMost: Self.maximumConcurrentRuns) { stream in
            await one(stream, options, store, transports, reporter, hooks)
        }
    }

    private func one(
        _ stream: Catalog.Stream, _ options: RunOptions, _ store: Store, _ transports: Transports,
        _ reporter: SyncReporter, _ hooks: HookRunner?
    ) async -> RunOutcome {
        let started = setup.clock.now
        var options = options
        if let request = requests?[stream.name] { options.occasion = .manual(requests: [request]) }
        if setup.options.verbose { options.onRequest = { reporter.tell($0, of: stream.name) } }
        hooks?.began(stream, nominal: nil)
        var outcome: RunOutcome
        var duration: Duration?
        do {
            let sync = setup.streamSync(stream, into: store, over: transports)
            outcome = await sync.run(options) { reporter.progress(stream.name, $0) }
            if let run = outcome.servedBy.values.first {
                // Asked for before: what became of it then is the answer now, too.
                let record = try Archive(path: configuration.database).run(run)
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

    /// nil where all is well; the code of the failure that all have, or what says that they differ.
    static func code(for outcomes: [RunOutcome]) -> Int32? { code(forFailures: outcomes.map { $0.failure?.code }) }

    /// - Parameter codes: One for each stream; nil: it did not fail.
    static func code(forFailures codes: [Int32?]) -> Int32? {
        let failed = codes.compactMap(\.self)
        guard let first = failed.first else { return nil }
        if failed.count < codes.count { return ExitCode.partial }
        return failed.allSatisfy { $0 == first } ? first : ExitCode.failed
    }
}
