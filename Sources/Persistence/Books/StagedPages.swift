import GarnerDatabase
import GarnerDigest
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// The pages of an unfinished read that will replace its stream's table: `_garner_staged`.
struct StagedPages {
    let streamID: StreamID
    let connection: Connection

    /// Adds a page of a slice that is not finished.
    ///
    /// - Parameters:
    ///   - count: The number of its records that are to be stored.
    ///   - key: The key of the records' hashes; nil if `contentDigest` will not be needed.
    func add(_ page: PageCommit, count: Int, scope: String, hashKey key: HashKey?) throws {
        let statement = try connection.statement(
            """
            INSERT INTO _garner_staged
            (stream_id, bindings, position, url, added, record_count, validator, fingerprint, summary, scope,
            records_digest, records)
            SELECT stream_id, bindings, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM _garner_slices WHERE slice_id = ?1
            """)
        try statement.bind([
            .id(page.slice), .text(page.position), .text(page.url), Value(page.added), .integer(Int64(count)),
            Value(page.memory?.validator), Value(page.memory?.fingerprint), Value(page.memory?.summary), .text(scope),
        ])
        if case .records(let records) = page.content {
            if let key {
                let stored = records.removing(page.deletions)
                try statement.bind(Self.digest(of: stored, adding: page.added, key: key), at: 10)
            }
            try statement.bind(copyingUTF8: Self.lines(of: records, deleting: page.deletions), at: 11)
        }
        try statement.run()
        statement.clearBindings()
        guard connection.changes == 1 else {
            throw PersistenceError(.bug, "the page \(page.position) is of no slice", hint: .report)
        }
    }

    /// Returns the numbers of the pages by slice, in the order in which they were received. The slices are gone: each gets
    /// a number below zero.
    func numbers() throws -> [(page: Int64, slice: SliceID)] {
        try connection.rows(
            """
            SELECT staged_id, -dense_rank() OVER (ORDER BY bindings) FROM _garner_staged WHERE stream_id = ?1
            ORDER BY bindings, staged_id
            """, [.id(streamID)]
        ) { ($0.integer(at: 0), SliceID($0.integer(at: 1))) }
    }

    /// Returns a page as it was received, with the scope of its memory.
    func page(_ number: Int64) throws -> (page: PageCommit, scope: String)? {
        try connection.firstRow(
            """
            SELECT position, url, added, validator, fingerprint, summary, scope, records FROM _garner_staged
            WHERE staged_id = ?1
            """, [.integer(number)]
        ) { row in
            let memory = row.optionalText(at: 5).map {
                CachedPage(validator: row.optionalText(at: 3), fingerprint: row.optionalText(at: 4), summary: $0)
            }
            var page = PageCommit(
                content: try Self.content(row), facts: PageFacts(memory: memory), position: row.text(at: 0),
                slice: 0, added: row.optionalText(at: 2), continuation: .complete, url: row.text(at: 1), requests: [])
            page.deletions = Self.deletions(row.bytes(at: 7))
            return (page, row.text(at: 6))
        }
    }

    var recordCount: Int {
        get throws {
            let sum = "SELECT sum(record_count) FROM _garner_staged WHERE stream_id = ?1"
            return Int(try connection.integer(sum, .id(streamID)) ?? 0)
        }
    }

    /// Returns a fingerprint of all records and of the read's identity, in 32 hexadecimal digits.
    func contentDigest(identity: String, hashKey key: HashKey) throws -> String {
        var list = ListFingerprint(key: key)
        list.add(identity)
        let digests = try connection.rows(
            "SELECT coalesce(records_digest, '') FROM _garner_staged WHERE stream_id = ?1 ORDER BY bindings, staged_id",
            [.id(streamID)]
        ) { $0.text(at: 0) }
        for digest in digests { list.add(digest) }
        return list.value.text
    }

    func removeAll() throws {
        try connection.execute("DELETE FROM _garner_staged WHERE stream_id = ?1", .id(streamID))
    }

    /// Removes the pages of a slice that will be read again.
    func remove(of slice: SliceID) throws {
        try connection.execute(
            """
            DELETE FROM _garner_staged
            WHERE (stream_id, bindings) = (SELECT stream_id, bindings FROM _garner_slices WHERE slice_id = ?1)
            """, .id(slice))
    }

    /// Removes a page that will be read again. As it is, it would hide that the next answer is the one that is known.
    func remove(_ position: String, of slice: SliceID) throws {
        try connection.execute(
            """
            DELETE FROM _garner_staged WHERE position = ?2
            AND (stream_id, bindings) = (SELECT stream_id, bindings FROM _garner_slices WHERE slice_id = ?1)
            """, .id(slice), .text(position))
    }

    private static func content(_ row: Statement) throws -> PageCommit.Content {
        guard row.kind(at: 7) != .null else { return .unchanged }
        let text = row.bytes(at: 7)
        guard !text.isEmpty else { return .records(Selection([], in: try Document(parsing: Bytes("[]".utf8)))) }
        var bytes = Bytes(reservingCapacity: text.count)
        bytes.append(UnsafeRawBufferPointer(text))
        let document = try Document(parsingLines: bytes)
        return .records(document.withRoot { Selection(valuesOf: $0, in: document) })
    }

    /// Returns one record per line, with the source's spelling. Line breaks between its tokens become spaces. A line
    /// that begins with a space has a record whose row is to be deleted.
    ///
    /// In an array around them, the records would be nested one level deeper than in the source.
    private static func lines(of records: Selection, deleting deletions: Set<Int>) -> [UInt8] {
        var lines: [UInt8] = []
        var canonical = CanonicalText()
        var place = 0
        records.forEach { record in
            if deletions.contains(place) { lines.append(space) }
            place += 1
            if record.kind == .string {
                canonical.removeAll()
                canonical.append(record)
                lines.append(contentsOf: canonical.bytes)
            } else {
                // A line break within a JSON string is an escape (RFC 8259, section 7).
                record.withSpelling { lines.append(contentsOf: $0.lazy.map { $0 == newline ? space : $0 }) }
            }
            lines.append(newline)
        }
        return lines
    }

    /// Returns the indices of the records whose rows are to be deleted, from the text that `lines` made.
    private static func deletions(_ text: UnsafeBufferPointer<UInt8>) -> Set<Int> {
        var deletions: Set<Int> = []
        for (place, line) in text.split(separator: newline).enumerated() where line.first == space {
            deletions.insert(place)
        }
        return deletions
    }

    private static func digest(of records: Selection, adding added: String?, key: HashKey) -> String {
        var list = ListFingerprint(key: key)
        list.add(added ?? "")
        records.forEach { $0.withSpelling { list.add($0) } }
        return list.value.text
    }

    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")
}
