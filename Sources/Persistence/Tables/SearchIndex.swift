import GarnerDatabase
package import GarnerModel
package import GarnerSQLite

/// The full-text index of a stream's table: `_garner_search_` and the stream's number. It holds the texts of some
/// columns under their row numbers, and is written with each page.
///
/// It is an FTS5 table with its own copy of the texts (sqlite.org/fts5.html). An index on the texts of the stream's
/// table would need triggers that report the old texts; with `trusted_schema` off, triggers may not write to virtual
/// tables.
package final class SearchIndex {
    private let streamID: StreamID
    private let connection: Connection
    private let fields: [String]
    private var columns: [Column]
    /// True if the table has a column for values that were set aside.
    private var keepsRest: Bool
    private var changedRows: [Int64] = []
    /// The numbers of changed rows, for `replacement`.
    private let numbers: VirtualTable
    /// Writes the texts of those rows; nil until it is needed.
    private var replacement: Statement?

    package static func name(of streamID: StreamID) -> String { "_garner_search_\(streamID)" }

    /// Creates the index of these fields if it is missing, stale or has other fields. Removes it if none of them is a column.
    package init?(
        of fields: [String], in schema: TableSchema, isStale: Bool = false, streamID: StreamID,
        on connection: Connection
    ) throws {
        self.streamID = streamID
        self.connection = connection
        self.fields = fields
        numbers = try VirtualTable(columns: 1, on: connection)
        columns = Self.columns(of: fields, in: schema)
        keepsRest = schema.keepsRest
        guard !columns.isEmpty else {
            if try Self.definition(of: streamID, on: connection) != nil { try Self.drop(of: streamID, on: connection) }
            return nil
        }
        // The texts are compared by bytes, since names of columns may differ only in their Unicode form.
        let isMade = try Self.definition(of: streamID, on: connection)?.utf8.elementsEqual(definition.utf8) == true
        if try isStale || !isMade || !Self.fits(schema.table, streamID: streamID, on: connection) {
            try make(of: schema)
        }
    }

    func note(_ change: RowChange) {
        switch change {
        case .none, .deleted: return
        case .inserted(let row), .updated(let row): changedRows.append(row)
        }
    }

    /// Adds the page's changes to the index.
    func endPage(in schema: TableSchema) throws {
        let columns = Self.columns(of: fields, in: schema)
        if columns != self.columns {
            self.columns = columns
            try make(of: schema)
        } else if !changedRows.isEmpty {
            if keepsRest != schema.keepsRest { replacement = nil }
            keepsRest = schema.keepsRest
            try replaceTexts(in: schema)
            try flush()
        }
        changedRows.removeAll(keepingCapacity: true)
    }

    /// Writes the texts of all changed rows with one statement: SQLite looks through the waiting texts after each.
    private func replaceTexts(in schema: TableSchema) throws {
        let stored = columns.map { schema.wholeValue(of: $0, in: "record.") }.joined(separator: ", ")
        let statement =
            try replacement
            ?? Statement(
                """
                REPLACE INTO \(name) (rowid, \(names)) SELECT record._rowid_, \(stored)
                FROM \(numbers.name) CROSS JOIN \(quoted(schema.table)) AS record ON record._rowid_ = \(numbers.name).c1
                """, on: connection)
        replacement = statement
        var next = changedRows.makeIterator()
        try numbers.supply {
            guard let row = next.next() else { return false }
            numbers.values.bind(row, at: 1)
            return true
        } to: {
            try statement.run()
        }
    }

    /// Removes rows that are about to be deleted.
    func forget(rowsWhere condition: String, _ values: [Value], in table: String) throws {
        let statement = try connection.statement(
            "DELETE FROM \(name) WHERE rowid IN (SELECT _rowid_ FROM \(quoted(table)) WHERE \(condition))")
        try statement.bind(values)
        try statement.run()
        try flush()
    }

    package static func drop(of streamID: StreamID, on connection: Connection) throws {
        try connection.execute("DROP TABLE IF EXISTS \(name(of: streamID))")
    }

    /// Returns true if the index has the rows of the table under their numbers.
    ///
    /// "VACUUM may change the ROWIDs for entries in any tables that do not have an explicit INTEGER PRIMARY KEY"
    /// (sqlite.org/lang_vacuum.html): it numbers them 1, 2, … in their order, so that the first or the last number
    /// changes.
    static func fits(_ table: String, streamID: StreamID, on connection: Connection) throws -> Bool {
        let texts = "\(name(of: streamID))_docsize"
        return try connection.integer(
            """
            SELECT (SELECT min(_rowid_) FROM \(quoted(table))) IS (SELECT min(id) FROM \(texts))
            AND (SELECT max(_rowid_) FROM \(quoted(table))) IS (SELECT max(id) FROM \(texts))
            """) == 1
    }

    private var name: String { Self.name(of: streamID) }

    private var definition: String {
        "CREATE VIRTUAL TABLE \(name) USING fts5(\(names), tokenize = 'unicode61 remove_diacritics 2')"
    }

    /// The names of the index's columns. FTS5 reserves two names.
    private var names: String {
        var taken = ["rank", "rowid"]
        return columns.map { column in
            var name = column.name
            while taken.contains(name.lowercased()) { name += "_" }
            taken.append(name.lowercased())
            return quoted(name)
        }.joined(separator: ", ")
    }

    /// Creates the index from all rows; O(rows).
    private func make(of schema: TableSchema) throws {
        replacement = nil
        try Self.drop(of: streamID, on: connection)
        try connection.execute(definition)
        let stored = columns.map { schema.wholeValue(of: $0) }.joined(separator: ", ")
        try connection.execute(
            "INSERT INTO \(name) (rowid, \(names)) SELECT _rowid_, \(stored) FROM \(quoted(schema.table))")
        try flush()
    }

    /// Writes FTS5's pending texts. FTS5 holds them back until the transaction or a savepoint ends, and a change of the
    /// schema creates a new instance of the index that does not know them.
    private func flush() throws {
        try connection.execute("SAVEPOINT flush")
        try connection.execute("RELEASE flush")
    }

    private static func columns(of fields: [String], in schema: TableSchema) -> [Column] {
        var indices: [Int] = []
        // A column may be named twice: by its member and by its own name.
        for case let index? in fields.map(schema.index(ofField:)) where !indices.contains(index) {
            indices.append(index)
        }
        return indices.map { schema.columns[$0] }
    }

    private static func definition(of streamID: StreamID, on connection: Connection) throws -> String? {
        let name = name(of: streamID)
        return try connection.hasTable(name)
            ? connection.text("SELECT sql FROM sqlite_schema WHERE name = ?1", .text(name)) : nil
    }
}

package enum SearchText: Sendable, Equatable {
    /// Words that a record must contain, all of them. Operators have no meaning.
    case words(String)
    /// An expression in FTS5's syntax (sqlite.org/fts5.html#full_text_query_syntax).
    case expression(String)

    /// The request in FTS5's syntax: each word is a string, with quotes doubled. Without words nothing is found.
    var query: String {
        switch self {
        case .expression(let expression): return expression
        case .words(let text):
            let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\0" }
            guard !words.isEmpty else { return "\"\"" }
            return words.map { word in
                "\""
                    + word.split(separator: "\"", omittingEmptySubsequences: false).map { String($0) }
                    .joined(separator: "\"\"") + "\""
            }.joined(separator: " ")
        }
    }
}
