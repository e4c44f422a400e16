package import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerPersistence
package import GarnerPostgres

/// Makes published rows of a table's rows in the file.
///
/// What does not fit its published column is NULL or the nearest value there, and itself in `_garner_rest`.
///
///     var converter = RowConverter(definition, of: columns)
///     try await connection.copy(converter.copyStatement(place)) { rows in
///         guard try cursor.step() else { return false }
///         try converter.append(cursor, to: &rows)
///         return true
///     }
package struct RowConverter {
    /// A published column, and where its value is.
    struct Source {
        let column: TableDefinition.Column
        /// The place in a row of the file; nil for the number of the row.
        let index: Int?
        let fileType: ColumnType?
        /// The name in the file as the inside of a JSON string.
        let restName: [UInt8]
    }

    /// The published columns that the file's rows have values for. `_garner_rest` is the last one.
    let sources: [Source]
    /// The columns that have no room in the published table.
    let withoutRoom: [Source]
    let restIndex: Int?
    let key: [Source]
    private let rest: TableDefinition.Column
    var aside = RestText()

    /// What has been changed since the converter was made.
    package internal(set) var notes = ConversionNotes()

    /// - Parameter file: The columns of the file's rows in their order.
    package init(_ definition: TableDefinition, of file: [FileColumn]) {
        func source(_ column: TableDefinition.Column, _ index: Int?) -> Source {
            Source(
                column: column, index: index, fileType: index.map { file[$0].type } ?? .integer,
                restName: RestText.escaped(column.file))
        }
        var found = definition.columns.compactMap { column -> Source? in
            if column.role == .rowNumber { return source(column, nil) }
            guard column.role != .rest else { return nil }
            let index = file.firstIndex { $0.name.utf8.elementsEqual(column.file.utf8) }
            return index.map { source(column, $0) }
        }
        key = definition.key.compactMap { column in
            found.first { $0.column.name.utf8.elementsEqual(column.name.utf8) }
        }
        rest =
            definition.columns.first { $0.role == .rest }
            ?? TableDefinition.Column(
                name: TableDefinition.rest, file: TableDefinition.rest, type: .jsonb, role: .rest)
        // A key that does not fit ends the row before anything else is done.
        found = found.filter(\.column.isKey) + found.filter { !$0.column.isKey }
        sources = found
        restIndex = file.firstIndex { $0.role == .rest }
        withoutRoom = file.enumerated().compactMap { index, column in
            guard column.role == .value, column.type != nil, definition.column(of: column) == nil else { return nil }
            let unpublished = TableDefinition.Column(name: column.name, file: column.name, type: .text)
            return source(unpublished, index)
        }
    }

    /// The names of the columns in the order in which values are appended.
    private var columns: [TableDefinition.Column] { sources.map(\.column) + [rest] }

    // MARK: - Statements
    // ONLY: somebody's tables that inherit from a published one keep their rows.

    /// `COPY … FROM STDIN (FORMAT binary)`.
    package func copyStatement(_ place: PublishedPlace) -> String {
        "COPY \(place.sql) (\(columns.map { SQLText.name($0.name) }.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    }

    /// The `UPDATE` whose parameters `updateArrays` has.
    package func updateStatement(_ place: PublishedPlace) -> String {
        let settings = columns.filter { !$0.isKey }.map { column in
            "\(SQLText.name(column.name)) = s.\(SQLText.name(column.name))\(column.type.cast)"
        }
        return
            "UPDATE ONLY \(place.sql) AS t SET \(settings.joined(separator: ", ")) FROM \(Self.unnest(columns)) WHERE \(matches)"
    }

    /// The `DELETE` whose parameters `keyArrays` has.
    package func deleteStatement(_ place: PublishedPlace) -> String {
        "DELETE FROM ONLY \(place.sql) AS t USING \(Self.unnest(key.map(\.column))) WHERE \(matches)"
    }

    /// The query that finds one of the rows that `deleteStatement` deletes.
    func presentStatement(_ place: PublishedPlace) -> String {
        "SELECT FROM ONLY \(place.sql) AS t, \(Self.unnest(key.map(\.column))) WHERE \(matches) LIMIT 1"
    }

    private var matches: String {
        key.map { source in
            let name = SQLText.name(source.column.name)
            return "t.\(name) = s.\(name)\(source.column.type.cast)"
        }.joined(separator: " AND ")
    }

    private static func unnest(_ columns: [TableDefinition.Column]) -> String {
        let arrays = columns.enumerated().map { "$\($0 + 1)::\($1.type.arrayElement)[]" }.joined(separator: ", ")
        return "unnest(\(arrays)) AS s (\(columns.map { SQLText.name($0.name) }.joined(separator: ", ")))"
    }

    /// Empty arrays for `updateStatement`.
    package func updateArrays() -> ColumnArrays { ColumnArrays(columns.map(\.type)) }

    /// Empty arrays for `deleteStatement`.
    package func keyArrays() -> ColumnArrays { ColumnArrays(key.map(\.column.type)) }

    // MARK: - Rows

    /// Appends a row for `copyStatement`. Throws `KeyMisfit`, after which the rows must not be sent.
    package mutating func append(_ row: some FileRow, to rows: inout CopyRows) throws { try convert(row, to: &rows) }

    /// Appends a row for `updateStatement`. Throws `KeyMisfit`; the arrays are then as they were.
    package mutating func append(_ row: some FileRow, to rows: inout ColumnArrays) throws {
        do {
            try convert(row, to: &rows)
        } catch {
            rows.dropRow()
            throw error
        }
    }

    /// Appends the key of a deleted row for `deleteStatement`, in the order of the file's key; of a table without a key, the row's number.
    ///
    /// Returns false for a key that the published table cannot have.
    package mutating func append(key values: [Value], to rows: inout ColumnArrays) throws -> Bool {
        guard values.count == key.count else { return false }
        rows.beginRow(columns: Int16(clamping: key.count))
        do {
            for (value, source) in zip(values, key) {
                try value.withStoredBytes { try convert($0, in: source, rest: .null, to: &rows) }
            }
            return true
        } catch is KeyMisfit {
            rows.dropRow()
            return false
        }
    }

    private mutating func convert<Sink: PublishedRowSink>(_ row: some FileRow, to sink: inout Sink) throws {
        aside.removeAll()
        sink.beginRow(columns: Int16(clamping: sources.count + 1))
        let rest = restIndex.map(row.value) ?? .null
        for source in sources {
            try convert(source.index.map(row.value) ?? .integer(row.row), in: source, rest: rest, to: &sink)
        }
        for source in withoutRoom { if let index = source.index { setAside(row.value(at: index), in: source) } }
        try append(rest: rest, to: &sink)
    }

    private mutating func append<Sink: PublishedRowSink>(rest: StoredBytes, to sink: inout Sink) throws {
        var own: UnsafeBufferPointer<UInt8>?
        if case .text(let text) = rest { own = text }
        if aside.isEmpty {
            guard let own else { return sink.appendNull() }
            let json = JSONBText(own)
            if json.verdict == .held, json.isObject, CanonicalText.canHold(own) {
                return try sink.append(json: UnsafeRawBufferPointer(own))
            }
        }
        var found: [Misfit] = []
        guard let merged = aside.merged(with: own, { found.append($0) }) else { return sink.appendNull() }
        for misfit in found { notes.add(misfit, of: TableDefinition.rest) }
        try merged.withUnsafeBytes { try sink.append(json: $0) }
    }
}

extension Value {
    fileprivate func withStoredBytes(_ body: (StoredBytes) throws -> Void) rethrows {
        switch self {
        case .null: try body(.null)
        case .integer(let integer): try body(.integer(integer))
        case .real(let real): try body(.real(real))
        case .text(let text): try Array(text.utf8).withUnsafeBufferPointer { try body(.text($0)) }
        case .blob(let bytes): try bytes.withUnsafeBufferPointer { try body(.blob($0)) }
        }
    }
}
