import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The rows to select of a table that keeps rows although the source no longer has their records (`delete_missing: soft`).
package enum DeletedRows: Sendable, Equatable {
    case leftOut, shown, alone
}

/// The mark of rows that are kept although the source no longer has their records.
package struct DeletionMark: Sendable, Equatable {
    /// The records of whose arrays the table's rows are; nil if the rows have marks of their own.
    private var records: Records?

    private struct Records: Equatable {
        let table: String
        /// The columns of their key, and those of the rows that name it.
        let key: [String]
        let outer: [String]
    }

    /// Returns nil for a table whose rows are deleted when their records are.
    init?(of streamID: StreamID, table: String, on connection: Connection) throws {
        let parent = try connection.firstRow(
            """
            SELECT parent_id, table_name FROM _garner_children AS child
            JOIN _garner_streams AS parent ON parent.stream_id = parent_id
            WHERE child.stream_id = ?1
            """, [.id(streamID)]
        ) { (id: StreamID($0.integer(at: 0)), table: $0.text(at: 1)) }
        // Most tables have none, which is told without their schemas.
        let mayMark = try parent != nil || connection.hasColumn(TableSchema.deletionColumn, of: table)
        guard mayMark, let schema = try TableSchema(streamID: streamID, table: table, on: connection) else {
            return nil
        }
        if schema.marksDeletion { return }
        guard let parent, try connection.hasTable(parent.table),
            let own = try TableSchema(streamID: parent.id, table: parent.table, on: connection), own.marksDeletion
        else { return nil }
        let outer = schema.key.filter { $0.outer == .parent }
        guard !outer.isEmpty, outer.count == own.key.count else { return nil }
        records = Records(
            table: quoted(parent.table), key: own.key.map { quoted($0.name) }, outer: outer.map { quoted($0.name) })
    }

    /// Returns the SQL of the time since when the source lacks the record of a row.
    ///
    /// - Parameter row: The name of the table or its alias, quoted.
    func time(of row: String) -> String {
        guard let records else { return "\(row).\(TableSchema.deletionColumn)" }
        let isSame = zip(records.key, records.outer).map { "_garner_record.\($0) = \(row).\($1)" }
        return """
            (SELECT \(TableSchema.deletionColumn) FROM \(records.table) AS _garner_record
            WHERE \(isSame.joined(separator: " AND ")))
            """
    }

    /// Returns the condition for rows; nil for all.
    func condition(_ rows: DeletedRows, of row: String) -> String? {
        switch rows {
        case .shown: nil
        case .alone: isDeleted(row)
        // Page by page, each record is looked up alone.
        case .leftOut: "\(time(of: row)) IS NULL"
        }
    }

    /// Returns the condition for deleted rows. Those of arrays are found from their records, few of which are deleted.
    func isDeleted(_ row: String) -> String {
        guard let records else { return "\(time(of: row)) IS NOT NULL" }
        return """
            (\(records.outer.map { "\(row).\($0)" }.joined(separator: ", "))) IN (
                SELECT \(records.key.joined(separator: ", ")) FROM \(records.table)
                WHERE \(TableSchema.deletionColumn) IS NOT NULL)
            """
    }
}

/// A number of rows, and how many of them are kept although the source lacks their records.
package struct RowCount: Sendable, Equatable {
    package let all: Int
    package let deleted: Int

    package init(all: Int, deleted: Int = 0) { (self.all, self.deleted) = (all, deleted) }

    /// Returns the count in words: `610`, or `610, and 1 deleted`.
    package func text(_ format: (Int) -> String = { String($0) }) -> String {
        format(all - deleted) + (deleted > 0 ? ", and \(format(deleted)) deleted" : "")
    }
}

extension ReadOnlyDatabase {
    /// Returns the number of rows. It counts again only after another connection has written.
    func rowCount(of table: String) throws -> RowCount {
        try knownRowCount(of: table) ?? countRows(of: table, streamTable(table).streamID)
    }

    private func countRows(of table: String, _ streamID: StreamID) throws -> RowCount {
        let all = try connection.integer("SELECT count(*) FROM \(quoted(table))") ?? 0
        let mark = try DeletionMark(of: streamID, table: table, on: connection)
        let deleted = try mark.map {
            try connection.integer("SELECT count(*) FROM \(quoted(table)) AS record WHERE \($0.isDeleted("record"))")
        }
        let count = RowCount(all: Int(all), deleted: Int((deleted ?? 0) ?? 0))
        rowCounts.byTable[Array(table.utf8)] = count
        return count
    }

    /// Returns the number of rows of a stream's table; nil if there is no such table.
    func rowCount(ifStored table: String, of streamID: StreamID) throws -> RowCount? {
        if let known = try knownRowCount(of: table) { return known }
        return try connection.hasTable(table) ? countRows(of: table, streamID) : nil
    }

    private func knownRowCount(of table: String) throws -> RowCount? {
        let mark = try connection.sumOfParts("data_version")
        if mark != rowCounts.mark { rowCounts = (mark, [:]) }
        return rowCounts.byTable[Array(table.utf8)]
    }

    /// Returns since when the source lacks a record, as it is stored; nil if the source has it.
    package func deletionTime(of place: RecordPlace) throws -> String? {
        try reading {
            let (streamID, table) = try streamTable(place.table)
            guard let mark = try DeletionMark(of: streamID, table: table, on: connection) else { return nil }
            return try connection.firstRow(
                "SELECT \(mark.time(of: "record")) FROM \(quoted(table)) AS record WHERE _rowid_ = ?1",
                [.integer(place.row)]
            ) { $0.optionalText(at: 0) } ?? nil
        }
    }
}
