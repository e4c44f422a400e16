package import GarnerCatalog
package import GarnerJSON
package import GarnerModel

/// The schema inferred from the records of a first page: columns, types, and candidates for the key.
struct SchemaInference {
    private(set) var columns: [Column] = []
    /// True if a record has a member after which no column can be named.
    private(set) var hasNamelessMembers = false
    private let flattenDepth: Int
    private let run: RunID
    private let maximumColumns: Int
    private var indices: [[[UInt8]]: Int] = [:]
    /// The columns that would hold arrays of objects; `others` has those with other values.
    private var arrays: Set<Int> = []
    private var others: Set<Int> = []
    /// The places of the arrays of objects that get no columns because they become tables.
    private(set) var leftOutArrays: [[String]] = []
    /// True if values that are no numbers do not make a column of numbers one of text.
    private let setsAside: Bool
    /// The values of each column.
    private var values: [Values] = []

    /// The values of a column, of which the weak ones decide its type only where no others do, or where they are more.
    private struct Values {
        /// The number of placeholders and of texts that spell numbers; the type that holds them.
        var (placeholders, spellings) = (0, 0)
        var weakType: ColumnType?
        /// The number of all others.
        var strong = 0
        /// The type of those that are numbers or booleans.
        var numbers: ColumnType?
    }

    /// - Parameters:
    ///   - added: The members that each record has from outside.
    ///   - leavesOutArrays: True if arrays of objects get no columns because they become tables.
    ///   - reserved: The number of columns that the table needs besides those of members.
    init(
        of records: Selection, adding added: Node? = nil, flattenDepth: Int, leavesOutArrays: Bool = false,
        reserving reserved: Int = 0, settingAside: Bool = false, run: RunID
    ) {
        self.flattenDepth = flattenDepth
        self.run = run
        setsAside = settingAside
        maximumColumns = TableSchema.maximumColumns - TableSchema.ownColumns - reserved
        if let added { for (key, value) in added.members { note(value, at: [key.text]) } }
        records.forEach { note($0) }
        weigh()
        guard leavesOutArrays else { return }
        leftOutArrays = columns.indices.filter { arrays.contains($0) && !others.contains($0) }.map { columns[$0].path }
        let kept = columns.indices.filter { !arrays.contains($0) || others.contains($0) }
        (columns, values) = (kept.map { columns[$0] }, kept.map { values[$0] })
    }

    /// Begins with columns whose values do not come from the records.
    init(behind columns: [Column], flattenDepth: Int, settingAside: Bool, run: RunID) {
        self.columns = columns
        values = columns.map { _ in Values() }
        self.flattenDepth = flattenDepth
        self.run = run
        setsAside = settingAside
        maximumColumns = TableSchema.maximumColumns - TableSchema.ownColumns
    }

    mutating func note(_ record: Node) {
        if record.kind == .object {
            noteMembers(of: record, path: [])
        } else {
            note(record, at: [RecordBinder.scalarRecordField])
        }
    }

