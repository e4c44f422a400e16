import JSON
import SQLite

/// Which records were on which page when it was seen last, so that what is on none can be told.
struct PageMembers {
    let streamID: Int64
    let connection: Connection

    /// Notes that a read has seen a page with these records. While the page holds the same keys, only that is written.
    func note(_ records: Selection, at position: String, read: Int64, _ loader: TableLoader) throws {
        var hash = StableHash()
        records.forEach { hash.add(loader.keyValues(of: $0)) }
        let known = try connection.firstRow(
            "SELECT page_id, keys_hash FROM _garner_pages WHERE stream_id = ?1 AND position = ?2",
            [.integer(streamID), .text(position)]
        ) { (page: $0.integer(at: 0), hash: $0.optionalInteger(at: 1)) }
        if let known {
            try connection.execute(
                "UPDATE _garner_pages SET read_id = ?2, keys_hash = ?3 WHERE page_id = ?1", .integer(known.page),
                .integer(read), .integer(hash.value))
            if known.hash != hash.value {
                try connection.execute("DELETE FROM _garner_members WHERE page_id = ?1", .integer(known.page))
                try insert(records, into: known.page, loader)
            }
        } else {
            try connection.execute(
                "INSERT INTO _garner_pages (stream_id, position, read_id, keys_hash) VALUES (?1, ?2, ?3, ?4)",
                .integer(streamID), .text(position), .integer(read), .integer(hash.value))
            try insert(records, into: connection.lastInsertedRow, loader)
        }
    }

    private func insert(_ records: Selection, into page: Int64, _ loader: TableLoader) throws {
        let count = loader.schema.key.count
        let key = count == 1 ? "?2" : "json_array(\((0..<count).map { "?\($0 + 2)" }.joined(separator: ", ")))"
        let statement = try connection.statement(
            "INSERT OR IGNORE INTO _garner_members (page_id, record_key) VALUES (?1, \(key))")
        try statement.bind(page, at: 1)
        try records.forEach { record in
            if try loader.bindKey(of: record, to: statement, from: 2) { try statement.run() }
        }
        statement.clearBindings()
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
