import Catalog
import Fetcher
package import Model
import Persistence

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
    package let servedBy: [String: Int64]

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

extension RunFailure {
    /// Translates an error of a run into the terms of the command line.
    package init(_ error: any Error) {
        switch error {
        case let error as FetchError:
            self.init(
                code: error.isRateLimited ? ExitCode.unavailable : error.kind.exitCode,
                kind: error.isRateLimited ? "rate_limited" : error.kind.name, message: error.message, url: error.url,
                hint: error.hint, isPermanent: error.kind.isPermanent && !error.isRateLimited)
        case let error as IncrementalError: self.init(error)
        case let error as PersistenceError:
            self.init(
                code: error.kind.exitCode, kind: error.kind.name, message: error.message, hint: error.hint,
                isPermanent: error.kind.isPermanent)
        default:
            self.init(
                code: ExitCode.bug, kind: "bug", message: "\(error)", hint: "this is a bug in Garner; please report it")
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

extension FetchError.Kind {
    fileprivate var exitCode: Int32 {
        switch category {
        case .misconfigured: ExitCode.configuration
        case .badContent: ExitCode.badContent
        case .unavailable: ExitCode.unavailable
        case .unauthorized: ExitCode.noPermission
        }
    }
}

extension PersistenceError.Kind {
    /// True if the failure recurs until somebody changes the configuration.
    fileprivate var isPermanent: Bool { [.configuration, .key, .foreign].contains(self) }

    fileprivate var exitCode: Int32 {
        switch self {
        case .locked: ExitCode.locked
        case .permission: ExitCode.noPermission
        case .missing: ExitCode.inputMissing
        case .unusable, .inputOutput: ExitCode.inputOutput
        case .noMembers, .contract: ExitCode.badContent
        case .cannotCreate: ExitCode.cannotCreate
        case .foreign, .configuration, .key: ExitCode.configuration
        case .request: ExitCode.usage
        case .limit, .interrupted: ExitCode.failed
        case .bug: ExitCode.bug
        }
    }

    fileprivate var name: String {
        switch self {
        case .locked: "locked"
        case .permission: "permission"
        case .missing: "missing"
        case .unusable: "unusable_database"
        case .inputOutput: "input_output"
        case .cannotCreate: "cannot_create"
        case .foreign: "foreign_database"
        case .configuration, .key: "configuration"
        case .noMembers: "no_members"
        case .contract: "schema_contract"
        case .request: "request"
        case .limit: "limit"
        case .interrupted: "interrupted"
        case .bug: "bug"
        }
    }
}

// The consequences of an error for the rest of a read.
extension FetchError.Kind {
    /// True if continuing after the stored pages would lead to the same error.
    var spoilsRead: Bool {
        switch self {
        case .repeatedPage, .unchangedPage: true
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

    /// True if the error recurs until somebody changes the configuration, the credentials or the API.
    var isPermanent: Bool {
        switch self {
        case .status(let status, _), .response(let status, .fail, _): [401, 403, 404, 410].contains(status)
        default: category == .misconfigured || category == .unauthorized
        }
    }

    /// True if the error concerns only this request and not the source, so that the rest can be read.
    var isOfOneSlice: Bool {
        switch self {
        case .status(let status, _), .response(let status, _, _): status != 429
        case .token: false
        case .redirect, .repeatedPage, .linkToOtherOrigin, .bodyTooLarge, .excessiveRatio, .graphQL: true
        default: category == .badContent
        }
    }
}
