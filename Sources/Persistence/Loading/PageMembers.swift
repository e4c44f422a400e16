import JSON
import SQLite

/// Which records were on which page when it was seen last, so that what is on none can be told.
struct PageMembers {
    let connection: Connection

    /// Notes that a page has these records. While it holds the same keys, nothing is written.
    ///
    /// - Parameter page: its row as it was before.
    func note(
        _ records: Selection, adding added: Node?, on page: PageTable.Row, keysHash: Int64, _ loader: TableLoader
    ) throws {
        guard !page.hasMembers || page.keysHash != keysHash else { return }
        try connection.execute("DELETE FROM _garner_members WHERE page_id = ?1", .integer(page.id))
        let areAll = try insert(records, adding: added, into: page.id, loader)
        guard !areAll else { return }
        // A key that its column does not hold now may fit a wider one: then it is to be noted, on the same page.
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
