import GarnerCatalog
import GarnerDatabase
import GarnerDigest
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// Binds records to the parameters of an upsert, each value in place from the parsed page.
///
/// Binding a record of a known shape allocates nothing.
struct RecordBinder: ~Copyable {
    /// The member name that stands for the whole of a record that is not an object.
    static let scalarRecordField = "value"

    /// A column, without what would have to be retained.
    struct BoundColumn {
        let type: ColumnType?
        /// The configured type; nil if there is none.
        let declared: FieldType?
        /// The position in the primary key, -1 outside it.
        let keyPosition: Int
        /// The number of the record that last bound it.
        var record = 0

        var isKey: Bool { keyPosition >= 0 }
    }

    let flattenDepth: Int
    /// The handling of members without a column.
    var unmappedMembers = UnmappedMembers.becomeColumns
    /// True if a value that its column cannot hold is bound as NULL.
    var leavesOutNarrow = false
    /// True if placeholders and spellings of numbers stay outside columns of numbers and booleans.
    var setsAside = false
    /// The number of values on the current page that were set aside as they are no numbers, by the columns' indices.
    var placeholders: [Int: Int] = [:]
    /// The values that were set aside in the records bound so far.
    var tally = OddTally()
    /// The columns for which the current record has no value.
    private var emptyColumns: [Int] = []
    /// The values that were left out of the records bound so far.
    var leftOut = LeftOut()
    /// The values that were left out of the current record.
    var leftOutNow = LeftOut()
    /// The members of the current record without a column.
    var rest: [RestMember] = []
    /// The parameter for the rest, if the table has a column for it.
    private(set) var restParameter: Int32?
    /// The column for the record's digest; nil if other columns identify it.
    private(set) var contentColumn: Int?
    /// The maps; the first is that of the record itself.
    private var maps = [FieldMap(path: [])]
    private(set) var columns: [BoundColumn] = []
    /// The types of the numbers and booleans that columns of text have got on the page, by the columns' indices.
    var numbersInText: [Int: ColumnType] = [:]
    private(set) var columnNames: [String] = []
    /// The names of all columns in UTF-8; nil until they are needed.
    var namesInUTF8: Set<[UInt8]>?
    /// The index of each primary key column, with the member names that lead to its value.
    private(set) var keyColumns: [(column: Int, path: [String])] = []
    private var recordNumber = 0
    /// The number of columns that the current record has bound.
    private var boundColumns = 0
    /// The number of the record whose object each map last read.
    private var readBy: [Int] = []
    /// True if the current record has a repeated member, of which the last counts. Detected while binding.
    private var isRepeating = false
    var canonical = CanonicalText()
    let hashKey: HashKey
    /// The fingerprints of the key parts of the current record, in the order of the key.
    var keyParts: [Fingerprint] = []
    /// The part of the key that was noted last; nil if it is no integer.
    var keyInteger: Int64?
    /// The number of columns before the record's own. The caller that knows their values binds them.
    private var outerCount = 0
    /// True if arrays of objects become tables.
    var splitsArrays = false
    /// The arrays of the current record that become tables, each with the number of its table.
    private(set) var arrays: [(child: Int, array: Node)] = []

    init(_ schema: TableSchema, flattenDepth: Int, hashKey: HashKey) {
        self.flattenDepth = flattenDepth
        self.hashKey = hashKey
        for (index, column) in schema.columns.enumerated() { map(column, at: index) }
        follow(schema)
    }

    /// Updates the columns and types after the table has changed.
    mutating func follow(_ schema: TableSchema) {
        columns = schema.columns.map {
            BoundColumn(
                type: $0.type, declared: schema.declaredType(of: $0),
                keyPosition: $0.outer == nil ? $0.keyPosition ?? -1 : -1)
        }
        tally.follow(columns.map(\.type))
        columnNames = schema.columns.map(\.name)
        namesInUTF8 = nil
        outerCount = schema.columns.prefix { $0.outer != nil }.count
        restParameter = schema.restParameter
        contentColumn = schema.contentIndex
        keyColumns = schema.columns.enumerated().filter { $1.keyPosition != nil && $1.outer == nil }
            .sorted { ($0.1.keyPosition ?? 0) < ($1.1.keyPosition ?? 0) }.map { ($0, $1.path) }
        keyParts = columns.filter(\.isKey).map { _ in .zero }
        forgetRecords()
    }

