import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// The tables of the arrays of objects in a stream's records.
final class ChildTables {
    private let streamID: StreamID
    private let connection: Connection
    private let flattenDepth: Int
    private(set) var tables: [ChildTable]
    /// The statement that finds a parent's row; nil until it is needed.
    private var rowOfKey: Statement?
    /// The page whose records are being stored. A new table is made for all of its records.
    var page: Selection?
    /// The types that `fields.types` names, by the paths of their members in the stream's records.
    private let types: [(path: [String], type: FieldType)]
    /// The contract for records whose arrays do not fit their tables.
    var contract = SchemaContract(dataTypes: .evolve) {
        didSet { for table in tables { table.loader.contract = contract } }
    }

    /// The sum of the revisions of all tables.
    var revisions: Int { tables.reduce(0) { $0 + $1.loader.revisions } }

    init(
        of parent: StreamID, flattenDepth: Int, types: [(path: [String], type: FieldType)], on connection: Connection
    ) throws {
        streamID = parent
        self.types = types
        self.connection = connection
        self.flattenDepth = flattenDepth
        tables = try ChildRegistry(connection: connection).children(of: parent).compactMap { child in
            try TableSchema(streamID: child.id, table: child.table, on: connection).map { schema in
                var schema = schema
                schema.declaredTypes = types.below(child.path)
                let problem = try TableSchema.lostColumns(of: child.table, child.id, on: connection)
                if let problem { throw problem }
                return try ChildTable(child.id, schema, at: child.path, flattenDepth: flattenDepth, on: connection)
            }
        }
        for table in tables { try watch(table) }
    }

    /// Makes the tables fit these arrays. Returns nil, or what happens to the record instead.
    func fit(_ arrays: [(child: Int, array: Node)], run: RunID) throws -> TableLoader.Stored? {
        for (child, array) in arrays {
            for element in array.elements {
                let end = try tables[child].loader.fit(PageRecord(node: element, added: nil), run: run)
                if let end { return end.inside(tables[child].path) }
            }
        }
        return nil
    }

    /// Writes the arrays of a stored record to their tables. A missing array gets no rows.
    ///
    /// - Parameter change: The change of the record's own row.
    /// - Returns: The same change, or an update if rows of the arrays have changed.
    func store(
        _ arrays: [(child: Int, array: Node)], of record: PageRecord, stored change: RowChange, by parent: TableLoader,
        run: RunID
    ) throws -> RowChange {
        var isChanged = false
        for (index, table) in tables.enumerated() {
            let array = arrays.first { $0.child == index }?.array
            if try table.store(array, of: record, in: parent, run: run) { isChanged = true }
        }
        guard isChanged, change == .none else { return change }
        return try row(of: record, in: parent).map { .updated(row: $0) } ?? change
    }

    /// Returns true if a record of the page has an array of objects at this path that is not empty.
    func pageHasArrays(at path: [String]) -> Bool {
        var hasArrays = false
        page?.forEach { record in
            if !hasArrays { hasArrays = PageRecord(node: record, added: nil).value(at: path)?.isTable == true }
        }
        return hasArrays
    }

    /// Returns true if arrays at this path can become a table: no other value is there in this page or a column.
    func mayHold(_ path: [String], insteadOf column: Column?, in table: TableSchema) throws -> Bool {
        var isFit = true
        page?.forEach { record in
            guard let value = PageRecord(node: record, added: nil).value(at: path) else { return }
            let isFlattened = value.isObject && path.count <= flattenDepth
            if !value.isNull, !isFlattened, !value.isArrayOfObjects { isFit = false }
        }
        guard isFit, let column, column.type != nil else { return isFit }
        guard column.type == .text || column.type == .json, column.keyPosition == nil else { return false }
        let name = quoted(column.name)
        return try connection.integer(
            """
            SELECT 1 FROM \(quoted(table.table)) WHERE \(name) IS NOT NULL AND CASE
            WHEN json_valid(\(name)) AND json_type(\(name)) = 'array'
            THEN EXISTS (SELECT 1 FROM json_each(\(name)) AS element WHERE element.type <> 'object') ELSE TRUE END LIMIT 1
            """) == nil
    }

