import Database
import Model
import SQLite

/// Records which rows of a stream's table a run inserted or updated: rows of `_garner_changes`.
final class ChangeNotes {
    private let streamID: StreamID
    /// The names in it stay, whatever columns the table gets.
    private let statement: Statement

    init(of schema: TableSchema, streamID: StreamID, on connection: Connection) throws {
        self.streamID = streamID
        statement = try Statement(Self.sql(for: schema), on: connection)
    }

    /// Notes a change. A row that was left as it was has none, and one that was deleted is noted before.
    func note(_ change: RowChange, run: RunID) throws {
        let (operation, row): (Int64, Int64)
        switch change {
        case .none, .deleted: return
        case .inserted(let inserted): (operation, row) = (0, inserted)
        case .updated(let updated): (operation, row) = (1, updated)
        }
        // This runs for each row that is new or has changed.
        try statement.bind(streamID.number, at: 1)
        try statement.bind(run.number, at: 2)
        try statement.bind(operation, at: 3)
        try statement.bind(row, at: 4)
        try statement.run()
    }

    /// Inserts the values of one row. For the rows of a `SELECT`, which may be many, SQLite would keep what the statement has
    /// overwritten until its end, to undo it alone: four times the work.
    private static func sql(for schema: TableSchema) -> String {
        """
        INSERT INTO _garner_changes (stream_id, run_id, record_key, operation)
        VALUES (?1, ?2, (SELECT \(schema.keyExpression) FROM \(quoted(schema.table)) WHERE _rowid_ = ?4),
            CASE ?3 WHEN 0 THEN 'insert' ELSE 'update' END)
        ON CONFLICT DO UPDATE SET operation = 'update' WHERE operation = 'delete'
        """
    }
}
