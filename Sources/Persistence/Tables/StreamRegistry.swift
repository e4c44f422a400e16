package import GarnerCatalog
import GarnerDatabase
package import GarnerModel
package import GarnerSQLite

/// The streams that this database knows, each with its table.
package struct StreamRegistry {
    let connection: Connection

    /// A stream as the database has it.
    struct Registration {
        let id: StreamID
        /// The table that it has now. The end of a good run gives it another name if the file does.
        let table: String
        /// The reason why it cannot have the table that it is to have; nil if it can.
        let refusal: (any Error)?

        /// Returns the stream with the table that it has.
        func applied(to stream: StreamConfiguration) -> StreamConfiguration {
            var stream = stream
            stream.table = table
            return stream
        }
    }

    /// Returns the stream as the database has it, without registering it. No stream has the number 0.
    func registration(of stream: StreamConfiguration) throws -> Registration {
        let known = try known(stream.name)
        return Registration(id: known?.id ?? 0, table: known?.table ?? stream.table, refusal: nil)
    }

    /// The table is nil for a stream that has had no name for it yet.
    private typealias Known = (id: StreamID, table: String?)

    func register(_ stream: StreamConfiguration) throws -> Registration {
        let known = try known(stream.name)
        let missing: (any Error)? = MissingValuesError(stream.missing)
        if let refusal = try missing ?? refusal(of: stream, known) {
            let id = try known?.id ?? add(stream.name, table: Self.noTable(of: stream.name))
            return Registration(id: id, table: known?.table ?? stream.table, refusal: refusal)
        }
        guard let known else {
            return Registration(id: try add(stream.name, table: stream.table), table: stream.table, refusal: nil)
        }
        let formerly = known.table ?? stream.table
        let isThere = try connection.hasTable(formerly)
        let table = isThere || stream.keepsTable(formerly) ? formerly : stream.table
        let children = ChildRegistry(connection: connection)
        let wasMade =
            try connection.integer("SELECT 1 FROM _garner_columns WHERE stream_id = ?1 LIMIT 1", .id(known.id))
            != nil
        if wasMade, !isThere {
            try children.dropTables(of: known.id)
            try forgetTable(formerly, of: known.id)
        } else if try children.forgetDropped(of: known.id), stream.childTables {
            // All records must be fetched again.
            try forgetReads(of: known.id)
        }
        if !isThere { try setTable(table, of: known.id) }
        return Registration(id: known.id, table: table, refusal: nil)
    }

    /// Returns the name of the table that a stream has or will get. Throws if it cannot have it.
    func table(of stream: StreamConfiguration) throws -> String {
        let known = try known(stream.name)
        if let refusal = try refusal(of: stream, known) { throw refusal }
        return known?.table.flatMap { stream.keepsTable($0) ? $0 : nil } ?? stream.table
    }

    /// Returns the reason why a stream cannot have the table that it is to have; nil if it can.
    private func refusal(of stream: StreamConfiguration, _ known: Known?) throws -> PersistenceError? {
        let table = known?.table
        if let table, stream.keepsTable(table) { return nil }
        let name = Value.text(stream.name.description)
        if let other = try connection.text(
            "SELECT name FROM _garner_streams WHERE table_name = ?1 AND name <> ?2", .text(stream.table), name)
        {
            return PersistenceError(
                .configuration, "the table '\(stream.table)' belongs to the stream \(other)",
                hint: .renameOrNameTable(
                    old: other, new: stream.name.description,
                    table: table ?? StreamConfiguration.longTable(of: stream.name)))
        }
        // Beside a table with the name that both would have, the name of the newer one is written.
        if table == nil, case .derived(let sharing) = stream.tableNaming, !sharing.isEmpty,
            let owner = try connection.text(
                "SELECT name FROM _garner_streams WHERE table_name = ?1", .text(stream.name.stream)),
            sharing.contains(where: { $0.description == owner })
        {
            return PersistenceError(
                .configuration,
                "the stream \(owner) has the table '\(stream.name.stream)', whose name \(stream.name) would have",
                hint: "write 'table: \(stream.table)' in \(stream.name)")
        }
        // Each run asks this. Only a table that the file names anew needs a look through the schema.
        guard let table, try !isSame(table, stream.table), try connection.hasObject(table),
            try connection.hasObject(stream.table)
        else { return nil }
        return PersistenceError(
            .configuration, "a table '\(stream.table)' exists that no stream created",
            hint: "give the stream another table with 'table:'")
    }

    private func known(_ name: StreamName) throws -> Known? {
        try connection.firstRow(
            "SELECT stream_id, nullif(table_name, ?2) FROM _garner_streams WHERE name = ?1",
            [.text(name.description), .text(Self.noTable(of: name))]
        ) { (id: StreamID($0.integer(at: 0)), table: $0.optionalText(at: 1)) }
    }

    private func add(_ name: StreamName, table: String) throws -> StreamID {
        try connection.execute(
            """
            INSERT INTO _garner_streams (stream_id, name, table_name)
            VALUES (\(ShardNumbers.next("stream_id", of: "_garner_streams")), ?1, ?2)
            """, .text(name.description), .text(table))
        return StreamID(connection.lastInsertedRow)
    }

    /// Returns the text that stands for the table's name while a stream has none. No table has such a name.
    package static func noTable(of name: StreamName) -> String { "_garner_\(name)" }

    private func setTable(_ table: String, of id: StreamID) throws {
        try connection.execute(
            "UPDATE _garner_streams SET table_name = ?1 WHERE stream_id = ?2", .text(table), .id(id))
    }

    private func isSame(_ one: String, _ other: String) throws -> Bool {
        try connection.integer("SELECT ?1 = ?2 COLLATE NOCASE", .text(one), .text(other)) == 1
    }

    /// Gives the table of a stream that was renamed the name that the file has for it. Returns what is told of it.
    package static func renameTable(of stream: StreamConfiguration, on connection: Connection) throws -> String? {
        let registry = StreamRegistry(connection: connection)
        // The next run says why a stream cannot have the table that the file names.
        guard (try? registry.table(of: stream)) != nil else { return nil }
        let known = try registry.registration(of: stream)
        return try registry.renameTable(known.id, to: stream, now: known.table)
    }

    /// Gives the table of a stream the name that the file has for it. Returns what to tell; nil if nothing has changed.
    func renameTable(_ id: StreamID, to stream: StreamConfiguration, now table: String) throws -> String? {
        guard !table.utf8.elementsEqual(stream.table.utf8), !stream.keepsTable(table) else { return nil }
        let views = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name") {
            $0.text(at: 0)
        }.filter { view in
            connection.columnsRead(by: "SELECT * FROM \(quoted(view))").contains { $0.table == table }
        }
        do {
            try rename(table, to: stream.table, streamID: id)
        } catch let error as SQLiteError {
            // SQLite renames no table beside a view that is broken.
            return "the table '\(table)' could not be renamed to '\(stream.table)': \(error.message)"
        }
        try ChildRegistry(connection: connection).follow(id, to: stream.table)
        let followers = views.isEmpty ? "" : "; so do the views that named it: \(views.joined(separator: ", "))"
        return "the table '\(table)' has the name '\(stream.table)' now, as the file says\(followers)"
    }

    /// Drops a table that this run has created, with all that is recorded about it; not one that a read has filled since.
    func dropTable(of stream: StreamConfiguration, streamID: StreamID, madeBy run: RunID) throws {
        let isNew = try connection.integer(
            """
            SELECT 1 FROM _garner_streams WHERE stream_id = ?1 AND baseline_run IS NULL
            AND (SELECT min(first_seen_run) FROM _garner_columns WHERE stream_id = ?1) = ?2
            """, .id(streamID), .id(run))
        guard isNew != nil else { return }
        try connection.execute("DROP TABLE IF EXISTS \(quoted(stream.table))")
        try ChildRegistry(connection: connection).dropTables(of: streamID)
        try forgetTable(stream.table, of: streamID)
    }

    /// Forgets a table that someone has dropped: its records would only mislead the one that is created anew.
    private func forgetTable(_ name: String, of streamID: StreamID) throws {
        try forgetReads(of: streamID)
        for table in [
            "_garner_columns", "_garner_changes", "_garner_attachments", "_garner_histories", "_garner_named_fields",
        ] {
            try connection.execute("DELETE FROM \(table) WHERE stream_id = ?1", .id(streamID))
        }
        try connection.execute(
            """
            UPDATE _garner_streams SET baseline_run = NULL, follows_as_before = 0, paging_place_identity = NULL,
            whole_identity = NULL, first_records = NULL, answer_shape = NULL, repeated_keys = NULL WHERE stream_id = ?1
            """, .id(streamID))
        try HistoryTable(of: name, on: connection).drop()
        try SearchIndex.drop(of: streamID, on: connection)
    }

    /// Forgets the known pages and the progress of reads.
    private func forgetReads(of streamID: StreamID) throws {
        let ofStream = "WHERE stream_id = ?1"
        try connection.execute(
            "DELETE FROM _garner_members WHERE page_id IN (SELECT page_id FROM _garner_pages \(ofStream))",
            .id(streamID))
        let notes = [
            "_garner_pages", "_garner_reads", "_garner_slices", "_garner_cursors", "_garner_staged",
            "_garner_replacements",
        ]
        for table in notes {
            try connection.execute("DELETE FROM \(table) \(ofStream)", .id(streamID))
        }
        try ReadScope.forget(of: streamID, on: connection)
    }

    private func rename(_ old: String, to new: String, streamID: StreamID) throws {
        if try connection.hasObject(old) {
            // In two steps, because one step cannot change only the case.
            let aside = quoted("_garner_renamed_\(streamID)")
            try connection.execute("ALTER TABLE \(quoted(old)) RENAME TO \(aside)")
            try connection.execute("ALTER TABLE \(aside) RENAME TO \(quoted(new))")
        }
        try HistoryTable(of: old, on: connection).rename(to: new, number: streamID)
        try setTable(new, of: streamID)
    }
}
