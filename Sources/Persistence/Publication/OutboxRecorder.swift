import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// Notes which rows of published tables a transaction changes, in memory, and stores the notes with it: the outbox.
///
/// It belongs to the one connection that writes, and trusts its memory of the tables while it knows the schema's version.
final class OutboxRecorder: ChangeObserver {
    private let now: @Sendable () -> Timestamp
    private let limit: Int
    private let runs: Int32
    /// The number of a table is its place.
    private var tables: [TableNotes] = []
    /// The version of the schema in the file with which the notes agree.
    private var version: Int64 = 0
    /// The version of the schema at which `tables` was looked at.
    private var seenVersion: Int64 = 0
    private var waitsSince: String?
    private var isUnnoted = false
    /// False if what is remembered may not be what is committed.
    private var isLoaded = false
    private var hasOtherTables = false
    /// Tables that are published again from this transaction on.
    private var wholes: Set<StreamID> = []
    /// Tables that have changed outside of a transaction.
    private var overdue: Set<StreamID> = []
    /// Names of tables without a number that have changed since `tables` was looked at.
    private var others: Set<[UInt8]> = []
    /// The writes that wait for the next transaction.
    private var later: [(Connection) throws -> Void] = []
    private var laterIsStored = 0

    init(on connection: Connection, limit: Int, now: @escaping @Sendable () -> Timestamp) throws {
        self.now = now
        self.limit = limit
        runs = Int32(
            clamping: try connection.integer(
                "SELECT cid FROM pragma_table_info('_garner_runs') WHERE name = 'ended_at'")
                ?? -1)
    }

    // MARK: - Requests

    /// Has a table published again, from the open transaction on.
    func markWhole(_ ids: some Sequence<StreamID>) {
        wholes.formUnion(ids)
        hasOtherTables = true
    }

    func forgetTables() { hasOtherTables = true }

    /// Stores something with the next transaction, if it is committed.
    func storeLater(_ body: @escaping (Connection) throws -> Void) { later.append(body) }

    /// Notes what PostgreSQL has. Notes up to there go.
    func confirm(_ position: Int64, _ ids: [StreamID], asOf instant: Timestamp) {
        storeLater { [unowned self] connection in
            let list = Value.text("[\(ids.map(\.description).joined(separator: ","))]")
            let confirmed = tables.filter { ids.contains($0.id) }
            let first = confirmed.map(\.position).min() ?? 0
            // A position beyond all notes came from the books of another history.
            let last = try Outbox.lastNote(on: connection)
            try connection.execute(
                "UPDATE _garner_publication SET position = ?1 WHERE position < ?1 OR position > ?2", .integer(position),
                .integer(last))
            try connection.execute(
                """
                UPDATE _garner_published
                SET position = iif(position > ?3, ?1, max(position, ?1)), behind_since = NULL, behind_reason = NULL
                WHERE stream_id IN (SELECT value FROM json_each(?2))
                """, .integer(position), list, .integer(last))
            let those = "note > ?1 AND note <= ?2 AND stream_id IN (SELECT value FROM json_each(?3))"
            let bounds: [Value] = [.integer(first), .integer(position), list]
            let gone = try connection.rows(
                "SELECT stream_id, count(*) FROM _garner_outbox WHERE \(those) GROUP BY stream_id", bounds
            ) { (id: StreamID($0.integer(at: 0)), count: Int($0.integer(at: 1))) }
            if !gone.isEmpty {
                try connection.execute(
                    "DELETE FROM _garner_outbox WHERE \(those)", bounds[0], bounds[1], bounds[2])
            }
            for table in confirmed {
                table.position = table.position > last ? position : max(table.position, position)
                table.waiting -= gone.first { $0.id == table.id }?.count ?? 0
            }
            guard waitsSince != nil,
                // What the snapshot had and was not taken waits for as long as before.
                try connection.integer("SELECT 1 FROM _garner_outbox WHERE note <= ?1 LIMIT 1", .integer(position))
                    == nil
            else { return }
            try setWaiting(since: tables.contains { $0.waiting > 0 } ? instant : nil, on: connection)
        }
    }

    // MARK: - Changes

    func number(ofTable name: String) -> Int? {
        let name = name.foldedSQLName
        if let number = tables.firstIndex(where: { $0.name == name }) { return number }
        others.insert(name)
        return nil
    }

    func note(_ change: ObservedRow, ofTable number: Int) {
        guard tables.indices.contains(number) else { return }
        guard change.isInTransaction else {
            assertionFailure("a published table changes outside of a transaction")
            overdue.insert(tables[number].id)
            return
        }
        tables[number].note(change, limit: limit)
    }

    // MARK: - Transactions

    func didBegin(on connection: Connection) throws {
        if !isLoaded { try load(on: connection) }
        if try schemaVersion(connection) != seenVersion { try look(on: connection, isOurs: false) }
    }

    func willCommit(on connection: Connection) throws {
        let current = try schemaVersion(connection)
        if current != seenVersion || hasOtherTables { try look(on: connection, isOurs: true) }
        wholes.formUnion(overdue)
        if isUnnoted { wholes.formUnion(tables.map(\.id)) }
        for table in tables where wholes.contains(table.id) { table.isWhole = true }
        laterIsStored = later.count
        for body in later { try body(connection) }
        for table in tables where !table.isEmpty { try store(table, on: connection) }
        // Also a table that goes may have been the only one that waited.
        let waits = try tables.contains { $0.waiting > 0 } || waitsForFirst(on: connection)
        if waits != (waitsSince != nil) { try setWaiting(since: waits ? now() : nil, on: connection) }
        guard current != version || isUnnoted else { return }
        try connection.execute(
            "UPDATE _garner_publication SET schema_version = ?1, is_unnoted = 0", .integer(current))
        (version, isUnnoted) = (current, false)
    }

