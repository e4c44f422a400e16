import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// Records which rows of a stream's table a run inserted or updated: rows of `_garner_changes`.
final class ChangeNotes {
    private let streamID: StreamID
    /// The rows of many changes: the rowid, and the operation.
    private let rows: VirtualTable
    // The names in them stay, whatever columns the table gets.
    private let forRows: Statement
    private let forRow: Statement

    /// The operation, as the statements take it.
    private enum Operation: Int64 {
        case insert = 0
        case update = 1
    }

    init(of schema: TableSchema, streamID: StreamID, on connection: Connection) throws {
        self.streamID = streamID
        rows = try VirtualTable(columns: 2, on: connection)
        forRows = try Statement(
            Self.sql(for: schema, row: "\(rows.name).c1", operation: "\(rows.name).c2", from: rows.name), on: connection
        )
        forRow = try Statement(Self.sql(for: schema, row: "?3", operation: "?4", from: nil), on: connection)
    }

    /// Notes the changes of records with one statement, in a quarter of the time that a statement for each one takes.
    func note(_ records: [StoredRecord], run: RunID) throws {
        if records.count == 1 { return try note(records[0].change, run: run) }
        try begin(forRows, run)
        var next = records.makeIterator()
        try rows.supply {
            while let record = next.next() {
                guard let (operation, row) = Self.note(of: record.change) else { continue }
                rows.values.bind(row, at: 1)
                rows.values.bind(operation.rawValue, at: 2)
                return true
            }
            return false
        } to: {
            try forRows.run()
        }
    }

    /// Notes a change. A statement that may insert many rows takes 6 µs more.
    func note(_ change: RowChange, run: RunID) throws {
        guard let (operation, row) = Self.note(of: change) else { return }
        try begin(forRow, run)
        try forRow.bind(row, at: 3)
        try forRow.bind(operation.rawValue, at: 4)
        try forRow.run()
    }

    private func begin(_ statement: Statement, _ run: RunID) throws {
        try statement.bind(streamID.number, at: 1)
        try statement.bind(run.number, at: 2)
    }

    /// Returns the note of a change. A row that was left as it was has none, and one that was deleted is noted before.
    private static func note(of change: RowChange) -> (operation: Operation, row: Int64)? {
        switch change {
        case .none, .deleted: nil
        case .inserted(let row): (.insert, row)
        case .updated(let row): (.update, row)
        }
    }

    /// - Parameter rows: The table of the rows; nil if `row` and `operation` are those of one.
    private static func sql(for schema: TableSchema, row: String, operation: String, from rows: String?) -> String {
        // The columns of `rows` are qualified in the arguments, since the stream's table may have a column of that name.
        let values = """
            ?1, ?2, (SELECT \(schema.keyExpression) FROM \(quoted(schema.table)) WHERE _rowid_ = \(row)),
                iif(\(operation) = \(Operation.insert.rawValue), 'insert', 'update')
            """
        return """
            INSERT INTO _garner_changes (stream_id, run_id, record_key, operation)
            \(rows.map { "SELECT \(values) FROM \($0) WHERE true" } ?? "VALUES (\(values))")
            ON CONFLICT DO UPDATE SET operation = 'update' WHERE operation = 'delete'
            """
    }
}
