import GarnerDatabase
import GarnerPersistence
import GarnerSQLite

/// The content of a database as text; equal content gives equal text.
enum DatabaseState {
    /// All of it but how runs ended and what says why.
    ///
    /// - Parameter hasRequests: False to leave out the requests, which stay those of a run whose pages were lost.
    static func whole(_ connection: Connection, hasRequests: Bool = true) throws -> String {
        let names = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
        ) { $0.text(at: 0) }
        guard !hasRequests else { return try text(of: names, connection) }
        return try text(of: names.filter { $0 != "_garner_requests" }, without: requests, connection)
    }

    /// The tables of streams alone.
    static func streams(_ connection: Connection) throws -> String {
        let names = try connection.rows("SELECT table_name FROM _garner_streams ORDER BY table_name") { $0.text(at: 0) }
        return try text(of: names, connection)
    }

    /// Returns true if exactly the migrations of the file's version are recorded.
    static func isMigratedInWholeSteps(_ connection: Connection) throws -> Bool {
        let version = try connection.integer("PRAGMA user_version") ?? 0
        let isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        if isEmpty { return version == 0 }
        return try connection.integer("SELECT count(*) FROM _garner_migrations") == version
    }

    private static func text(
        of tables: [String], without hidden: Set<String> = [], _ connection: Connection
    ) throws -> String {
        try tables.map { table in
            let columns = try connection.rows("SELECT name, type FROM pragma_table_info(?1)", [.text(table)]) {
                (name: $0.text(at: 0), type: $0.text(at: 1))
            }
            .filter { table != "_garner_runs" || !endings.union(hidden).contains($0.name) }
            .filter { table != "_garner_columns" || !counts.contains($0.name) }
            .filter { !random.contains($0.name) }
            let names = columns.map { quoted($0.name) }.joined(separator: ", ")
            let order = columns.indices.map { "\($0 + 1)" }.joined(separator: ", ")
            let rows = try connection.rows("SELECT \(names) FROM \(quoted(table)) ORDER BY \(order)") { row in
                (0..<row.columnCount).map { row.value(at: $0).literal }.joined(separator: " ")
            }
            let head = columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
            return (["\(table) (\(head))"] + rows).joined(separator: "\n  ")
        }.joined(separator: "\n")
    }

    /// The columns with random values of each database, and with hashes that depend on them.
    private static let random: Set<String> = [
        "secret", "keys_digest", "records_digest", "content_digest", "record_digest", "hashes",
    ]

    /// The columns that count a run's requests.
    private static let requests: Set<String> = ["requests", "bytes", "not_modified"]

    /// The columns that are set when a run ends without its last page.
    private static let endings: Set<String> = [
        "status", "ended_at", "warning", "error_code", "error_kind", "error_message", "error_url", "error_hint",
        "times_not_begun",
    ]

    /// The columns of what is counted when a run ends.
    private static let counts: Set<String> = ["odd_count", "value_count"]
}

extension Value {
    /// The value as an SQL literal.
    fileprivate var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): "'\(text)'"
        case .blob(let bytes): "x\(bytes)"
        }
    }
}

/// The first line in which two texts differ, for people.
func difference(_ text: String, from expected: String) -> String {
    let (lines, others) = (text.split(separator: "\n"), expected.split(separator: "\n"))
    let index = zip(lines, others).enumerated().first { $1.0 != $1.1 }?.offset ?? min(lines.count, others.count)
    func line(_ lines: [Substring]) -> String { index < lines.count ? String(lines[index].prefix(300)) : "(nothing)" }
    return "'\(line(lines))' instead of '\(line(others))'"
}
