import GarnerCatalog
import GarnerFetcher
package import GarnerModel
import GarnerPersistence

package struct RunOutcome: Sendable {
    package let stream: StreamName
    package let status: RunRecord.Status
    /// The stored run; nil if the run could not begin.
    package let record: RunRecord?
    package let failure: RunFailure?
    /// The time for which the source asks for no requests; nil if it asks for nothing.
    package internal(set) var retryAfter: Duration?

    /// One line for people: the findings of a first read beyond the configuration.
    package internal(set) var assumptions: String?

    /// The stream's schedule as stored with the run's end; nil if it was not stored.
    package var schedule: ScheduleState? { record?.schedule }
    /// The run that had begun for each request. Empty unless that is why this run did not begin.
    package let servedBy: [String: RunID]

    package var counts: RunCounts { record?.counts ?? RunCounts() }

    package init(_ record: RunRecord, of stream: StreamName) {
        self.stream = stream
        self.record = record
        status = record.status
        failure = record.failure
        servedBy = [:]
    }

    /// Creates the outcome of a run that could not begin.
    package init(unbegun stream: StreamName, _ error: any Error) {
        self.init(stream, .failed, RunFailure(error))
    }

    /// Creates the outcome of a run that could not begin, with a given failure.
    package init(unbegun stream: StreamName, _ failure: RunFailure) {
        self.init(stream, .failed, failure)
    }

    /// Creates the outcome of a run that did not begin because others had served each of its requests.
    init(_ stream: StreamName, _ served: AlreadyServedError) {
        self.stream = stream
        status = .skipped
        failure = nil
        record = nil
        servedBy = served.runs
    }

    init(_ stream: StreamName, _ status: RunRecord.Status, _ failure: RunFailure?) {
        self.stream = stream
        self.status = status
        self.failure = failure
        record = nil
        servedBy = [:]
    }
}

extension RunOutcome {
    /// Creates the outcome of a run whose end could not be recorded. What it has stored before is told.
    init(unrecorded run: RunID, of stream: StreamName, _ failure: RunFailure, by writer: DatabaseWriter) async {
        if let record = try? await writer.unrecordedEnd(of: run, failure: failure) {
            self.init(record, of: stream)
        } else {
            self.init(stream, .failed, failure)
        }
    }
}

extension RunFailure {
    /// Returns the failure as one of several failed parts of a stream.
    ///
    /// - Parameter areAll: True if every part failed; only then is a permanent failure the stream's.
    func amongSeveral(_ count: Int, areAll: Bool) -> RunFailure {
        var failure = self
        failure.isPermanent = isPermanent && areAll
        if count > 1 { failure.message += "; \(count - 1) more of its parents or partitions failed" }
        return failure
    }
}

// The consequences of an error for the rest of a read.
extension FetchError.Kind {
    /// True if continuing after the stored pages would lead to the same error.
    var spoilsRead: Bool {
        switch self {
        case .repeatedPage, .repeatedRecords, .endlessEmptyPages, .unchangedPage, .lastPageAgain, .pageZeroAgain:
            true
        default: false
        }
    }

    /// True if this position is expected to give the same response again, while a first page may not.
    var spoilsPosition: Bool {
        switch self {
        // A token endpoint's response is not about the page.
        case .token: false
        case .status(let status, _), .response(let status, .fail, _):
            (400..<500).contains(status) && ![408, 425, 429].contains(status)
        default: category == .badContent
        }
    }

    /// True if the error concerns only this request and not the source, so that the rest can be read.
    var isOfOneSlice: Bool {
        switch self {
        case .status(let status, _), .response(let status, _, _): status != 429
        case .token: false
        case .redirect, .repeatedPage, .repeatedRecords, .endlessEmptyPages, .linkToOtherOrigin, .bodyTooLarge,
            .excessiveRatio, .graphQL, .refusal,
            .headTooLarge:
            true
        default: category == .badContent
        }
    }
}
