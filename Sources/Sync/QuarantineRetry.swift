package import Catalog
package import Persistence

/// Loads the records of one stream that are in quarantine again: a run that fetches nothing.
package struct QuarantineRetry: Sendable {
    private let stream: Stream
    private let store: Store

    package init(_ stream: Stream, in store: Store) {
        self.stream = stream
        self.store = store
    }

    /// Runs once; what failed is in the outcome.
    ///
    /// - Parameter chosen: the numbers of the records that are meant; nil: all of the stream.
    package func run(_ chosen: [Int64]? = nil) async -> RunOutcome {
        var begun: Int64?
        do {
            let run = try await store.beginRetry(of: stream)
            begun = run
            var place = QuarantinePlace()
            while let next = try await store.retry(after: place, among: chosen, in: run) {
                try Task.checkCancellation()
                place = next
            }
            return RunOutcome(try await store.finishRetry(run), of: stream.name)
        } catch {
            return await end(begun, after: error)
        }
    }

    /// Records how the run ended; where it never began, there is nothing to record.
    private func end(_ run: Int64?, after error: any Error) async -> RunOutcome {
        let isCancelled = error is CancellationError
        let failure = isCancelled ? nil : RunFailure(error)
        guard let run else { return RunOutcome(stream.name, isCancelled ? .cancelled : .failed, failure) }
        do {
            let record = try await store.end(run: run, as: isCancelled ? .cancelled : .failed, failure: failure)
            return RunOutcome(record, of: stream.name)
        } catch let second {
            return RunOutcome(stream.name, .failed, failure ?? RunFailure(second))
        }
    }
}
