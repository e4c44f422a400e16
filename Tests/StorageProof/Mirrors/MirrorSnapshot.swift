import GarnerDatabase
import GarnerSQLite

/// The tables and the latest runs of a mirror and of its parent.
struct MirrorSnapshot: Sendable {
    struct Run: Sendable {
        var id: Int64
        /// The run that began the read.
        var read: Int64
        var status: String
        var isComplete: Bool
        var pages: Int64
    }

    /// The stream's table; nil while no record has come.
    var table: StoredTable?
    var zoos: StoredTable?
    /// The list that names the partitions.
    var gates: StoredTable?
    var run: Run?
    var parentRun: Run?

    init() {}

    /// - Throws: what SQLite says; `Snapshot.Damage` where the file is not sound.
    init(at path: String) throws {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        guard try connection.text("PRAGMA integrity_check") == "ok" else {
            throw Snapshot.Damage(text: "the file is damaged")
        }
        guard try connection.firstRow("PRAGMA foreign_key_check", decode: { $0.text(at: 0) }) == nil else {
            throw Snapshot.Damage(text: "a foreign key leads nowhere")
        }
        func exists(_ name: String) throws -> Bool {
            try connection.integer("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", .text(name)) != nil
        }
        guard try exists("_garner_runs") else { return }
        if try exists(MirrorWorld.table) { table = try StoredTable(MirrorWorld.table, connection) }
        if try exists(MirrorWorld.parentTable) { zoos = try StoredTable(MirrorWorld.parentTable, connection) }
        if try exists(MirrorWorld.gatesTable) { gates = try StoredTable(MirrorWorld.gatesTable, connection) }
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
        (run, parentRun) = (try latest(MirrorWorld.table), try latest(MirrorWorld.parentTable))
    }

    /// The rows by their keys.
    func rows(in world: MirrorWorld) -> [RecordID: Row] {
        Dictionary((table?.rows ?? []).map { ($0.id(world.keyColumns), $0) }) { first, _ in first }
    }

    /// The records of the parent that are there, by their numbers.
    var presentZoos: [Int: Row] {
        Dictionary((zoos?.rows ?? []).filter(\.isPresent).map { ($0.number("id") ?? 0, $0) }) { first, _ in first }
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
    func changedZoos(since before: MirrorSnapshot) -> Set<Int> {
        let old = Dictionary((before.zoos?.rows ?? []).map { ($0.number("id") ?? 0, $0) }) { first, _ in first }
        return Set((zoos?.rows ?? []).filter { old[$0.number("id") ?? 0] != $0 }.map { $0.number("id") ?? 0 })
    }
}

extension Row {
    func number(_ column: String) -> Int? { self[column].flatMap { Int($0.keyText) } }

    func text(_ column: String) -> String? { self[column]?.keyText }
}
