import Database
import Model
import SQLite

/// The full-text index of a stream's table, `_garner_search_` and the stream's number: it holds the texts of some columns
/// under the numbers of their rows, and is written with each page.
///
/// An FTS5 table with its own copy of the texts (sqlite.org/fts5.html). One that reads them from the stream's table would
/// have to be told what they were before, by triggers; with `trusted_schema` off, triggers may not write virtual tables.
final class SearchIndex {
    private let streamID: Int64
    private let connection: Connection
    private let fields: [String]
    private var columns: [Column]
    private var changedRows: [Int64] = []

    static func name(of streamID: Int64) -> String { "_garner_search_\(streamID)" }

    /// Makes the index of these fields where there is none or one of others, or removes it where none of them is a column.
    init?(of fields: [String], in schema: TableSchema, streamID: Int64, on connection: Connection) throws {
        self.streamID = streamID
        self.connection = connection
        self.fields = fields
        columns = Self.columns(of: fields, in: schema)
        guard !columns.isEmpty else {
            if try Self.definition(of: streamID, on: connection) != nil { try Self.drop(of: streamID, on: connection) }
            return nil
        }
        // By bytes, since the names of two columns may differ in their Unicode form only.
        let isMade = try Self.definition(of: streamID, on: connection)?.utf8.elementsEqual(definition.utf8) == true
        if try !isMade || !Self.fits(schema.table, streamID: streamID, on: connection) { try make(of: schema.table) }
    }

    func note(_ change: RowChange) {
        switch change {
        case .none, .deleted: return
        case .inserted(let row), .updated(let row): changedRows.append(row)
        }
    }

    /// Takes over what the page has changed.
    func endPage(in schema: TableSchema) throws {
        let columns = Self.columns(of: fields, in: schema)
        if columns != self.columns {
            self.columns = columns
            try make(of: schema.table)
        } else if !changedRows.isEmpty {
            let statement = try connection.statement(
                "REPLACE INTO \(name) (rowid, \(names)) SELECT _rowid_, \(stored) FROM \(quoted(schema.table)) "
                    + "WHERE _rowid_ = ?1")
            for row in changedRows {
                try statement.bind(row, at: 1)
                try statement.run()
            }
            try flush()
        }
        changedRows.removeAll(keepingCapacity: true)
    }

    /// Forgets rows that are about to be deleted.
    func forget(rowsWhere condition: String, _ values: [Value], in table: String) throws {
        let statement = try connection.statement(
            "DELETE FROM \(name) WHERE rowid IN (SELECT _rowid_ FROM \(quoted(table)) WHERE \(condition))")
        try statement.bind(values)
        try statement.run()
        try flush()
    }

    static func drop(of streamID: Int64, on connection: Connection) throws {
        try connection.execute("DROP TABLE IF EXISTS \(name(of: streamID))")
    }

    /// Whether the index has the rows of the table under their numbers.
    ///
    /// "VACUUM may change the ROWIDs for entries in any tables that do not have an explicit INTEGER PRIMARY KEY"
    /// (sqlite.org/lang_vacuum.html): to 1, 2, … in their order, so that the least or the greatest one changes with any.
    static func fits(_ table: String, streamID: Int64, on connection: Connection) throws -> Bool {
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

    /// Of the index's columns: FTS5 keeps two names for itself.
    private var names: String {
        var taken = ["rank", "rowid"]
        return columns.map { column in
            var name = column.name
            while taken.contains(name.lowercased()) { name += "_" }
            taken.append(name.lowercased())
            return quoted(name)
        }.joined(separator: ", ")
    }

    private var stored: String { columns.map { quoted($0.name) }.joined(separator: ", ") }

    /// O(rows).
    private func make(of table: String) throws {
        try Self.drop(of: streamID, on: connection)
        try connection.execute(definition)
        try connection.execute(
            "INSERT INTO \(name) (rowid, \(names)) SELECT _rowid_, \(stored) FROM \(quoted(table))")
        try flush()
    }

    /// FTS5 keeps texts back until the transaction ends or a part of it begins. A change of the schema makes a new instance
    /// of the index meanwhile, which would not know of them.
    private func flush() throws {
        try connection.execute("SAVEPOINT flush")
        try connection.execute("RELEASE flush")
    }

    private static func columns(of fields: [String], in schema: TableSchema) -> [Column] {
        var indices: [Int] = []
        // A column may be named twice: as the member that it has, and by its own name.
        for case let index? in fields.map(schema.index(ofField:)) where !indices.contains(index) {
            indices.append(index)
        }
        return indices.map { schema.columns[$0] }
    }

    private static func definition(of streamID: Int64, on connection: Connection) throws -> String? {
        try connection.text("SELECT sql FROM sqlite_schema WHERE name = ?1", .text(name(of: streamID)))
    }
}

/// What is searched for.
package enum SearchText: Sendable, Equatable {
    /// Words that a record must have, all of them; nothing else has a meaning.
    case words(String)
    /// FTS5's own syntax (sqlite.org/fts5.html#full_text_query_syntax).
    case expression(String)

    /// As FTS5 reads it: each word as a string, in which only the quote is special. No word at all is found nowhere.
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

extension DatabaseReader {
    /// Returns the records of a table in which the text is found, the best first; for `guarding`, as the table may have
    /// columns of its owner's.
    package func search(_ name: String, for text: SearchText, limit: Int?) throws -> RowCursor {
        try translatingErrors(of: "the search of \(name)") {
            let (streamID, table) = try streamTable(name)
            let index = SearchIndex.name(of: streamID)
            guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?1", .text(index)) != nil else {
                throw try unsearchable(table, streamID: streamID)
            }
            guard try SearchIndex.fits(table, streamID: streamID, on: connection) else {
                throw PersistenceError(
                    .request, "another program has changed the rows of \(table), which can no longer be searched",
                    hint: "run 'garner sync' once, which makes the index anew")
            }
            let found = "FROM \(index) WHERE \(index) MATCH ?1"
            try check(found, text)
            let statement = try Statement(
                """
                SELECT record.* FROM (SELECT rowid AS number, rank AS place \(found) ORDER BY rank LIMIT ?2) AS found
                JOIN \(quoted(table)) AS record ON record._rowid_ = found.number ORDER BY found.place, found.number
                """, on: connection)
            try statement.bind([.text(text.query), .integer(Int64(limit ?? -1))])
            return RowCursor(of: statement, on: self)
        }
    }

    /// FTS5 finds out that it does not understand a text when it looks for it.
    private func check(_ found: String, _ text: SearchText) throws {
        do {
            _ = try connection.integer("SELECT 1 \(found) LIMIT 1", .text(text.query))
        } catch let error as SQLiteError where error.kind == .other {
            throw PersistenceError(
                .request, "the search: \(error.message)",
                hint: "leave --raw out to search for plain words; sqlite.org/fts5.html has the syntax")
        }
    }

    private func unsearchable(_ table: String, streamID: Int64) throws -> PersistenceError {
        let stream = try connection.text("SELECT name FROM _garner_streams WHERE stream_id = ?1", .integer(streamID))
        return PersistenceError(
            .request, "the table \(table) cannot be searched",
            hint: "set 'search: [FIELD, …]' for the stream \(stream ?? table), and run 'garner sync'")
    }
}
