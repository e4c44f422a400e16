import JSON
import SQLite

/// Which records were on which page when it was seen last, so that what is on none can be told.
struct PageMembers {
    let connection: Connection

    /// Notes that a page has these records. While it holds the same keys, nothing is written.
    func note(_ records: Selection, adding added: Node?, on page: PageTable.Row, _ loader: TableLoader) throws {
        var hash = StableHash()
        records.forEach { hash.add(loader.keyValues(of: PageRecord(node: $0, added: added))) }
        guard page.keysHash != hash.value else { return }
        try connection.execute("DELETE FROM _garner_members WHERE page_id = ?1", .integer(page.id))
        let areAll = try insert(records, adding: added, into: page.id, loader)
        // A key that its column does not hold now may fit a wider one: then it is to be noted, on the same page.
        try connection.execute(
            "UPDATE _garner_pages SET keys_hash = ?2 WHERE page_id = ?1", .integer(page.id),
            areAll ? .integer(hash.value) : .null)
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

extension StableHash {
    /// A record's key: of each part its kind, so that null is not "null", and its spelling.
    fileprivate mutating func add(_ key: [Node?]) {
        for part in key {
            add(part.map { $0.kind == .string ? 1 : $0.isNull ? 2 : 3 } ?? 0)
            if let part { add(part.utf8) }
            add(0xFF)  // which no UTF-8 has
        }
    }
}
