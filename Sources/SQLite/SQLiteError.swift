import CSQLite

/// What SQLite answered when a call failed.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An extended result code (sqlite.org/rescode.html).
    package let code: Int32
    package let message: String
    /// The statement's text, where one was involved.
    package let sql: String?

    package init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    /// A statement on a connection whose handle is gone.
    static func closed(_ path: String, _ sql: String) -> SQLiteError {
        SQLiteError(code: SQLITE_MISUSE, message: "\(path) is closed", sql: sql)
    }

    /// The kinds that callers tell apart.
    package enum Kind: Sendable {
        /// Another connection holds a lock that this one waited for.
        case busy
        /// A limit of the disk or an input/output error.
        case io
        case full
        case readOnly
        case cannotOpen
        case notADatabase
        case corrupt
        case interrupted
        case constraint
        /// Not allowed by the authorizer or by the file's permissions.
        case denied
        case tooBig
        case outOfMemory
        case other
    }

    package var kind: Kind {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_IOERR: .io
        case SQLITE_FULL: .full
        case SQLITE_READONLY: .readOnly
        case SQLITE_CANTOPEN: .cannotOpen
        case SQLITE_NOTADB: .notADatabase
        case SQLITE_CORRUPT: .corrupt
        case SQLITE_INTERRUPT: .interrupted
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_AUTH, SQLITE_PERM: .denied
        case SQLITE_TOOBIG: .tooBig
        case SQLITE_NOMEM: .outOfMemory
        default: .other
        }
    }

    package var description: String {
        sql.map { "\(message) (SQLite \(code)) in: \($0)" } ?? "\(message) (SQLite \(code))"
    }
}
