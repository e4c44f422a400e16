import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The changes of a transaction to a table whose changes are noted.
final class TableNotes {
    let id: StreamID
    /// The number of its entry in the schema: another one if the table was made anew. 0 if there is none.
    private(set) var entry: Int64 = 0
    private(set) var name: [UInt8] = []
    /// The places of the key's columns in the table, in the key's order; empty if the key is the number of the row.
    private var keyPlaces: [Int32] = []
    /// True if the rows have nothing but their numbers by which they are known.
    private(set) var isKeyless = false
    /// The place of `ended_at` among the runs; nil for a table.
    private let endPlace: Int32?

    /// The number of its notes in the outbox.
    var waiting = 0
    /// The note up to which it is confirmed.
    var position: Int64 = 0
    /// True if all of its rows have to be noted.
    var isWhole = false
    private var inserted = RowRanges()
    private var updated = RowRanges()
    private var deleted = RowRanges()
    private var deletedKeys: [(row: Int64, key: [Value])] = []

    init(id: StreamID, endPlace: Int32? = nil) {
        self.id = id
        self.endPlace = endPlace
    }

    /// Notes a change; nothing more once there are more than `limit`.
    func note(_ change: ObservedRow, limit: Int) {
        guard !isWhole else { return }
        if let endPlace {
            // A run that goes on is written with each page. A run that is pruned here stays there.
            if change.operation != .delete, change.hasNewValue(at: endPlace) { inserted.add(change.newRow) }
            return
        }
        switch change.operation {
        case .insert: inserted.add(change.row)
        case .update where change.row == change.newRow:
            // The notes of a row that goes later would name the new key alone.
            if keyPlaces.contains(where: change.changesValue) { isWhole = true } else { updated.add(change.row) }
        case .update:
            noteDeletion(change)
            inserted.add(change.newRow)
        case .delete: noteDeletion(change)
        }
        // Ranges in no order are at most twice as many as those in order, from a thousand on.
        let mostRanges = max(1000, 2 * limit)
        if deletedKeys.count > limit || inserted.count > mostRanges || updated.count > mostRanges
            || deleted.count > mostRanges
        {
            forget()
            isWhole = true
        }
    }

    private func noteDeletion(_ change: ObservedRow) {
        if keyPlaces.isEmpty {
            deleted.add(change.row)
        } else {
            deletedKeys.append((change.row, keyPlaces.map { change.oldValue(at: $0) }))
        }
    }

    var isEmpty: Bool {
        !isWhole && inserted.isEmpty && updated.isEmpty && deleted.isEmpty && deletedKeys.isEmpty
    }

    func forget() {
        isWhole = false
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        deletedKeys.removeAll()
    }

    /// Returns the notes in the order in which they are stored.
    func takeNotes() -> [(kind: OutboxNote.Kind, rows: ClosedRange<Int64>, key: Value)] {
        let inserted = inserted.takeJoined()
        // A row that came in the same transaction is copied anyway.
        let updated = updated.takeJoined().without(inserted)
        var notes = deleted.takeJoined().map { (OutboxNote.Kind.delete, $0, Value.null) }
        notes += deletedKeys.map { (.delete, $0.row...$0.row, NotedKey.stored($0.key)) }
        notes += inserted.map { (.insert, $0, .null) }
        notes += updated.map { (.update, $0, .null) }
        deletedKeys.removeAll()
        return notes
    }

    /// Looks at the table anew.
    ///
    /// - Parameters:
    ///   - entry: The number of its entry in the schema; 0 if there is none.
    ///   - isSure: False if others may have changed the places of its columns.
    func refresh(name: [UInt8], entry: Int64, isSure: Bool, on connection: Connection) throws {
        if endPlace == nil, entry != self.entry || !isSure || name != self.name {
            try readKey(of: name, on: connection)
        }
        (self.name, self.entry) = (name, entry)
    }

    private func readKey(of name: [UInt8], on connection: Connection) throws {
        let table = String(decoding: name, as: UTF8.self)
        let schema = try TableSchema(streamID: id, table: table, on: connection)
        let key = schema?.key ?? []
        isKeyless = key.isEmpty
        keyPlaces = []
        guard let schema, !key.isEmpty, !schema.keyIsRowNumber else { return }
        let names = try connection.rows("SELECT cid, name FROM pragma_table_xinfo(?1)", [.text(table)]) {
            (place: Int32(clamping: $0.integer(at: 0)), name: $0.text(at: 1))
        }
        keyPlaces = key.compactMap { column in names.first { $0.name.isSameSQLName(as: column.name) }?.place }
        // Without one of them, no row can be told from another.
        if keyPlaces.count < key.count { isKeyless = true }
    }
}
