import JSON
import SQLite

// How the arrays of objects in a stream's records become tables.
extension TableLoader {
    /// Begins to store arrays of objects in tables.
    func split(into children: ChildTables) {
        self.children = children
        binder.splitsArrays = true
        for (index, table) in children.tables.enumerated() { binder.set(child: index, at: table.path) }
    }

    /// Decides whether the arrays that are this member become a table, and makes it.
    func splitArray(_ key: String, inMap map: Int, run: Int64) throws {
        guard let children else { return }
        let path = binder.path(ofMap: map) + [key]
        let column = schema.columns.first { $0.outer == nil && $0.path.isSamePath(as: path) }
        guard try children.mayHold(path, insteadOf: column, in: schema),
            let child = try children.make(at: path, of: schema, run: run)
        else { return binder.keepArrays(key, inMap: map) }
        binder.set(child: child, at: path)
        if column?.type != nil { splits += 1 }
    }

    /// Inserts or updates the row of an element that `fit` has found a place for; whether that changed anything.
    ///
    /// - Parameter record: whose array it is in, which `parent` has stored.
    func store(
        _ element: PageRecord, at index: Int64, of record: PageRecord, in parent: TableLoader, run: Int64
    ) throws -> Bool {
        _ = try fit(element, run: run)
        try parent.bindOuter(record, at: index, to: upsert)
        try upsert.run()
        return connection.changes > 0
    }

    /// Binds what comes before the columns of a child: the key of this loader's record and the place in the array.
    func bindOuter(_ record: PageRecord, at index: Int64, to statement: Statement) throws {
        _ = try bindKey(of: record, to: statement, from: 1)
        try statement.bind(index, at: Int32(schema.key.count + 1))
    }
}
