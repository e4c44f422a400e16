import GarnerCatalog
import GarnerDigest
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// Writes the records of one stream into its table: the hot path.
///
/// A record that does not fit the table (a new member, a wider type) changes the table and is bound again, so
/// that the usual record does not pay for it.
final class TableLoader {
    let connection: Connection
    var evolution: TableEvolution
    var binder: RecordBinder
    private(set) var upsert: Statement
    /// The statement for many records; nil until it is needed.
    private(set) var upsertOfRows: RowsStatement?
    /// The outcomes of the statement for many records that ran last. The list's memory is used again.
    var stored: [StoredRecord] = []
    /// A number for what the columns are, which differs if they do.
    private(set) var shape: Int64
    /// The parameter of the upsert that keeps the row's values of partitions; nil if there is none.
    private(set) var partitionParameter: Int32?
    /// True if the table can get no further column.
    private var isFull: Bool
    /// The tables for arrays of objects; nil if arrays go into columns as text.
    var children: ChildTables?
    /// The decision whether the key gets an index.
    var keyIndexing = KeyIndexing.open
    /// The number of array columns that became tables.
    var splits = 0
    /// The page whose records are being stored; nil between pages.
    var page: PageValues?
    /// True if the columns have the types that are configured.
    var isSettled = false
    /// The columns of which this run has noted that values were set aside.
    var notedColumns: Set<Int> = []
    /// At least by how many the numbers in a column are more than the values that were set aside, by its index, where that was counted.
    var surpluses: [Int: Int] = [:]
    /// The members that came as an empty object, which made no column.
    private var emptyMembers: Set<[String]> = []
    /// The columns that got their first value after such an object.
    private var lateColumns: [String] = []
    /// True if it is noted that rows have changed since the values of odd columns were counted.
    var hasNotedChange = false
    /// The contract for records that do not fit the table.
    var contract = SchemaContract(dataTypes: .evolve) {
        didSet {
            follow(contract)
            children?.contract = contract
        }
    }

    init(streamID: StreamID, schema: TableSchema, flattenDepth: Int, on connection: Connection) throws {
        self.connection = connection
        evolution = TableEvolution(streamID: streamID, schema: schema, connection: connection)
        binder = RecordBinder(schema, flattenDepth: flattenDepth, hashKey: try HashKey(of: connection))
        upsert = try Statement(schema.upsertStatement, on: connection)
        shape = schema.shape
        partitionParameter = schema.partitionParameter
        isFull = try schema.keepsRest && !evolution.hasRoom(beside: evolution.columnNames())
        follow(contract)
        if try connection.integer("SELECT 1 FROM \(quoted(schema.table)) LIMIT 1") == nil {
            binder.tally.beginAtNothing()
        }
    }

    var schema: TableSchema { evolution.schema }

    enum Stored {
        case row(RowChange)
        /// The record cannot be stored as it is.
        case refused(reason: String)
        /// The contract forbids storing the record.
        case discarded(reason: String)
    }

    /// Inserts the record, updates its row if a column differs, or changes nothing.
    ///
    /// - Parameter overlap: Decides if the row keeps its values of partitions.
    func store(_ record: PageRecord, keeping overlap: SliceOverlap, run: RunID) throws -> Stored {
        if let end = try fit(record, run: run) { return end }
        _ = connection.takeRowChange()  // of other statements: a row left as it is changes nothing
        let change: RowChange
        if let partitionParameter {
            change = try upsert(record, keeping: overlap, at: partitionParameter)
        } else {
            if overlap.hasSlices { _ = overlap.order(of: keyFingerprint) }
            try upsert.run()
            change = connection.takeRowChange()
            if overlap.hasSlices, change.isUpdate { overlap.noteConflict(of: keyText(of: record)) }
        }
        guard let children else { return .row(change) }
        let whole = try children.store(binder.arrays, of: record, stored: change, by: self, run: run)
        if change == .none, case .updated(let row) = whole { try setAddedColumns(ofRow: row) }
        return .row(whole)
    }