    /// Forgets the bound values, which point into a page.
    mutating func forgetRecords() {
        for index in columns.indices { columns[index].record = 0 }
        readBy = maps.map { _ in 0 }
        recordNumber = 0
        arrays.removeAll()
    }

    func path(ofMap map: Int) -> [String] { maps[map].path }

    /// Returns true if an object came at this path, or if its members have columns.
    func hasMap(at path: [String]) -> Bool { maps.contains { $0.path.isSamePath(as: path) } }

    /// Maps the member of the object of this map to a column.
    mutating func set(column: Int, for key: String, inMap map: Int) { maps[map].update(key) { $0.column = column } }

    /// Maps arrays at this path to a table of their own.
    mutating func set(child: Int, at path: [String]) {
        guard let last = path.last else { return }
        var map = 0
        for name in path.dropLast() { map = nest(name, inMap: map) }
        maps[map].update(last) { $0.child = child }
    }

    /// Marks arrays in this member of the object of this map as text.
    mutating func keepArrays(_ key: String, inMap map: Int) { maps[map].update(key) { $0.keepsArrays = true } }

    /// Returns the map of the object in this member, and creates it first if needed.
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

    /// Binds a record. Returns nil, or the reason why the statement must not run; some parameters may then be bound.
    mutating func bind<Sink: RecordSink>(_ record: PageRecord, to sink: Sink) throws(Sink.Failure) -> BindingFailure? {
        isRepeating = false
        let failure = try bindOnce(record, to: sink)
        // Each column notes its value of this record. A member without a column is noted nowhere.
        let mayRepeat = failure != nil || rest.contains { $0.column == nil }
        guard isRepeating || (mayRepeat && hasRepeats(record.node, depth: 0)) else {
            if failure == nil { noteBound() }
            return failure
        }
        isRepeating = true
        let second = try bindOnce(record, to: sink)
        if second == nil { noteBound() }
        return second
    }

    private mutating func noteBound() {
        leftOut.add(leftOutNow)
        tally.addRecord(emptyIn: emptyColumns)
        if !rest.isEmpty { notePlaceholders() }
    }

    private mutating func noteBound(_ column: Int) {
        if columns[column].record == recordNumber { isRepeating = true } else { boundColumns += 1 }
        columns[column].record = recordNumber
    }

    private mutating func bindOnce<Sink: RecordSink>(_ record: PageRecord, to sink: Sink) throws(Sink.Failure)
        -> BindingFailure?
    {
        recordNumber += 1
        boundColumns = 0
        if splitsArrays { arrays.removeAll(keepingCapacity: true) }
        if leftOutNow.count > 0 { leftOutNow = LeftOut() }
        if !rest.isEmpty { rest.removeAll(keepingCapacity: true) }
        if !emptyColumns.isEmpty { emptyColumns.removeAll(keepingCapacity: true) }
        let maps = maps
        let failure =
            record.node.isObject
            ? try maps.withUnsafeBufferPointer { maps throws(Sink.Failure) in
                try bindMembers(of: record.node, maps, map: 0, depth: 0, to: sink)
            }
            : try bindScalar(record.node, to: sink)
        if let failure { return failure }
        if let added = record.added, let failure = try bindAdded(added, to: sink) { return failure }
        if let contentColumn {
            noteBound(contentColumn)
            try bindContent(of: record, to: sink, at: TableSchema.parameter(ofColumnAt: contentColumn))
        }
        let isWhole = boundColumns == columns.count - outerCount
        for column in isWhole ? 0..<0 : outerCount..<columns.count where columns[column].record != recordNumber {
            if columns[column].isKey { return .refused(reason: "the key '\(columnNames[column])' is missing") }
            emptyColumns.append(column)
            try sink.bindNull(at: TableSchema.parameter(ofColumnAt: column))
        }
        if let restParameter { try bindRest(to: sink, at: restParameter) }
        return nil
    }

