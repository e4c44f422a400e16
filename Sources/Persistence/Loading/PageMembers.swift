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
        try insert(records, adding: added, into: page.id, loader)
    }

    private func insert(
        _ records: Selection, adding added: Node?, into page: Int64, _ loader: TableLoader
    ) throws {
        let count = loader.schema.key.count
        let key = count == 1 ? "?2" : "json_array(\((0..<count).map { "?\($0 + 2)" }.joined(separator: ", ")))"
        let statement = try connection.statement(
            "INSERT OR IGNORE INTO _garner_members (page_id, record_key) VALUES (?1, \(key))")
        try statement.bind(page, at: 1)
        try records.forEach { record in
            let record = PageRecord(node: record, added: added)
            if try loader.bindKey(of: record, to: statement, from: 2) { try statement.run() }
        }
        statement.clearBindings()
    }
}
