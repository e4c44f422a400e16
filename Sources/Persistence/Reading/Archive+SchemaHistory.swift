package import Catalog
import SQLite

/// One step in the history of a table's columns.
package struct SchemaChange: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case added, widened
    }

    package let table: String
    package let column: String
    package let kind: Kind
    /// nil where it came, or where it had held only nulls.
    package let oldType: ColumnType?
    /// nil where it came with nulls only.
    package let newType: ColumnType?
    package let run: Int64
    /// When the run began.
    package let at: Timestamp
}

/// From where on a history is asked for.
package enum HistoryStart: Sendable, Equatable {
    case run(Int64)
    case instant(Timestamp)
}

extension Archive {
    /// The columns that came and the types that were widened, from the first on; those of one table where it is named.
    ///
    /// - Parameter start: the first run, or the instant after which runs began; nil: all.
    package func schemaChanges(of name: String? = nil, since start: HistoryStart? = nil) throws -> [SchemaChange] {
        try reading {
            let tables =
                try name.map { [try streamTable($0)] }
                ?? connection.rows("SELECT stream_id, table_name FROM _garner_streams ORDER BY table_name") {
                    (streamID: $0.integer(at: 0), table: $0.text(at: 1))
                }
            let changes = try tables.flatMap { try schemaChanges(of: $0.table, $0.streamID) }
            let wanted = changes.filter { change in
                switch start {
                case .run(let run): change.run >= run
                case .instant(let instant): change.at >= instant
                case nil: true
                }
            }
            // The sort is stable: within a run, each table's changes keep their order.
            return wanted.sorted { $0.run < $1.run }
        }
    }

    private func schemaChanges(of table: String, _ streamID: Int64) throws -> [SchemaChange] {
        let columns = try connection.rows(
            """
            SELECT name, type, first_seen_run, started_at FROM _garner_columns
            JOIN _garner_runs ON run_id = first_seen_run WHERE _garner_columns.stream_id = ?1 ORDER BY position
            """, [.integer(streamID)]
        ) { ($0.text(at: 0), $0.columnType(at: 1), run: $0.integer(at: 2), $0.time(at: 3)) }
        let steps = try SchemaStep.all(ofTable: streamID, on: connection)
        var changes: [SchemaChange] = []
        // The columns that the table was made with are in no note.
        for (name, type, run, at) in columns {
            let own = steps.filter { $0.isOf(name) && $0.run >= run }
            if let first = own.first, first.isArrival, first.run == run { continue }
            changes.append(
                SchemaChange(
                    table: table, column: name, kind: .added, oldType: nil, newType: own.first.map(\.old) ?? type,
                    run: run, at: at))
        }
        return changes + steps.changes
    }
}
