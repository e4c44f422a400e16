import Digest
import JSON
import SQLite

/// Binds records to the parameters of an upsert, each value in place from the parsed page.
///
/// Nothing here allocates for a record of a known shape.
struct RecordBinder {
    /// The member name that stands for the whole of a record that is not an object.
    static let scalarRecordField = "value"

    /// Why a record cannot be bound to the table as it is.
    enum Misfit {
        /// A member without a column, in the object of this map.
        case unknown(map: Int, key: String)
        /// An object to be flattened without a map, in the object of this map.
        case nested(map: Int, key: String)
        /// A value that the column's type does not hold exactly.
        case narrow(column: Int, ColumnType)
        /// An array of objects, in the object of this map, of which it is not known whether it becomes a table.
        case array(map: Int, key: String)
        /// A member without a column, which the table must not get.
        case foreign(path: [String])
        case refused(reason: String)
    }

    let flattenDepth: Int
    /// What becomes of members without a column.
    var strangers = Strangers.becomeColumns
    /// Whether a value that its column does not hold is bound as NULL.
    var leavesOutNarrow = false
    /// The values that were left out of the records bound so far.
    private(set) var leftOut = LeftOut()
    /// Those of the record bound now.
    var leftOutNow = LeftOut()
    /// The members of the record bound now that have no column.
    var rest: [RestMember] = []
    /// The parameter for them, where the table has a column for them all.
    private(set) var restParameter: Int32?
    /// The column for the record's digest; nil where other columns identify it.
    private var contentColumn: Int?
    /// The first is that of the record itself.
    private var maps = [FieldMap(path: [])]
    private var types: [ColumnType?] = []
    private var columnNames: [String] = []
    /// For each column its position in the primary key, -1 outside it.
    private var keyPositions: [Int] = []
    /// For each column of the primary key, its index and the names of the members that lead to its value.
    private var keyColumns: [(column: Int, path: [String])] = []
    /// For each column the number of the record that bound it last.
    private var boundBy: [Int] = []
    private var recordNumber = 0
    /// For each map the number of the record whose object it read last.
    private var readBy: [Int] = []
    /// Whether the record bound now has a member twice, of which the last counts; found out while it is bound.
    private var isRepeating = false
    var canonical = CanonicalText()
    private let hashKey: HashKey
    /// The fingerprints of the parts of the key of the record bound now, in the order of the key.
    private var keyParts: [Fingerprint] = []
    /// The columns before the record's own, which are bound by who knows the values.
    private var outerCount = 0
    /// Whether arrays of objects become tables.
    var splitsArrays = false
    /// Those of the record bound now, each with the number of its table.
    private(set) var arrays: [(child: Int, array: Node)] = []

    init(_ schema: TableSchema, flattenDepth: Int, hashKey: HashKey) {
        self.flattenDepth = flattenDepth
        self.hashKey = hashKey
        for (index, column) in schema.columns.enumerated() { map(column, at: index) }
        follow(schema)
    }

    /// Notes the columns and types after the table has changed.
    mutating func follow(_ schema: TableSchema) {
        types = schema.columns.map(\.type)
        columnNames = schema.columns.map(\.name)
        outerCount = schema.columns.prefix { $0.outer != nil }.count
        keyPositions = schema.columns.map { $0.outer == nil ? $0.keyPosition ?? -1 : -1 }
        restParameter = schema.restParameter
        contentColumn = schema.contentIndex
        keyColumns = schema.columns.enumerated().filter { $1.keyPosition != nil && $1.outer == nil }
            .sorted { ($0.1.keyPosition ?? 0) < ($1.1.keyPosition ?? 0) }.map { ($0, $1.path) }
        keyParts = keyPositions.filter { $0 >= 0 }.map { _ in .zero }
        forgetRecords()
    }

    /// Forgets the values bound, which point into a page.
    mutating func forgetRecords() {
        boundBy = types.map { _ in 0 }
        readBy = maps.map { _ in 0 }
        recordNumber = 0
        arrays.removeAll()
    }

