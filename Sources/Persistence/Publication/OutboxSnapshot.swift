import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// One state of the database.
package final class OutboxSnapshot {
    private let connection: Connection
    private let known: KnownTables
    private let walLimits: WALLimits
    private var isOpen = false
    private var logBytesAtBegin = 0

    init(_ connection: Connection, _ known: KnownTables, _ walLimits: WALLimits) {
        (self.connection, self.known, self.walLimits) = (connection, known, walLimits)
    }

    deinit { end() }

    func begin(syncing isSynced: Bool) throws {
        try translating {
            try connection.execute("BEGIN")
            isOpen = true
            logBytesAtBegin = connection.logBytes
            // The first statement that reads begins the state. What it sees is in the log, or was there before.
            guard try connection.integer("SELECT 1 FROM _garner_outbox LIMIT 1") != nil, isSynced else { return }
            try connection.syncLog()
        }
    }

    /// Ends the state. A state that lasts keeps the write-ahead log from beginning anew.
    package func end() {
        guard isOpen else { return }
        isOpen = false
        connection.rollBack()
    }

    /// True if the log is half as long as it may be, and has grown during this state: no page is stored once it is full.
    package var mustMakeRoomInLog: Bool {
        let bytes = connection.logBytes
        return bytes >= walLimits.maximum / 2 && bytes - logBytesAtBegin >= walLimits.maximum / 16
    }

    /// The identity of the file, in the form of a UUID; nil if it was never to be published.
    package func file() throws -> String? {
        try translating { try connection.text("SELECT file FROM _garner_publication") }
    }

    /// The target that `setTarget` has noted; nil if it has noted none.
    package func target() throws -> String? {
        try translating { try connection.text("SELECT target FROM _garner_publication") }
    }

    /// The greatest number that any note has had; 0 for none.
    package func lastNote() throws -> Int64 { try translating { try Outbox.lastNote(on: connection) } }

    /// The number of the note up to which `confirm` has noted that PostgreSQL has all that it takes.
    package func confirmedPosition() throws -> Int64 {
        try translating { try connection.integer("SELECT position FROM _garner_publication") ?? 0 }
    }

    /// Returns the process of a token; nil if it was none of this file, or more than 10,000 processes ago.
    package func publisher(_ token: String) throws -> PublisherToken? {
        try translating {
            let found = try connection.firstRow(
                """
                SELECT own.first_note, (SELECT first_note - 1 FROM _garner_publishers AS later
                    WHERE later.rowid > own.rowid ORDER BY later.rowid LIMIT 1)
                FROM _garner_publishers AS own WHERE token = ?1
                """, [.text(token)]
            ) { (first: $0.integer(at: 0), last: $0.optionalInteger(at: 1)) }
            return try found.map {
                PublisherToken(
                    token: token, firstNote: $0.first, lastNote: try $0.last ?? Outbox.lastNote(on: connection))
            }
        }
    }

    /// Returns the tables whose first read has ended, and those that are published, in the order of their numbers.
    package func tables() throws -> [PublishedTable] { try translating { try known.tables(on: connection) } }

    /// Returns the notes of each table with a greater number than its position, put together.
    ///
    /// - Parameter positions: The position of each table that is asked for, also of `OutboxNote.runs`.
    package func changes(after positions: [StreamID: Int64]) throws -> [StreamID: OutboxChanges] {
        try translating {
            guard let first = positions.values.min() else { return [:] }
            let keyed = Set(try tables().filter { !$0.key.isEmpty }.map(\.id))
            var collections: [StreamID: CollectedNotes] = [:]
            try forEachNote(after: first) { note in
                guard let position = positions[note.table], note.note > position else { return }
                collections[note.table, default: CollectedNotes(hasKey: keyed.contains(note.table))].add(note)
            }
            return collections.mapValues { $0.changes }
        }
    }

    private func forEachNote(after note: Int64, _ body: (OutboxNote) throws -> Void) throws {
        let counts = Dictionary(
            try connection.rows("SELECT stream_id, count(key_position) FROM _garner_columns GROUP BY stream_id") {
                (StreamID($0.integer(at: 0)), Int($0.integer(at: 1)))
            }
        ) { first, _ in first }
        let rows = try Statement(
            "SELECT note, stream_id, kind, first_row, last_row, record_key FROM _garner_outbox WHERE note > ?1 ORDER BY note",
            on: connection)
        try rows.bind(note, at: 1)
        while try rows.step() {
            let (number, table): (Int64, StreamID) = (rows.integer(at: 0), rows.id(at: 1))
            let kind = try rows.value(OutboxNote.Kind.self, at: 2)
            let (lower, upper) = (rows.integer(at: 3), rows.integer(at: 4))
            let key = rows.value(at: 5)
            let parts = key == .null ? [] : NotedKey.read(key, count: counts[table] ?? 1)
            guard lower <= upper, let parts else {
                // The table is published again.
                try body(OutboxNote(note: number, table: table, kind: .whole, rows: 0...0, key: []))
                continue
            }
            try body(OutboxNote(note: number, table: table, kind: kind, rows: lower...upper, key: parts))
        }
    }

    /// Returns the rows with these numbers that are there now, in the order of the ranges.
    ///
    /// - Parameter ranges: Rising numbers; nil for all rows, in the order of their numbers.
    package func rows(of table: PublishedTable, in ranges: [ClosedRange<Int64>]? = nil) throws -> PublishedRows {
        try translating {
            let names = (["_rowid_"] + table.columns.map { quoted($0.name) }).joined(separator: ", ")
            return PublishedRows(
                try Statement(
                    """
                    SELECT \(names) FROM \(quoted(table.name)) WHERE _rowid_ BETWEEN ?1 AND ?2 ORDER BY _rowid_
                    """, on: connection), in: ranges ?? [.min ... .max], path: connection.path)
        }
    }

    /// Returns true if the table has a row with another number than these.
    ///
    /// - Parameter ranges: Rising, without common numbers.
    package func hasRows(of table: PublishedTable, outside ranges: [ClosedRange<Int64>]) throws -> Bool {
        let all: [ClosedRange<Int64>] = [.min ... .max]
        return try rows(of: table, in: all.without(ranges)).next()
    }

    /// Returns the number of the table's rows. O(rows).
    package func count(of table: PublishedTable) throws -> Int {
        try translating { Int(try connection.integer("SELECT count(*) FROM \(quoted(table.name))") ?? 0) }
    }

    /// Returns true if each text in the column is an RFC 3339 instant with an offset and at most six decimals, in the years that
    /// PostgreSQL knows, and there is one at least. O(rows) if so.
    package func holdsOnlyInstants(_ column: PublishedColumn, of table: PublishedTable) throws -> Bool {
        try translating {
            let name = quoted(column.name)
            let values = try Statement(
                "SELECT \(name) FROM \(quoted(table.name)) WHERE \(name) IS NOT NULL", on: connection)
            var isAny = false
            while try values.step() {
                let value = values.column(at: 0)
                guard value.kind == .text, InstantText.isUsual(value.bytes) else { return false }
                isAny = true
            }
            return isAny
        }
    }

    /// Returns the runs with these numbers that have ended.
    ///
    /// - Parameter ranges: Rising numbers; nil for all runs.
    package func endedRuns(in ranges: [ClosedRange<Int64>]? = nil) throws -> [RunRecord] {
        try translating {
            let those = "WHERE run_id BETWEEN ?1 AND ?2 AND ended_at IS NOT NULL ORDER BY run_id"
            return try (ranges ?? [.min ... .max]).flatMap { range in
                try connection.rows(
                    "\(RunTable.selection) \(those)", [.integer(range.lowerBound), .integer(range.upperBound)],
                    decode: RunTable.decode)
            }
        }
    }

    private func translating<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: connection.path)
        }
    }
}
