import CGarnerSQLite
import GarnerDatabase

// A database that is no file may have several parts, each of which is a file of SQLite's. The connection has all of them: a name finds a
// table in whichever part it is.
extension Connection {
    package var hasParts: Bool { schemas.count > 1 }

    /// The number of the first part; 1 for a file.
    package var partNumber: Int { parts.first?.number ?? 1 }

    /// True if the database has got other parts since the connection was opened.
    package var isOutdated: Bool { parts.contains { $0.source.isOutdated } }

    /// Returns a connection to each part alone, which sees the same state as this one within `inOneState`.
    package func connectionsToParts() throws(SQLiteError) -> [Connection] {
        var connections: [Connection] = []
        for part in parts {
            let path = RemoteDatabase.path(ofPart: part.number, of: path)
            connections.append(try Connection(path: path, mode: .readOnly, parts: [part]))
        }
        return connections
    }

    /// The name of the view that shows what all parts have in `sqlite_schema`: each name once, that of the first part that has it.
    private static let schemaView = "_garner_schema"

    func attachParts() throws(SQLiteError) {
        for part in parts.dropFirst() {
            let schema = "shard\(part.number)"
            let place = RemoteFile.Place(path: path, part: part)
            let name = RemoteDatabase.path(ofPart: part.number, of: path)
            let attachment = try Statement("ATTACH ?1 AS \(schema)", on: self)
            try attachment.bind([.text(name)])
            let code = RemoteFile.$next.withValue(place) { sqlite3_step(attachment.handle) }
            guard code == SQLITE_DONE else { throw error() }
            schemas.append(schema)
        }
        let selections = schemas.enumerated().map { index, schema in
            let earlier = schemas.prefix(index).map { "SELECT name FROM \($0).sqlite_master" }
            return "SELECT * FROM \(schema).sqlite_master"
                + (earlier.isEmpty ? "" : " WHERE name NOT IN (\(earlier.joined(separator: " UNION ALL ")))")
        }
        let definition = "\(Self.schemaView) AS \(selections.joined(separator: " UNION ALL "))"
        try makeViews([(Self.schemaView, definition)])
    }

    /// Makes a view of the same name for each of these tables, which shows the rows of all parts.
    ///
    /// - Parameter key: Of a table whose rows may be in several parts: the column by which they are the same. The first part's is shown.
    package func unite(_ tables: [(name: String, key: String?)]) throws(SQLiteError) {
        try makeViews(
            tables.map { table in
                let selections = schemas.enumerated().map { index, schema in
                    let earlier = table.key.map { key in
                        schemas.prefix(index).map {
                            "NOT EXISTS (SELECT 1 FROM \($0).\(quoted(table.name)) AS other WHERE other.\(key) = own.\(key))"
                        }
                    }
                    return "SELECT * FROM \(schema).\(quoted(table.name)) AS own"
                        + (earlier.map { $0.isEmpty ? "" : " WHERE " + $0.joined(separator: " AND ") } ?? "")
                }
                return (table.name, "\(quoted(table.name)) AS \(selections.joined(separator: " UNION ALL "))")
            })
    }

    /// Makes views for this connection only, in the place of those of the same names. The database itself stays as it is.
    ///
    /// - Parameter views: Each with the text that follows CREATE VIEW.
    package func makeViews(_ views: [(name: String, definition: String)]) throws(SQLiteError) {
        try executeScript("PRAGMA temp_store = MEMORY; PRAGMA query_only = OFF")
        defer { try? executeScript("PRAGMA query_only = ON") }
        for view in views {
            try execute("DROP VIEW IF EXISTS temp.\(quoted(view.name))")
            try execute("CREATE TEMP VIEW \(view.definition)")
        }
    }

    /// Returns the name in SQL of the part that has a table; `main` if none has it.
    package func schema(of table: String) throws -> String {
        guard hasParts, try hasTable(table) else { return "main" }
        return schemas.first { has(table, in: $0) } ?? "main"
    }

    /// Returns the sum of a number that each part has, such as the one that differs after each commit of another connection.
    package func sumOfParts(_ pragma: String) throws -> Int64 {
        try schemas.reduce(0) { try $0 &+ (integer("PRAGMA \($1).\(pragma)") ?? 0) }
    }

    /// Runs `body`, in which all parts are seen as they are at one moment.
    package func inOneState<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        guard parts.count > 1, let source = parts.first?.source else { return try body() }
        // A state that cannot be read is told by the first statement that needs it.
        let isHeld = (try? source.begin()) != nil
        defer { if isHeld { source.end() } }
        return try body()
    }

    /// Returns a statement in which `sqlite_schema` is what all parts have.
    func showingAllParts(_ sql: String) -> String {
        // Nearly all statements do not ask for it.
        guard sql.lowercased().contains("sqlite_") else { return sql }
        let name = /(^|[^.\w"'\[`])sqlite_(?:schema|master)(?!\w)/.ignoresCase()
        return sql.replacing(name) { "\($0.1)temp.\(Self.schemaView)" }
    }
}
