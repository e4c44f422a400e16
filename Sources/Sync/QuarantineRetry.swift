package import GarnerCatalog
import GarnerFetcher
import GarnerModel
package import GarnerPersistence

/// A run that fetches nothing and loads a stream's quarantined records again.
package struct QuarantineRetry: Sendable {
    private let stream: StreamConfiguration
    private let hidden: HiddenFields?
    private let writer: DatabaseWriter

    /// - Parameter streams: All streams; what the rules of a parent keep out is kept out of its children, too.
    package init(_ stream: StreamConfiguration, among streams: [StreamConfiguration], in writer: DatabaseWriter) {
        self.stream = stream
        hidden = HiddenFields(of: stream, among: streams)
        self.writer = writer
    }

    /// Runs once. A failure is in the outcome.
    ///
    /// - Parameter chosen: The numbers of the records to load; nil for all records of the stream.
    package func run(_ chosen: [Int64]? = nil) async -> RunOutcome {
        var begun: RunID?
        do {
            let run = try await writer.beginRetry(of: stream)
            begun = run
            var place = QuarantinePlace()
            while let next = try await writer.retry(after: place, among: chosen, hiding: hidden, in: run) {
                try Task.checkCancellation()
                place = next
            }
            return RunOutcome(try await writer.finishRetry(run), of: stream.name)
        } catch {
            return await end(begun, after: error)
        }
    }

    /// Records the end of the run, if it ever began.
    private func end(_ run: RunID?, after error: any Error) async -> RunOutcome {
        let isCancelled = error is CancellationError
        let failure = isCancelled ? nil : Redaction(of: stream).failure(error)
        guard let run else { return RunOutcome(stream.name, isCancelled ? .cancelled : .failed, failure) }
        do {
            let record = try await writer.end(run: run, as: isCancelled ? .cancelled : .failed, failure: failure)
            return RunOutcome(record, of: stream.name)
        } catch let second {
            let failure = failure ?? Redaction(of: stream).failure(second)
            return await RunOutcome(unrecorded: run, of: stream.name, failure, by: writer)
        }
    }
}
