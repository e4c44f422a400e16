import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The notes in `_garner_columns` on columns whose members no record has any more (docs/decisions/0061).
struct EmptiedColumns {
    let streamID: StreamID
    let connection: Connection

    /// The number of rows that had a value, by the positions of the columns that are noted.
    var noted: [Int: Int] {
        get throws {
            let rows = try connection.rows(
                "SELECT position, emptied_rows FROM _garner_columns WHERE stream_id = ?1 AND emptied_rows IS NOT NULL",
                [.id(streamID)]
            ) { (Int($0.integer(at: 0)), Int($0.integer(at: 1))) }
            return Dictionary(rows) { _, last in last }
        }
    }

    /// Notes a column.
    ///
    /// - Parameter rows: The number of rows that had a value; nil to forget the column.
    func note(columnAt position: Int, rows: Int?) throws {
        try connection.execute(
            "UPDATE _garner_columns SET emptied_rows = ?3 WHERE stream_id = ?1 AND position = ?2", .id(streamID),
            .integer(Int64(position)), Value(rows.map { Int64($0) }))
    }

    /// Returns the columns of the stream's table that are noted, in their order, and behind them its arrays with tables of their own.
    func all() throws -> [EmptiedColumn] {
        try connection.rows(
            """
            SELECT table_name, part.name, path, emptied_rows, 0, position
            FROM _garner_columns AS part JOIN _garner_streams USING (stream_id)
            WHERE stream_id = ?1 AND emptied_rows IS NOT NULL
            UNION ALL
            SELECT own.table_name, NULL, child.path, emptied_rows, 1, child.stream_id
            FROM _garner_children AS child JOIN _garner_columns AS part ON part.stream_id = child.stream_id
            JOIN _garner_streams AS own ON own.stream_id = child.parent_id
            WHERE child.parent_id = ?1 AND emptied_rows IS NOT NULL ORDER BY 5, 6
            """, [.id(streamID)]
        ) {
            let path = Column.path(normalized: $0.text(at: 2))
            return EmptiedColumn(
                table: $0.text(at: 0), column: $0.optionalText(at: 1) ?? path.joined(separator: "__"), path: path,
                rows: Int($0.integer(at: 3)))
        }
    }
}
