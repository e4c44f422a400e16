import CSQLite
import Synchronization

/// Limits the running time and the actions of statements from users, and stops them from another thread.
///
/// `Connection.guarding` applies it. Afterwards, `verdict` says why a statement ended.
package final class StatementGuard: Sendable {
    /// The reason why a statement had to end.
    package enum Verdict: Sendable, Equatable {
        /// The time limit passed.
        case timeIsUp
        /// A caller asked for the end.
        case stopped
        /// The statement would do more than read. The text follows the words "the query would".
        case refused(String)
    }

    private struct State {
        var pausedAt: Duration?
        var pauses = Duration.zero
        var verdict: Verdict?
        var running: (interruption: Interruption, ticket: Interruption.Ticket)?
    }

    /// The time limit; nil for none.
    package let limit: Duration?
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// Creates a guard. Its time starts to run.
    package init(limit: Duration?, clock: some Clock<Duration>) {
        self.limit = limit
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// The first reason to end; nil if there is none.
    package var verdict: Verdict? { state.withLock { $0.verdict } }

    /// The rest of the time limit, not counting pauses; nil without a limit.
    package var timeLeft: Duration? {
        guard let limit else { return nil }
        let elapsed = elapsed()
        return state.withLock { limit - (($0.pausedAt ?? elapsed) - $0.pauses) }
    }

    /// Returns true if the statements have to end, because the time has passed or a caller asked for it.
    package func mustEnd() -> Bool {
        if let timeLeft, timeLeft <= .zero { note(.timeIsUp) }
        switch verdict {
        case .timeIsUp, .stopped: return true
        case .refused, nil: return false
        }
    }

    /// Runs `body` without counting its time, such as a write to a pipe that a person reads from.
    package func pausing<R>(_ body: () throws -> R) rethrows -> R {
        let start = elapsed()
        state.withLock { $0.pausedAt = start }
        defer {
            let end = elapsed()
            state.withLock {
                $0.pausedAt = nil
                $0.pauses += end - start
            }
        }
        return try body()
    }

    /// Ends the current statement and those that follow. Any thread may call this.
    package func stop() {
        note(.stopped)
        interrupt()
    }

    /// Interrupts operations that do not call `mustEnd`, such as an integrity check.
    package func interrupt() {
        if let running = state.withLock({ $0.running }) { running.interruption.interrupt(running.ticket) }
    }

    func note(_ verdict: Verdict) {
        state.withLock { if $0.verdict == nil { $0.verdict = verdict } }
    }

    /// Runs `body`. Meanwhile `stop` interrupts the connection.
    func running<R>(on connection: Connection, _ body: () throws -> R) throws -> R {
        let interruption = Interruption(of: connection)
        let ticket = interruption.ticket()
        state.withLock { $0.running = (interruption, ticket) }
        defer { state.withLock { $0.running = nil } }
        return try interruption.running(ticket, body)
    }
}

extension Connection {
    /// Runs `body`, in which statements may only read, and only for the guard's time limit.
    ///
    /// It applies to statements prepared inside. Preparations that do more than read, such as a temporary view, are
    /// made before. A statement that has to end throws an error, and the guard's `verdict` gives the reason.
    package func guarding<R>(
        _ statementGuard: StatementGuard, limits: StatementLimits = .reading, _ body: () throws -> R
    ) throws -> R {
        let previous = limits.apply(to: handle)
        // Safe without retaining: both handlers are removed before this function returns.
        let context = Unmanaged.passUnretained(statementGuard).toOpaque()
        sqlite3_progress_handler(
            handle, Self.operationsBetweenLooks, { StatementGuard.of($0)?.mustEnd() == false ? 0 : 1 }, context)
        sqlite3_set_authorizer(
            handle,
            { context, action, first, second, _, _ in
                // Before SQLite 3.41, preparing a statement calls no progress handler.
                guard let statementGuard = StatementGuard.of(context), !statementGuard.mustEnd() else {
                    return SQLITE_DENY
                }
                guard let refusal = ReadingRules.refusal(of: action, first, second) else { return SQLITE_OK }
                statementGuard.note(.refused(refusal))
                return SQLITE_DENY
            }, context)
        defer {
            sqlite3_set_authorizer(handle, nil, nil)
            sqlite3_progress_handler(handle, 0, nil, nil)
            _ = previous.apply(to: handle)
        }
        return try withExtendedLifetime(statementGuard) { try statementGuard.running(on: self, body) }
    }

    /// The number of operations between two checks. They take some 20 µs in an ordinary statement, and a check takes a
    /// hundredth of that.
    private static let operationsBetweenLooks: Int32 = 1_000
}

extension StatementGuard {
    /// Returns the guard that a handler was installed with.
    fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> StatementGuard? {
        context.map { Unmanaged<StatementGuard>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Size limits for statements from users and for their values (sqlite.org/limits.html).
package struct StatementLimits: Sendable {
    /// The limits. The kinds are the numbers of sqlite3_limit().
    private let values: [(kind: Int32, value: Int32)]

    /// The largest text of one statement, in bytes.
    package static let maximumTextBytes = 1_000_000

    /// Limits far above what people and well-meaning programs write, and far below SQLite's own.
    package static let reading = StatementLimits(values: [
        (SQLITE_LIMIT_LENGTH, 64 << 20), (SQLITE_LIMIT_SQL_LENGTH, Int32(maximumTextBytes)),
        // Tables have up to 2,000 columns, which is SQLite's own limit.
        (SQLITE_LIMIT_COLUMN, 2_000), (SQLITE_LIMIT_EXPR_DEPTH, 500), (SQLITE_LIMIT_COMPOUND_SELECT, 250),
        (SQLITE_LIMIT_VDBE_OP, 1_000_000), (SQLITE_LIMIT_FUNCTION_ARG, 100), (SQLITE_LIMIT_ATTACHED, 0),
        (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000), (SQLITE_LIMIT_VARIABLE_NUMBER, 1_000),
        (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ])

    /// SQLite's own limits, for our statements.
    package static let none = StatementLimits(values: [])

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