    /// Binds a record's key as its columns hold it. Returns false if a part of it is missing.
    mutating func bindKey<Sink: RecordSink>(
        of record: PageRecord, to sink: Sink, from parameter: Int32
    ) throws(Sink.Failure) -> Bool {
        if contentColumn != nil {
            try bindContent(of: record, to: sink, at: parameter)
            return true
        }
        for (position, value) in keyValues(of: record).enumerated() {
            guard let value, !value.isNull, let type = columns[keyColumns[position].column].type else { return false }
            if try bind(value, as: type, to: sink, at: parameter + Int32(position)) { continue }
            guard type == .integer, let whole = value.wholeReal else { return false }
            try sink.bind(whole, at: parameter + Int32(position))
        }
        return true
    }

    /// Binds the key of the row that a record means, and notes it (`keyFingerprint`). Returns false if no row can have it.
    ///
    /// A key in another kind of JSON value, such as "7" for 7, is the one that the row would have in a wider column.
    mutating func bindKeyOfRow<Sink: RecordSink>(
        of record: PageRecord, to sink: Sink, from parameter: Int32
    ) throws(Sink.Failure) -> Bool {
        if contentColumn != nil { return false }
        for (position, key) in keyColumns.enumerated() {
            guard let value = record.value(at: key.path), !value.isNull, let type = columns[key.column].type
            else { return false }
            if try bind(value, as: type, to: sink, at: parameter + Int32(position)) {
                noteKey(value, as: type, at: position)
            } else if let integer = value.integer(spelledAs: type) {
                try sink.bind(integer, at: parameter + Int32(position))
                noteKey(integer, at: position)
            } else {
                return false
            }
        }
        return true
    }

    /// - Parameter maps: The maps, in place: a copy of one costs a retain for each of its lists.
    private mutating func bindMembers<Sink: RecordSink>(
        of object: Node, _ maps: UnsafeBufferPointer<FieldMap>, map: Int, depth: Int, to sink: Sink
    ) throws(Sink.Failure) -> BindingFailure? {
        let leavesOutRepeated = isRepeating
        if readBy[map] == recordNumber { isRepeating = true }
        readBy[map] = recordNumber
        let last = leavesOutRepeated ? Self.lastValues(of: object) : nil
        var place = 0
        for (key, value) in object.members {
            if let last, last[Array(key.utf8)] != value.utf8.baseAddress { continue }
            let isNested = value.isObject && depth < flattenDepth
            // Read before the map is: a call between the two would cost a retain for each of its lists.
            let name = key.utf8
            guard let index = maps[map].index(of: name, guess: place) else {
                if splitsArrays, value.isTable, canName(key, inMap: map) { return .array(map: map, key: key.text) }
                if let failure = resolve(unmapped: key, value, inMap: map, depth: depth) { return failure }
                continue
            }
            place = index + 1
            let field = maps[map][index]
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
            if isNested, !isValue(value, ofColumn: field.column) {
                guard let nested = field.nested else {
                    if let failure = resolve(unmapped: key, value, inMap: map, depth: depth) { return failure }
                    continue
                }
                if let column = field.column, columns[column].record == recordNumber { isRepeating = true }
                if let failure = try bindMembers(of: value, maps, map: nested, depth: depth + 1, to: sink) {
                    return failure
                }
                continue
            }
            if let nested = field.nested, readBy[nested] == recordNumber { isRepeating = true }
            if let column = field.column {
                if let failure = try bind(value, toColumnAt: column, of: sink) { return failure }
            } else if !value.isNull || (field.nested == nil && field.child == nil) {
                if let failure = resolve(unmapped: key, value, inMap: map, depth: depth) { return failure }
            }
        }
        return nil
    }

    /// Binds members from outside. They are columns as they are, and take precedence over the record's own.
    private mutating func bindAdded<Sink: RecordSink>(_ added: Node, to sink: Sink) throws(Sink.Failure)
        -> BindingFailure?
    {
        let fields = maps[0]
        for (key, value) in added.members {
            guard let column = fields.index(of: key.utf8, guess: 0).flatMap({ fields[$0].column }) else {
                if unmappedMembers == .areKept {
                    rest.append(RestMember(path: [key.text], value: value))
                    continue
                }
                return .unknown(map: 0, key: key.text)
            }
            rest.removeAll { $0.column == column }
            emptyColumns.removeAll { $0 == column }
            if let failure = try bind(value, toColumnAt: column, of: sink) { return failure }
        }
        return nil
    }

