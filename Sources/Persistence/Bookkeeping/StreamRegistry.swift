import Catalog
import Database
import Model
import SQLite

/// The streams that this database knows, each with its table.
struct StreamRegistry {
    let connection: Connection

    /// Returns the stream's number. Registers a new stream, and renames a table that got another name.
    func register(_ stream: Stream) throws -> StreamID {
        let name = Value.text(stream.name.description)
        if let other = try connection.text(
            "SELECT name FROM _garner_streams WHERE table_name = ?1 AND name <> ?2", .text(stream.table), name)
        {
            throw PersistenceError(
                .configuration, "the table '\(stream.table)' belongs to the stream \(other)",
                hint: "give the stream \(stream.name) another table with 'table:'")
        }
        let known = try connection.firstRow(
            "SELECT stream_id, table_name FROM _garner_streams WHERE name = ?1", [name]
        ) { (id: StreamID($0.integer(at: 0)), table: $0.text(at: 1)) }
        guard let known else {
            try connection.execute(
                "INSERT INTO _garner_streams (name, table_name) VALUES (?1, ?2)", name, .text(stream.table))
            return StreamID(connection.lastInsertedRow)
        }
        let children = ChildRegistry(connection: connection)
        if !known.table.utf8.elementsEqual(stream.table.utf8) {
            try rename(known.table, to: stream.table, streamID: known.id)
            try children.follow(known.id, to: stream.table)
        }
        let wasMade =
            try connection.integer("SELECT 1 FROM _garner_columns WHERE stream_id = ?1 LIMIT 1", .id(known.id))
            != nil
        if wasMade, try !connection.hasTable(stream.table) {
            try children.dropTables(of: known.id)
            try forgetTable(stream.table, of: known.id)
        } else if try children.forgetDropped(of: known.id), stream.childTables {
            // All records must be fetched again.
            try forgetReads(of: known.id)
        }
        return known.id
    }

    /// Drops a table that this run has created, with everything recorded about it. Another table stays, as does
    /// one that a read has filled since.
    func dropTable(of stream: Stream, streamID: StreamID, madeBy run: RunID) throws {
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
        for table in ["_garner_columns", "_garner_changes", "_garner_attachments", "_garner_histories"] {
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
        try PartialReads.forget(of: streamID, on: connection)
    }

    private func rename(_ old: String, to new: String, streamID: StreamID) throws {
        if try connection.hasObject(old) {
            let isSame = try connection.integer("SELECT ?1 = ?2 COLLATE NOCASE", .text(old), .text(new)) == 1
            guard try isSame || !connection.hasObject(new) else {
                throw PersistenceError(
                    .configuration, "a table '\(new)' exists that no stream created",
                    hint: "give the stream another table with 'table:'")
            }
            // In two steps, because one step cannot change only the case.
            let aside = quoted("_garner_renamed_\(streamID)")
            try connection.execute("ALTER TABLE \(quoted(old)) RENAME TO \(aside)")
            try connection.execute("ALTER TABLE \(aside) RENAME TO \(quoted(new))")
        }
        try HistoryTable(of: old, on: connection).rename(to: new, number: streamID)
        try connection.execute(
            "UPDATE _garner_streams SET table_name = ?1 WHERE stream_id = ?2", .text(new), .id(streamID))
    }
}
