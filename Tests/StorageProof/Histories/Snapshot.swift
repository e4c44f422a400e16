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

    /// The rows by their keys.
    func rows(by names: [String]) -> [RecordID: Row] {
        Dictionary(rows.map { ($0.id(names), $0) }) { first, _ in first }
    }

    /// Returns true if a column has no value yet, so that its type means nothing.
    func isVoid(_ column: String) -> Bool { rows.allSatisfy { $0[column] == nil } }
}

extension StoredTable {
    init(_ name: String, _ connection: Connection) throws {
        let columns = try connection.rows("SELECT name, type FROM pragma_table_info(?1)", [.text(name)]) {
            ($0.text(at: 0), $0.text(at: 1))
        }
        for (name, type) in columns { types[name] = ModelType(rawValue: type) }
        rows = try connection.rows("SELECT * FROM \"\(name)\"", decode: { Row($0, $0.columnNames) })
    }
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
    struct Run: Sendable {
        var id: Int64
        /// The run that began the read.
        var read: Int64
        var status: String
        var isComplete: Bool
        var pages: Int64

        var beganItsRead: Bool { id == read }
    }

    /// The stream's table; nil while no record has come.
    var table: StoredTable?
    /// True if versions of its rows are kept, which begins with the first list that is read.
    var hasVersions = false
    /// The rows of the arrays of objects; nil while there is no table of them.
    var visits: StoredTable?
    var zoos: StoredTable?
    /// The list that names the partitions.
    var gates: StoredTable?
    /// The latest run.
    var run: Run?
    var parentRun: Run?
    /// True if a read had ended before the latest run, so that changes are noted.
    var hasBaseline = false

    init() {}

    /// - Throws: what SQLite says; a problem where the file is not sound.
    init(at path: String, _ world: World) throws {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        if let damage = try Reference.damage(connection) { throw HistoryProblem("damage", damage) }
        func exists(_ name: String) throws -> Bool {
            try connection.integer("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", .text(name)) != nil
        }
        guard try exists("_garner_runs") else { return }
        func stored(_ name: String) throws -> StoredTable? {
            try exists(name) ? StoredTable(name, connection) : nil
        }
        hasVersions = try exists("_garner_history_\(World.table)")
        (table, visits) = (try stored(World.table), try stored("\(World.table)__visits"))
        (zoos, gates) = (try stored(SourceList.zoos.rawValue), try stored(SourceList.gates.rawValue))
        func latest(_ table: String) throws -> Run? {
            try connection.firstRow(
                """
                SELECT run_id, read_id, status, is_complete, pages FROM _garner_runs JOIN _garner_streams USING (stream_id)
                WHERE table_name = ?1 ORDER BY run_id DESC LIMIT 1
                """, [.text(table)]
            ) {
                Run(
                    id: $0.integer(at: 0), read: $0.integer(at: 1), status: $0.text(at: 2),
                    isComplete: $0.integer(at: 3) == 1, pages: $0.integer(at: 4))
            }
        }
        (run, parentRun) = (try latest(World.table), try latest(SourceList.zoos.rawValue))
        // What leaves pages out replaces nothing. Records in quarantine are not left out by the read.
        let needsWhole = world.writing == .replace
        hasBaseline =
            try connection.integer(
                """
                SELECT 1 FROM _garner_runs JOIN _garner_streams USING (stream_id)
                WHERE table_name = ?3 AND status = 'succeeded' AND run_id < ?1
                    AND (NOT ?2 OR completeness <> 'partial' OR completeness_reason LIKE '%quarantined')
                LIMIT 1
                """, .integer(run?.id ?? 0), .integer(needsWhole ? 1 : 0), .text(World.table)) != nil
    }

    func rows(in world: World) -> [RecordID: Row] { table?.rows(by: world.keyColumns) ?? [:] }

    /// The row that a record of a part becomes, where each column has values of one type.
    func row(of record: ModelRecord, in part: SourcePart, _ world: World) -> Row {
        var row = record.leaves(in: world).mapValues { $0.cell(as: ModelType(of: $0) ?? .text) }
        if let gate = part.gate { row[World.gate] = .text(gate) }
        if let zoo = part.zoo, world.includesName { row[World.zooName] = presentZoos[zoo]?["name"] }
        return row
    }

    /// The records of the parent that are there, by their numbers.
    var presentZoos: [Int: Row] { Self.byNumber(zoos?.rows.filter(\.isPresent)) }

    private static func byNumber(_ rows: [Row]?) -> [Int: Row] {
        Dictionary((rows ?? []).map { ($0.number("id") ?? 0, $0) }) { first, _ in first }
    }

    /// The values that the query for the partition has: those of open gates in the order of their numbers, each once.
    var gateValues: [String] {
        let open = (gates?.rows ?? []).filter { $0.number("is_open") == 1 }
        return open.sorted { $0.number("id") ?? 0 < $1.number("id") ?? 0 }.reduce(into: []) { values, row in
            guard let name = row.text("name"), !name.isEmpty, !values.contains(name) else { return }
            values.append(name)
        }
    }

    /// Returns the records of the parent that have come or changed since an earlier look.
    func changedZoos(since before: Snapshot) -> Set<Int> {
        let old = Self.byNumber(before.zoos?.rows)
        return Set(Self.byNumber(zoos?.rows).filter { old[$0.key] != $0.value }.keys)
    }
}

extension Row {
    func number(_ column: String) -> Int? { self[column].flatMap { Int($0.keyText) } }

    func text(_ column: String) -> String? { self[column]?.keyText }

    /// The row without the columns of `fields.add`, which are never compared.
    var compared: Row { filter { World.additions[$0.key] == nil } }

    /// The columns of `fields.add`.
    var added: Row { filter { World.additions[$0.key] != nil } }
}
