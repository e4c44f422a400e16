package import GarnerModel
package import GarnerSQLite

/// An error of the database, with advice for the user.
package struct PersistenceError: Error, Sendable {
    package enum Kind: String, Sendable {
        /// Another process writes to this database.
        case locked
        /// The file or its folder cannot be written or read by this user.
        case permission
        case missing
        /// The file cannot be created in that place.
        case cannotCreate = "cannot_create"
        /// The file is not Garner's, or a newer Garner made it.
        case foreign = "foreign_database"
        /// The file is damaged, or no database.
        case unusable = "unusable_database"
        case inputOutput = "input_output"
        /// The configured streams do not fit the stored data.
        case configuration
        /// The key is the same for several records of a read, or there is none.
        case key
        /// The values of a partition cannot be had now, or there are none.
        case partition = "partition_values"
        /// The records have no members for a table.
        case noMembers = "no_members"
        /// A record does not fit its table, which must not change.
        case contract = "schema_contract"
        /// A constraint, an index or a trigger of the owner refuses a record.
        case constraint
        /// The request names a missing column, parameter or table, or is no valid statement.
        case request
        /// A query exceeded its limit of time, memory or length.
        case limit
        case interrupted
        /// Another worker has taken the right to write, and goes on.
        case lost
        /// The server that keeps the database cannot be reached, or refuses.
        case server
        /// An internal rule of Garner was broken.
        case bug
    }

    package let kind: Kind
    package let message: String
    package let hint: Hint

    package init(_ kind: Kind, _ message: String, hint: Hint) {
        self.kind = kind
        self.message = RemoteDatabase.worded(message)
        self.hint = hint
    }

    /// Describes an SQLite error for the file at `path`.
    package init(_ error: SQLiteError, path: String) {
        switch error.kind {
        case .io where RemoteDatabase.isPath(path), .cannotOpen where RemoteDatabase.isPath(path):
            self.init(ofReading: RemoteDatabase.failure(at: path) ?? error)
        case .busy:
            self.init(
                .locked, "the database \(path) is locked by another writer",
                hint: "wait until it has finished, or find it with: fuser \(path); a sync then goes on where it stopped"
            )
        case .readOnly, .denied:
            self.init(
                .permission, "the database \(path) cannot be written: \(error.message)",
                hint: Self.taking(path) ?? "check the permissions of the file and of its folder")
        case .cannotOpen where FileCreation.isFull(at: path):
            self.init(
                .inputOutput, "the database \(path) cannot be written: its disk is full (\(error.message))",
                hint: "free some space, or files where there are too many; what was committed is safe")
        case .cannotOpen:
            self.init(
                .permission, "the database \(path) cannot be opened: \(error.message)",
                hint: Self.taking(path) ?? FileCreation.makingFolder(of: path).map(Hint.text)
                    ?? "check that the folder exists and that you may write in it")
        case .notADatabase:
            self.init(
                .unusable, "\(path) is no SQLite database",
                hint:
                    "name the right file under 'database:' or with --database; if it was a database, restore it from a backup"
            )
        case .corrupt:
            self.init(.unusable, "\(path) is not an intact SQLite database: \(error.message)", hint: .restoreOrSync)
        case .io, .full:
            self.init(
                .inputOutput,
                "the database \(path) could not be read or written: \(error.message)"
                    + (error.systemReason.map { " (\($0))" } ?? ""),
                hint: "check the free space and the health of the disk; what was committed is safe")
        case .interrupted:
            self.init(.interrupted, "the statement was interrupted", hint: "run it again")
        case .outOfMemory:
            self.init(
                .limit, "the database \(path) needs more memory than is available: \(error.message)",
                hint: "ask for less at a time")
        case .constraint where !error.isOfOwnTable:
            self.init(
                .constraint, "the database \(path) refuses a record: \(error.message)",
                hint: .text(
                    "a constraint, index or trigger of yours forbids it (sqlite3 \(path) .schema shows all); correct or drop that "
                        + "one, and try again; neither the record nor what came with it was stored"))
        case .constraint, .tooBig, .other:
            self.init(.bug, "\(path): \(error.description)", hint: .report)
        }
    }

    /// Describes the error because of which a database that is no file could not be read.
    private init(ofReading error: any Error) {
        let failure = RunFailure(error)
        self =
            error as? PersistenceError
            ?? PersistenceError(
                .server, "the database could not be read: \(failure.message)",
                hint: failure.hint ?? "check that its server is there, and try again")
    }

    /// The advice on a database of another user, as after a sync with sudo; nil if it is not one.
    private static func taking(_ path: String) -> Hint? {
        FileCreation.otherOwner(of: path).map { _ in .takeOver(database: path) }
    }
}

extension SQLiteError {
    /// True if the statement failed that writes a table of Garner's own, to which the owner adds no rules.
    fileprivate var isOfOwnTable: Bool {
        let sql = sql ?? ""
        return message.contains("_garner_") || sql.contains("INTO _garner_") || sql.hasPrefix("UPDATE _garner_")
            || sql.hasPrefix("DELETE FROM _garner_")
    }
}

extension PersistenceError: FailureConvertible {
    package var failure: RunFailure {
        RunFailure(
            kind.category, kind: kind == .key ? Kind.configuration.rawValue : kind.rawValue, message: message,
            hint: hint, isPermanent: kind.category == .misconfigured)
    }
}

extension PersistenceError.Kind {
    fileprivate var category: ErrorCategory {
        switch self {
        case .locked, .lost: .busy
        case .server: .unavailable
        case .permission: .noPermission
        case .missing, .partition: .missing
        case .unusable, .inputOutput: .inputOutput
        case .noMembers, .contract, .constraint: .badContent
        case .cannotCreate: .cannotCreate
        case .foreign, .configuration, .key: .misconfigured
        case .request: .usage
        case .limit, .interrupted: .failed
        case .bug: .bug
        }
    }
}

extension PersistenceError {
    /// Describes the loss of the open file at `path`.
    init(_ loss: Connection.FileLoss, of path: String) {
        switch loss {
        case .moved:
            self.init(
                .inputOutput, "the database \(path) was moved or deleted while this program had it open",
                hint:
                    "put the file and its -wal back where they were while no garner has it open, and start this program again"
            )
        case .truncated:
            self.init(
                .inputOutput, "the database \(path) was cut short while this program had it open",
                hint: "restore it from a backup while no garner has it open, and start this program again")
        case .unreachable(let reason):
            self.init(
                .inputOutput, "the database \(path) can no longer be read and written: \(reason)",
                hint: "give its user the rights to the file and its folders back, and start this program again")
        }
    }

    /// Describes the end of a run by a contract that freezes a part of the table.
    init(frozen what: String, record: String?, _ reason: String) {
        self.init(
            .contract, "\(what) is frozen and cannot store the record\(record.map { " \($0)" } ?? ""): \(reason)",
            hint:
                "if you want the change, set schema_contract to evolve for one run; otherwise use discard_row, discard_value or quarantine"
        )
    }
}
