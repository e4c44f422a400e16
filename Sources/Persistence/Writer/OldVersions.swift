import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

// Limits the age of the versions that are kept of a stream's rows.
extension DatabaseWriter {
    /// The number of versions in one transaction.
    private static let portion = 2000
    /// The number of portions of a table that one run removes.
    private static let portionsOfRun = 50

    /// Forgets versions that were replaced longer ago than the stream keeps them, before a run begins.
    func forgetOldVersions(of stream: StreamConfiguration) throws {
        guard let age = stream.keepHistory, !connection.isInTransaction else { return }
        let family = try connection.rows(
            """
            WITH RECURSIVE family (id) AS (
                SELECT stream_id FROM _garner_streams WHERE name = ?1
                UNION SELECT stream_id FROM _garner_children JOIN family ON parent_id = id)
            SELECT id, table_name FROM family JOIN _garner_streams ON stream_id = id
            """, [.text(stream.name.description)]
        ) { (id: StreamID($0.integer(at: 0)), table: $0.text(at: 1)) }
        let before = Value.text(now().advanced(by: .zero - age).description)
        for (id, table) in family {
            let history = HistoryTable(of: table, on: connection)
            guard try history.exists() else { continue }
            try connection.transactionWithoutSync {
                // The index has the stream's number, since it keeps its name when the table gets another one.
                try connection.execute(
                    """
                    CREATE INDEX IF NOT EXISTS _garner_ended_versions_\(id) ON \(quoted(history.name)) (_garner_valid_to)
                    WHERE _garner_valid_to IS NOT NULL
                    """)
                // From now on, nothing is known of what the rows were before.
                try connection.execute(
                    "DELETE FROM _garner_histories WHERE stream_id = ?1 AND until <= ?2", .id(id), before)
                try connection.execute(
                    "UPDATE _garner_histories SET since = ?2 WHERE stream_id = ?1 AND since < ?2", .id(id), before)
            }
            try forgetVersions(in: history, before: before)
        }
    }

    private func forgetVersions(in history: HistoryTable, before: Value) throws {
        for _ in 1...Self.portionsOfRun {
            let count = try connection.transactionWithoutSync {
                try connection.execute(
                    """
                    DELETE FROM \(quoted(history.name)) WHERE _rowid_ IN (
                        SELECT _rowid_ FROM \(quoted(history.name)) WHERE _garner_valid_to < ?1 LIMIT \(Self.portion))
                    """, before)
                return connection.changes
            }
            if count < Self.portion { return }
        }
    }
}
