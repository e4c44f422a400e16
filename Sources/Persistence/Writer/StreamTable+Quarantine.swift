import GarnerCatalog
import GarnerDatabase
import GarnerDigest
import GarnerJSON
import GarnerModel
import GarnerSQLite

// Records that cannot be stored are quarantined: one row for each, however often it comes.
extension StreamTable {
    func quarantine(
        _ record: Node, adding added: Node?, reason: String, url: String, run: RunID, now: Timestamp
    ) throws {
        try identifyEarlierRecords()
        try connection.execute(
            """
            INSERT INTO _garner_quarantine
            (quarantine_id, stream_id, run_id, url, reason, record, record_digest, quarantined_at, last_seen_at, added)
            VALUES (\(ShardNumbers.next("quarantine_id", of: "_garner_quarantine")), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)
            ON CONFLICT (stream_id, record_digest) DO UPDATE SET run_id = excluded.run_id, url = excluded.url,
            reason = excluded.reason, times = times + 1, last_seen_at = excluded.last_seen_at, added = excluded.added
            """, .id(streamID), .id(run), .text(url), .text(reason), .text(record.source),
            .text(digest(of: record.source, added: added?.source)), .text(now.description), Value(added?.source))
    }

    /// Adds digests to records that an earlier version quarantined without them.
    private func identifyEarlierRecords() throws {
        let isEarlier = "stream_id = ?1 AND record_digest IS NULL"
        while let (id, record, added) = try connection.firstRow(
            "SELECT quarantine_id, record, added FROM _garner_quarantine WHERE \(isEarlier) LIMIT 1",
            [.id(streamID)], decode: { ($0.integer(at: 0), $0.text(at: 1), $0.optionalText(at: 2)) })
        {
            try connection.execute(
                "UPDATE _garner_quarantine SET record_digest = ?2 WHERE quarantine_id = ?1", .integer(id),
                .text(digest(of: record, added: added)))
        }
    }

    /// Returns the digest of a record. The same record of two parents counts as two.
    private func digest(of record: String, added: String?) -> String {
        var list = ListFingerprint(key: evidence.hashKey)
        list.add(record)
        if let added { list.add(added) }
        return list.value.text
    }
}

// Quarantined records are loaded like those of a page.
extension StreamTable {
    /// Loads quarantined records again. Those that fit leave the quarantine; the others stay with the current reason.
    func retry(_ held: [QuarantinedRecord], run: RunID, now: Timestamp) throws -> RunCounts {
        var counts = RunCounts()
        var rest = held[...]
        while let first = rest.first {
            let bytes = first.added.map { Array($0.utf8) }
            let group = rest.prefix { $0.added.map { Array($0.utf8) } == bytes }
            rest = rest.dropFirst(group.count)
            let added = AddedFields(json: first.added)
            counts.add(try added.with { try retry(Array(group), adding: $0, run: run, now: now) })
        }
        return counts
    }

    private func retry(_ group: [QuarantinedRecord], adding added: Node?, run: RunID, now: Timestamp) throws
        -> RunCounts
    {
        // The list may be nested too deeply or be too long although each record is neither.
        if group.count > 1, let list = try? Document(parsing: Bytes(Self.list(group).utf8)) {
            let records = list.withRoot { Selection(valuesOf: $0, in: list) }
            if records.count == group.count { return try retry(group, records, adding: added, run: run, now: now) }
        }
        var counts = RunCounts()
        for record in group { counts.add(try retry(record, adding: added, run: run, now: now)) }
        return counts
    }

    private static func list(_ group: [QuarantinedRecord]) -> String { "[\(group.map(\.text).joined(separator: ","))]" }

    private func retry(_ held: QuarantinedRecord, adding added: Node?, run: RunID, now: Timestamp) throws -> RunCounts {
        guard let document = try? Document(parsing: Bytes(held.text.utf8)) else {
            try keep(held, because: "its text is no JSON")
            return .stillQuarantined
        }
        let records = document.withRoot { Selection([$0], in: document) }
        return try retry([held], records, adding: added, run: run, now: now)
    }

    /// - Parameter records: One for each of `held`, in the same order.
    private func retry(
        _ held: [QuarantinedRecord], _ records: Selection, adding added: Node?, run: RunID, now: Timestamp
    ) throws -> RunCounts {
        var counts = RunCounts()
        var current: [QuarantinedRecord] = []
        var nodes: [Node] = []
        var places = held.makeIterator()
        // The document lives as long as `records`, and its nodes as long as the document.
        try records.forEach { node in
            guard let place = places.next() else { return }
            if let newer = try newerRun(than: place, PageRecord(node: node, added: added), before: run) {
                try keep(place, because: "run \(newer) has stored a newer record with this key")
                counts.add(.stillQuarantined)
            } else {
                current.append(place)
                nodes.append(node)
            }
        }
        guard !nodes.isEmpty else { return counts }
        var kept: Set<Int> = []
        let selection = Selection(nodes, in: records.document)
        counts.add(
            try load(selection, adding: added, run: run, now: now) { index, _, reason in
                kept.insert(index)
                try keep(current[index], because: reason)
            })
        for (index, place) in current.enumerated() where !kept.contains(index) {
            try connection.execute("DELETE FROM _garner_quarantine WHERE quarantine_id = ?1", .integer(place.id))
        }
        return counts
    }

    /// Returns the run that wrote this key's row after the source last had the record; nil if none is known.
    private func newerRun(than held: QuarantinedRecord, _ record: PageRecord, before run: RunID) throws -> Int64? {
        guard let loader, !loader.schema.key.isEmpty else { return nil }
        let statement = try connection.statement(
            """
            SELECT max(run_id) FROM _garner_changes WHERE stream_id = ?1 AND run_id > ?2 AND run_id < ?3
            AND record_key = \(loader.schema.keyParameters(from: 4))
            """)
        try statement.bind([.id(streamID), .id(held.run), .id(run)])
        defer {
            statement.reset()
            statement.clearBindings()
        }
        guard try loader.bindKey(of: record, to: statement, from: 4), try statement.step() else { return nil }
        return statement.optionalInteger(at: 0)
    }

    private func keep(_ held: QuarantinedRecord, because reason: String) throws {
        try connection.execute(
            "UPDATE _garner_quarantine SET reason = ?2 WHERE quarantine_id = ?1", .integer(held.id), .text(reason))
    }
}

extension RunCounts {
    fileprivate static let stillQuarantined: RunCounts = {
        var counts = RunCounts()
        counts.quarantined = 1
        return counts
    }()
}