    /// Runs the upsert for a record of a partition.
    private func upsert(
        _ record: PageRecord, keeping overlap: SliceOverlap, at parameter: Int32
    ) throws -> RowChange {
        let order = overlap.order(of: keyFingerprint)
        try upsert.bind(order == .first ? 0 : 1 as Int64, at: parameter)
        try upsert.run()
        let change = connection.takeRowChange()
        guard order != .first else { return change }
        if change.isUpdate { overlap.noteConflict(of: keyText(of: record)) }
        guard order == .before else { return change }
        try upsert.bind(0 as Int64, at: parameter)
        try upsert.run()
        let last = connection.takeRowChange()
        overlap.hasChangedValuesOnly = !change.isUpdate
        return last.isUpdate ? last : change
    }

    /// Binds the record and makes the table fit it. Returns nil, or what happens to the record instead.
    func fit(_ record: PageRecord, run: RunID) throws -> Stored? {
        var isChecked = false
        while let failure = try binder.bind(record, to: upsert) {
            // A record that cannot be stored must not change the table either.
            if !isChecked, let reason = binder.missingKey(of: record) { return .refused(reason: reason) }
            isChecked = true
            if let end = try resolve(failure, for: record, run: run) { return end }
        }
        return try children?.fit(binder.arrays, run: run)
    }

    /// Returns the statement for many records.
    func rowsStatement() throws -> RowsStatement {
        if let upsertOfRows { return upsertOfRows }
        let made = try RowsStatement(schema, on: connection)
        upsertOfRows = made
        try bindAddedValues()
        return made
    }

    /// Returns the values of a record's key, nil for missing ones.
    func keyValues(of record: PageRecord) -> [Node?] { binder.keyValues(of: record) }

    /// The number of table changes after which a row may differ from what its page, read again, would give.
    var revisions: Int { evolution.respellings + splits + (children?.revisions ?? 0) }

    /// The fingerprint of the key that was bound last, as its columns hold it.
    var keyFingerprint: Fingerprint { binder.keyFingerprint }

    /// The key that was bound last.
    var recordKey: RecordKey { binder.recordKey }

    /// Binds a record's key as its columns hold it. Returns false if a part of it is missing.
    func bindKey(of record: PageRecord, to statement: Statement, from parameter: Int32) throws -> Bool {
        try binder.bindKey(of: record, to: statement, from: parameter)
    }

    /// Sets a record's key as its columns hold it. Returns false if a part of it is missing.
    func bindKey(of record: PageRecord, to values: RowValues, from column: Int32) -> Bool {
        binder.bindKey(of: record, to: values, from: column)
    }

    /// Binds the key of the row that a record means. Returns false if no row can have it.
    func bindKeyOfRow(of record: PageRecord, to statement: Statement, from parameter: Int32) throws -> Bool {
        try binder.bindKeyOfRow(of: record, to: statement, from: parameter)
    }

    /// Sets the key of the row that a record means. Returns false if no row can have it.
    func bindKeyOfRow(of record: PageRecord, to values: RowValues, from column: Int32) -> Bool {
        binder.bindKeyOfRow(of: record, to: values, from: column)
    }

    /// Forgets the values that point into a page. The page may be freed afterwards.
    func endPage() {
        upsert.clearBindings()
        upsertOfRows?.rows.values.clear()
        binder.forgetRecords()
        page = nil
        children?.endPage()
    }