    func didCommit() {
        later.removeFirst(min(laterIsStored, later.count))
        laterIsStored = 0
        overdue.removeAll()
        endTransaction()
    }

    func didRollBack() {
        laterIsStored = 0
        // Also what the transaction has changed of the tables and their notes is undone.
        isLoaded = false
        endTransaction()
    }

    private func endTransaction() {
        wholes.removeAll()
        for table in tables where !table.isEmpty { table.forget() }
    }

    private func store(_ table: TableNotes, on connection: Connection) throws {
        let insert = try connection.statement(
            """
            INSERT INTO _garner_outbox (stream_id, kind, first_row, last_row, record_key) VALUES (?1, ?2, ?3, ?4, ?5)
            """)
        let notes = table.isWhole ? [] : table.takeNotes()
        guard !table.isWhole, table.waiting + notes.count <= limit else {
            if table.waiting > 0 {
                try connection.execute("DELETE FROM _garner_outbox WHERE stream_id = ?1", .id(table.id))
            }
            try insert.bind([.id(table.id), .text(OutboxNote.Kind.whole.rawValue), .null, .null, .null])
            try insert.run()
            table.waiting = 1
            return
        }
        try insert.bind(.id(table.id), at: 1)
        for note in notes {
            try insert.bind(note.kind.rawValue, at: 2)
            try insert.bind(note.rows.lowerBound, at: 3)
            try insert.bind(note.rows.upperBound, at: 4)
            try insert.bind(note.key, at: 5)
            try insert.run()
        }
        table.waiting += notes.count
    }

    /// Returns true if there are rows to publish, and no publisher has connected that would have them noted.
    private func waitsForFirst(on connection: Connection) throws -> Bool {
        try tables.isEmpty
            && connection.integer(
                """
                SELECT 1 FROM _garner_publication WHERE position = 0
                AND EXISTS (SELECT 1 FROM _garner_streams WHERE baseline_run IS NOT NULL)
                """) != nil
    }

    private func setWaiting(since instant: Timestamp?, on connection: Connection) throws {
        try connection.execute("UPDATE _garner_publication SET waiting_since = ?1", Value(instant?.description))
        waitsSince = instant?.description
    }

    // MARK: - Tables

    private func schemaVersion(_ connection: Connection) throws -> Int64 {
        try connection.integer("PRAGMA schema_version") ?? 0
    }

    /// Reads what is committed.
    private func load(on connection: Connection) throws {
        let current = try schemaVersion(connection)
        try Outbox.identify(on: connection)
        try connection.firstRow("SELECT schema_version, is_unnoted, waiting_since FROM _garner_publication", []) {
            (version, isUnnoted) = ($0.integer(at: 0), $0.integer(at: 1) == 1)
            waitsSince = $0.optionalText(at: 2)
        }
        tables = []
        others.removeAll()
        try look(on: connection, isOurs: version == current)
        isLoaded = true
    }

    /// Looks at the tables that are noted.
    ///
    /// - Parameter isOurs: False if others have changed the schema. Rows may have other numbers then, by which notes name them and
    ///   tables without a key tell them apart.
    private func look(on connection: Connection, isOurs: Bool) throws {
        let known = Dictionary(tables.map { ($0.id, $0) }) { first, _ in first }
        // With `auto_vacuum`, a table may begin at the page of one that has gone.
        let entries = Dictionary(
            try connection.rows("SELECT name, _rowid_ FROM sqlite_schema WHERE type = 'table'") {
                ($0.text(at: 0).foldedSQLName, $0.integer(at: 1))
            }
        ) { first, _ in first }
        let counts = Dictionary(
            known.isEmpty
                ? try connection.rows("SELECT stream_id, count(*) FROM _garner_outbox GROUP BY stream_id") {
                    (StreamID($0.integer(at: 0)), Int($0.integer(at: 1)))
                } : []
        ) { first, _ in first }
        let noted = try connection.rows(
            """
            SELECT stream_id, coalesce(table_name, ''), position FROM _garner_published
            LEFT JOIN _garner_streams USING (stream_id)
            """
        ) { (id: StreamID($0.integer(at: 0)), name: $0.text(at: 1), position: $0.integer(at: 2)) }
        tables = try noted.map { (id, name, position) in
            let isRuns = id == OutboxNote.runs
            let name = (isRuns ? "_garner_runs" : name).foldedSQLName
            let table = known[id] ?? TableNotes(id: id, endPlace: isRuns ? runs : nil)
            if known[id] == nil {
                table.waiting = counts[id] ?? 0
                table.position = position
            }
            let (entry, oldEntry) = (entries[name] ?? 0, table.entry)
            try table.refresh(name: name, entry: entry, isSure: isOurs, on: connection)
            guard !isRuns else { return table }
            let isKnown = known[id] != nil
            // VACUUM numbers entries anew, and keeps the tables' rows.
            let isOther = entry == 0 || isKnown && entry != oldEntry && (isOurs || oldEntry == 0)
            if isOther || others.contains(name) || !isOurs && (table.isKeyless || table.waiting > 0) {
                wholes.insert(id)
            }
            return table
        }
        others.removeAll()
        hasOtherTables = false
        seenVersion = try schemaVersion(connection)
        connection.forgetObservedTables()
    }
}