    /// Creates the table of the arrays at a path. Returns its number, or nil if it can have no name.
    func make(at path: [String], of parent: TableSchema, run: RunID) throws -> Int? {
        var inference = SchemaInference(
            behind: parent.outerColumns(run: run), flattenDepth: flattenDepth,
            settingAside: contract.dataTypes == .setAside, run: run)
        if let page { inference.noteElements(at: path, of: page) }
        guard let child = try ChildRegistry(connection: connection).add(path, to: streamID, of: parent.table) else {
            return nil
        }
        var schema = TableSchema(table: child.table, columns: inference.columns, marksDeletion: false)
        schema.declaredTypes = types.below(path)
        schema.numberTypes = inference.numberTypes
        if contract.dataTypes == .setAside { schema.useDeclaredTypes() }
        try TableEvolution.create(schema, streamID: child.id, run: run, on: connection)
        let table = try ChildTable(child.id, schema, at: path, flattenDepth: flattenDepth, on: connection)
        table.loader.contract = contract
        table.loader.page = page.map { PageValues($0, inArraysAt: path, flattenDepth: flattenDepth) }
        try watch(table, isNew: true)
        tables.append(table)
        return tables.count - 1
    }

    /// Records changes by others to the table's rows, which belong to the parent's pages.
    private func watch(_ table: ChildTable, isNew: Bool = false) throws {
        let schema = table.loader.schema
        try PageOverlap(streamID: streamID, connection: connection)
            .watch(schema.table, key: schema.key.map(\.name), numbered: table.streamID, isNew: isNew)
    }

    /// Gives the columns of the parent's key the types that they now have in the parent's table.
    func followKey(of parent: TableSchema, run: RunID) throws {
        rowOfKey = nil
        for table in tables {
            for (index, column) in parent.key.enumerated() {
                guard let type = column.type, table.loader.schema.columns[index].type != type else { continue }
                try table.loader.widen(columnAt: index, toHold: type, run: run)
            }
        }
    }

    /// Forgets the values that point into a page.
    func endPage() {
        page = nil
        rowOfKey?.clearBindings()
        for table in tables { table.endPage() }
    }

    private func row(of record: PageRecord, in parent: TableLoader) throws -> Int64? {
        let schema = parent.schema
        let condition = schema.key.enumerated().map { "\(quoted($1.name)) = ?\($0 + 1)" }.joined(separator: " AND ")
        let statement =
            try rowOfKey
            ?? Statement("SELECT _rowid_ FROM \(quoted(schema.table)) WHERE \(condition)", on: connection)
        rowOfKey = statement
        defer { statement.reset() }
        guard try parent.bindKey(of: record, to: statement, from: 1), try statement.step() else { return nil }
        return statement.integer(at: 0)
    }
}

extension [(path: [String], type: FieldType)] {
    /// Returns the types of the members of objects in arrays at a path, by their paths in those.
    fileprivate func below(_ path: [String]) -> Self {
        filter { $0.path.count > path.count && [String]($0.path.prefix(path.count)).isSamePath(as: path) }
            .map { (path: [String]($0.path.dropFirst(path.count)), type: $0.type) }
    }
}

extension TableLoader.Stored {
    /// Returns the same result with the path of the array whose element did not fit.
    fileprivate func inside(_ path: [String]) -> Self {
        let place = "in '\(path.joined(separator: "."))': "
        return switch self {
        case .row: self
        case .refused(let reason): .refused(reason: place + reason)
        case .discarded(let reason): .discarded(reason: place + reason)
        }
    }
}

/// The table of the arrays at one path.
final class ChildTable {
    let streamID: StreamID
    let path: [String]
    let loader: TableLoader
    /// The statement that removes the rows from a position in an array on.
    private let trim: Statement

    init(
        _ streamID: StreamID, _ schema: TableSchema, at path: [String], flattenDepth: Int, on connection: Connection
    ) throws {
        self.streamID = streamID
        self.path = path
        loader = try TableLoader(streamID: streamID, schema: schema, flattenDepth: flattenDepth, on: connection)
        let conditions = schema.key.enumerated().map { position, column in
            "\(quoted(column.name)) \(column.outer == .index ? ">=" : "=") ?\(position + 1)"
        }
        trim = try Statement(
            "DELETE FROM \(quoted(schema.table)) WHERE \(conditions.joined(separator: " AND "))", on: connection)
    }

    /// Writes a record's array to its rows. Returns true if that changed anything.
    func store(_ array: Node?, of record: PageRecord, in parent: TableLoader, run: RunID) throws -> Bool {
        var isChanged = false
        var count: Int64 = 0
        if let array {
            for element in array.elements {
                let element = PageRecord(node: element, added: nil)
                if try loader.store(element, at: count, of: record, in: parent, run: run) { isChanged = true }
                count += 1
            }
        }
        try parent.bindOuter(record, at: count, to: trim)
        try trim.run()
        return loader.connection.changes > 0 || isChanged
    }

    func endPage() {
        loader.endPage()
        trim.clearBindings()
    }
}
