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
    ///   - hashKey: The key with which `contentDigest` digests the records; nil if it will not be needed.
    ///   - known: The records whose rows need no look, with the hashes of all; nil if no hashes are kept.
    ///   - key: The paths of the key's members, with which known records wait.
    func add(
        _ page: PageCommit, count: Int, scope: String, hashKey: HashKey? = nil, knowing known: KnownRecords? = nil,
        key: [[String]] = []
    ) throws {
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
            if let hashKey {
                let stored = records.removing(page.deletions)
                try statement.bind(Self.digest(of: stored, adding: page.added, key: hashKey), at: 10)
            } else if let known {
                try statement.bind(Self.hexadecimal(known.hashes), at: 10)
            }
            let lines = Self.lines(of: records, deleting: page.deletions, knowing: known, key)
            try statement.bind(copyingUTF8: lines, at: 11)
        }
        try statement.run()
        statement.clearBindings()
        guard connection.changes == 1 else {
            throw PersistenceError(.bug, "the page \(page.position) is of no slice", hint: .report)
        }
    }

    /// Adds a later piece of a long page. It has no URL, by which it is told from a page.
    func add(_ piece: RecordPiece, behind page: PageCommit, scope: String, hashKey key: HashKey?) throws {
        var page = page
        (page.content, page.deletions, page.url, page.memory) = (.records(piece.records), piece.deletions, "", nil)
        try add(page, count: piece.records.count - piece.deletions.count, scope: scope, hashKey: key)
    }

    /// Returns the pages by slice, in the order in which they were received, each with the numbers of its pieces. The slices are
    /// gone: each gets a number below zero.
    func pages() throws -> [(numbers: [Int64], slice: SliceID)] {
        let rows = try connection.rows(
            """
            SELECT staged_id, -dense_rank() OVER (ORDER BY bindings), url = '' FROM _garner_staged WHERE stream_id = ?1
            ORDER BY bindings, staged_id
            """, [.id(streamID)]
        ) { (number: $0.integer(at: 0), slice: SliceID($0.integer(at: 1)), isLater: $0.integer(at: 2) == 1) }
        var pages: [(numbers: [Int64], slice: SliceID)] = []
        for row in rows {
            if row.isLater, let last = pages.indices.last {
                pages[last].numbers.append(row.number)
            } else {
                pages.append(([row.number], row.slice))
            }
        }
        return pages
    }

    /// Returns a later piece of a page.
    func piece(_ number: Int64) throws -> RecordPiece? {
        guard let page = try page(number)?.page, case .records(let records) = page.content else { return nil }
        return RecordPiece(records: records, deletions: page.deletions)
    }

    /// Returns a page as it was received, with the scope of its memory.
    func page(_ number: Int64) throws -> (page: PageCommit, scope: String)? {
        try connection.firstRow(
            """
            SELECT position, url, added, validator, fingerprint, summary, scope, records, records_digest
            FROM _garner_staged WHERE staged_id = ?1
            """, [.integer(number)]
        ) { row in
            let memory = row.optionalText(at: 5).map {
                CachedPage(validator: row.optionalText(at: 3), fingerprint: row.optionalText(at: 4), summary: $0)
            }
            var page = PageCommit(
                content: try Self.content(row), facts: PageFacts(memory: memory), position: row.text(at: 0),
                slice: 0, added: row.optionalText(at: 2), continuation: .complete, url: row.text(at: 1), requests: [])
            (page.deletions, page.keysOnly) = Self.marks(row.bytes(at: 7))
            if case .records(let records) = page.content {
                page.recordHashes = Self.hashes(row.bytes(at: 8), count: records.count)
            }
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
    /// that begins with a space has a record whose row is to be deleted; one that begins with a tab, the key of a record whose row needs
    /// no look.
    ///
    /// In an array around them, the records would be nested one level deeper than in the source.
    private static func lines(
        of records: Selection, deleting deletions: Set<Int>, knowing known: KnownRecords?, _ key: [[String]]
    ) -> [UInt8] {
        var lines: [UInt8] = []
        var canonical = CanonicalText()
        let names = key.compactMap { $0.count == 1 ? $0[0] : nil }
        let keepsKeys = !names.isEmpty && names.count == key.count
        var place = 0
        records.forEach { record in
            defer { place += 1 }
            if keepsKeys, known?.key(at: place) != nil, canonical.replace(byMembers: names, of: record) {
                lines.append(tab)
                lines.append(contentsOf: canonical.bytes)
                return lines.append(newline)
            }
            if deletions.contains(place) { lines.append(space) }
            if record.kind == .string {
                canonical.removeAll()
                canonical.append(record)
                lines.append(contentsOf: canonical.bytes)
            } else {
                // A line break within a JSON string is an escape (RFC 8259, section 7).
                let start = lines.count
                record.withSpelling { lines.append(contentsOf: $0) }
                lines.withUnsafeMutableBufferPointer { lines in
                    for index in start..<lines.count where lines[index] == newline { lines[index] = space }
                }
            }
            lines.append(newline)
        }
        return lines
    }

    /// Returns the indices of the records whose rows are to be deleted, and of those with keys only, from the text of `lines`.
    private static func marks(_ text: UnsafeBufferPointer<UInt8>) -> (deletions: Set<Int>, keysOnly: Set<Int>) {
        var (deletions, keysOnly): (Set<Int>, Set<Int>) = ([], [])
        var (place, previous) = (0, newline)
        for byte in text {
            if previous == newline {
                if byte == space { deletions.insert(place) } else if byte == tab { keysOnly.insert(place) }
                place += 1
            }
            previous = byte
        }
        return (deletions, keysOnly)
    }

    /// Returns hashes as text, of 16 hexadecimal digits each.
    private static func hexadecimal(_ hashes: [Int64]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: hashes.count * 16) { text in
            for (place, hash) in hashes.enumerated() {
                for digit in 0..<16 { text[place * 16 + digit] = digits[Int(hash >> (60 - digit * 4) & 15)] }
            }
            return hashes.count * 16
        }
    }

    /// Returns the hashes of so many records; nil if the text has others.
    private static func hashes(_ text: UnsafeBufferPointer<UInt8>, count: Int) -> [Int64]? {
        // A digest of all records looks like the hashes of two.
        guard count >= RecordHasher.fewest, text.count == count * 16 else { return nil }
        return (0..<count).map { place in
            text[place * 16..<(place + 1) * 16].reduce(0) { hash, digit in
                hash << 4 | Int64(digit < UInt8(ascii: "a") ? digit &- 48 : digit &- 87)
            }
        }
    }

    private static func digest(of records: Selection, adding added: String?, key: HashKey) -> String {
        var list = ListFingerprint(key: key)
        list.add(added ?? "")
        records.forEach { $0.withSpelling { list.add($0) } }
        return list.value.text
    }

    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")
    private static let tab = UInt8(ascii: "\t")
}

extension CanonicalText {
    /// Replaces the text by an object of these members of a record. Returns false if one of them is missing, or no plain value.
    fileprivate mutating func replace(byMembers names: [String], of record: Node) -> Bool {
        var members: [(name: [UInt8], value: Node)] = []
        for name in names {
            guard let value = record[name], value.kind != .array, value.kind != .object else { return false }
            members.append((Array(name.utf8), value))
        }
        removeAll()
        append(members: members)
        return true
    }
}
