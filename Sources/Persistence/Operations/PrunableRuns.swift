import Catalog
import SQLite

/// The runs that may be forgotten: those that tell neither how a stream stands nor where something came from.
struct PrunableRuns {
    let connection: Connection

    /// Their numbers in order, of those that ended before an instant.
    func runs(before instant: Timestamp) throws -> [Int64] {
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
                GROUP BY stream_id))
            AND run_id NOT IN (SELECT read_id FROM _garner_runs WHERE read_id <> run_id)
            \(try references.map { "AND run_id NOT IN (\($0))" }.joined(separator: "\n"))
            ORDER BY run_id
            """, [.text(instant.description)]
        ) { $0.integer(at: 0) }
    }

    /// Queries for the runs that other tables of ours name: by a foreign key, or in a column that is called after runs.
    private var references: [String] {
        get throws {
            try connection.rows(
                """
                SELECT DISTINCT t.name, c.name FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
                WHERE t.schema = 'main' AND t.type = 'table' AND t.name LIKE '@_garner@_%' ESCAPE '@'
                AND t.name NOT IN ('_garner_runs', '_garner_requests', '_garner_changes')
                AND (c.name LIKE '%run' OR c.name LIKE '%run@_id' ESCAPE '@' OR c.name = 'read_id' OR c.name IN (
                    SELECT "from" FROM pragma_foreign_key_list(t.name) WHERE "table" = '_garner_runs'))
                """
            ) {
                let (table, column) = (quoted($0.text(at: 0)), quoted($0.text(at: 1)))
                return "SELECT \(column) FROM \(table) WHERE \(column) IS NOT NULL"
            }
        }
    }
}
