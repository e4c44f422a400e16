package import GarnerCatalog
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

extension ReadOnlyDatabase {
    /// Returns the full names of all streams that were ever synchronised, in their order.
    package func streamNames() throws -> [StreamName] {
        try reading {
            try connection.rows("SELECT name FROM _garner_streams ORDER BY name") { StreamName(full: $0.text(at: 0)) }
        }
    }

    /// Returns all streams that were ever synchronised, without the tables of arrays, in the order of their names.
    package func knownStreams() throws -> [KnownStream] {
        try inEachPart { part in
            try part.connection.rows(
                """
                SELECT name, iif(table_name IN \(Connection.tableNames), table_name, NULL),
                    (SELECT url FROM _garner_runs AS run JOIN _garner_requests AS request USING (run_id)
                        WHERE run.stream_id = stream.stream_id AND request.error_kind IS NULL
                        ORDER BY run.run_id DESC, request_id LIMIT 1),
                    (SELECT group_concat(identity, ' ') FROM (
                        SELECT whole_identity AS identity UNION SELECT paging_place_identity
                        UNION SELECT full_read_identity
                        UNION SELECT identity FROM _garner_cursors AS c WHERE c.stream_id = stream.stream_id
                        UNION SELECT identity FROM _garner_reads AS r WHERE r.stream_id = stream.stream_id))
                FROM _garner_streams AS stream WHERE stream_id NOT IN (SELECT stream_id FROM _garner_children)
                """
            ) {
                KnownStream(
                    name: StreamName(full: $0.text(at: 0)), table: $0.optionalText(at: 1), url: $0.optionalText(at: 2),
                    identities: Set($0.optionalText(at: 3)?.split(separator: " ").map(String.init) ?? []))
            }
        }.flatMap(\.self)
            .sorted { $0.name.description.utf8.lexicographicallyPrecedes($1.name.description.utf8) }
    }

    package func hasTable(of stream: StreamName) throws -> Bool {
        try reading {
            let table = try connection.text(
                "SELECT table_name FROM _garner_streams WHERE name = ?1", .text(stream.description))
            return try table.map(connection.hasTable) ?? false
        }
    }

    /// Returns the name of the table that a stream has or will get. Throws if it cannot have it.
    package func table(of stream: StreamConfiguration) throws -> String {
        try reading { try StreamRegistry(connection: connection).table(of: stream) }
    }

    /// Returns the state that the next run of a stream starts from; nil if the stream was never run.
    package func state(of stream: StreamName, limit: Int) throws -> StreamState? {
        if hasParts { return try inEachPart { try $0.state(of: stream, limit: limit) }.compactMap(\.self).first }
        return try reading {
            let found = try connection.firstRow(
                "SELECT stream_id, table_name, baseline_run FROM _garner_streams WHERE name = ?1",
                [.text(stream.description)]
            ) {
                (
                    id: StreamID($0.integer(at: 0)), table: $0.text(at: 1),
                    baseline: $0.optionalInteger(at: 2).map { RunID($0) }
                )
            }
            guard let found else { return nil }
            func count(_ table: String, _ condition: String = "TRUE") throws -> Int {
                let sql = "SELECT count(*) FROM \(table) WHERE stream_id = ?1 AND \(condition)"
                return Int(try connection.integer(sql, .id(found.id)) ?? 0)
            }
            return StreamState(
                stream: stream.description, table: found.table, read: try openRead(of: found.id, limit: limit),
                cursors: try cursors(of: found.id, limit: limit), cursorCount: try count("_garner_cursors"),
                pages: try count("_garner_pages"),
                pagesWithValidator: try count("_garner_pages", "validator IS NOT NULL"), baselineRun: found.baseline,
                lastRun: try connection.firstRow(
                    "\(RunTable.selection) WHERE stream_id = ?1 AND status <> 'skipped' ORDER BY run_id DESC LIMIT 1",
                    [.id(found.id)], decode: RunTable.decode))
        }
    }

    private func openRead(of streamID: StreamID, limit: Int) throws -> StreamState.Read? {
        let slices = try connection.rows(
            """
            SELECT bindings, next_position, watermark FROM _garner_slices WHERE stream_id = ?1
            ORDER BY slice_id LIMIT ?2
            """, [.id(streamID), .integer(Int64(limit))]
        ) {
            StreamState.Slice(
                bindings: $0.text(at: 0), goesOnAt: $0.optionalText(at: 1), watermark: $0.optionalText(at: 2))
        }
        let left = try SliceTable(streamID: streamID, connection: connection).count
        return try connection.firstRow(
            "SELECT read_id, began_at, saved_at, verdict, verdict_reason FROM _garner_reads WHERE stream_id = ?1",
            [.id(streamID)]
        ) {
            try StreamState.Read(
                run: $0.id(at: 0), beganAt: $0.timestamp(at: 1), savedAt: $0.timestamp(at: 2),
                verdict: $0.verdict(at: 3, reason: 4), slices: slices, sliceCount: left)
        }
    }

    private func cursors(of streamID: StreamID, limit: Int) throws -> [StreamState.Cursor] {
        try connection.rows(
            "SELECT bindings, value, moved_at FROM _garner_cursors WHERE stream_id = ?1 ORDER BY bindings LIMIT ?2",
            [.id(streamID), .integer(Int64(limit))]
        ) {
            try StreamState.Cursor(
                bindings: $0.text(at: 0), value: $0.text(at: 1), movedAt: $0.timestamp(at: 2))
        }
    }
}

extension StreamName {
    /// Reads the full name that `description` writes.
    package init(full text: String) {
        guard let dot = text.firstIndex(of: ".") else {
            self.init(source: "", stream: text)
            return
        }
        self.init(source: String(text[..<dot]), stream: String(text[text.index(after: dot)...]))
    }
}

/// A stream of the database, whether the file has it or not.
package struct KnownStream: Sendable, Equatable {
    package let name: StreamName
    /// Its table; nil if there is none.
    package let table: String?
    /// The first URL of its last run that brought a page in; nil if none is known any more.
    package let url: String?
    /// The digests of the configurations of its latest reads; empty if they are not known.
    package let identities: Set<String>

    /// Returns what a read of a stream is made from, as `identities` has it.
    package static func identity(of stream: StreamConfiguration) -> String {
        OpenRun.digest(of: stream.readIdentity)
    }
}

/// The state that the next run of a stream starts from.
package struct StreamState: Sendable, Equatable {
    /// The stream's full name.
    package let stream: String
    package let table: String
    /// The unfinished read; nil if the next run begins with the first page.
    package let read: Read?
    package let cursors: [Cursor]
    package let cursorCount: Int
    /// The number of remembered pages, and of those with a validator for conditional requests.
    package let pages: Int
    package let pagesWithValidator: Int
    /// The run that ended the first read.
    package let baselineRun: RunID?
    package let lastRun: RunRecord?

    package struct Read: Sendable, Equatable {
        /// The run that began the read.
        package let run: RunID
        package let beganAt: Timestamp
        package let savedAt: Timestamp
        /// The judgement on the part that was read.
        package let verdict: Verdict
        package let slices: [Slice]
        package let sliceCount: Int
    }

    package struct Slice: Sendable, Equatable {
        /// The values of its placeholders as a JSON object.
        package let bindings: String
        /// The position of the next page; nil for the first page.
        package let goesOnAt: String?
        /// The greatest cursor that was read in it.
        package let watermark: String?
    }

    package struct Cursor: Sendable, Equatable {
        /// The values of its slice's placeholders as a JSON object.
        package let bindings: String
        package let value: String
        package let movedAt: Timestamp
    }
}
