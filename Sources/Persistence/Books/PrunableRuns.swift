import GarnerCatalog
import GarnerDatabase
package import GarnerModel
package import GarnerSQLite

/// The runs that may be forgotten: no stream's state and no stored data refers to them.
package struct PrunableRuns {
    let connection: Connection

    package init(connection: Connection) { self.connection = connection }

    /// Returns the ids, in order, of the runs that ended before an instant.
    package func runs(before instant: Timestamp) throws -> [Int64] {
        try connection.rows(
            """
            SELECT run_id FROM _garner_runs
            WHERE coalesce(ended_at, started_at) < ?1 AND status <> 'running'
            AND run_id NOT IN (SELECT max(run_id) FROM _garner_runs GROUP BY stream_id, status = 'skipped')
            AND run_id NOT IN (SELECT max(run_id) FROM _garner_runs WHERE status = 'succeeded' GROUP BY stream_id)
            AND run_id NOT IN (SELECT run_id FROM (
                -- The scheduler counts from the latest instant that was settled.
                SELECT run_id, max(nominal_at) FROM _garner_runs
                WHERE status IN ('succeeded', 'failed', 'cancelled', 'skipped') AND nominal_at IS NOT NULL
                AND NOT was_stopped GROUP BY stream_id))
            AND run_id NOT IN (SELECT read_id FROM _garner_runs WHERE read_id <> run_id)
            \(try references.map { "AND run_id NOT IN (\($0.query))" }.joined(separator: "\n"))
            ORDER BY run_id
            """, [.text(instant.description)]
        ) { $0.integer(at: 0) }
    }

    /// Returns the first runs of one stream up to a run. Runs with notes of changes of records are left out.
    ///
    /// - Complexity: O(n) in the stream's runs and the references to runs.
    func runs(of streamID: StreamID, through last: RunID, limit: Int) throws -> [RunID] {
        // The tables of its arrays have ids of their own, but the stream's runs.
        let family = try connection.rows(
            """
            WITH RECURSIVE family (id) AS (
                SELECT ?1 UNION SELECT stream_id FROM _garner_children JOIN family ON parent_id = id)
            SELECT id, table_name FROM family JOIN _garner_streams ON stream_id = id
            """, [.id(streamID)]
        ) { (id: StreamID($0.integer(at: 0)), table: $0.text(at: 1)) }
        let ids = family.map { "\($0.id)" }.joined(separator: ", ")
        let histories = Set(family.map { HistoryTable.name(of: $0.table).lowercased() })
        let referring = try references.filter { !$0.isOfHistory || histories.contains($0.table.lowercased()) }
            .map { $0.hasStream ? "\($0.query) AND stream_id IN (\(ids))" : $0.query }
        let own = "FROM _garner_runs WHERE stream_id = ?1"
        let kept = [
            "SELECT coalesce(max(run_id), 0) \(own) AND status = 'skipped'",
            "SELECT coalesce(max(run_id), 0) \(own) AND status <> 'skipped'",
            "SELECT coalesce(max(run_id), 0) \(own) AND status = 'succeeded'",
            "SELECT read_id \(own) AND read_id <> run_id",
            // These are counted, to give up an instant whose run dies repeatedly.
            "SELECT run_id FROM (SELECT run_id \(own) AND status = 'interrupted' ORDER BY run_id DESC LIMIT 5)",
        ]
        return try connection.rows(
            """
            SELECT run_id FROM _garner_runs AS run
            WHERE stream_id = ?1 AND run_id <= ?2 AND status <> 'running'
            \((kept + referring).map { "AND run_id NOT IN (\($0))" }.joined(separator: "\n"))
            AND NOT EXISTS (
                SELECT 1 FROM _garner_changes AS change
                WHERE change.stream_id IN (\(ids)) AND change.run_id = run.run_id)
            ORDER BY run_id LIMIT ?3
            """, [.id(streamID), .id(last), .integer(Int64(limit))]
        ) { $0.id(at: 0) }
    }

    /// A column of another table of ours that refers to runs, by a foreign key or by its name.
    private struct Reference {
        let table: String
        let column: String
        /// True if the table has a column for the stream.
        let hasStream: Bool
        /// True if the table has versions of another table's rows, whose columns may have any names.
        var isOfHistory: Bool { table.hasPrefix(HistoryTable.name(of: "")) }

        /// A query for the ids of the runs.
        var query: String { "SELECT \(quoted(column)) FROM \(quoted(table)) WHERE \(quoted(column)) IS NOT NULL" }
    }

    private var references: [Reference] {
        get throws {
            try connection.rows(
                """
                SELECT DISTINCT t.name, c.name, EXISTS (
                    SELECT 1 FROM pragma_table_info(t.name) AS other
                    WHERE other.name = 'stream_id' AND t.name NOT LIKE '@_garner@_history@_%' ESCAPE '@')
                FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
                WHERE t.schema = 'main' AND t.type = 'table' AND t.name LIKE '@_garner@_%' ESCAPE '@'
                AND t.name NOT IN ('_garner_runs', '_garner_requests', '_garner_changes')
                AND (c.name LIKE '%run' OR c.name LIKE '%run@_id' ESCAPE '@' OR c.name = 'read_id' OR c.name IN (
                    SELECT "from" FROM pragma_foreign_key_list(t.name) WHERE "table" = '_garner_runs'))
                """
            ) { Reference(table: $0.text(at: 0), column: $0.text(at: 1), hasStream: $0.integer(at: 2) == 1) }
        }
    }
}
