import SQLite

/// The pages of one stream that the database remembers: `_garner_pages`.
struct PageTable {
    let streamID: Int64
    let connection: Connection

    struct Row {
        let id: Int64
        /// Of the keys of its records; nil where they were not noted.
        let keysHash: Int64?
        let recordCount: Int
    }

    func row(at position: String) throws -> Row? {
        try connection.firstRow(
            "SELECT page_id, keys_hash, record_count FROM _garner_pages WHERE stream_id = ?1 AND position = ?2",
            [.integer(streamID), .text(position)]
        ) { Row(id: $0.integer(at: 0), keysHash: $0.optionalInteger(at: 1), recordCount: Int($0.integer(at: 2))) }
    }

    /// What the server can be asked with whether the page has changed; nil where it was read otherwise.
    ///
    /// - Parameter needsMembers: whether the page's records must have been noted.
    func memory(at position: String, scope: String, needsMembers: Bool) throws -> RememberedPage? {
        try connection.firstRow(
            """
            SELECT validator, summary FROM _garner_pages
            WHERE stream_id = ?1 AND position = ?2 AND scope = ?3 AND validator IS NOT NULL
            AND (keys_hash IS NOT NULL OR NOT ?4)
            """, [.integer(streamID), .text(position), .text(scope), .integer(needsMembers ? 1 : 0)]
        ) { RememberedPage(validator: $0.text(at: 0), summary: $0.text(at: 1)) }
    }

    /// Notes that a read has seen the page; gives its row as it was before, with a new number where it is new.
    ///
    /// - Parameter tracksMembers: whether the caller notes the page's records too; otherwise those that were noted are
    ///   no longer known to be right.
    func note(
        _ page: PageCommit, count: Int, memory: RememberedPage?, read: Int64, scope: String, tracksMembers: Bool
    ) throws -> Row {
        let known = try row(at: page.position)
        let values: [Value] = [
            .integer(read), Value(memory?.validator), Value(memory?.summary), .text(scope), .integer(Int64(count)),
            Value(tracksMembers ? known?.keysHash : nil),
        ]
        if let known {
            try run(
                """
                UPDATE _garner_pages SET read_id = ?1, validator = ?2, summary = ?3, scope = ?4, record_count = ?5,
                keys_hash = ?6 WHERE page_id = ?7
                """, values + [.integer(known.id)])
            return known
        }
        try run(
            """
            INSERT INTO _garner_pages (read_id, validator, summary, scope, record_count, keys_hash, stream_id, position)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """, values + [.integer(streamID), .text(page.position)])
        return Row(id: connection.lastInsertedRow, keysHash: nil, recordCount: 0)
    }

    /// Notes that a read has seen the page with the records that it had.
    func noteUnchanged(_ row: Row, read: Int64) throws {
        try run("UPDATE _garner_pages SET read_id = ?1 WHERE page_id = ?2", [.integer(read), .integer(row.id)])
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

/// What is stored of a page so that the server may answer that it has not changed; the fetcher wrote both texts.
package struct RememberedPage: Sendable, Equatable {
    package let validator: String
    package let summary: String

    package init(validator: String, summary: String) {
        self.validator = validator
        self.summary = summary
    }
}
