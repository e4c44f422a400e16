import Catalog
import SQLite

/// A row of `_garner_schema_changes`: what was done to a column once its table was there.
struct SchemaStep {
    let table: String
    let column: String
    let old: ColumnType?
    let new: ColumnType?
    let run: Int64
    /// When the run began.
    let at: Timestamp

    /// Those of one table, from the first on.
    static func all(ofTable streamID: Int64, on connection: Connection) throws -> [SchemaStep] {
        try connection.rows(
            "\(selection) WHERE change.stream_id = ?1 ORDER BY change_id", [.integer(streamID)],
            decode: SchemaStep.init)
    }

    /// Those of one run, table by table. Of a table that it has made itself there are none: all of that is new.
    static func all(by run: Int64, on connection: Connection) throws -> [SchemaStep] {
        try connection.rows(
            """
            \(selection) WHERE change.run_id = ?1 AND change.stream_id NOT IN (
                SELECT stream_id FROM _garner_columns GROUP BY stream_id HAVING min(first_seen_run) = ?1)
            ORDER BY change.stream_id, change_id
            """, [.integer(run)], decode: SchemaStep.init)
    }

    private static let selection = """
        SELECT table_name, column_name, old_type, new_type, change.run_id, started_at
        FROM _garner_schema_changes AS change JOIN _garner_runs AS run ON run.run_id = change.run_id
        JOIN _garner_streams AS stream ON stream.stream_id = change.stream_id
        """

    private init(_ row: Statement) {
        table = row.text(at: 0)
        column = row.text(at: 1)
        old = row.columnType(at: 2)
        new = row.columnType(at: 3)
        run = row.integer(at: 4)
        at = row.time(at: 5)
    }

    var isArrival: Bool { old == nil && new == nil }

    /// By bytes, since names that differ in their Unicode form only are two columns.
    func isOf(_ name: String) -> Bool { column.utf8.elementsEqual(name.utf8) }

    /// Whether the column that came with `other` got its type here.
    fileprivate func isFirstType(after other: SchemaStep) -> Bool {
        old == nil && run == other.run && isOf(other.column) && table.utf8.elementsEqual(other.table.utf8)
    }
}

extension [SchemaStep] {
    /// As people are told them: a column comes without a type, and gets one from the value that it came with.
    var changes: [SchemaChange] {
        var changes: [SchemaChange] = []
        var index = 0
        while index < count {
            let step = self[index]
            index += 1
            var type = step.new
            if step.isArrival, index < count, self[index].isFirstType(after: step) {
                type = self[index].new
                index += 1
            }
            let isAdded = step.isArrival || step.isOf(TableSchema.restColumn)
            changes.append(
                SchemaChange(
                    table: step.table, column: step.column, kind: isAdded ? .added : .widened, oldType: step.old,
                    newType: type, run: step.run, at: step.at))
        }
        return changes
    }
}

extension Statement {
    /// nil where the value is NULL.
    func columnType(at index: Int32) -> ColumnType? { optionalText(at: index).flatMap(ColumnType.init(rawValue:)) }

    /// An instant of one of our own tables.
    func time(at index: Int32) -> Timestamp {
        Timestamp(rfc3339: text(at: index)) ?? Timestamp(millisecondsSince1970: 0)
    }
}