    func path(ofMap map: Int) -> [String] { maps[map].path }

    /// Notes that the member of the object of this map goes to a column.
    mutating func set(column: Int, for key: String, inMap map: Int) {
        maps[map].update(key) { $0.column = column }
    }

    /// Notes that arrays at this path go to a table of their own.
    mutating func set(child: Int, at path: [String]) {
        guard let last = path.last else { return }
        var map = 0
        for name in path.dropLast() { map = nest(name, inMap: map) }
        maps[map].update(last) { $0.child = child }
    }

    /// Notes that arrays that are this member of the object of this map stay text.
    mutating func keepArrays(_ key: String, inMap map: Int) {
        maps[map].update(key) { $0.keepsArrays = true }
    }

    /// The map of the object that is this member, made where there is none yet.
    @discardableResult
    mutating func nest(_ key: String, inMap map: Int) -> Int {
        var nested = maps.count
        maps[map].update(key) {
            nested = $0.nested ?? nested
            $0.nested = nested
        }
        if nested == maps.count {
            maps.append(FieldMap(path: maps[map].path + [key]))
            readBy.append(0)
        }
        return nested
    }

    /// nil, or why the statement must not run: then some parameters may have been bound.
    mutating func bind(_ record: PageRecord, to upsert: Statement) throws(SQLiteError) -> Misfit? {
        isRepeating = false
        let misfit = try bindOnce(record, to: upsert)
        guard isRepeating || ((misfit != nil || !rest.isEmpty) && hasRepeats(record.node, depth: 0)) else {
            if misfit == nil { leftOut.add(leftOutNow) }
            return misfit
        }
        isRepeating = true
        let second = try bindOnce(record, to: upsert)
        if second == nil { leftOut.add(leftOutNow) }
        return second
    }

    private mutating func bindOnce(_ record: PageRecord, to upsert: Statement) throws(SQLiteError) -> Misfit? {
        recordNumber += 1
        if splitsArrays { arrays.removeAll(keepingCapacity: true) }
        if leftOutNow.count > 0 { leftOutNow = LeftOut() }
        if !rest.isEmpty { rest.removeAll(keepingCapacity: true) }
        let misfit =
            record.node.isObject
            ? try bindMembers(of: record.node, map: 0, depth: 0, to: upsert)
            : try bindScalar(record.node, to: upsert)
        if let misfit { return misfit }
        if let added = record.added, let misfit = try bindAdded(added, to: upsert) { return misfit }
        if let contentColumn {
            boundBy[contentColumn] = recordNumber
            try bindContent(of: record, to: upsert, at: TableSchema.parameter(ofColumnAt: contentColumn))
        }
        for column in outerCount..<boundBy.count where boundBy[column] != recordNumber {
            if keyPositions[column] >= 0 { return .refused(reason: "the key '\(columnNames[column])' is missing") }
            try upsert.bindNull(at: TableSchema.parameter(ofColumnAt: column))
        }
        if let restParameter { try bindRest(to: upsert, at: restParameter) }
        return nil
    }

    /// The values of a record's key, nil where it has none; where its content is the key, all that it is made from.
    func keyValues(of record: PageRecord) -> [Node?] {
        contentColumn == nil ? keyColumns.map { record.value(at: $0.path) } : [record.node, record.added]
    }

    /// Why the record cannot be a row whatever the table's columns are; nil: its key is there.
    func missingKey(of record: PageRecord) -> String? {
        if contentColumn != nil { return nil }
        for (column, value) in zip(keyColumns, keyValues(of: record)) where value?.isNull ?? true {
            return "the key '\(columnNames[column.column])' is \(value == nil ? "missing" : "null")"
        }
        return nil
    }

    /// Binds a record's key as its columns hold it; false where a part of it is missing.
    mutating func bindKey(
        of record: PageRecord, to statement: Statement, from parameter: Int32
    ) throws(SQLiteError) -> Bool {
        if contentColumn != nil {
            try bindContent(of: record, to: statement, at: parameter)
            return true
        }
        for (position, value) in keyValues(of: record).enumerated() {
            guard let value, !value.isNull, let type = types[keyColumns[position].column],
                try bind(value, as: type, to: statement, at: parameter + Int32(position))
            else { return false }
        }
        return true
    }