    /// Makes the table fit. Returns nil, or what happens to the record instead.
    private func resolve(_ failure: RecordBinder.BindingFailure, for record: PageRecord, run: RunID) throws -> Stored? {
        switch failure {
        case .refused(let reason): return .refused(reason: reason)
        case .nested(let map, let key):
            binder.nest(key, inMap: map)
            let path = binder.path(ofMap: map) + [key]
            if record.value(at: path)?.isEmpty == true { emptyMembers.insert(path) }
        case .needsRest:
            guard try evolution.addRest(run: run) else {
                binder.setsAside = false
                return nil
            }
            try prepareAnew()
        case .unknown(let map, let key):
            if try splitEmpty(key, inMap: map, of: record, run: run) { return nil }
            return try addColumn(for: key, inMap: map, run: run).map { .refused(reason: $0) }
        case .foreign(let path):
            return try settle(record, by: contract.columns, "its member '\(RecordBinder.shown(path))' has no column")
        case .narrow(let index, let type):
            let column = schema.columns[index]
            if let declared = column.type, contract.dataTypes != .evolve, contract.dataTypes != .setAside {
                return try settle(
                    record, by: contract.dataTypes,
                    "the column '\(column.name)' (\(declared.rawValue)) does not hold its value")
            }
            let first = column.type == nil && binder.setsAside ? page?.type(at: column.path) : nil
            try widen(columnAt: index, toHold: schema.declaredType(of: column)?.column ?? first?.type ?? type, run: run)
            try noteText(inColumnAt: index, first?.numbers, run: run)
            guard column.type == nil else { break }
            // A row may be of an empty object that came before its column. The next read of its page shows it.
            let isOnPage = page?.hasEmptyObject(at: column.path) == true
            if isOnPage || binder.hasMap(at: column.path) { evolution.noteRespelling() }
            if isOnPage || emptyMembers.contains(column.path) { lateColumns.append(column.name) }
        case .array(let map, let key):
            // A table for the arrays would be a new one.
            guard contract.tables == .evolve else {
                binder.keepArrays(key, inMap: map)
                return nil
            }
            try splitArray(key, inMap: map, run: run)
        }
        return nil
    }

    /// Returns what happens to a record for which the table must not change.
    private func settle(_ record: PageRecord, by mode: SchemaContract.Mode, _ reason: String) throws -> Stored {
        switch mode {
        case .freeze: throw PersistenceError(frozen: "the table \(schema.table)", record: keyText(of: record), reason)
        case .discardRow: return .discarded(reason: reason)
        // A value can be left out of a row, but not of its key.
        case .evolve, .setAside, .discardValue, .quarantine: return .refused(reason: reason)
        }
    }

    /// Returns the record's key for people, or nil if the table has none.
    func keyText(of record: PageRecord) -> String? {
        let values = keyValues(of: record).compactMap { $0.map { String($0.text.prefix(60)) } }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    private func addColumn(for key: String, inMap map: Int, run: RunID) throws -> String? {
        let path = binder.path(ofMap: map) + [key]
        try requireFreeName(of: path)
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
                binder.unmappedMembers = .areKept
            }
            try prepareAnew()
            return nil
        }
        try evolution.add(Column(name: name, path: path, type: nil, keyPosition: nil, firstSeenRun: run), run: run)
        binder.set(column: schema.columns.count - 1, for: key, inMap: map)
        try prepareAnew()
        return nil
    }

    func widen(columnAt column: Int, toHold type: ColumnType, run: RunID) throws {
        let former = schema.columns[column].type
        try evolution.widen(columnAt: column, toHold: type, run: run)
        if former == .boolean, contract.dataTypes == .setAside {
            try evolution.spellBooleans(columnAt: column, run: run)
        }
        try prepareAnew()
        try noteText(inColumnAt: column, former, run: run)
        if schema.columns[column].keyPosition != nil { try children?.followKey(of: schema, run: run) }
    }

    private func follow(_ contract: SchemaContract) {
        binder.leavesOutNarrow = contract.dataTypes == .discardValue
        binder.setsAside = contract.dataTypes == .setAside
        binder.unmappedMembers =
            switch contract.columns {
            case .evolve, .setAside: .becomeColumns
            // In a full table, the rest column takes any member.
            case _ where isFull: .areKept
            case .discardValue: .areLeftOut
            case .freeze, .discardRow, .quarantine: .areRefused
            }
    }

    /// Returns the sentences on columns whose first value came after empty objects of the same member, once.
    func takeLateColumns() -> [String] {
        defer { lateColumns = [] }
        let own = lateColumns.map {
            "\(schema.table).\($0) has its first value; of records that came before with an empty object ({}), it is NULL until they "
                + "come again, as with 'garner sync --full-refresh'"
        }
        return own + (children?.tables ?? []).flatMap { $0.loader.takeLateColumns() }
    }

    /// Returns the sentences on columns that a run has added, and that have a number because another one has their name.
    ///
    /// - Parameter place: The names that lead to the records of the table.
    func numberedColumns(of run: RunID, below place: [String] = []) -> [String] {
        let own = schema.columns.compactMap { column -> String? in
            let name = column.path.joined(separator: "__")
            guard column.firstSeenRun == run, column.outer == nil, !column.name.isSameSQLName(as: name),
                let other = schema.columns.first(where: { $0.name.isSameSQLName(as: name) })
            else { return nil }
            let (member, taken) = (RecordBinder.shown(column.path), RecordBinder.shown(other.path))
            return
                "'\(member)' is stored as \(schema.table).\(column.name), since SQL takes it and '\(taken)' for one name; "
                + "fields: { rename: { \(FieldPath.written(place + column.path)): NEW } } gives it another one"
        }
        let tables = children?.tables ?? []
        return Array(own.prefix(3))
            + tables.flatMap { $0.loader.numberedColumns(of: run, below: place + $0.path) }
    }

    func prepareAnew() throws {
        upsert = try Statement(schema.upsertStatement, on: connection)
        upsertOfRows = nil
        shape = schema.shape
        partitionParameter = schema.partitionParameter
        try bindAddedValues()
        binder.follow(schema)
    }
}

