import CGarnerSQLite
package import GarnerDatabase

extension Connection {
    /// Runs `body`, in which statements may only read, and only for the guard's time limit.
    ///
    /// It applies to statements prepared inside. Preparations that do more than read, such as a temporary view, are
    /// made before. A statement that has to end throws an error, and the guard's `verdict` gives the reason.
    package func guarding<R>(
        _ queryGuard: QueryGuard, limits: QueryLimits = .reading, _ body: () throws -> R
    ) throws -> R {
        let previous = StatementLimits(limits).apply(to: handle)
        // Safe without retaining: both handlers are removed before this function returns.
        let context = Unmanaged.passUnretained(queryGuard).toOpaque()
        sqlite3_progress_handler(
            handle, Self.operationsBetweenLooks, { QueryGuard.of($0)?.mustEnd() == false ? 0 : 1 }, context)
        sqlite3_set_authorizer(
            handle,
            { context, action, first, second, _, _ in
                // Before SQLite 3.41, preparing a statement calls no progress handler.
                guard let queryGuard = QueryGuard.of(context), !queryGuard.mustEnd() else {
                    return SQLITE_DENY
                }
                if action == SQLITE_READ, let first { queryGuard.note(tableRead: String(cString: first)) }
                guard let refusal = ReadingRules.refusal(of: action, first, second) else { return SQLITE_OK }
                queryGuard.note(.refused(refusal))
                return SQLITE_DENY
            }, context)
        defer {
            sqlite3_set_authorizer(handle, nil, nil)
            sqlite3_progress_handler(handle, 0, nil, nil)
            _ = previous.apply(to: handle)
        }
        let interruption = Interruption(of: self)
        let ticket = interruption.ticket()
        return try withExtendedLifetime(queryGuard) {
            try queryGuard.running(interruptedBy: { interruption.interrupt(ticket) }) {
                try interruption.running(ticket, body)
            }
        }
    }

    /// The number of operations between two checks. They take some 20 µs in an ordinary statement, and a check takes a
    /// hundredth of that.
    private static let operationsBetweenLooks: Int32 = 1_000
}

extension QueryGuard {
    /// Returns the guard that a handler was installed with.
    fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> QueryGuard? {
        context.map { Unmanaged<QueryGuard>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Size limits of a connection (sqlite.org/limits.html).
private struct StatementLimits {
    /// The limits. The kinds are the numbers of sqlite3_limit().
    private let values: [(kind: Int32, value: Int32)]

    private init(values: [(kind: Int32, value: Int32)]) { self.values = values }

    init(_ limits: QueryLimits) {
        self.init(values: limits == .reading ? Self.reading : [])
    }

    /// Limits far below SQLite's own.
    private static let reading = [
        (SQLITE_LIMIT_LENGTH, 64 << 20), (SQLITE_LIMIT_SQL_LENGTH, Int32(QueryLimits.maximumTextBytes)),
        // Tables have up to 2,000 columns, which is SQLite's own limit.
        (SQLITE_LIMIT_COLUMN, 2_000), (SQLITE_LIMIT_EXPR_DEPTH, 500), (SQLITE_LIMIT_COMPOUND_SELECT, 250),
        (SQLITE_LIMIT_VDBE_OP, 1_000_000), (SQLITE_LIMIT_FUNCTION_ARG, 100), (SQLITE_LIMIT_ATTACHED, 0),
        (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000), (SQLITE_LIMIT_VARIABLE_NUMBER, 1_000),
        (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]

    /// Sets the limits and returns the previous ones.
    func apply(to handle: OpaquePointer) -> StatementLimits {
        StatementLimits(values: values.map { ($0.kind, sqlite3_limit(handle, $0.kind, $0.value)) })
    }
}

/// The limit on SQLite's memory in this process, for all connections together.
package enum HeapLimit {
    /// Sets the limit. Beyond it, statements fail for lack of memory (sqlite.org/c3ref/hard_heap_limit64.html).
    package static func set(bytes: Int64) { sqlite3_hard_heap_limit64(bytes) }
}

/// Rules for what a read-only statement may do, by the authorizer's action codes (sqlite.org/c3ref/c_alter_table.html).
enum ReadingRules {
    /// Returns nil if the action is allowed, or else the words that follow "the query would".
    static func refusal(of action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> String? {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: nil
        case SQLITE_FUNCTION: refusal(ofFunction: text(second))
        case SQLITE_PRAGMA: refusal(ofPragma: text(first), hasValue: second != nil)
        // A table-valued function announces itself by an update of the schema that never runs. An update written by a
        // user fails before it reaches the authorizer: "table sqlite_master may not be modified".
        case SQLITE_UPDATE where text(first) == "sqlite_master": nil
        case SQLITE_ATTACH, SQLITE_DETACH: "attach or detach a database"
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: "begin or end a transaction"
        default: "change the database"
        }
    }

    private static func text(_ name: UnsafePointer<CChar>?) -> String {
        name.map { String(cString: $0).lowercased() } ?? ""
    }

    private static func refusal(ofFunction name: String) -> String? {
        foreignFunctions.contains(name) ? "call \(name)(), which is not allowed in queries" : nil
    }

    private static func refusal(ofPragma name: String, hasValue: Bool) -> String? {
        if aboutTables.contains(name) || (!hasValue && aboutTheFile.contains(name)) { return nil }
        return "run PRAGMA \(name)\(hasValue ? " with a value" : ""), which is none of those that only read"
    }

    /// Functions of SQLite, its extensions or its shell that reach files, memory or programs outside the database.
    private static let foreignFunctions: Set<String> = [
        "edit", "eval", "fsdir", "fts3_tokenizer", "load_extension", "lsmode", "readfile", "rtreecheck", "writefile",
    ]

    /// Pragmas whose value only names the object of the query.
    private static let aboutTables: Set<String> = [
        "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
        "quick_check", "table_info", "table_list", "table_xinfo",
    ]

    /// Pragmas that only read if they have no value.
    private static let aboutTheFile: Set<String> = [
        "application_id", "collation_list", "compile_options", "data_version", "database_list", "encoding",
        "foreign_keys", "freelist_count", "function_list", "module_list", "page_count", "page_size", "pragma_list",
        "query_only", "schema_version", "user_version",
    ]
}
