import SQLite

/// The pages of one stream that the database remembers: `_garner_pages`.
struct PageTable {
    let streamID: Int64
    let connection: Connection

    struct Row {
        let id: Int64
        /// The fingerprint of the keys of its records; nil where it is not known.
        let keysDigest: String?
        /// Whether its records are noted.
        let hasMembers: Bool
        let recordCount: Int
    }

    func row(at position: String) throws -> Row? {
        try connection.firstRow(
            "SELECT page_id, keys_digest, has_members, record_count FROM _garner_pages WHERE stream_id = ?1 AND position = ?2",
            [.integer(streamID), .text(position)]
        ) {
            Row(
                id: $0.integer(at: 0), keysDigest: $0.optionalText(at: 1), hasMembers: $0.integer(at: 2) == 1,
                recordCount: Int($0.integer(at: 3)))
        }
    }

    /// What it can be told with whether the page has changed; nil where it was read otherwise, and where another page or
    /// someone else may have written its rows since.
    ///
    /// - Parameter needsMembers: whether the page's records must have been noted.
    func memory(at position: String, scope: String, needsMembers: Bool) throws -> RememberedPage? {
        try connection.firstRow(
            """
            SELECT validator, fingerprint, summary FROM _garner_pages JOIN _garner_streams USING (stream_id)
            WHERE stream_id = ?1 AND position = ?2 AND scope = ?3 AND summary IS NOT NULL AND (has_members OR NOT ?4)
            AND pages_are_apart AND NOT is_touched
            """, [.integer(streamID), .text(position), .text(scope), .integer(needsMembers ? 1 : 0)]
        ) {
            RememberedPage(
                validator: $0.optionalText(at: 0), fingerprint: $0.optionalText(at: 1), summary: $0.text(at: 2))
        }
    }

    /// Notes that a read has seen the page; gives its row as it was before, with a new number where it is new.
    ///
    /// - Parameters:
    ///   - known: its row so far.
    ///   - tracksMembers: whether the caller notes the page's records too; otherwise those that were noted are no longer
    ///     known to be right.
    func note(
        _ page: PageCommit, after known: Row?, count: Int, keysDigest: String, memory: RememberedPage?, read: Int64,
        scope: String, tracksMembers: Bool
    ) throws -> Row {
        let values: [Value] = [
            .integer(read), Value(memory?.validator), Value(memory?.fingerprint), Value(memory?.summary), .text(scope),
            .integer(Int64(count)), .text(keysDigest), .integer(tracksMembers ? 1 : 0),
        ]
        if let known {
            try run(
                """
                UPDATE _garner_pages SET read_id = ?1, validator = ?2, fingerprint = ?3, summary = ?4, scope = ?5,
                record_count = ?6, keys_digest = ?7, has_members = ?8 WHERE page_id = ?9
                """, values + [.integer(known.id)])
            return known
        }
        try run(
            """
            INSERT INTO _garner_pages (read_id, validator, fingerprint, summary, scope, record_count, keys_digest,
            has_members, stream_id, position) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """, values + [.integer(streamID), .text(page.position)])
        return Row(id: connection.lastInsertedRow, keysDigest: nil, hasMembers: false, recordCount: 0)
    }

    /// Notes that a read has seen the page with the records that it had.
    ///
    /// - Parameter memory: what it can be told with from now on; nil: as before.
    func noteUnchanged(_ row: Row, memory: RememberedPage?, read: Int64) throws {
        try run(
            "UPDATE _garner_pages SET read_id = ?1, validator = iif(?2, ?3, validator) WHERE page_id = ?4",
            [.integer(read), .integer(memory == nil ? 0 : 1), Value(memory?.validator), .integer(row.id)])
    }

    func remembersOthers(than position: String) throws -> Bool {
        try connection.integer(
            "SELECT 1 FROM _garner_pages WHERE stream_id = ?1 AND position <> ?2 AND summary IS NOT NULL LIMIT 1",
            .integer(streamID), .text(position)) != nil
    }

    /// Has every page of the stream read again.
    func forgetMemories() throws {
        try run(
            "UPDATE _garner_pages SET validator = NULL, fingerprint = NULL, summary = NULL WHERE stream_id = ?1",
            [.integer(streamID)])
    }

    /// Forgets the pages that this read has not seen.
    func forgetAll(but read: Int64) throws {
        let isOld = "stream_id = ?1 AND read_id <> ?2"
        let values: [Value] = [.integer(streamID), .integer(read)]
        try run(
            "DELETE FROM _garner_members WHERE page_id IN (SELECT page_id FROM _garner_pages WHERE \(isOld))", values)
        try run("DELETE FROM _garner_pages WHERE \(isOld)", values)
    }

    private func run(_ sql: String, _ values: [Value]) throws {
        let statement = try connection.statement(sql)
        try statement.bind(values)
        try statement.run()
    }
}

/// What is stored of a page so that it can be told that it has not changed; the fetcher wrote the texts.
package struct RememberedPage: Sendable, Equatable {
    package let validator: String?
    package let fingerprint: String?
    package let summary: String

    package init(validator: String?, fingerprint: String?, summary: String) {
        self.validator = validator
        self.fingerprint = fingerprint
        self.summary = summary
    }
}
