import GarnerDatabase
import Foundation
import GarnerSQLite

/// A row by its columns, without those that are NULL.
typealias Row = [String: Value]

/// The types and rows of a table.
struct StoredTable: Sendable {
    /// The types of all columns.
    var types: [String: ModelType] = [:]
    var rows: [Row] = []

    init() {}

    init(_ name: String, _ connection: Connection) throws {
        let columns = try connection.rows("SELECT name, type FROM pragma_table_info(?1)", [.text(name)]) {
            ($0.text(at: 0), $0.text(at: 1))
        }
        for (name, type) in columns { types[name] = ModelType(rawValue: type) }
        rows = try connection.rows("SELECT * FROM \"\(name)\"", decode: { Row($0, $0.columnNames) })
    }

    /// Returns true if a column has no value yet, so that its type means nothing.
    func isVoid(_ column: String) -> Bool { rows.allSatisfy { $0[column] == nil } }
}

extension Row {
    init(_ row: any GarnerDatabase.Row, _ columns: [String]) {
        self.init()
        for (index, name) in columns.enumerated() {
            let value = row.value(at: index)
            if value != .null { self[name] = value }
        }
    }

    func id(_ names: [String]) -> RecordID { RecordID(parts: names.map { self[$0]?.keyText ?? "" }) }

    /// The mark of a row that is missing.
    static let mark = "_garner_deleted_at"

    var isPresent: Bool { self[Self.mark] == nil }

    /// The column for values that were set aside.
    static let rest = "_garner_rest"

    /// The row as people are shown it: with the values that were set aside, in their columns.
    var whole: Row {
        guard case .text(let rest)? = self[Self.rest] else { return self }
        return merging(Content.members(of: rest).compactMap { name, text in text.map { (name, .text($0)) } }) {
            own, _ in own
        }
    }

    /// The row in a form that does not depend on the types that its columns have had.
    var essence: [String: String] { whole.filter { $0.key != Self.rest }.compactMapValues(\.essence) }

    var told: String {
        "{" + sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.told)" }.joined(separator: ", ") + "}"
    }
}

/// The content of a database at one point of a history.
struct Snapshot: Sendable {
    /// The stream's table; nil while no record has come.
    var table: StoredTable?
    /// The rows of the arrays of objects; nil while there is no table of them.
    var visits: StoredTable?
    /// The latest run.
    var run: (id: Int64, read: Int64, status: String) = (0, 0, "")
    /// True if a read had ended before the latest run, so that changes are noted.
    var hasBaseline = false

    static let visits = "\(World.table)__visits"

    init() {}

    /// - Throws: what SQLite says; `Damage` where the file is not sound.
    init(at path: String, _ world: World) throws {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        guard try connection.text("PRAGMA integrity_check") == "ok" else { throw Damage(text: "the file is damaged") }
        guard try connection.firstRow("PRAGMA foreign_key_check", decode: { $0.text(at: 0) }) == nil else {
            throw Damage(text: "a foreign key leads nowhere")
        }
        func exists(_ name: String) throws -> Bool {
            try connection.integer("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", .text(name)) != nil
        }
        guard try exists("_garner_runs") else { return }
        if try exists(World.table) { table = try StoredTable(World.table, connection) }
        if try exists(Self.visits) { visits = try StoredTable(Self.visits, connection) }
        let latest = try connection.firstRow(
            """
            SELECT run_id, read_id, status FROM _garner_runs JOIN _garner_streams USING (stream_id)
            WHERE table_name = ?1 ORDER BY run_id DESC LIMIT 1
            """, [.text(World.table)]
        ) { (id: $0.integer(at: 0), read: $0.integer(at: 1), status: $0.text(at: 2)) }
        if let latest { run = latest }
        // What leaves pages out replaces nothing. Records in quarantine are not left out by the read.
        let needsWhole = world.writing == .replace
        hasBaseline =
            try connection.integer(
                """
                SELECT 1 FROM _garner_runs JOIN _garner_streams USING (stream_id)
                WHERE table_name = ?3 AND status = 'succeeded' AND run_id < ?1
                    AND (NOT ?2 OR completeness <> 'partial' OR completeness_reason LIKE '%quarantined')
                LIMIT 1
                """, .integer(run.id), .integer(needsWhole ? 1 : 0), .text(World.table)) != nil
    }

    struct Damage: Error { let text: String }
}
