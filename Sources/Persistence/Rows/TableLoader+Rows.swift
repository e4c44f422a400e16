import GarnerDatabase
import GarnerDigest
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// The records of a page in their order. It is valid while the page is.
struct PageReader {
    private var nodes: Selection.Nodes
    let added: Node?
    /// The indices of the records whose rows are to be deleted.
    private let deletions: Set<Int>
    /// The records whose rows need no look; nil if each row needs one.
    var known: KnownRecords?
    /// The next record; nil if there is none.
    private(set) var current: Node?
    /// The index of the next record.
    private(set) var place = 0

    init(_ nodes: Selection.Nodes, adding added: Node?, deleting deletions: Set<Int>, knowing known: KnownRecords?) {
        self.nodes = nodes
        self.added = added
        self.deletions = deletions
        self.known = known
        current = self.nodes.next()
    }

    mutating func advance() {
        current = nodes.next()
        place += 1
    }

    enum Treatment {
        case store
        case delete
        /// The row needs no look. It has this key.
        case skip(RecordKey)
    }

    /// The treatment of the next record.
    var treatment: Treatment {
        if !deletions.isEmpty, deletions.contains(place) { return .delete }
        return known?.key(at: place).map(Treatment.skip) ?? .store
    }
}

struct StoredRecord {
    /// The index of the record in its page.
    let place: Int
    let key: RecordKey
    let change: RowChange
}

/// A statement that stores many records, and the table from which it reads them.
///
/// SQLite begins and ends a statement, and looks each parameter up, in a third of the time that it takes to insert a row.
struct RowsStatement {
    let rows: VirtualTable
    let upsert: Statement

    init(_ schema: TableSchema, on connection: Connection) throws(SQLiteError) {
        rows = try VirtualTable(columns: schema.columns.count + (schema.keepsRest ? 1 : 0), on: connection)
        upsert = try Statement(schema.upsertStatement(from: rows.name), on: connection)
    }
}

extension TableLoader {
    /// The most records of one statement. For each, SQLite may keep a page as it was, in case the statement fails.
    private static let mostRows = 250

    /// True if one statement may store many records: where nothing else runs for each row.
    ///
    /// With a trigger, SQLite would read all rows of the virtual table before it writes the first one.
    func storesRows(keeping overlap: SliceOverlap) -> Bool {
        children == nil && partitionParameter == nil && !overlap.hasSlices && !connection.runsTriggers
    }

    /// Returns the list of what was stored, empty and with its memory.
    private func takeStored() -> [StoredRecord] {
        var list: [StoredRecord] = []
        swap(&list, &stored)
        list.removeAll(keepingCapacity: true)
        return list
    }

    /// Stores records with one statement: up to 250, or up to one that is to be deleted, needs no look, or does not fit the table.
    /// `stored` has the outcomes afterwards.
    ///
    /// - Parameter eachRowOnce: True if the statement ends before a record whose row it has stored.
    /// - Returns: False if it has stored none, since the next record does not fit.
    func storeRows(from page: inout PageReader, eachRowOnce: Bool) throws -> Bool {
        let statement = try rowsStatement()
        // A local list, since each use of a property of a class is checked while the program runs.
        var stored = takeStored()
        defer { self.stored = stored }
        var isBound = false
        let tellsRows = eachRowOnce && !schema.key.isEmpty
        var keys: Set<Int64> = []
        _ = connection.takeRowChange()  // of other statements
        try statement.rows.supply {
            if isBound {
                stored.append(
                    StoredRecord(place: page.place, key: binder.recordKey, change: connection.takeRowChange()))
                page.advance()
                isBound = false
            }
            guard stored.count < Self.mostRows, let record = page.current, case .store = page.treatment else {
                return false
            }
            let next = PageRecord(node: record, added: page.added)
            if tellsRows {
                guard let key = recordKey(of: next), keys.insert(key.shortened).inserted else { return false }
            }
            isBound = binder.bind(next, to: statement.rows.values) == nil
            return isBound
        } to: {
            try statement.upsert.run()
        }
        return !stored.isEmpty
    }
}

// The conformances are here so that the binder is specialized for them: across modules, its calls cost many times as much.
extension Statement: RecordSink {}
extension RowValues: RecordSink {}
