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
        ) { ($0.text(at: 0), Self.type(in: $0, at: 1), run: $0.integer(at: 2), Self.time(in: $0, at: 3)) }
        let noted = try connection.rows(
            """
            SELECT column_name, old_type, new_type, run_id, started_at FROM _garner_schema_changes
            JOIN _garner_runs USING (run_id) WHERE _garner_schema_changes.stream_id = ?1 ORDER BY change_id
            """, [.integer(streamID)]
        ) { row in
            SchemaStep(
                column: row.text(at: 0), old: Self.type(in: row, at: 1), new: Self.type(in: row, at: 2),
                run: row.integer(at: 3), at: Self.time(in: row, at: 4))
        }
        var changes: [SchemaChange] = []
        // The columns that the table was made with are in no note.
        for (name, type, run, at) in columns {
            let steps = noted.filter { $0.isOf(name) && $0.run >= run }
            if let first = steps.first, first.isArrival, first.run == run { continue }
            changes.append(
                SchemaChange(
                    table: table, column: name, kind: .added, oldType: nil,
                    newType: steps.first.map(\.old) ?? type, run: run, at: at))
        }
        var index = 0
        while index < noted.count {
            let step = noted[index]
            index += 1
            var type = step.new
            // A column comes without a type, and gets one from the value that it came with.
            if step.isArrival, index < noted.count, noted[index].isOf(step.column), noted[index].run == step.run,
                noted[index].old == nil
            {
                type = noted[index].new
                index += 1
            }
            let isAdded = step.isArrival || step.isOf(TableSchema.restColumn)
            changes.append(
                SchemaChange(
                    table: table, column: step.column, kind: isAdded ? .added : .widened, oldType: step.old,
                    newType: type, run: step.run, at: step.at))
        }
        return changes
    }

    private static func type(in row: Statement, at index: Int32) -> ColumnType? {
        row.optionalText(at: index).flatMap(ColumnType.init(rawValue:))
    }

    private static func time(in row: Statement, at index: Int32) -> Timestamp {
        Timestamp(rfc3339: row.text(at: index)) ?? Timestamp(millisecondsSince1970: 0)
    }
}

/// A row of `_garner_schema_changes`.
private struct SchemaStep {
    let column: String
    let old: ColumnType?
    let new: ColumnType?
    let run: Int64
    let at: Timestamp

    var isArrival: Bool { old == nil && new == nil }

    /// By bytes, since names that differ in their Unicode form only are two columns.
    func isOf(_ name: String) -> Bool { column.utf8.elementsEqual(name.utf8) }
}