    /// Notes the elements of the arrays of objects that stand at a place of each record. Returns their number.
    @discardableResult
    mutating func noteElements(at path: [String], of records: Selection) -> Int {
        var count = 0
        records.forEach { record in
            guard let array = PageRecord(node: record, added: nil).value(at: path), array.isTable else { return }
            for element in array.elements {
                note(element)
                count += 1
            }
        }
        weigh()
        return count
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

    /// Returns true if a value of the column is a text, although the column may be one of numbers.
    func holdsTexts(inColumnAt index: Int) -> Bool { values[index].weakType != nil }

    /// The types of the numbers and booleans in columns that are text, by the columns' indices.
    var numberTypes: [Int: ColumnType] {
        var types: [Int: ColumnType] = [:]
        for index in columns.indices where columns[index].type == .text { types[index] = values[index].numbers }
        return types
    }

    /// Gives columns the types of their weak values where these decide. Call it behind the last record.
    mutating func weigh() {
        for index in columns.indices {
            guard let weak = values[index].weakType else { continue }
            guard let type = columns[index].type else {
                columns[index].type = weak
                continue
            }
            // A column of other types than numbers and booleans holds them, or becomes text by them.
            let isFit =
                type.rank != nil && values[index].placeholders <= values[index].spellings + values[index].strong
            if !isFit { columns[index].type = type.widened(toHold: weak) }
        }
    }

    mutating func note(_ value: Node, at path: [String]) {
        let bytes = path.map { Array($0.utf8) }
        let index: Int
        if let known = indices[bytes] {
            index = known
        } else {
            guard columns.count < maximumColumns,
                let name = ColumnNaming.name(for: path, taken: columns.map(\.name))
            else {
                if !ColumnNaming.canName(path) { hasNamelessMembers = true }
                return
            }
            index = columns.count
            indices[bytes] = index
            columns.append(Column(name: name, path: path, type: nil, keyPosition: nil, firstSeenRun: run))
            values.append(Values())
        }
        noteArray(value, at: index)
        guard let type = ColumnType(holding: value) else { return }
        let isPlaceholder = setsAside && OddValue.isPlaceholder(value)
        if isPlaceholder || setsAside && OddValue.isSpelledNumber(value) {
            values[index].weakType = values[index].weakType?.widened(toHold: type) ?? type
            if isPlaceholder { values[index].placeholders += 1 } else { values[index].spellings += 1 }
            return
        }
        values[index].strong += 1
        if type.rank != nil { values[index].numbers = values[index].numbers?.widened(toHold: type) ?? type }
        columns[index].type = columns[index].type?.widened(toHold: type) ?? type
        // Only all values together show which integers a REAL column must hold; TEXT holds any of them exactly.
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

/// Finds the field that identifies a record if the configuration names none.
package enum KeyInference {
    /// The fields that identify records by convention, the most usual first. `url` and `href` name the resource itself.
    private static func names(for stream: StreamName) -> [String] {
        let name = stream.stream
        return ["id", "\(name)_id", "\(singular(name))_id", "uuid", "key", "slug", "_id", "url", "href"]
    }

    /// The same names by their letters alone: `ID`, `orderNumberId`, `PageID`. They are tried after the others.
    private static func letters(for stream: StreamConfiguration) -> [String] {
        let path = stream.request.path.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        let words = [stream.name.stream] + path.filter { !$0.contains("{") }.suffix(1)
        let own = words.flatMap { [$0, singular($0)] }.map { letters(of: $0) + "id" }
        return ["id"] + own + ["uuid", "guid", "key", "slug", "pageid", "code"]
    }

    private static func singular(_ name: String) -> String {
        if name.hasSuffix("ies") { return name.dropLast(3) + "y" }
        return name.hasSuffix("s") ? String(name.dropLast()) : name
    }

    private static func letters(of name: String) -> String { name.lowercased().filter { $0 != "_" && $0 != "-" } }

    /// Returns the first candidate that every record has, with a text or an integer that is unique in the page.
    package static func key(of stream: StreamConfiguration, in records: Selection) -> String? {
        if case .entries(let name, _) = stream.recordShape, isKey(name, of: records) { return name }
        if let usual = names(for: stream.name).first(where: { isKey($0, of: records) }) { return usual }
        let members = records.withRecord(at: 0) { $0.members.prefix(200).map(\.key.text) } ?? []
        return letters(for: stream).lazy
            .flatMap { letters in members.filter { Self.letters(of: $0) == letters } }
            .first { isKey($0, of: records) }
    }

    private static func isKey(_ candidate: String, of records: Selection) -> Bool {
        var seen: Set<[UInt8]> = []
        var isKey = true
        records.forEach { record in
            guard isKey, let value = record[candidate], value.kind == .string || value.kind == .integer else {
                isKey = false
                return
            }
            isKey = seen.insert(Array(value.utf8)).inserted
        }
        return isKey && !seen.isEmpty
    }
}

/// Finds the fields that seem to grow with every change of a record, so that changes can be requested by them.
package enum CursorInference {
    private static let usual = [
        "updated_at", "updatedAt", "updated", "updated_on", "last_updated", "lastUpdated", "last_updated_at",
        "lastUpdatedAt", "modified_at", "modifiedAt", "modified", "modified_on", "last_modified", "lastModified",
        "date_modified", "dateModified", "changed_at", "changedAt", "changed", "timestamp", "sequence", "seq",
    ]

    /// Returns the fields, the usual names first, under which every record has an integer or a time in a known format.
    package static func fields(of records: Selection) -> [StarterFindings.CursorField] {
        let members = records.withRecord(at: 0) { $0.members.prefix(200).map(\.key.text) } ?? []
        let names = usual.filter(members.contains) + members.filter { !usual.contains($0) && isTelling($0) }
        return names.compactMap { name in
            var found: Set<StarterFindings.CursorField> = []
            var isCursor = true
            records.forEach { record in
                guard isCursor else { return }
                let field = record[name].flatMap { self.field(name, with: $0) }
                isCursor = field != nil
                found.formUnion([field].compactMap(\.self))
            }
            return isCursor && found.count == 1 ? found.first : nil
        }
    }

    private static func isTelling(_ name: String) -> Bool {
        let words = name.nameWords
        return words.last == "timestamp" || words.contains { ["changed", "modified", "updated"].contains($0) }
    }

    /// Returns the field with the format of this value; nil if it is none of a cursor.
    private static func field(_ name: String, with value: Node) -> StarterFindings.CursorField? {
        if value.kind == .integer {
            // Seconds and milliseconds from 2001 on; other numbers count.
            let number = Int64(value.text) ?? 0
            if (1_000_000_000..<10_000_000_000).contains(number) { return .init(name, .epoch) }
            return .init(name, (1_000_000_000_000..<10_000_000_000_000).contains(number) ? .epochMilliseconds : nil)
        }
        let formats = [DatetimeFormat.rfc3339, .microsoftJSON]
        return formats.first { $0.instant(of: value.string ?? "", in: .utc) != nil }.map { .init(name, $0) }
    }
}

/// A preview of the table that the records of a first page would create. It stores nothing.
package struct TablePreview: Sendable {
    /// The columns, of which the added ones come last; empty if there are no records.
    package let columns: [Column]
    /// The names of the key's columns, in order.
    package let primaryKey: [String]
    /// The tables of arrays of objects, with `child_tables`.
    package let children: [Child]
    private let flattenDepth: Int
    private let added: AddedFields

    /// A table that arrays of objects would get.
    package struct Child: Sendable {
        package let table: String
        package let columns: [Column]
        /// The number of elements that the page has.
        package let rowCount: Int
    }

    /// Throws `PersistenceError` if the records do not fit the configuration.
    ///
    /// - Parameters:
    ///   - slice: The slice of the records; nil for records to which nothing is added.
    ///   - isDocument: True if the only record is the whole body.
    package init(
        of stream: StreamConfiguration, from records: Selection, in slice: FirstSlice? = nil, isDocument: Bool = false
    ) throws {
        flattenDepth = stream.flattenDepth
        added = slice?.added ?? AddedFields(json: nil)
        guard records.count > 0 else {
            (columns, primaryKey, children) = ([], [], [])
            return
        }
        try stream.requireFreeNames(among: records)
        let own = KeyInference.key(of: stream, in: records)
        let inferred = own.map { (slice?.keyMembers ?? []) + [$0] } ?? (isDocument ? slice?.documentKey : nil)
        let key = stream.writeDisposition == .append || stream.dedupes ? [] : stream.primaryKey ?? inferred ?? []
        let schema = try added.with { added in
            try TableSchema(for: stream, from: records, adding: added, key: key, run: 0)
        }
        let additions = stream.fields.stamped
        columns =
            schema.columns
            + additions.map { Column(name: $0.name, path: [], type: $0.type, keyPosition: nil, firstSeenRun: 0) }
        primaryKey = schema.key.map(\.name)
        children = stream.childTables ? Self.children(of: schema, stream, in: records) : []
    }

    private static func children(of schema: TableSchema, _ stream: StreamConfiguration, in records: Selection)
        -> [Child]
    {
        let setsAside = stream.schemaContract.dataTypes == .setAside
        let paths = SchemaInference(
            of: records, flattenDepth: stream.flattenDepth, leavesOutArrays: true, settingAside: setsAside, run: 0
        ).leftOutArrays
        return paths.map { path in
            var inference = SchemaInference(
                behind: schema.outerColumns(run: 0), flattenDepth: stream.flattenDepth, settingAside: setsAside, run: 0)
            let count = inference.noteElements(at: path, of: records)
            let name = ColumnNaming.name(for: [stream.table] + path, taken: [stream.table])
            return Child(table: name ?? stream.table, columns: inference.columns, rowCount: count)
        }
    }

    /// Calls `body` with a record's value for each column; nil for an added one. The values are valid only inside it.
    package func withValues<Result>(of node: Node, _ body: ([Node?]) throws -> Result) rethrows -> Result {
        try added.with { try body(values(of: PageRecord(node: node, added: $0))) }
    }

    private func values(of record: PageRecord) -> [Node?] {
        columns.map { column in
            if column.path.isEmpty { return nil }
            if record.node.kind != .object, column.path == [RecordBinder.scalarRecordField] { return record.node }
            let value = record.value(at: column.path)
            // Its members have columns of their own.
            return value?.kind == .object && column.path.count <= flattenDepth ? nil : value
        }
    }
}
