import GarnerDatabase
package import GarnerModel
package import GarnerPersistence
import GarnerSQLite

/// Carries the streams of some sources from one database into another, with all that is known of them: rows, versions, runs, state and
/// quarantine.
///
/// Numbers that people see stay: those of streams, of runs and of records in quarantine. They are others in each shard.
package struct StreamTransfer {
    private let connection: Connection
    /// The numbers of the streams and of the tables of their arrays, as SQL.
    private let list: String
    /// What is added to the numbers that nobody sees, by the names of their columns.
    private let shifts: [String: Int64]

    /// What was carried.
    package struct Outcome: Sendable, Equatable {
        package var streams = 0
        package var rows = 0
        /// The identities of both files for published tables; nil if the first one was never published.
        package var publication: Publication?
        /// The views of people that are not there, since they need tables that are not.
        package var leftOut: [String] = []

        package init(
            streams: Int = 0, rows: Int = 0, publication: Publication? = nil, leftOut: [String] = []
        ) {
            (self.streams, self.rows, self.publication, self.leftOut) = (streams, rows, publication, leftOut)
        }
    }

    package struct Publication: Sendable, Equatable {
        package let origin: String
        package let target: String

        package init(origin: String, target: String) { (self.origin, self.target) = (origin, target) }
    }

    /// Tables that say what of this file is published.
    private static let ofFile: Set<String> = ["_garner_outbox", "_garner_published"]

    /// Adds the streams to a file, which is made if it is not there.
    ///
    /// Nobody else may use one of the files meanwhile. Both get the newest schema.
    ///
    /// - Parameters:
    ///   - addsOthers: True if tables and views go with them that no stream has made.
    ///   - shard: The shard that the file is, for the numbers of what comes later; nil for the only file of a database.
    package static func carry(
        _ sources: Set<String>, from origin: String, into path: String, addingOthers addsOthers: Bool = false,
        shard: Int?, now: Timestamp
    ) throws -> Outcome {
        try migrate(origin, now: now)
        return try writing(path) { connection in
            try connection.executeScript("PRAGMA page_size = \(DatabaseWriter.copyPageSize)")
            try Migrator(connection: connection, now: now).migrate()
            try connection.execute("ATTACH ?1 AS origin", .text(origin))
            try connection.set(checksForeignKeys: false)
            let before = try connection.integer("PRAGMA main.schema_version") ?? 0
            return try connection.transaction {
                try adoptHashKey(on: connection)
                let members = try connection.rows("SELECT stream_id, table_name, name FROM origin._garner_streams") {
                    (id: StreamID($0.integer(at: 0)), table: $0.text(at: 1), source: source(of: $0.text(at: 2)))
                }.filter { sources.contains($0.source) }
                try refuseNames(of: members.map(\.id), on: connection)
                let transfer = try StreamTransfer(of: members.map(\.id), on: connection)
                var rows = 0
                for member in members {
                    rows += try transfer.copyTable(member.table)
                    try transfer.copyTable(HistoryTable(of: member.table, on: connection).name)
                    try transfer.copyTable(SearchIndex.name(of: member.id))
                }
                try transfer.copyBooks()
                let leftOut = addsOthers ? try transfer.copyOthers() : []
                if let shard {
                    let numbers = ShardNumbers(of: shard)
                    try numbers.begin(on: connection, behind: numbers.used(on: connection, in: ["origin"]))
                }
                // This change gives no row of a published table another number.
                try connection.execute(
                    "UPDATE main._garner_publication SET schema_version = ?2 WHERE schema_version = ?1",
                    .integer(before), .integer(try connection.integer("PRAGMA main.schema_version") ?? 0))
                return Outcome(
                    streams: members.count, rows: rows, publication: try publication(on: connection),
                    leftOut: leftOut)
            }
        }
    }

    /// Removes the streams from a file, which nobody else may use meanwhile, and gives back their space where that renumbers no rows.
    package static func remove(_ sources: Set<String>, from path: String, shard: Int) throws {
        try writing(path) { connection in
            try connection.set(checksForeignKeys: false)
            let before = try connection.integer("PRAGMA schema_version") ?? 0
            try connection.transaction {
                // What comes later gets none of the numbers that go.
                try ShardNumbers(of: shard).begin(on: connection)
                let names = try connection.rows(
                    """
                    SELECT name FROM _garner_streams WHERE stream_id NOT IN (SELECT stream_id FROM _garner_children)
                    """
                ) { $0.text(at: 0) }
                for name in names where sources.contains(source(of: name)) {
                    guard let name = StreamName(full: name) else { continue }
                    try StreamRemoval(of: name, on: connection)?.remove()
                }
                try connection.execute(
                    "UPDATE _garner_publication SET schema_version = ?2 WHERE schema_version = ?1", .integer(before),
                    .integer(try connection.integer("PRAGMA schema_version") ?? 0))
            }
            try? Vacuum(connection: connection).run()
        }
    }

    /// Returns the sources of the streams in a file, in the order of their names.
    package static func sources(of database: ReadOnlyDatabase) throws -> [String] {
        Set(try database.streamNames().map(\.source)).sorted()
    }

    private static func source(of name: String) -> String { String(name.prefix { $0 != "." }) }

    /// Runs `body` on a file that is only a copy. Afterwards the file has no log.
    private static func writing<R>(_ path: String, _ body: (Connection) throws -> R) throws -> R {
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            defer { connection.close() }
            try connection.executeScript("PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE")
            let result = try body(connection)
            if try connection.integer("SELECT 1 FROM pragma_database_list WHERE name = 'origin'") != nil {
                try connection.executeScript("DETACH origin")
            }
            try connection.executeScript("PRAGMA journal_mode = WAL")
            _ = try connection.checkpoint(waiting: .zero)
            return result
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: path)
        }
    }

    private static func migrate(_ path: String, now: Timestamp) throws {
        try writing(path) { connection in
            guard try Migrator.verify(connection) > 0 else {
                throw PersistenceError(.missing, "the database \(path) is empty", hint: .syncFirst)
            }
            try Migrator(connection: connection, now: now).migrate()
        }
    }

    /// Gives the target an identity if the other file has one.
    private static func publication(on connection: Connection) throws -> Publication? {
        guard let origin = try connection.text("SELECT file FROM origin._garner_publication") else { return nil }
        try Outbox.identify(on: connection)
        return try connection.text("SELECT file FROM main._garner_publication").map {
            Publication(origin: origin, target: $0)
        }
    }

    /// Has a new file make its hashes as the other one does. What is stored with other hashes would be taken for something else.
    private static func adoptHashKey(on connection: Connection) throws {
        try connection.execute(
            """
            UPDATE main._garner_hash_key SET secret = (SELECT secret FROM origin._garner_hash_key)
            WHERE NOT EXISTS (SELECT 1 FROM main._garner_streams)
            """)
        let isSame = "SELECT (SELECT secret FROM main._garner_hash_key) = (SELECT secret FROM origin._garner_hash_key)"
        guard try connection.integer(isSame) == 1 else {
            throw PersistenceError(
                .request,
                "the two databases make their hashes with different random bits, so their streams cannot be together",
                hint: "leave the sources where they are, or read them anew there")
        }
    }

    private static func refuseNames(of ids: [StreamID], on connection: Connection) throws {
        let taken = try connection.text(
            """
            SELECT own.table_name FROM main._garner_streams AS own JOIN origin._garner_streams AS other
            ON own.name = other.name OR own.table_name = other.table_name
            WHERE other.stream_id IN (SELECT value FROM json_each(?1)) LIMIT 1
            """, .text("[\(ids.map { "\($0)" }.joined(separator: ","))]"))
        guard let taken else { return }
        throw PersistenceError(
            .request, "both databases have a table '\(taken)'",
            hint: "give one of the streams another table with 'table:'")
    }

    private init(of ids: [StreamID], on connection: Connection) throws {
        self.connection = connection
        list = "(\(ids.map { "\($0)" }.joined(separator: ", ")))"
        let numbered = try connection.rows(
            """
            SELECT t.name, max(c.name) FROM pragma_table_list AS t, pragma_table_info(t.name, 'main') AS c
            WHERE t.schema = 'main' AND t.name LIKE '@_garner@_%' ESCAPE '@' AND c.pk > 0
            GROUP BY t.name HAVING count(*) = 1 AND max(c.type) = 'INTEGER'
            AND max(c.name) NOT IN ('stream_id', 'run_id', 'quarantine_id', 'id', 'version', 'note')
            """
        ) { (table: quoted($0.text(at: 0)), column: $0.text(at: 1)) }
        var shifts: [String: Int64] = [:]
        for (table, column) in numbered {
            let shift = try connection.integer(
                """
                SELECT coalesce((SELECT max(\(quoted(column))) FROM main.\(table)), 0) + 1
                    - coalesce((SELECT min(\(quoted(column))) FROM origin.\(table)), 1)
                """)
            shifts[column] = max(shift ?? 0, shifts[column] ?? .min)
        }
        self.shifts = shifts
    }

    /// Makes a table, or a table of another kind, with its rows under their numbers, its indexes and triggers. Returns the number of its rows.
    @discardableResult
    private func copyTable(_ table: String) throws -> Int {
        let objects = try connection.rows(
            """
            SELECT sql FROM origin.sqlite_schema WHERE tbl_name = ?1 COLLATE NOCASE AND sql IS NOT NULL
            ORDER BY type <> 'table', type
            """, [.text(table)]
        ) { $0.text(at: 0) }
        guard let declaration = objects.first else { return 0 }
        try connection.executeScript(declaration)
        let isNumbered = try connection.integer(
            "SELECT 1 FROM pragma_table_list WHERE schema = 'origin' AND name = ?1 COLLATE NOCASE AND NOT wr",
            .text(table))
        try copyRows(of: table, also: isNumbered == nil ? [] : ["_rowid_"])
        let rows = connection.changes
        for object in objects.dropFirst() { try connection.executeScript(object) }
        return rows
    }

    private func copyBooks() throws {
        let own = try StreamRemoval.ownTables(on: connection).filter { !Self.ofFile.contains($0) }
        for table in ["_garner_streams"] + own { try copyRows(of: table, shifts, where: "stream_id IN \(list)") }
        for reference in try StreamRemoval.references(on: connection) {
            try copyRows(
                of: reference.table, shifts,
                where: """
                    \(quoted(reference.column)) IN (SELECT \(quoted(reference.target)) FROM origin.\(quoted(reference.other))
                    WHERE stream_id IN \(list))
                    """)
        }
        try connection.execute(
            """
            INSERT OR IGNORE INTO main._garner_blobs SELECT * FROM origin._garner_blobs
            WHERE sha256 IN (SELECT sha256 FROM origin._garner_attachments WHERE stream_id IN \(list))
            """)
    }

    /// - Parameter shifts: What is added to numbers, by the names of their columns.
    private func copyRows(
        of table: String, _ shifts: [String: Int64] = [:], also more: [String] = [], where condition: String = "TRUE"
    ) throws {
        // Not those that are computed.
        let columns = try connection.rows(
            "SELECT name FROM pragma_table_xinfo(?1, 'origin') WHERE hidden = 0", [.text(table)]
        ) { $0.text(at: 0) }
        let values = columns.map { column in shifts[column].map { "\(quoted(column)) + \($0)" } ?? quoted(column) }
        try connection.execute(
            """
            INSERT INTO main.\(quoted(table)) (\((more + columns.map(quoted)).joined(separator: ", ")))
            SELECT \((more + values).joined(separator: ", ")) FROM origin.\(quoted(table)) WHERE \(condition)
            """)
    }

    /// Copies the tables and views that people have made. Returns the views of tables that are not there, which are left out.
    private func copyOthers() throws -> [String] {
        let others = try connection.rows(
            """
            SELECT name, type FROM pragma_table_list WHERE schema = 'origin' AND type IN ('table', 'virtual', 'view')
            AND name NOT LIKE '@_garner@_%' ESCAPE '@' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'
            AND name COLLATE NOCASE NOT IN (SELECT table_name FROM origin._garner_streams) ORDER BY type
            """
        ) { (name: $0.text(at: 0), isView: $0.text(at: 1) == "view") }
        for other in others where !other.isView { try copyTable(other.name) }
        var leftOut: [String] = []
        for view in others where view.isView {
            let sql = "SELECT sql FROM origin.sqlite_schema WHERE type = 'view' AND name = ?1"
            guard let declaration = try connection.text(sql, .text(view.name)) else { continue }
            try connection.executeScript(declaration)
            do {
                try connection.executeScript("SELECT 1 FROM main.\(quoted(view.name)) LIMIT 0")
            } catch {
                try connection.executeScript("DROP VIEW main.\(quoted(view.name))")
                leftOut.append(view.name)
            }
        }
        return leftOut
    }
}
