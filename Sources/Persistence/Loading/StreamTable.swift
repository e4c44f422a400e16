import Catalog
import JSON
import SQLite

/// The table of one stream, and what is kept beside its rows: its pages, its changes, its quarantine.
final class StreamTable {
    private let stream: Stream
    private let streamID: Int64
    private let connection: Connection
    /// nil until the first record came.
    private var loader: TableLoader?
    /// nil where none are kept, and until the first record came.
    private var versions: RowVersions?
    /// nil where nothing can be searched, and until the first record came.
    private var index: SearchIndex?
    /// What the documents of this run held that does not come through as it was written.
    private(set) var notes: Document.Notes = []
    /// Whether changes are noted row by row, which they are once a first complete read ended.
    private let hasBaseline: Bool

    init(of stream: Stream, streamID: Int64, on connection: Connection) throws {
        self.stream = stream
        self.streamID = streamID
        self.connection = connection
        hasBaseline =
            try connection.integer("SELECT baseline_run FROM _garner_streams WHERE stream_id = ?1", .integer(streamID))
            != nil
        if let schema = try TableSchema(streamID: streamID, table: stream.table, on: connection) {
            try open(schema)
        }
    }

    /// Stores one page, and counts what became of its records.
    ///
    /// - Parameter scope: what the page's memory holds for.
    func store(_ page: PageCommit, run: Int64, read: Int64, scope: String, now: Timestamp) throws -> RunCounts {
        let pages = PageTable(streamID: streamID, connection: connection)
        switch page.content {
        case .unchanged:
            guard let row = try pages.row(at: page.position) else { throw Self.forgottenPage(page.position) }
            try pages.noteUnchanged(row, read: read)
            var counts = RunCounts()
            counts.unchanged = row.recordCount
            return counts
        case .records(let records):
            let added = AddedFields(json: page.added)
            let counts = try added.with { try store(records, adding: $0, from: page.url, run: run, now: now) }
            // A record in quarantine is not stored, and one without a key is to be added again: the page must come again.
            let isRememberable = counts.quarantined == 0 && loader?.schema.key.isEmpty == false
            let memory = isRememberable ? page.memory : nil
            let isKnown = try pages.row(at: page.position) != nil
            guard tracksMembers || memory != nil || isKnown else { return counts }
            let row = try pages.note(
                page, count: records.count, memory: memory, read: read, scope: scope, tracksMembers: tracksMembers)
            if tracksMembers, let loader {
                try added.with {
                    try PageMembers(connection: connection).note(records, adding: $0, on: row, loader)
                }
            }
            return counts
        }
    }

    /// Forgets the pages that a read which did not end at the end of its source has not seen.
    func forgetOtherPages(than read: Int64) throws {
        try PageTable(streamID: streamID, connection: connection).forgetAll(but: read)
    }

    /// What the server can be asked with whether a page has changed.
    func memory(at position: String, scope: String) throws -> RememberedPage? {
        try PageTable(streamID: streamID, connection: connection).memory(
            at: position, scope: scope, needsMembers: stream.deleteMissing != .ignore)
    }

    private static func forgottenPage(_ position: String) -> PersistenceError {
        PersistenceError(
            .bug, "the page \(position) is said to be unchanged, but is not known",
            hint: "this is a bug in Garner; please report it")
    }

    private func store(
        _ records: Selection, adding added: Node?, from url: String, run: Int64, now: Timestamp
    ) throws -> RunCounts {
        var counts = RunCounts()
        guard records.count > 0 else { return counts }
        notes.formUnion(records.document.notes)
        let loader = try loader ?? create(from: records, adding: added, run: run)
        try versions?.follow(loader.schema)
        connection.observeChanges(ofTable: stream.table)
        defer { loader.endPage() }
        try records.forEach { record in
            switch try loader.store(PageRecord(node: record, added: added), run: run) {
            case .row(let change):
                switch change {
                case .inserted: counts.inserted += 1
                case .updated: counts.updated += 1
                case .none, .deleted: counts.unchanged += 1
                }
                if hasBaseline { try note(change, in: loader.schema, run: run) }
                try versions?.note(change, in: loader.schema, run: run, now: now)
                index?.note(change)
            case .refused(let reason):
                counts.quarantined += 1
                try quarantine(record, reason: reason, url: url, run: run, now: now)
            }
        }
        try index?.endPage(in: loader.schema)
        return counts
    }

    /// Marks or removes the rows that a complete read did not see, and forgets the pages that it did not.
    func deleteMissing(read: Int64, run: Int64, now: Timestamp) throws -> MissingRows.Outcome {
        try PageTable(streamID: streamID, connection: connection).forgetAll(but: read)
        guard stream.deleteMissing != .ignore, let schema = loader?.schema else { return .none }
        guard !schema.key.isEmpty else { return .keyless }
        try versions?.follow(schema)
        return try MissingRows(
            schema: schema, streamID: streamID, connection: connection, versions: versions, index: index
        )
        .delete(
            stream.deleteMissing, upTo: stream.maxDeleteRatio, read: read, run: run, now: now, noting: hasBaseline)
    }

    /// Notes since when versions of the rows are kept, or that they are no longer; the rows that are there get their first.
    func beginHistory(at now: Timestamp) throws {
        let periods = HistoryPeriods(streamID: streamID, connection: connection)
        guard stream.history else { return try periods.end(at: now) }
        if try periods.begin(at: now) { try versions?.catchUp(run: nil, now: now) }
    }

