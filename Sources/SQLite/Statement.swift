public import CGarnerSQLite
public import GarnerDatabase

/// A prepared statement. Only the thread that owns its connection may use it.
public final class Statement {
    package let sql: String
    @usableFromInline
    let handle: OpaquePointer
    private let connection: OpaquePointer

    package init(_ sql: String, on connection: Connection) throws(SQLiteError) {
        guard connection.isOpen else { throw .closed(connection.path, sql) }
        // SQLite would take a NUL for the end and ignore the rest.
        guard !sql.utf8.contains(0) else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "there is a NUL in the statement", sql: sql)
        }
        var text = connection.hasParts ? connection.showingAllParts(sql) : sql
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

    /// Moves to the next row. Returns false if there is none.
    @inlinable
    public func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = failure()
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs the statement once and resets it. The bindings keep their values.
    @inlinable
    public func run() throws(SQLiteError) {
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

    /// True if the statement does not change the database file directly.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Prepares the first statement of a text, and reports whether anything but comments follows it.
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

/// The most recently used statements by their text. The least recently used one is evicted.
struct StatementCache {
    private let capacity: Int
    /// The statements, the most recently used last.
    private var entries: [(sql: String, statement: Statement)] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the statement for a text. O(capacity). Texts are compared by their bytes, because Swift's strings are
    /// equal even if their Unicode normalization differs.
    mutating func statement(for sql: String) -> Statement? {
        let found = entries.lastIndex { Self.haveSameBytes($0.sql, sql) }
        guard let found else { return nil }
        let entry = entries.remove(at: found)
        entries.append(entry)
        return entry.statement
    }

    /// Adds a statement whose text is not in the cache.
    mutating func add(_ statement: Statement, for sql: String) {
        if entries.count >= capacity { entries.removeFirst() }
        entries.append((sql, statement))
    }

    mutating func removeAll() { entries.removeAll() }

    private static func haveSameBytes(_ text: String, _ other: String) -> Bool {
        guard text.utf8.count == other.utf8.count else { return false }
        var (text, other) = (text, other)
        return text.withUTF8 { bytes in
            other.withUTF8 { others in
                guard let start = bytes.baseAddress, let otherStart = others.baseAddress else { return true }
                return garner_same_bytes(start, otherStart, bytes.count)
            }
        }
    }
}

/// Binding of parameters, which are numbered from 1 as in SQLite.
extension Statement {
    package func bind(_ values: [Value]) throws(SQLiteError) {
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    }

    package func bind(_ value: Value, at index: Int32) throws(SQLiteError) {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let integer): try bind(integer, at: index)
        case .real(let real): try bind(real, at: index)
        case .text(let text): try bind(text, at: index)
        case .blob(let bytes): try bind(blob: bytes, at: index)
        }
    }

    @inlinable
    public func bindNull(at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, index))
    }

    @inlinable
    public func bind(_ integer: Int64, at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, index, integer))
    }

    @inlinable
    public func bind(_ real: Double, at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_double(handle, index, real))
    }

    package func bind(_ text: String, at index: Int32) throws(SQLiteError) {
        var text = text
        let code = text.withUTF8 { bytes in
            // "If the third parameter is NULL, the parameter is bound to NULL", so an empty text needs an address.
            bytes.withMemoryRebound(to: CChar.self) {
                garner_sqlite_bind_text(handle, index, $0.baseAddress ?? Self.nowhere, UInt64($0.count))
            }
        }
        try check(code)
    }

    package func bind(blob bytes: [UInt8], at index: Int32) throws(SQLiteError) {
        let code =
            bytes.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : bytes.withUnsafeBytes { garner_sqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
        try check(code)
    }

    /// Binds UTF-8 without copying it. The buffer must stay valid until the statement was stepped, and then bound again
    /// or cleared.
    @inlinable
    public func bind(unownedUTF8 text: UnsafeBufferPointer<UInt8>, at index: Int32) throws(SQLiteError) {
        let start = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
        try check(garner_sqlite_bind_text_static(handle, index, start ?? Self.nowhere, UInt64(text.count)))
    }

    /// Binds a copy of UTF-8.
    package func bind(copyingUTF8 text: [UInt8], at index: Int32) throws(SQLiteError) {
        let code = text.withUnsafeBytes {
            garner_sqlite_bind_text(
                handle, index, $0.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.nowhere, UInt64($0.count))
        }
        try check(code)
    }

    /// Returns the number of the parameter with this name, including its prefix (`:`, `@` or `$`); nil if there is
    /// none.
    package func parameterIndex(named name: String) -> Int32? {
        let index = sqlite3_bind_parameter_index(handle, name)
        return index == 0 ? nil : index
    }

    package var parameterNames: [String?] {
        (0..<sqlite3_bind_parameter_count(handle)).map {
            sqlite3_bind_parameter_name(handle, $0 + 1).map { String(cString: $0) }
        }
    }

    @inlinable
    func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw failure() }
    }

    // Safe because it is never written: one readable byte of static lifetime.
    @usableFromInline
    nonisolated(unsafe) static let nowhere: UnsafePointer<CChar> = {
        let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        byte.initialize(to: 0)
        return UnsafePointer(byte)
    }()
}

/// Columns of the current row, numbered from 0. They are valid after `step()` returned true.
extension Statement: Row {
    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    package func columnName(at column: Int) -> String {
        sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? ""
    }

    package var columnNames: [String] { (0..<columnCount).map(columnName) }

    /// Returns the declared type of the table column; nil for an expression.
    package func declaredType(at column: Int) -> String? {
        sqlite3_column_decltype(handle, Int32(column)).map { String(cString: $0) }
    }

    /// A value of the current row, valid until the next step or reset.
    ///
    /// The value is looked up once, because each `sqlite3_column_…` call repeats the lookup, which took a fifth of an
    /// export's time. "In a multithreaded environment, an unprotected sqlite3_value object may only be used safely with
    /// …" (sqlite.org/c3ref/value.html). Here, one thread at a time uses a connection.
    public struct Column {
        @usableFromInline
        let value: OpaquePointer?

        @inlinable
        init(_ value: OpaquePointer?) { self.value = value }

        @inlinable
        public var kind: ValueKind {
            switch sqlite3_value_type(value) {
            case SQLITE_INTEGER: .integer
            case SQLITE_FLOAT: .real
            case SQLITE_TEXT: .text
            case SQLITE_BLOB: .blob
            default: .null
            }
        }

        @inlinable
        public var integer: Int64 { sqlite3_value_int64(value) }

        @inlinable
        public var real: Double { sqlite3_value_double(value) }

        /// The bytes of a TEXT or BLOB.
        @inlinable
        public var bytes: UnsafeBufferPointer<UInt8> {
            // "The safest policy is to invoke sqlite3_column_text() followed by sqlite3_column_bytes()"
            // (sqlite.org/c3ref/column_blob.html); a blob must not be converted to text.
            let start =
                sqlite3_value_type(value) == SQLITE_BLOB
                ? sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self) : sqlite3_value_text(value)
            // There are no bytes for an empty blob, or if memory ran out, which the next step throws.
            return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
        }
    }

    @inlinable
    public func column(at column: Int) -> Column { Column(sqlite3_column_value(handle, Int32(column))) }

    package func kind(at column: Int) -> ValueKind { self.column(at: column).kind }

    package func integer(at column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    package func real(at column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

    /// The bytes of a TEXT or BLOB, valid until the next step or reset.
    package func bytes(at column: Int) -> UnsafeBufferPointer<UInt8> { self.column(at: column).bytes }
}
