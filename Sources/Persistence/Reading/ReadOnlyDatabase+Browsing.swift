import GarnerCatalog
package import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// Some rows of a table: their numbers in order, and the mark after which the next ones begin.
package struct RowNumbers: Sendable, Equatable {
    package let rows: [Int64]
    /// The mark of the last row; nil if no row follows.
    package let next: RowMark?
}

/// A value of a column with the number of rows that have it.
package struct Facet: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package let value: Value
        package let rows: Int
    }

    /// The position of the column.
    package let column: Int
    /// The values, the most frequent ones first.
    package let entries: [Entry]
    /// The number of rows that were counted, if not all were.
    package let sample: Int?
}

extension ReadOnlyDatabase {
    /// Returns the table of a stream, or the view, with this name. Throws if there is neither.
    ///
    /// - Parameter instant: The moment whose rows `viewing(asOf:_:)` shows; nil for those of now. Old rows have no numbers,
    ///   so they are like those of a view.
    package func relation(_ name: String, asOf instant: Timestamp? = nil) throws -> Relation {
        try reading {
            if let view = try view(name) {
                let columns = try translatingErrors(of: "the view \(view)", hint: .mendView(view)) {
                    // A view without columns is one that SQLite cannot read; preparing it tells why.
                    let columns = try relationColumns(of: view)
                    if columns.isEmpty { _ = try Statement("SELECT * FROM \(quoted(view))", on: connection) }
                    return columns
                }
                return Relation(
                    name: view, isView: true, stream: nil, columns: columns, key: [],
                    keyIsRowNumber: false, searchIndex: nil, keepsVersions: false, asOf: instant)
            }
            let (streamID, table) = try streamTable(name)
            let columns = try relationColumns(of: table)
            let schema = try TableSchema(streamID: streamID, table: table, on: connection)
            let stream = try connection.text(
                """
                SELECT coalesce(parent.name, stream.name) FROM _garner_streams AS stream
                LEFT JOIN _garner_children USING (stream_id)
                LEFT JOIN _garner_streams AS parent ON parent.stream_id = parent_id WHERE stream.stream_id = ?1
                """, .id(streamID))
            let key = (schema?.key ?? []).compactMap { part in columns.firstIndex { $0.name == part.name } }
            let index = SearchIndex.name(of: streamID)
            return Relation(
                name: table, isView: instant != nil, stream: stream, columns: columns, key: key,
                keyIsRowNumber: instant == nil && schema?.keyIsRowNumber ?? false,
                searchIndex: try instant == nil && connection.hasTable(index) ? index : nil,
                keepsVersions: try HistoryTable(of: table, on: connection).exists(), asOf: instant,
                mark: try DeletionMark(of: streamID, table: table, on: connection))
        }
    }

    /// All columns that `SELECT *` shows, also computed ones.
    func relationColumns(of relation: String) throws -> [RelationColumn] {
        try connection.rows(
            "SELECT name, type FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid", [.text(relation)]
        ) { RelationColumn(name: $0.text(at: 0), type: $0.text(at: 1)) }
    }

    /// Throws if the selection is one of a search that cannot be answered.
    package func check(_ selection: RowSelection) throws {
        guard selection.words != nil else { return }
        try reading {
            let (streamID, table) = try streamTable(selection.relation.name)
            _ = try searchIndex(of: table, streamID)
        }
    }

    /// Returns the rows of a table that follow a mark.
    ///
    /// - Parameter mark: The mark of the row before; nil for the first rows.
    package func numbers(of selection: RowSelection, after mark: RowMark? = nil, limit: Int) throws -> RowNumbers {
        try reading {
            try translatingErrors(of: "the rows of \(selection.relation.name)") {
                let mark = try mark.map { try completed($0, of: selection) }
                var found: [(row: Int64, value: Value)] = []
                for query in selection.numbers(after: mark) where found.count <= limit {
                    let more = Int64(limit + 1 - found.count)
                    found += try connection.rows(query.text, query.values + [.integer(more)]) {
                        ($0.integer(at: 0), $0.value(at: 1))
                    }
                }
                let rows = found.prefix(limit)
                let next = found.count > limit ? rows.last : nil
                return RowNumbers(
                    rows: rows.map(\.row),
                    next: next.map { RowMark(row: $0.row, value: selection.hasValue ? $0.value : nil) })
            }
        }
    }

    /// Looks up the value of a mark that has none.
    private func completed(_ mark: RowMark, of selection: RowSelection) throws -> RowMark {
        guard mark.value == nil, let lookup = selection.lookup else { return mark }
        let value = try connection.firstRow(lookup, [.integer(mark.row)]) { $0.value(at: 0) }
        guard let value else {
            throw PersistenceError(
                .request, "the row is gone after which this page began", hint: "begin again at the first page")
        }
        return RowMark(row: mark.row, value: value)
    }

