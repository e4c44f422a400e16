package import Catalog
package import Persistence

/// How one run ended.
package struct RunOutcome: Sendable {
    package let stream: StreamName
    package let status: RunRecord.Status
    /// The run as it was recorded; nil where it could not even begin.
    package let record: RunRecord?
    package let failure: RunFailure?
    /// How long the source asks to be left alone; nil where it asks for nothing.
    package internal(set) var leftAlone: Duration?

    package var counts: RunCounts { record?.counts ?? RunCounts() }

    init(_ record: RunRecord, of stream: StreamName) {
        self.stream = stream
        self.record = record
        status = record.status
        failure = record.failure
    }

    /// A run that could not even begin.
    package init(unbegun stream: StreamName, _ error: any Error) {
        self.init(stream, .failed, RunFailure(error))
    }

    init(_ stream: StreamName, _ status: RunRecord.Status, _ failure: RunFailure?) {
        self.stream = stream
        self.status = status
        self.failure = failure
        record = nil
    }
}
