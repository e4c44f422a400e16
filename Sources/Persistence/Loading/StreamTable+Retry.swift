import Catalog
import JSON
import SQLite

// Records from quarantine go the way of those of a page.
extension StreamTable {
    /// Loads records from quarantine again. Those that fit leave it, the others stay with the reason why not.
    func retry(_ held: [HeldRecord], run: Int64, now: Timestamp) throws -> RunCounts {
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

    private func retry(_ group: [HeldRecord], adding added: Node?, run: Int64, now: Timestamp) throws -> RunCounts {
        // One list of them may be nested too deeply, or be too long, where each is neither.
        if group.count > 1, let list = try? Document(parsing: Bytes(Self.list(group).utf8)) {
            let records = list.withRoot { Selection(valuesOf: $0, in: list) }
            if records.count == group.count { return try retry(group, records, adding: added, run: run, now: now) }
        }
        var counts = RunCounts()
        for record in group { counts.add(try retry(record, adding: added, run: run, now: now)) }
        return counts
    }

    private static func list(_ group: [HeldRecord]) -> String { "[\(group.map(\.text).joined(separator: ","))]" }

    private func retry(_ held: HeldRecord, adding added: Node?, run: Int64, now: Timestamp) throws -> RunCounts {
        guard let document = try? Document(parsing: Bytes(held.text.utf8)) else {
            try keep(held, because: "its text is no JSON")
            return .stillQuarantined
        }
        let records = document.withRoot { Selection([$0], in: document) }
        return try retry([held], records, adding: added, run: run, now: now)
    }

    /// - Parameter records: one for each of `held`, in the same order.
    private func retry(
        _ held: [HeldRecord], _ records: Selection, adding added: Node?, run: Int64, now: Timestamp
    ) throws -> RunCounts {
        var counts = RunCounts()
        var current: [HeldRecord] = []
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

    /// The run that has written the row of this record's key after the source had the record last; nil: none is known.
    private func newerRun(than held: HeldRecord, _ record: PageRecord, before run: Int64) throws -> Int64? {
        guard let loader, !loader.schema.key.isEmpty else { return nil }
        let statement = try connection.statement(
            """
            SELECT max(run_id) FROM _garner_changes WHERE stream_id = ?1 AND run_id > ?2 AND run_id < ?3
            AND record_key = \(loader.schema.keyParameters(from: 4))
            """)
        try statement.bind([.integer(streamID), .integer(held.run), .integer(run)])
        defer {
            statement.reset()
            statement.clearBindings()
        }
        guard try loader.bindKey(of: record, to: statement, from: 4), try statement.step() else { return nil }
        return statement.optionalInteger(at: 0)
    }

    private func keep(_ held: HeldRecord, because reason: String) throws {
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
