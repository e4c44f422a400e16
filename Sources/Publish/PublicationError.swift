package import GarnerModel
import GarnerPostgres

/// Why nothing can be published now. What the streams store goes on.
package struct PublicationError: Error, Sendable, Equatable {
    package enum Kind: Sendable {
        /// PostgreSQL cannot be reached, or gives too little now.
        case away
        /// A copy of the file is published by a process that runs.
        case held
        /// Somebody has to change something before anything is published.
        case refused
    }

    package let kind: Kind
    package let message: String
    package let hint: String?
    /// True if the server has not said whether it has committed the rows of a batch.
    var isUnconfirmed = false

    package init(_ kind: Kind, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    private static let readOnlyHint =
        "Name a server that is no standby, and a role that may write. To see whether a setting is why, and the line that ends it: "
        + "garner publish"

    /// Describes what a server or the way to it does not give.
    init(_ error: PostgresError) {
        // No other statement names what tells rows apart, and no other constraint is Garner's own.
        if error.sqlState == "42P10" || error.schema == "_garner" && error.sqlState?.hasPrefix("23") == true {
            self = PublishedSchema.changed(error.message)
            return
        }
        let kind: Kind =
            switch error.kind {
            case .invalidURL, .loginRefused, .untrusted, .undefinedDatabase, .unsupportedServer, .readOnly,
                .insufficientPrivilege, .undefinedTable, .undefinedColumn, .undefinedSchema:
                .refused
            default: .away
            }
        // Locks of the tables themselves put those behind.
        let words =
            switch error.kind {
            case .lockTimeout:
                "somebody's transaction has locked the schema _garner, or what is in it, for longer than two seconds"
            case .unanswered: "\(error.message); rows wait"
            default: error.message
            }
        let hint: String? =
            switch error.kind {
            case .readOnly: Self.readOnlyHint
            case .libraryMissing: "Install it, and start a service again that runs"
            default: nil
            }
        self.init(kind, words, hint: error.hint ?? hint)
    }
}

extension PublicationError {
    /// Describes a COMMIT without an answer.
    static func unconfirmed(_ error: PostgresError) -> PublicationError {
        var described = PublicationError(
            .away,
            "PostgreSQL has not confirmed a COMMIT, \(error.message): a synchronous standby may be away, or a disk full or slow; rows wait",
            hint:
                "Look at SELECT wait_event FROM pg_stat_activity: SyncRep waits for the machines of synchronous_standby_names"
        )
        described.isUnconfirmed = true
        return described
    }
}

extension PublicationError {
    /// Names who has locked what is in the schema `_garner`, if that is why a statement has failed, and the transaction has ended.
    static func naming(_ error: any Error, on connection: PostgresConnection) async -> any Error {
        guard let locked = error as? PostgresError, locked.kind == .lockTimeout else { return error }
        let holders = try? await connection.inTransaction {
            try await BehindReason.holders(
                of: "SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace($1)", "_garner", connection)
        }
        let described = PublicationError(locked)
        return PublicationError(described.kind, described.message + (holders ?? ""), hint: described.hint)
    }
}

extension RunFailure {
    /// Creates the failure of an attempt to publish.
    package static func publishing(_ error: any Error) -> RunFailure {
        RunFailure((error as? PostgresError).map(PublicationError.init) ?? error)
    }

    /// True if nothing is published until somebody changes something.
    package var isRefusal: Bool { category == .misconfigured || category == .busy }
}

extension PublicationError: FailureConvertible {
    package var failure: RunFailure {
        let (category, name): (ErrorCategory, String) =
            switch kind {
            case .away: (.unavailable, "postgres_away")
            case .held: (.busy, "publication_held")
            case .refused: (.misconfigured, "publication_refused")
            }
        return RunFailure(
            category, kind: name, message: message, hint: hint.map(Hint.text), isPermanent: kind == .refused)
    }
}
