import GarnerDatabase
import GarnerModel
import GarnerSQLite

extension StreamTable {
    /// Gives an existing table the columns of `fields.add` that it lacks. Its rows have no value there until they change.
    ///
    /// A column of that name from elsewhere is taken: it may be from an earlier `fields.add`.
    func add(_ added: [AddedValue], to schema: inout TableSchema) throws {
        guard !added.isEmpty else { return }
        try stream.requireFreeNames(besides: schema.columns, isStored: true)
        let evolution = TableEvolution(streamID: streamID, schema: schema, connection: connection)
        for var column in added {
            let names = try evolution.columnNames()
            if let present = names.first(where: { $0.isSameSQLName(as: column.name) }) {
                column.name = present
                let isComputed = "SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = ?2 AND hidden > 0"
                guard try connection.integer(isComputed, .text(schema.table), .text(present)) == nil else {
                    throw PersistenceError(
                        .configuration, "the column '\(present)' of the table \(schema.table) is computed from others",
                        hint: "give the column another name in 'fields.add'")
                }
            } else {
                guard evolution.hasRoom(beside: names) else {
                    throw PersistenceError(
                        .configuration, "the table \(schema.table) has no room for the column '\(column.name)'",
                        hint: "remove it from 'fields.add', or lower the stream's flatten_depth and drop the table")
                }
                try connection.execute(
                    "ALTER TABLE \(quoted(schema.table)) ADD COLUMN \(quoted(column.name)) \(column.type.rawValue)")
            }
            schema.addedColumns.append(column)
        }
    }
}
