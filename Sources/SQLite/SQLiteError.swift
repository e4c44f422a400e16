import CSQLite

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What SQLite answered when a call failed.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An extended result code (sqlite.org/rescode.html).
    package let code: Int32
    package let message: String
    /// The statement's text, where one was involved.
    package let sql: String?
    /// As in `errno`, where a file could not be opened; 0 otherwise.
    package let systemCode: Int32

    package init(code: Int32, message: String, sql: String? = nil, systemCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.sql = sql
        self.systemCode = systemCode
    }

    /// What the call before, which ended with `code`, left in a connection.
    init(code: Int32, of handle: OpaquePointer, message: String, sql: String? = nil) {
        let isSystem = code & 0xFF == SQLITE_CANTOPEN
        self.init(code: code, message: message, sql: sql, systemCode: isSystem ? sqlite3_system_errno(handle) : 0)
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
        // A log or journal, too, has to be opened: on a full or failing disk that is no question of permission.
        case SQLITE_CANTOPEN: systemCode == EIO ? .io : [ENOSPC, EDQUOT].contains(systemCode) ? .full : .cannotOpen
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

    /// What the system says where it could not open a file; nil otherwise.
    package var systemReason: String? { systemCode == 0 ? nil : String(cString: strerror(systemCode)) }

    /// Whether what went wrong is that a file could not be read as a database; SQLITE_IOERR_READ and …_SHORT_READ are two.
    package var isOfReading: Bool {
        [.corrupt, .notADatabase].contains(kind) || [266, 522].contains(code)
    }

    package var description: String {
        sql.map { "\(message) (SQLite \(code)) in: \($0)" } ?? "\(message) (SQLite \(code))"
    }
}