    /// Returns the last value of each name in an object, identified by the address of its text.
    static func lastValues(of object: Node) -> [[UInt8]: UnsafePointer<UInt8>?] {
        object.members.reduce(into: [:]) { $0[Array($1.key.utf8)] = .some($1.value.utf8.baseAddress) }
    }

    /// Returns true if an object that is bound member by member has a repeated name.
    private func hasRepeats(_ object: Node, depth: Int) -> Bool {
        var names: Set<[UInt8]> = []
        return object.members.contains { key, value in
            !names.insert(Array(key.utf8)).inserted
                || (value.isObject && depth < flattenDepth && hasRepeats(value, depth: depth + 1))
        }
    }

    private mutating func bindScalar<Sink: RecordSink>(_ record: Node, to sink: Sink) throws(Sink.Failure)
        -> BindingFailure?
    {
        var key = Self.scalarRecordField
        let field = key.withUTF8 { maps[0].index(of: $0, guess: 0) }.map { maps[0][$0] }
        guard let column = field?.column else { return resolve(scalar: record) }
        return try bind(record, toColumnAt: column, of: sink)
    }

    private mutating func bind<Sink: RecordSink>(
        _ value: Node, toColumnAt column: Int, of sink: Sink
    ) throws(Sink.Failure) -> BindingFailure? {
        noteBound(column)
        let bound = columns[column]
        let parameter = TableSchema.parameter(ofColumnAt: column)
        if value.isNull {
            if bound.isKey { return .refused(reason: "the key '\(columnNames[column])' is null") }
            emptyColumns.append(column)
            try sink.bindNull(at: parameter)
            return nil
        }
        let isSpelling = bound.declared == .numeric && setsAside && bound.type == .real && value.isSpelledAnew
        guard !isSpelling, let type = bound.type, try bind(value, as: type, to: sink, at: parameter) else {
            // As a key, 5.0 is the record 5 of another page.
            if bound.isKey, bound.type == .integer, let whole = value.wholeReal {
                try sink.bind(whole, at: parameter)
                noteKey(whole, at: bound.keyPosition)
                return nil
            }
            if setsAside, !bound.isKey {
                return try bindOdd(value, in: bound.type, bound.declared, toColumnAt: column, of: sink)
            }
            if leavesOutNarrow, bound.type != nil, !bound.isKey {
                let name = wantsReason ? columnNames[column] : nil
                leftOutNow.note(name.map { "the column '\($0)' does not hold its value" })
                emptyColumns.append(column)
                try sink.bindNull(at: parameter)
                return nil
            }
            return ColumnType(holding: value).map { .narrow(column: column, $0) }
        }
        if bound.isKey {
            if value.isHalved { return .refused(reason: halvedKey(at: column)) }
            noteKey(value, as: type, at: bound.keyPosition)
        }
        switch type {
        case .text: if !value.isString { noteNumber(value, inTextAt: column) }
        case .integer, .real: if value.isBoolean { return noteBoolean(value, asNumberAt: column) }
        case .boolean, .json: break
        }
        return nil
    }

    /// The fingerprint of the last bound record's key, as its columns hold it.
    var keyFingerprint: Fingerprint {
        if keyParts.count == 1 { return keyParts[0] }
        return keyParts.withUnsafeBytes { hashKey.fingerprint(of: $0) }
    }

    /// The last bound record's key.
    var recordKey: RecordKey {
        RecordKey(fingerprint: keyFingerprint, integer: keyParts.count == 1 ? keyInteger : nil)
    }

    private mutating func map(_ column: Column, at index: Int) {
        guard column.outer == nil, let last = column.path.last else { return }
        var map = 0
        for name in column.path.dropLast() { map = nest(name, inMap: map) }
        set(column: index, for: last, inMap: map)
    }
}
