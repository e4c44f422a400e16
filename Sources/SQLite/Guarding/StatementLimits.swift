import CSQLite

/// How large statements that others wrote may be, and their values (sqlite.org/limits.html).
package struct StatementLimits: Sendable {
    /// The kinds are sqlite3_limit()'s numbers.
    private let values: [(kind: Int32, value: Int32)]

    /// Bytes of one statement's text.
    package static let maximumTextBytes = 1_000_000

    /// Far beyond what is written by hand or by programs that mean well, and far below what SQLite itself allows.
    package static let reading = StatementLimits(values: [
        (SQLITE_LIMIT_LENGTH, 64 << 20), (SQLITE_LIMIT_SQL_LENGTH, Int32(maximumTextBytes)),
        // Tables have up to 2,000 columns, which is SQLite's own limit.
        (SQLITE_LIMIT_COLUMN, 2_000), (SQLITE_LIMIT_EXPR_DEPTH, 500), (SQLITE_LIMIT_COMPOUND_SELECT, 250),
        (SQLITE_LIMIT_VDBE_OP, 1_000_000), (SQLITE_LIMIT_FUNCTION_ARG, 100), (SQLITE_LIMIT_ATTACHED, 0),
        (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000), (SQLITE_LIMIT_VARIABLE_NUMBER, 1_000),
        (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ])

    /// What SQLite allows, for statements of our own.
    package static let none = StatementLimits(values: [])

    /// Sets them, and returns those that were set before.
    func apply(to handle: OpaquePointer) -> StatementLimits {
        StatementLimits(values: values.map { ($0.kind, sqlite3_limit(handle, $0.kind, $0.value)) })
    }
}
