import CGarnerSQLite
import GarnerLibC

/// The error of a failed SQLite call.
public struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The extended result code (sqlite.org/rescode.html).
    package let code: Int32
    package let message: String
    /// The statement's text, if there was one.
    package let sql: String?
    /// The value of `errno` if a file could not be opened; 0 otherwise.
    package let systemCode: Int32

    package init(code: Int32, message: String, sql: String? = nil, systemCode: Int32 = 0) {
        self.code = code
        self.message = message
        self.sql = sql
        self.systemCode = systemCode
    }

    /// Creates the error of the call before, which ended with `code` on this connection.
    init(code: Int32, of handle: OpaquePointer, message: String, sql: String? = nil) {
        let isSystem = code & 0xFF == SQLITE_CANTOPEN
        self.init(code: code, message: message, sql: sql, systemCode: isSystem ? sqlite3_system_errno(handle) : 0)
    }

    /// Returns the error of a statement on a closed connection.
    static func closed(_ path: String, _ sql: String) -> SQLiteError {
        SQLiteError(code: SQLITE_MISUSE, message: "\(path) is closed", sql: sql)
    }

    /// The kinds of errors that callers distinguish.
    package enum Kind: Sendable {
        /// Another connection holds a lock that this one needs.
        case busy
        /// An input/output error or a limit of the disk.
        case io
        case full
        case readOnly
        case cannotOpen
        case notADatabase
        case corrupt
        case interrupted
        case constraint
        /// The authorizer or the file's permissions deny the access.
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
        // SQLite also opens a log or journal. If the disk is full or failing, permissions are not the cause.
        case SQLITE_CANTOPEN: systemCode == EIO ? .io : [ENOSPC, EDQUOT].contains(systemCode) ? .full : .cannotOpen
        case SQLITE_NOTADB: .notADatabase
        case SQLITE_CORRUPT: .corrupt
        case SQLITE_INTERRUPT: .interrupted
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_AUTH, SQLITE_PERM: .denied
        // The declaration of a virtual table passes on no other code.
        case SQLITE_ERROR where message == String(cString: sqlite3_errstr(SQLITE_INTERRUPT)): .interrupted
        case SQLITE_TOOBIG: .tooBig
        case SQLITE_NOMEM: .outOfMemory
        default: .other
        }
    }

    /// The system's message if a file could not be opened; nil otherwise.
    package var systemReason: String? { systemCode == 0 ? nil : String(cString: strerror(systemCode)) }

    /// True if a file could not be read as a database. 266 and 522 are SQLITE_IOERR_READ and SQLITE_IOERR_SHORT_READ.
    package var isOfReading: Bool {
        [.corrupt, .notADatabase].contains(kind) || [266, 522].contains(code)
    }

    public var description: String {
        sql.map { "\(message) (SQLite \(code)) in: \($0)" } ?? "\(message) (SQLite \(code))"
    }
}

/// The SQLite library in use at run time, which may differ from the one at build time.
package enum Library {
    /// The version as a number, with three digits for each part but the first, such as 3040001.
    package static var versionNumber: Int { Int(sqlite3_libversion_number()) }

    /// True if connections may be used from several threads at all.
    package static var isThreadSafe: Bool { sqlite3_threadsafe() != 0 }

    /// Returns true if the library was compiled with an option, such as `ENABLE_FTS5`.
    package static func has(_ option: String) -> Bool { sqlite3_compileoption_used(option) != 0 }
}
