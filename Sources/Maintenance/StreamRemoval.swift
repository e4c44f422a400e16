package import GarnerPersistence
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// The data that a dropped stream takes with it.
package struct DropOutcome: Sendable, Equatable {
    /// The stream's table and the tables of its arrays; those that exist.
    package var tables: [String] = []
    /// The rows of these tables.
    package var rows = 0
    /// The versions of rows that were kept.
    package var versions = 0
    package var runs = 0
    package var quarantined = 0
    /// The files to which only this stream's records point.
    package var files = 0
}

/// Removes a stream with everything that the database has of it.
package struct StreamRemoval {
    private let connection: Connection
    /// The stream and the tables of its arrays, which have numbers of their own.
    private let family: [Member]

    private struct Member {
        let id: StreamID
        let table: String
    }

    /// Returns nil if the database does not know the stream. Throws if the name is that of a table of arrays.
    init?(of stream: StreamName, on connection: Connection) throws {
        self.connection = connection
        guard
            let id: StreamID = try connection.id(
                "SELECT stream_id FROM _garner_streams WHERE name = ?1", .text(stream.description))
        else { return nil }
        let parent = try connection.text(
            """
            SELECT parent.name FROM _garner_children AS child
            JOIN _garner_streams AS parent ON parent.stream_id = parent_id WHERE child.stream_id = ?1
            """, .id(id))
        if let parent {
            throw PersistenceError(
                .request, "\(stream) is no stream, but a table of arrays of \(parent)",
                hint: "drop \(parent), or set child_tables: false and drop the table with SQL")
        }
        family = try connection.rows(
            """
            WITH RECURSIVE family (id) AS (
                SELECT ?1 UNION SELECT stream_id FROM _garner_children JOIN family ON parent_id = id)
            SELECT id, table_name FROM family JOIN _garner_streams ON stream_id = id ORDER BY id
            """, [.id(id)]
        ) { Member(id: $0.id(at: 0), table: $0.text(at: 1)) }
    }

    var ids: [StreamID] { family.map(\.id) }

    /// Returns what `remove` would remove.
    func outcome() throws -> DropOutcome {
        var outcome = DropOutcome()
        for member in family {
            if try connection.hasTable(member.table) {
                outcome.tables.append(member.table)
                outcome.rows += try count("FROM \(quoted(member.table))")
            }
            let history = HistoryTable(of: member.table, on: connection)
            if try history.exists() { outcome.versions += try count("FROM \(quoted(history.name))") }
        }
        outcome.runs = try count("FROM _garner_runs WHERE stream_id IN \(list)")
        outcome.quarantined = try count("FROM _garner_quarantine WHERE stream_id IN \(list)")
        outcome.files = try count("FROM _garner_blobs WHERE \(isLooseFile)")
        return outcome
    }

    /// Removes everything, inside the caller's transaction. Foreign keys must not be checked meanwhile: a check of each
    /// run would read the notes of changes of all streams.
    func remove() throws {
        for member in family {
            if try connection.hasTable(member.table) { try connection.execute("DROP TABLE \(quoted(member.table))") }
            try HistoryTable(of: member.table, on: connection).drop()
            try SearchIndex.drop(of: member.id, on: connection)
        }
        try connection.execute("DELETE FROM _garner_blobs WHERE \(isLooseFile)")
        for reference in try Self.references(on: connection) {
            try connection.execute(
                """
                DELETE FROM \(quoted(reference.table)) WHERE \(quoted(reference.column)) IN (
                    SELECT \(quoted(reference.target)) FROM \(quoted(reference.other)) WHERE stream_id IN \(list))
                """)
        }
        for table in try Self.ownTables(on: connection) {
            try connection.execute("DELETE FROM \(quoted(table)) WHERE stream_id IN \(list)")
        }
        try connection.execute("DELETE FROM _garner_streams WHERE stream_id IN \(list)")
    }

    private var list: String { "(\(family.map { "\($0.id)" }.joined(separator: ", ")))" }

    private var isLooseFile: String {
        """
        sha256 IN (SELECT sha256 FROM _garner_attachments WHERE stream_id IN \(list))
        AND sha256 NOT IN (
            SELECT sha256 FROM _garner_attachments WHERE stream_id NOT IN \(list) AND sha256 IS NOT NULL)
        """
    }

    private func count(_ source: String) throws -> Int { Int(try connection.integer("SELECT count(*) \(source)") ?? 0) }

    /// Our tables with a column for the stream, whatever later versions add. Those with versions of rows are left out:
    /// their columns may have any names.
    private static let namesOfOwnTables = """
        SELECT t.name FROM pragma_table_list AS t WHERE t.schema = 'main' AND t.type = 'table'
        AND t.name LIKE '@_garner@_%' ESCAPE '@' AND t.name NOT LIKE '@_garner@_history@_%' ESCAPE '@'
        AND t.name <> '_garner_streams'
        AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS c WHERE c.name = 'stream_id')
        """

    static func ownTables(on connection: Connection) throws -> [String] {
        try connection.rows(namesOfOwnTables) { $0.text(at: 0) }
    }

    /// Returns the references from tables without a column for the stream to those that have one.
    static func references(
        on connection: Connection
    ) throws -> [(table: String, column: String, other: String, target: String)] {
        try connection.rows(
            """
            SELECT t.name, f."from", f."table", f."to" FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f
            WHERE t.schema = 'main' AND t.type = 'table' AND t.name LIKE '@_garner@_%' ESCAPE '@'
            AND t.name NOT IN (\(namesOfOwnTables)) AND t.name <> '_garner_streams' AND f."table" IN (\(namesOfOwnTables))
            """
        ) { ($0.text(at: 0), $0.text(at: 1), $0.text(at: 2), $0.text(at: 3)) }
    }
}

extension StreamRemoval {
    /// Returns what dropping a stream would remove; nil if the database does not know it.
    package static func preview(of stream: StreamName, in database: ReadOnlyDatabase) throws -> DropOutcome? {
        try database.reading { try StreamRemoval(of: stream, on: database.connection)?.outcome() }
    }

    /// Removes a stream with its tables, the tables of its arrays, versions, index, runs and state, in one transaction.
    ///
    /// Returns nil if the database does not know the stream.
    package static func drop(_ stream: StreamName, with writer: DatabaseWriter) async throws -> DropOutcome? {
        try await writer.maintaining { connection in
            guard let removal = try StreamRemoval(of: stream, on: connection) else { return (nil, []) }
            let outcome = try removal.outcome()
            try removal.remove()
            return (outcome, removal.ids)
        }
    }
}
