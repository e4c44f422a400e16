import CSQLite

/// A prepared statement, for the thread that has its connection.
package final class Statement {
    package let sql: String
    @usableFromInline
    let handle: OpaquePointer
    private let connection: OpaquePointer

    package init(_ sql: String, on connection: Connection) throws(SQLiteError) {
        guard connection.isOpen else { throw .closed(connection.path, sql) }
        // SQLite would take it for the end, and what follows would count for nothing.
        guard !sql.utf8.contains(0) else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "there is a NUL in the statement", sql: sql)
        }
        var text = sql
        let (code, prepared, hasMore) = text.withUTF8 { Self.prepare($0, on: connection.handle) }
        guard code == SQLITE_OK else { throw connection.error(sql: sql) }
        guard let prepared else { throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement", sql: sql) }
        guard !hasMore else {
            sqlite3_finalize(prepared)
            throw SQLiteError(code: SQLITE_MISUSE, message: "more than one statement", sql: sql)
        }
        self.sql = sql
        self.connection = connection.handle
        handle = prepared
    }

    deinit { sqlite3_finalize(handle) }

    /// Moves to the next row; false when there is none.
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = failure()
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs the statement once and makes it ready for the next bindings, which keep their values.
    package func run() throws(SQLiteError) {
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE || code == SQLITE_ROW else {
            let error = failure()
            sqlite3_reset(handle)
            throw error
        }
        sqlite3_reset(handle)
    }

    /// Ends the iteration; "sqlite3_reset() does not reset the bindings" (sqlite.org/c3ref/reset.html).
    package func reset() { sqlite3_reset(handle) }

    package func clearBindings() { sqlite3_clear_bindings(handle) }

    /// Whether the statement makes no direct change to the database file.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Prepares the first statement of a text, and says whether anything but comments follows it.
    private static func prepare(
        _ text: UnsafeBufferPointer<UInt8>, on connection: OpaquePointer
    ) -> (code: Int32, statement: OpaquePointer?, hasMore: Bool) {
        text.withMemoryRebound(to: CChar.self) { text in
            var statement: OpaquePointer?
            var tail: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(
                connection, text.baseAddress, Int32(clamping: text.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                &statement,
                &tail)
            guard code == SQLITE_OK, let tail, let start = text.baseAddress, tail < start + text.count else {
                return (code, statement, false)
            }
            var next: OpaquePointer?
            let nextCode = sqlite3_prepare_v3(
                connection, tail, Int32(clamping: start + text.count - tail), 0, &next, nil)
            sqlite3_finalize(next)
            return (code, statement, next != nil || nextCode != SQLITE_OK)
        }
    }

    @usableFromInline
    func failure() -> SQLiteError {
        SQLiteError(
            code: sqlite3_extended_errcode(connection), of: connection,
            message: String(cString: sqlite3_errmsg(connection)), sql: sql)
    }
}