    /// The fields that are to be searched and that no record has had; nil where each is a column.
    var unknownSearchFields: [String]? {
        guard let schema = loader?.schema else { return nil }
        let unknown = stream.search.filter { schema.index(ofField: $0) == nil }
        return unknown.isEmpty ? nil : unknown
    }

    /// Whether every record becomes a new row although nobody has asked for that.
    var appendsUnasked: Bool { stream.writeDisposition == nil && loader?.schema.key.isEmpty == true }

    private var tracksMembers: Bool { stream.deleteMissing != .ignore && loader?.schema.key.isEmpty == false }
}

// MARK: - The table

extension StreamTable {
    private func open(_ schema: TableSchema) throws {
        var schema = schema
        if stream.writeDisposition == .append, !schema.key.isEmpty {
            throw PersistenceError(
                .configuration,
                "the table \(stream.table) has the primary key \(schema.key.map(\.name)), but write_disposition is append",
                hint: "give the stream another table with 'table:', or remove write_disposition")
        }
        if stream.writeDisposition == .merge, schema.key.isEmpty {
            throw PersistenceError(
                .configuration, "the table \(stream.table) has no primary key, but write_disposition is merge",
                hint: "give the stream another table with 'table:', and a primary_key if none is found")
        }
        if let declared = stream.primaryKey, stream.writeDisposition != .append,
            declared.map(schema.index(ofField:)).map({ $0.map { schema.columns[$0] } }) != schema.key
        {
            let stored = schema.key.map(\.name)
            throw PersistenceError(
                .configuration,
                "the table \(stream.table) has \(stored.isEmpty ? "no primary key" : "the primary key \(stored)"), "
                    + "but \(declared) is configured",
                hint: "give the stream another table with 'table:', or restore its primary_key")
        }
        if stream.deleteMissing == .soft, !schema.marksDeletion {
            try connection.execute("ALTER TABLE \(quoted(schema.table)) ADD COLUMN \(TableSchema.deletionColumn) TEXT")
            schema.marksDeletion = true
        }
        loader = try TableLoader(streamID: streamID, schema: schema, flattenDepth: stream.flattenDepth, on: connection)
        if stream.history { versions = try RowVersions(of: schema, streamID: streamID, on: connection) }
        index = try SearchIndex(of: stream.search, in: schema, streamID: streamID, on: connection)
    }

    private func create(from records: Selection, adding added: Node?, run: Int64) throws -> TableLoader {
        let schema = try TableSchema(
            for: stream, from: records, adding: added, key: keyNames(in: records), run: run)
        if try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE", .text(stream.table))
            != nil
        {
            throw PersistenceError(
                .configuration, "there is a table '\(stream.table)' already that no stream has made",
                hint: "give the stream another table with 'table:'")
        }
        try TableEvolution.create(schema, streamID: streamID, run: run, on: connection)
        let loader = try TableLoader(
            streamID: streamID, schema: schema, flattenDepth: stream.flattenDepth, on: connection)
        self.loader = loader
        if stream.history { versions = try RowVersions(of: schema, streamID: streamID, on: connection) }
        index = try SearchIndex(of: stream.search, in: schema, streamID: streamID, on: connection)
        return loader
    }

    private func keyNames(in records: Selection) throws -> [String] {
        if stream.writeDisposition == .append { return [] }
        if let configured = stream.primaryKey { return configured }
        guard let own = KeyInference.key(of: stream.name, in: records) else { return [] }
        // Children of different parents may be numbered alike.
        let parents = try stream.parent.flatMap { try ParentTable(of: stream, parent: $0, on: connection)?.keyMembers }
        return (parents ?? []) + [own]
    }
}

// MARK: - Beside the rows

extension StreamTable {
    private func note(_ change: RowChange, in schema: TableSchema, run: Int64) throws {
        let (operation, row): (String, Int64)
        switch change {
        case .none: return
        case .inserted(let inserted): (operation, row) = ("insert", inserted)
        case .updated(let updated): (operation, row) = ("update", updated)
        case .deleted(let deleted): (operation, row) = ("delete", deleted)
        }
        try connection.execute(
            """
            INSERT OR IGNORE INTO _garner_changes (stream_id, run_id, record_key, operation)
            SELECT ?1, ?2, \(schema.keyExpression), ?3 FROM \(quoted(schema.table)) WHERE _rowid_ = ?4
            """, .integer(streamID), .integer(run), .text(operation), .integer(row))
    }

    private func quarantine(_ record: Node, reason: String, url: String, run: Int64, now: Timestamp) throws {
        var hash = StableHash()
        hash.add(record.utf8)
        try connection.execute(
            """
            INSERT INTO _garner_quarantine
            (stream_id, run_id, url, reason, record, record_hash, quarantined_at, last_seen_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
            ON CONFLICT (stream_id, record_hash) DO UPDATE SET run_id = excluded.run_id, url = excluded.url,
            reason = excluded.reason, times = times + 1, last_seen_at = excluded.last_seen_at
            """, .integer(streamID), .integer(run), .text(url), .text(reason), .text(record.source),
            .integer(hash.value), .text(now.description))
    }
}