    /// Returns the rows with these numbers, in this order.
    package func rows(_ numbers: [Int64], of relation: Relation) throws -> RowCursor {
        try translatingErrors(of: "the rows of \(relation.name)") {
            let statement = try Statement(
                """
                SELECT record.* FROM json_each(?1) AS place
                CROSS JOIN \(quoted(relation.name)) AS record ON record._rowid_ = place.value ORDER BY place.key
                """, on: connection)
            try statement.bind([.text("\(numbers)")])
            return RowCursor(of: statement, on: self, isWhole: relation.stream != nil)
        }
    }

    package func allRows(of selection: RowSelection, limit: Int? = nil) throws -> RowCursor {
        try translatingErrors(of: "the rows of \(selection.relation.name)") {
            let query = selection.all
            let statement = try Statement(
                query.text + (limit.map { " LIMIT \($0)" } ?? ""), on: connection)
            try statement.bind(query.values)
            return RowCursor(of: statement, on: self, isWhole: selection.relation.stream != nil)
        }
    }

    /// Returns the number of rows.
    ///
    /// - Parameter limit: The number at which counting ends; nil to count all.
    package func count(of selection: RowSelection, upTo limit: Int? = nil) throws -> Int {
        try reading {
            try translatingErrors(of: "the rows of \(selection.relation.name)") {
                let query =
                    limit.map { selection.select("1", "LIMIT \($0)") } ?? selection.select("count(*)")
                let text = limit == nil ? query.text : "SELECT count(*) FROM (\(query.text))"
                return Int(try connection.firstRow(text, query.values) { $0.integer(at: 0) } ?? 0)
            }
        }
    }

    /// Returns the values of a column with the number of rows of each; nil if they are too many to choose from.
    ///
    /// A filter for one value of the column does not count, so that another one can be chosen.
    ///
    /// - Parameter sample: The number of rows that are counted; nil for all.
    package func facet(ofColumn index: Int, in selection: RowSelection, sample: Int?) throws -> Facet? {
        try reading {
            try translatingErrors(of: "the values of \(selection.relation.name)") {
                var selection = selection
                let column = selection.relation.columns[index]
                selection.filters.removeAll { $0.column == column && $0.comparison == .equal }
                let query = selection.select(
                    "record.\(quoted(column.name)) AS value", sample.map { "LIMIT \($0)" } ?? "")
                let entries = try connection.rows(
                    """
                    SELECT iif(length(value) > \(Self.longestFacet), NULL, value), count(*), length(value) FROM (\(query.text))
                    GROUP BY value ORDER BY 2 DESC, 1 LIMIT \(Self.mostEntries + 1)
                    """, query.values
                ) { ($0.value(at: 0), Int($0.integer(at: 1)), $0.optionalInteger(at: 2) ?? 0) }
                guard (1...Self.mostEntries).contains(entries.count),
                    entries.allSatisfy({ $0.2 <= Self.longestFacet })
                else { return nil }
                let counted = entries.reduce(0) { $0 + $1.1 }
                return Facet(
                    column: index, entries: entries.map { Facet.Entry(value: $0.0, rows: $0.1) },
                    sample: sample.flatMap { counted < $0 ? nil : $0 })
            }
        }
    }

    private static let mostEntries = 12
    /// The most characters of a value that can be chosen.
    private static let longestFacet = 60

    /// Returns the digests of the pictures that rows of a table point to: of each row, the first field's that has one.
    package func pictures(ofRows numbers: [Int64], in name: String) throws -> [Int64: String] {
        try reading {
            guard !numbers.isEmpty else { return [:] }
            let (streamID, table) = try streamTable(name)
            let fields = try connection.rows(
                "SELECT DISTINCT field FROM _garner_attachments WHERE stream_id = ?1 ORDER BY field", [.id(streamID)]
            ) { $0.text(at: 0) }
            guard !fields.isEmpty, let schema = try TableSchema(streamID: streamID, table: table, on: connection)
            else { return [:] }
            var pictures: [Int64: String] = [:]
            for field in fields {
                guard let index = schema.index(ofField: field) else { continue }
                let found = try connection.rows(
                    """
                    SELECT place.value, file.sha256 FROM json_each(?1) AS place
                    CROSS JOIN \(quoted(table)) AS record ON record._rowid_ = place.value
                    JOIN _garner_attachments AS link
                    ON link.stream_id = ?2 AND link.field = ?3 AND link.url = record.\(quoted(schema.columns[index].name))
                    JOIN _garner_blobs AS file ON file.sha256 = link.sha256 WHERE file.media_type LIKE 'image/%'
                    """, [.text("\(numbers)"), .id(streamID), .text(field)]
                ) { ($0.integer(at: 0), $0.text(at: 1)) }
                pictures.merge(found) { first, _ in first }
            }
            return pictures
        }
    }
}
