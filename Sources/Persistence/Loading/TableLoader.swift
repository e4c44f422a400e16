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
    /// Where the arrays of objects go; nil: into columns, as text.
    var children: ChildTables?

    init(streamID: Int64, schema: TableSchema, flattenDepth: Int, on connection: Connection) throws {
        self.connection = connection
        evolution = TableEvolution(streamID: streamID, schema: schema, connection: connection)
        binder = RecordBinder(schema, flattenDepth: flattenDepth)
        upsert = try Statement(schema.upsertStatement, on: connection)
    }

    var schema: TableSchema { evolution.schema }

    enum Stored {
        case row(RowChange)
        /// Could not be stored as it is.
        case refused(reason: String)
    }

    /// Inserts the record, updates its row where a column differs, or leaves both as they are.
    func store(_ record: PageRecord, run: Int64) throws -> Stored {
        if let reason = try fit(record, run: run) { return .refused(reason: reason) }
        _ = connection.takeRowChange()  // of other statements: a row left as it is changes nothing
        try upsert.run()
        let change = connection.takeRowChange()
        guard let children else { return .row(change) }
        return .row(try children.store(binder.arrays, of: record, stored: change, by: self, run: run))
    }

    /// Binds the record, and makes the table fit it; nil, or why it has no place there.
    func fit(_ record: PageRecord, run: Int64) throws -> String? {
        var isChecked = false
        while let misfit = try binder.bind(record, to: upsert) {
            // A record that has no place in the table may not change it either.
            if !isChecked, let reason = binder.missingKey(of: record) { return reason }
            isChecked = true
            if let reason = try mend(misfit, run: run) { return reason }
        }
        return try children?.fit(binder.arrays, run: run)
    }

    /// Of the key of the record stored last.
    var keyHash: Int64 { binder.keyHash }

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

    /// Makes the table fit; nil, or why no table can.
    private func mend(_ misfit: RecordBinder.Misfit, run: Int64) throws -> String? {
        switch misfit {
        case .refused(let reason): return reason
        case .nested(let map, let key): binder.nest(key, inMap: map)
        case .unknown(let map, let key): return try addColumn(for: key, inMap: map, run: run)
        case .narrow(let column, let type):
            try widen(columnAt: column, toHold: type, run: run)
        case .array(let map, let key): return try splitArray(key, inMap: map, run: run)
        }
        return nil
    }

    private func addColumn(for key: String, inMap map: Int, run: Int64) throws -> String? {
        let path = binder.path(ofMap: map) + [key]
        guard schema.columns.count < TableSchema.maximumColumns else {
            return "its member '\(key)' would be column \(TableSchema.maximumColumns + 1) of the table"
        }
        guard let name = try ColumnNaming.name(for: path, taken: evolution.columnNames()) else {
            return "a member's name is longer than \(ColumnNaming.maximumBytes) bytes or has a NUL in it"
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

    private func prepareAnew() throws {
        upsert = try Statement(schema.upsertStatement, on: connection)
        binder.follow(schema)
    }
}