// The conversion of arrays of objects in a stream's records to tables.
extension TableLoader {
    /// Starts storing arrays of objects in tables.
    func split(into children: ChildTables) {
        self.children = children
        binder.splitsArrays = true
        for (index, table) in children.tables.enumerated() { binder.set(child: index, at: table.path) }
    }

    /// Decides if the arrays in this member become a table, and creates it.
    func splitArray(_ key: String, inMap map: Int, run: RunID) throws {
        guard let children else { return }
        let path = binder.path(ofMap: map) + [key]
        let column = schema.columns.first { $0.outer == nil && $0.path.isSamePath(as: path) }
        guard try children.mayHold(path, insteadOf: column, in: schema),
            let child = try children.make(at: path, of: schema, run: run)
        else { return binder.keepArrays(key, inMap: map) }
        binder.set(child: child, at: path)
        if column?.type != nil { splits += 1 }
    }

    /// Creates the table of the arrays in this member if it is empty in the record, and arrays of objects in others of its page.
    /// Returns false if the member is to have a column.
    private func splitEmpty(_ key: String, inMap map: Int, of record: PageRecord, run: RunID) throws -> Bool {
        guard let children, contract.tables == .evolve else { return false }
        let path = binder.path(ofMap: map) + [key]
        // A member from outside the record has a column in any case.
        guard path.count > 1 || record.added?[key] == nil, let value = record.value(at: path),
            value.isNull || value.isArrayOfObjects, children.pageHasArrays(at: path),
            try children.mayHold(path, insteadOf: nil, in: schema),
            let child = try children.make(at: path, of: schema, run: run)
        else { return false }
        binder.set(child: child, at: path)
        return true
    }

    /// Inserts or updates the row of an element that `fit` has bound. Returns true if that changed anything.
    ///
    /// - Parameter record: The record with the array. `parent` has stored it.
    func store(
        _ element: PageRecord, at index: Int64, of record: PageRecord, in parent: TableLoader, run: RunID
    ) throws -> Bool {
        _ = try fit(element, run: run)
        try parent.bindOuter(record, at: index, to: upsert)
        try upsert.run()
        return connection.changes > 0
    }

    /// Binds the leading columns of a child: the key of this loader's record and the index in the array.
    func bindOuter(_ record: PageRecord, at index: Int64, to statement: Statement) throws {
        _ = try bindKey(of: record, to: statement, from: 1)
        try statement.bind(index, at: Int32(schema.key.count + 1))
    }
}

extension TableLoader {
    /// The decision whether the key gets an index.
    enum KeyIndexing {
        case open
        /// It may get one before the next page is stored.
        case due
        case decided
    }
}