    private mutating func bindMembers(
        of object: Node, map: Int, depth: Int, to upsert: Statement
    ) throws(SQLiteError) -> Misfit? {
        let leavesOutRepeated = isRepeating
        if readBy[map] == recordNumber { isRepeating = true }
        readBy[map] = recordNumber
        let last = leavesOutRepeated ? Self.lastValues(of: object) : nil
        let fields = maps[map]  // once an object: reaching through `self` for each member costs a retain each
        var place = 0
        for (key, value) in object.members {
            if let last, last[Array(key.utf8)] != value.utf8.baseAddress { continue }
            let isNested = value.isObject && depth < flattenDepth
            guard let index = fields.index(of: key.utf8, guess: place) else {
                if splitsArrays, value.isTable, canName(key, inMap: map) { return .array(map: map, key: key.text) }
                if let misfit = meet(stranger: key, value, inMap: map, depth: depth) { return misfit }
                continue
            }
            place = index + 1
            let field = fields[index]
            if splitsArrays {
                if let child = field.child {
                    if arrays.contains(where: { $0.child == child }) { isRepeating = true }
                    if !isNested, !value.isNull {
                        guard value.isArrayOfObjects else {
                            return .refused(reason: Self.noTable(maps[map].path + [key.text]))
                        }
                        arrays.append((child, value))
                        continue
                    }
                } else if !field.keepsArrays, value.isTable {
                    return .array(map: map, key: key.text)
                }
            }
            if isNested {
                guard let nested = field.nested else {
                    if let misfit = meet(stranger: key, value, inMap: map, depth: depth) { return misfit }
                    continue
                }
                if let column = field.column, boundBy[column] == recordNumber { isRepeating = true }
                if let misfit = try bindMembers(of: value, map: nested, depth: depth + 1, to: upsert) { return misfit }
                continue
            }
            if let nested = field.nested, readBy[nested] == recordNumber { isRepeating = true }
            if let column = field.column {
                if let misfit = try bind(value, toColumnAt: column, of: upsert) { return misfit }
            } else if !value.isNull || (field.nested == nil && field.child == nil) {
                if let misfit = meet(stranger: key, value, inMap: map, depth: depth) { return misfit }
            }
        }
        return nil
    }

    private static func noTable(_ path: [String]) -> String {
        "its member '\(path.joined(separator: "."))' has a table of its own, and is no array of objects"
    }

    /// Members that come from outside: they are columns as they are, and win over the record's own.
    private mutating func bindAdded(_ added: Node, to upsert: Statement) throws(SQLiteError) -> Misfit? {
        let fields = maps[0]
        for (key, value) in added.members {
            guard let column = fields.index(of: key.utf8, guess: 0).flatMap({ fields[$0].column }) else {
                if strangers == .areKept {
                    rest.append(RestMember(path: [key.text], value: value))
                    continue
                }
                return .unknown(map: 0, key: key.text)
            }
            if let misfit = try bind(value, toColumnAt: column, of: upsert) { return misfit }
        }
        return nil
    }

    /// For each name in an object, the last value that has it, known by the place of its text.
    static func lastValues(of object: Node) -> [[UInt8]: UnsafePointer<UInt8>?] {
        object.members.reduce(into: [:]) { $0[Array($1.key.utf8)] = .some($1.value.utf8.baseAddress) }
    }

    /// Whether an object that is bound member by member has a name twice.
    private func hasRepeats(_ object: Node, depth: Int) -> Bool {
        var names: Set<[UInt8]> = []
        return object.members.contains { key, value in
            !names.insert(Array(key.utf8)).inserted
                || (value.isObject && depth < flattenDepth && hasRepeats(value, depth: depth + 1))
        }
    }

