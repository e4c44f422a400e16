import JSON

/// What the records of a first page say about the table to be made: columns, types, and what may identify a record.
struct TableSurvey {
    private(set) var columns: [Column] = []
    private let flattenDepth: Int
    private let run: Int64
    private let maximumColumns: Int
    private var indices: [[[UInt8]]: Int] = [:]
    /// The columns that arrays of objects would go to, and those that have something else to hold.
    private var arrays: Set<Int> = []
    private var others: Set<Int> = []

    /// - Parameters:
    ///   - added: the members that each record has from outside.
    ///   - leavesOutArrays: whether arrays of objects get no columns, as they become tables.
    ///   - reserved: how many columns the table needs that come from no member.
    init(
        of records: Selection, adding added: Node? = nil, flattenDepth: Int, leavesOutArrays: Bool = false,
        reserving reserved: Int = 0, run: Int64
    ) {
        self.flattenDepth = flattenDepth
        self.run = run
        maximumColumns = TableSchema.maximumColumns - TableSchema.ownColumns - reserved
        if let added { for (key, value) in added.members { note(value, at: [key.text]) } }
        records.forEach { note($0) }
        guard leavesOutArrays else { return }
        columns = columns.enumerated().filter { !arrays.contains($0.offset) || others.contains($0.offset) }
            .map(\.element)
    }

    /// Begins with columns whose values do not come from the records.
    init(behind columns: [Column], flattenDepth: Int, run: Int64) {
        self.columns = columns
        self.flattenDepth = flattenDepth
        self.run = run
        maximumColumns = TableSchema.maximumColumns - TableSchema.ownColumns
    }

    mutating func note(_ record: Node) {
        if record.kind == .object {
            noteMembers(of: record, path: [])
        } else {
            note(record, at: [RecordBinder.scalarRecordField])
        }
    }

    private mutating func noteMembers(of object: Node, path: [String]) {
        for (key, value) in object.members {
            let memberPath = path + [key.text]
            if value.kind == .object, path.count < flattenDepth {
                noteMembers(of: value, path: memberPath)
            } else {
                note(value, at: memberPath)
            }
        }
    }

    private mutating func note(_ value: Node, at path: [String]) {
        let type = ColumnType(holding: value)
        let bytes = path.map { Array($0.utf8) }
        guard let index = indices[bytes] else {
            guard columns.count < maximumColumns,
                let name = ColumnNaming.name(for: path, taken: columns.map(\.name))
            else { return }
            indices[bytes] = columns.count
            noteArray(value, at: columns.count)
            columns.append(Column(name: name, path: path, type: type, keyPosition: nil, firstSeenRun: run))
            return
        }
        noteArray(value, at: index)
        if let type { columns[index].type = columns[index].type?.widened(toHold: type) ?? type }
        // Which integers a REAL column must hold is only known from all values; TEXT holds any of them exactly.
        if columns[index].type == .real, value.kind == .integer, !value.integer.isExactDouble {
            columns[index].type = .text
        }
    }

    private mutating func noteArray(_ value: Node, at index: Int) {
        if value.isTable {
            arrays.insert(index)
        } else if !value.isArrayOfObjects, !value.isNull {
            others.insert(index)
        }
    }
}
