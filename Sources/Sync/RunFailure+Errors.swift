package import Persistence

import Fetcher

extension RunFailure {
    /// What an error of a run means to who started it.
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
    /// The same, told as one of several parts of a stream that failed.
    ///
    /// - Parameter areAll: whether it has no other parts: only then is what will come again the stream's.
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
    /// Whether it will come again until somebody changes the configuration.
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
