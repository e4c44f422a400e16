import Catalog
import Digest
import JSON
import SQLite

/// Writes the records of one stream into its table: the hot path.
///
/// A record that does not fit the table as it is (a new member, a wider type) makes the table fit and is bound anew,
/// so the usual record pays for none of it.
final class TableLoader {
    let connection: Connection
    var evolution: TableEvolution
    var binder: RecordBinder
    private(set) var upsert: Statement
    /// True where the table can get no further column.
    private var isFull: Bool
    /// Where the arrays of objects go; nil: into columns, as text.
    var children: ChildTables?
    /// Counts the columns of arrays that became tables.
    var splits = 0
    /// What becomes of a record that does not fit the table as it is.
    var contract = SchemaContract() {
        didSet {
            follow(contract)
            children?.contract = contract
        }
    }

    init(streamID: Int64, schema: TableSchema, flattenDepth: Int, on connection: Connection) throws {
        self.connection = connection
        evolution = TableEvolution(streamID: streamID, schema: schema, connection: connection)
        binder = RecordBinder(schema, flattenDepth: flattenDepth, hashKey: try HashKey(of: connection))
        upsert = try Statement(schema.upsertStatement, on: connection)
        isFull = try schema.keepsRest && !evolution.hasRoom(beside: evolution.columnNames())
        follow(contract)
    }

    var schema: TableSchema { evolution.schema }

    enum Stored {
        case row(RowChange)
        /// Could not be stored as it is.
        case refused(reason: String)
        /// Was not to be stored, by the contract.
        case discarded(reason: String)
    }

    /// Inserts the record, updates its row where a column differs, or leaves both as they are.
    func store(_ record: PageRecord, run: Int64) throws -> Stored {
        if let end = try fit(record, run: run) { return end }
        _ = connection.takeRowChange()  // of other statements: a row left as it is changes nothing
        try upsert.run()
        let change = connection.takeRowChange()
        guard let children else { return .row(change) }
        return .row(try children.store(binder.arrays, of: record, stored: change, by: self, run: run))
    }

    /// Binds the record, and makes the table fit it; nil, or what becomes of the record instead.
    func fit(_ record: PageRecord, run: Int64) throws -> Stored? {
        var isChecked = false
        while let misfit = try binder.bind(record, to: upsert) {
            // A record that has no place in the table may not change it either.
            if !isChecked, let reason = binder.missingKey(of: record) { return .refused(reason: reason) }
            isChecked = true
            if let end = try mend(misfit, for: record, run: run) { return end }
        }
        return try children?.fit(binder.arrays, run: run)
    }

    /// The values of a record's key; nil where it has none.
    func keyValues(of record: PageRecord) -> [Node?] { binder.keyValues(of: record) }

    /// Counts the changes of the table after which a row may differ from what its page, read again, would make of it.
    var revisions: Int { evolution.respellings + splits + (children?.revisions ?? 0) }

    /// The fingerprint of the key of the record stored last, as its columns hold it.
    var keyFingerprint: Fingerprint { binder.keyFingerprint }

    /// Binds the key of a record as its columns hold it; false where a part of it is missing.
    func bindKey(of record: PageRecord, to statement: Statement, from parameter: Int32) throws -> Bool {
        try binder.bindKey(of: record, to: statement, from: parameter)
    }

    /// Forgets the values that point into a page, which may go once this has returned.
    func endPage() {
        upsert.clearBindings()
        binder.forgetRecords()
        children?.endPage()
    }

    /// Makes the table fit; nil, or what becomes of the record instead.
    private func mend(_ misfit: RecordBinder.Misfit, for record: PageRecord, run: Int64) throws -> Stored? {
        switch misfit {
        case .refused(let reason): return .refused(reason: reason)
        case .nested(let map, let key): binder.nest(key, inMap: map)
        case .unknown(let map, let key):
            return try addColumn(for: key, inMap: map, run: run).map { .refused(reason: $0) }
        case .foreign(let path):
            return try settle(record, by: contract.columns, "its member '\(RecordBinder.shown(path))' has no column")
        case .narrow(let index, let type):
            let column = schema.columns[index]
            if let declared = column.type, contract.dataTypes != .evolve {
                return try settle(
                    record, by: contract.dataTypes,
                    "the column '\(column.name)' (\(declared.rawValue)) does not hold its value")
            }
            try widen(columnAt: index, toHold: type, run: run)
        case .array(let map, let key):
            // A table of its own would be a new one.
            guard contract.tables == .evolve else {
                binder.keepArrays(key, inMap: map)
                return nil
            }
            try splitArray(key, inMap: map, run: run)
        }
        return nil
    }

    /// What becomes of a record for which the table must not change.
    private func settle(_ record: PageRecord, by mode: SchemaContract.Mode, _ reason: String) throws -> Stored {
        switch mode {
        case .freeze: throw PersistenceError(frozen: "the table \(schema.table)", record: keyText(of: record), reason)
        case .discardRow: return .discarded(reason: reason)
        // A value can be left out of a row, but not of its key.
        case .evolve, .discardValue, .quarantine: return .refused(reason: reason)
        }
    }

    /// The record's key as people are told it; nil where the table has none.
    func keyText(of record: PageRecord) -> String? {
        let values = keyValues(of: record).compactMap { $0.map { String($0.text.prefix(60)) } }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    private func addColumn(for key: String, inMap map: Int, run: Int64) throws -> String? {
        let path = binder.path(ofMap: map) + [key]
        let names = try evolution.columnNames()
        let name = ColumnNaming.name(for: path, taken: names)
        let hasRoom = evolution.hasRoom(beside: names)
        guard let name, hasRoom else {
            guard try evolution.addRest(run: run) else {
                return
                    "its member '\(RecordBinder.shown(path))' would be column \(TableSchema.maximumColumns + 1) of the table"
            }
            if !hasRoom {
                isFull = true
                binder.strangers = .areKept
            }
            try prepareAnew()
            return nil
        }
        try evolution.add(Column(name: name, path: path, type: nil, keyPosition: nil, firstSeenRun: run), run: run)
        binder.set(column: schema.columns.count - 1, for: key, inMap: map)
        try prepareAnew()
        return nil
    }

    func widen(columnAt column: Int, toHold type: ColumnType, run: Int64) throws {
        try evolution.widen(columnAt: column, toHold: type, run: run)
        try prepareAnew()
        if schema.columns[column].keyPosition != nil { try children?.followKey(of: schema, run: run) }
    }

    private func follow(_ contract: SchemaContract) {
        binder.leavesOutNarrow = contract.dataTypes == .discardValue
        binder.strangers =
            switch contract.columns {
            case .evolve: .becomeColumns
            // In a full table, the column for all that has none takes any member.
            case _ where isFull: .areKept
            case .discardValue: .areLeftOut
            case .freeze, .discardRow, .quarantine: .areRefused
            }
    }

    private func prepareAnew() throws {
        upsert = try Statement(schema.upsertStatement, on: connection)
        binder.follow(schema)
    }
}