    private mutating func bindScalar(_ record: Node, to upsert: Statement) throws(SQLiteError) -> Misfit? {
        var key = Self.scalarRecordField
        let field = key.withUTF8 { maps[0].index(of: $0, guess: 0) }.map { maps[0][$0] }
        guard let column = field?.column else { return meet(scalar: record) }
        return try bind(record, toColumnAt: column, of: upsert)
    }

    private mutating func bind(
        _ value: Node, toColumnAt column: Int, of upsert: Statement
    ) throws(SQLiteError) -> Misfit? {
        if boundBy[column] == recordNumber { isRepeating = true }
        boundBy[column] = recordNumber
        let parameter = TableSchema.parameter(ofColumnAt: column)
        if value.isNull {
            if keyPositions[column] >= 0 { return .refused(reason: "the key '\(columnNames[column])' is null") }
            try upsert.bindNull(at: parameter)
            return nil
        }
        guard let type = types[column], try bind(value, as: type, to: upsert, at: parameter) else {
            if leavesOutNarrow, types[column] != nil, keyPositions[column] < 0 {
                let name = wantsReason ? columnNames[column] : nil
                leftOutNow.note(name.map { "the column '\($0)' does not hold its value" })
                try upsert.bindNull(at: parameter)
                return nil
            }
            return ColumnType(holding: value).map { .narrow(column: column, $0) }
        }
        if keyPositions[column] >= 0 { noteKey(value, as: type, at: keyPositions[column]) }
        return nil
    }

    /// The fingerprint of the key of the record bound last, as its columns hold it.
    var keyFingerprint: Fingerprint {
        if keyParts.count == 1 { return keyParts[0] }
        return keyParts.withUnsafeBytes { hashKey.fingerprint(of: $0) }
    }

    /// Notes a part of the key that was bound just now, whatever the order of the record's members is.
    private mutating func noteKey(_ value: Node, as type: ColumnType, at position: Int) {
        switch (type, value.kind) {
        case (.text, .array), (.text, .object), (.json, .array), (.json, .object):
            canonical.bytes.withUnsafeBufferPointer { noteKey($0, at: position) }
        case (.text, _): noteKey(value.utf8, at: position)
        default:
            let integer: Int64 = value.kind == .integer ? value.integer : value.kind == .true ? 1 : 0
            keyParts[position] = withUnsafeBytes(of: integer) { hashKey.fingerprint(of: $0) }
        }
    }

    mutating func noteKey(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
        keyParts[position] = hashKey.fingerprint(of: UnsafeRawBufferPointer(bytes))
    }

    /// Binds a value that is not null; false where a column of this type does not hold it exactly.
    private mutating func bind(
        _ value: Node, as type: ColumnType, to statement: Statement, at parameter: Int32
    ) throws(SQLiteError) -> Bool {
        switch (type, value.kind) {
        case (.text, .array), (.text, .object), (.json, .array), (.json, .object):
            canonical.removeAll()
            canonical.append(value)
            try statement.bind(copyingUTF8: canonical.bytes, at: parameter)
        case (.text, _): try statement.bind(unownedUTF8: value.utf8, at: parameter)
        case (.integer, .integer): try statement.bind(value.integer, at: parameter)
        case (.real, .real): try statement.bind(value.real, at: parameter)
        case (.real, .integer) where value.integer.isExactDouble:
            try statement.bind(Double(value.integer), at: parameter)
        case (.boolean, .true), (.integer, .true): try statement.bind(1 as Int64, at: parameter)
        case (.boolean, .false), (.integer, .false): try statement.bind(0 as Int64, at: parameter)
        case (.real, .true): try statement.bind(1.0, at: parameter)
        case (.real, .false): try statement.bind(0.0, at: parameter)
        default: return false
        }
        return true
    }

    private mutating func map(_ column: Column, at index: Int) {
        guard column.outer == nil, let last = column.path.last else { return }
        var map = 0
        for name in column.path.dropLast() { map = nest(name, inMap: map) }
        set(column: index, for: last, inMap: map)
    }
}
