import JSON
import SQLite

/// Which records were on which page when it was seen last, so that what is on none can be told.
struct PageMembers {
    let connection: Connection

    /// Notes that a page has these records. While it holds the same keys, nothing is written.
    ///
    /// - Parameters:
    ///   - page: its row as it was before.
    ///   - keysDigest: of the keys of the records that were stored; nil where that was not all of them.
    func note(
        _ records: Selection, adding added: Node?, on page: PageTable.Row, keysDigest: String?, _ loader: TableLoader
    ) throws {
        guard !page.hasMembers || keysDigest == nil || page.keysDigest != keysDigest else { return }
        try connection.execute("DELETE FROM _garner_members WHERE page_id = ?1", .integer(page.id))
        let areAll = try insert(records, adding: added, into: page.id, loader)
        guard !areAll || keysDigest == nil else { return }
        // A key that its column does not hold now may fit a wider one, and a record that was not stored may go while all
        // that were stored stay: then the page's records are to be noted anew.
        try connection.execute("UPDATE _garner_pages SET has_members = 0 WHERE page_id = ?1", .integer(page.id))
    }

    /// Whether all records have a key that the table holds.
    private func insert(
        _ records: Selection, adding added: Node?, into page: Int64, _ loader: TableLoader
    ) throws -> Bool {
        let statement = try connection.statement(
            """
            INSERT OR IGNORE INTO _garner_members (page_id, record_key)
            VALUES (?1, \(loader.schema.keyParameters(from: 2)))
            """)
        try statement.bind(page, at: 1)
        var areAll = true
        try records.forEach { record in
            let record = PageRecord(node: record, added: added)
            if try loader.bindKey(of: record, to: statement, from: 2) { try statement.run() } else { areAll = false }
        }
        statement.clearBindings()
        return areAll
    }
}
