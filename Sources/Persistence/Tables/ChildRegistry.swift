import GarnerDatabase
package import GarnerModel
package import GarnerSQLite

/// The tables of arrays that this database knows: `_garner_children`.
package struct ChildRegistry {
    let connection: Connection

    package init(connection: Connection) { self.connection = connection }

    package struct Child {
        /// The number of the child table, by which its columns are recorded like those of a stream.
        package let id: StreamID
        /// The path of the array in the parent's record.
        package let path: [String]
        package let table: String
    }

    package func children(of parent: StreamID) throws -> [Child] {
        try connection.rows(
            """
            SELECT stream_id, path, table_name FROM _garner_children JOIN _garner_streams USING (stream_id)
            WHERE parent_id = ?1 ORDER BY stream_id
            """, [.id(parent)]
        ) { Child(id: $0.id(at: 0), path: Column.path(normalized: $0.text(at: 1)), table: $0.text(at: 2)) }
    }

    /// Registers a table that is about to be created. Returns nil if it can have no name.
    ///
    /// Its name is `table__field`, with a number appended if a table of that name exists.
    func add(_ path: [String], to parent: StreamID, of table: String) throws -> Child? {
        let known = try children(of: parent).first { $0.path.isSamePath(as: path) }
        guard let name = try name(for: path, of: table, known) else { return nil }
        if let known {
            try rename(known, to: name)
            return Child(id: known.id, path: path, table: name)
        }
        let text = Column.normalized(path)
        try connection.execute(
            """
            INSERT INTO _garner_streams (stream_id, name, table_name)
            SELECT \(ShardNumbers.next("stream_id", of: "_garner_streams")), name || ?2, ?3 FROM _garner_streams WHERE stream_id = ?1
            """, .id(parent), .text(text), .text(name))
        let id = StreamID(connection.lastInsertedRow)
        try connection.execute(
            "INSERT INTO _garner_children (stream_id, parent_id, path) VALUES (?1, ?2, ?3)", .id(id),
            .id(parent), .text(text))
        return Child(id: id, path: path, table: name)
    }

    /// Renames the child tables after their parent's table was renamed.
    func follow(_ parent: StreamID, to table: String) throws {
        for child in try children(of: parent) {
            guard let name = try name(for: child.path, of: table, child), !name.utf8.elementsEqual(child.table.utf8)
            else { continue }
            if try isThere(child) {
                // In two steps, because one step cannot change only the case.
                let aside = quoted("_garner_renamed_\(child.id)")
                try connection.execute("ALTER TABLE \(quoted(child.table)) RENAME TO \(aside)")
                try connection.execute("ALTER TABLE \(aside) RENAME TO \(quoted(name))")
            }
            try rename(child, to: name)
        }
    }

    /// Drops the child tables of a parent whose own table someone has dropped.
    func dropTables(of parent: StreamID) throws {
        for child in try children(of: parent) {
            if try isThere(child) { try connection.execute("DROP TABLE \(quoted(child.table))") }
            try forgetColumns(of: child)
        }
    }

    /// Forgets the columns of tables that someone has dropped. Returns true if there were any.
    func forgetDropped(of parent: StreamID) throws -> Bool {
        var isAnyDropped = false
        for child in try children(of: parent) {
            let wasMade = "SELECT 1 FROM _garner_columns WHERE stream_id = ?1 LIMIT 1"
            guard try connection.integer(wasMade, .id(child.id)) != nil, try !isThere(child) else { continue }
            try forgetColumns(of: child)
            isAnyDropped = true
        }
        return isAnyDropped
    }

    /// Removes the rows whose parent no longer exists.
    func removeOrphans(of parent: TableSchema, streamID: StreamID) throws {
        for child in try children(of: streamID) where try isThere(child) {
            guard let schema = try TableSchema(streamID: child.id, table: child.table, on: connection) else { continue }
            let (own, others) = (quoted(child.table), quoted(parent.table))
            let isSame = zip(parent.key, schema.key).map { "\(others).\(quoted($0.name)) = \(own).\(quoted($1.name))" }
            try connection.execute(
                """
                DELETE FROM \(own) WHERE NOT EXISTS (
                    SELECT 1 FROM \(others) WHERE \(isSame.joined(separator: " AND ")))
                """)
        }
        _ = connection.takeRowChange()
    }

    /// Removes the rows of one parent, which is about to be deleted.
    func removeRows(ofParentRow row: Int64, in parent: TableSchema, streamID: StreamID) throws {
        let key = parent.key.map { quoted($0.name) }.joined(separator: ", ")
        for child in try children(of: streamID) where try isThere(child) {
            guard let schema = try TableSchema(streamID: child.id, table: child.table, on: connection) else { continue }
            let outer = schema.key.prefix(parent.key.count).map { quoted($0.name) }.joined(separator: ", ")
            try connection.execute(
                """
                DELETE FROM \(quoted(child.table))
                WHERE (\(outer)) = (SELECT \(key) FROM \(quoted(parent.table)) WHERE _rowid_ = ?1)
                """, .integer(row))
        }
        _ = connection.takeRowChange()
    }

    private func name(for path: [String], of table: String, _ child: Child?) throws -> String? {
        let taken = try connection.rows(
            """
            SELECT name FROM sqlite_schema WHERE tbl_name <> ?1 COLLATE NOCASE
            UNION SELECT table_name FROM _garner_streams WHERE stream_id <> ?2
            """, [.text(child?.table ?? ""), .id(child?.id ?? 0)]
        ) { $0.text(at: 0) }
        return ColumnNaming.name(for: [table] + path, taken: taken)
    }

    private func rename(_ child: Child, to name: String) throws {
        try connection.execute(
            "UPDATE _garner_streams SET table_name = ?2 WHERE stream_id = ?1", .id(child.id), .text(name))
    }

    private func isThere(_ child: Child) throws -> Bool {
        try connection.hasTable(child.table)
    }

    private func forgetColumns(of child: Child) throws {
        try connection.execute("DELETE FROM _garner_columns WHERE stream_id = ?1", .id(child.id))
    }
}
