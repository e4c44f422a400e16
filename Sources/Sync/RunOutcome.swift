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

    /// One line for people about what a first read found out beyond the configuration.
    package internal(set) var assumptions: String?

    /// The stream's schedule as it was stored with the run's end; nil where it was not.
    package var schedule: ScheduleRecord? { record?.schedule }
    /// By request, the run that had begun for it; empty unless that is why this run did not.
    package let servedBy: [String: Int64]

    package var counts: RunCounts { record?.counts ?? RunCounts() }

    package init(_ record: RunRecord, of stream: StreamName) {
        self.stream = stream
        self.record = record
        status = record.status
        failure = record.failure
        servedBy = [:]
    }

    /// A run that could not even begin.
    package init(unbegun stream: StreamName, _ error: any Error) {
        self.init(stream, .failed, RunFailure(error))
    }

    /// A run that could not even begin, as somebody else says.
    package init(unbegun stream: StreamName, _ failure: RunFailure) {
        self.init(stream, .failed, failure)
    }

    /// A run that did not begin, since others had served each of its requests.
    init(_ stream: StreamName, _ served: AlreadyServed) {
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
