import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// The columns whose members no record of a read has had so far, although most rows have a value.
struct UnseenColumns {
    /// True if such a column is to be told: if all pages of a read of everything will come.
    let areLookedFor: Bool
    /// The columns by their positions, with the number of rows that have a value; nil before the first record.
    var columns: [Int: Int]?
    /// The same for the tables of arrays: the number of records that have rows there.
    var arrays: [StreamID: Int]?
}

extension StreamTable {
    /// At least so many rows must have had a value.
    private static let fewestRows = 5
    /// The rows that tell if most have a value. All are counted only for columns of which most of these have one.
    private static let sampledRows = 20_000

    /// Notes which columns no record of a page has, before the page changes the rows. The first page of a read with records costs a look
    /// for each column; later ones look only for columns that no record has had, while most rows have a value.
    func noteUnseenColumns(on records: Selection, deleting deletions: Set<Int>, adding added: Node?) throws {
        guard unseen.areLookedFor, records.count > deletions.count else { return }
        guard let schema = loader?.schema, schema.mergeStrategy == .upsert else {
            unseen.columns = unseen.columns ?? [:]
            return
        }
        try noteUnseenArrays(in: records, besides: schema, adding: added)
        func isUnseen(_ position: Int) -> Bool {
            let path = schema.columns[position].path
            return !records.haveColumn(at: path, adding: added, flattenDepth: stream.flattenDepth)
        }
        if let columns = unseen.columns {
            guard !columns.isEmpty else { return }
            unseen.columns = columns.filter { isUnseen($0.key) }
            return
        }
        // Only deleted records may have what marks them.
        let marks = stream.deletedWhen?.memberPaths.map(\.names) ?? []
        let candidates = schema.columns.indices.filter { position in
            let column = schema.columns[position]
            guard column.type != nil, column.keyPosition == nil, column.outer == nil, !column.path.isEmpty else {
                return false
            }
            return !stream.fields.leavesOut(column.path) && !marks.contains(column.path) && isUnseen(position)
        }
        guard !candidates.isEmpty else {
            unseen.columns = [:]
            return
        }
        var found = try emptiedColumns.noted.filter { candidates.contains($0.key) }
        let others = candidates.filter { found[$0] == nil }
        let sample = try values(of: others, in: schema, limit: Self.sampledRows)
        let filled = sample.values.filter { $0.value >= Self.fewestRows && $0.value > sample.rows / 2 }.map(\.key)
        found.merge(try values(of: filled.sorted(), in: schema, limit: nil).values) { first, _ in first }
        unseen.columns = found
    }

    /// Notes the columns that a read has emptied, and forgets those that have values again. Returns those that are new.
    ///
    /// - Parameter isWhole: True if the read has shown all records.
    func settleUnseenColumns(isWhole: Bool, records: Int) throws -> [EmptiedColumn] {
        guard let columns = unseen.columns else { return [] }
        func settle(_ unseen: [Int: Int], in book: EmptiedColumns) throws {
            let noted = try book.noted
            for position in noted.keys where unseen[position] == nil {
                try book.note(columnAt: position, rows: nil)
            }
            guard isWhole else { return }
            // A few records say nothing of many rows.
            for (position, rows) in unseen where noted[position] == nil && records >= rows / 2 {
                try book.note(columnAt: position, rows: rows)
            }
        }
        let known = try emptiedColumns.all()
        try settle(columns, in: emptiedColumns)
        for table in loader?.children?.tables ?? [] {
            let book = EmptiedColumns(streamID: table.streamID, connection: connection)
            try settle(unseen.arrays?[table.streamID].map { [0: $0] } ?? [:], in: book)
        }
        return try emptiedColumns.all().filter { !known.contains($0) }
    }

    /// Notes which arrays with a table of their own no record of a page has, as columns are noted. The table's first column has the note.
    private func noteUnseenArrays(in records: Selection, besides schema: TableSchema, adding added: Node?) throws {
        let tables = (loader?.children?.tables ?? []).filter { table in
            !stream.fields.leavesOut(table.path)
                && !records.haveColumn(at: table.path, adding: added, flattenDepth: stream.flattenDepth)
        }
        if let known = unseen.arrays {
            unseen.arrays = known.filter { array in tables.contains { $0.streamID == array.key } }
            return
        }
        var found: [StreamID: Int] = [:]
        for table in tables {
            found[table.streamID] = try EmptiedColumns(streamID: table.streamID, connection: connection).noted[0]
            let child = table.loader.schema
            guard found[table.streamID] == nil, let index = child.key.first(where: { $0.outer == .index }) else {
                continue
            }
            // Each array that is not empty has a first element.
            let arrays = "SELECT count(*) FROM \(quoted(child.table)) WHERE \(quoted(index.name)) = 0"
            let rows = Int(try connection.integer(arrays) ?? 0)
            let all = Int(try connection.integer("SELECT count(*) FROM \(quoted(schema.table))") ?? 0)
            if rows >= Self.fewestRows, rows > all / 2 { found[table.streamID] = rows }
        }
        unseen.arrays = found
    }

    private var emptiedColumns: EmptiedColumns { EmptiedColumns(streamID: streamID, connection: connection) }

    /// Returns how many rows there are, and how many have a value in each of the columns.
    private func values(
        of positions: [Int], in schema: TableSchema, limit: Int?
    ) throws -> (rows: Int, values: [Int: Int]) {
        guard !positions.isEmpty else { return (0, [:]) }
        let names = positions.map { quoted(schema.columns[$0].name) }
        let isThere = schema.marksDeletion ? " WHERE \(TableSchema.deletionColumn) IS NULL" : ""
        let rows =
            "SELECT \(names.joined(separator: ", ")) FROM \(quoted(schema.table))\(isThere) LIMIT \(limit ?? -1)"
        let counts = (["*"] + names).map { "count(\($0))" }.joined(separator: ", ")
        let found = try Statement("SELECT \(counts) FROM (\(rows))", on: connection)
        guard try found.step() else { return (0, [:]) }
        var values: [Int: Int] = [:]
        for (place, position) in positions.enumerated() { values[position] = Int(found.integer(at: place + 1)) }
        return (Int(found.integer(at: 0)), values)
    }
}

extension Selection {
    /// Returns true if a record has a value, null included, that is stored in the column with this path.
    fileprivate func haveColumn(at path: [String], adding added: Node?, flattenDepth: Int) -> Bool {
        guard path.count <= flattenDepth + 1 else { return false }
        return withNodes { nodes in
            var nodes = nodes
            while let node = nodes.next() {
                if node.kind != .object, path == [RecordBinder.scalarRecordField] { return true }
                guard let value = PageRecord(node: node, added: added).value(at: path) else { continue }
                // The members of other objects have columns of their own.
                if !value.isObject || path.count > flattenDepth || value.isEmpty { return true }
            }
            return false
        }
    }
}
