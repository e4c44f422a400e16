import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// A name in SQL of the user that SQLite does not know.
struct SQLMistake {
    private enum Kind { case column, table }

    private let kind: Kind
    /// The name, and before it the table or schema that stands there.
    private let parts: [String]
    /// The SQL as the user has written it.
    private let sql: String

    /// Reads SQLite's message; fails for one of another kind.
    init?(_ message: String, in sql: String) {
        if let name = message.trimming("no such column: ") {
            // SQLite 3.41 appends a question, such as: "open" - should this be a string literal in single-quotes?
            self.init(.column, name.firstRange(of: " - should this").map { name[..<$0.lowerBound] } ?? name, sql)
        } else if let name = message.trimming("no such table: ") {
            self.init(.table, name, sql)
        } else {
            return nil
        }
    }

    private init(_ kind: Kind, _ name: Substring, _ sql: String) {
        self.kind = kind
        self.sql = sql
        let isQuoted = name.count > 2 && name.first == "\"" && name.last == "\""
        parts = (isQuoted ? [name.dropFirst().dropLast()] : name.split(separator: ".")).map(String.init)
    }

    private var name: String { parts.last ?? "" }

    /// Returns the column of a member at some depth, which SQL of other databases and JSON write with a dot: `owner__id` for `owner.id`.
    private func nested(among columns: [String]) -> String? {
        parts.indices.dropLast().lazy.compactMap { first in
            let flat = parts[first...].joined(separator: "__").lowercased()
            return columns.first { $0.lowercased() == flat }
        }.first
    }

    /// Returns the columns of the members of an object, which is none itself.
    private func members(among columns: [String]) -> [String] {
        let start = name.lowercased() + "__"
        return parts.count > 1 ? [] : columns.filter { $0.lowercased().hasPrefix(start) }
    }

    /// Returns the column of a member that the SQL takes out of JSON, as in `owner ->> 'id'` and `json_extract(owner, '$.id')`.
    private func extracted(among members: [String]) -> String? {
        guard !members.isEmpty else { return nil }
        let flat = SQLWord.all(in: sql, withTexts: true).filter(\.isText).map { text in
            ([name[...]] + text.name.split { "$.".contains($0) }).joined(separator: "__").lowercased()
        }
        return members.first { flat.contains($0.lowercased()) }
    }

    /// Returns the places of a name with a dot.
    private func dottedPlaces() -> [Range<String.Index>] {
        let (words, dotted) = (SQLWord.all(in: sql), parts.joined(separator: ".").lowercased())
        return words.indices.dropLast(2).compactMap { first in
            let range = words[first].range.lowerBound..<words[first + 2].range.upperBound
            return sql[range].lowercased() == dotted ? range : nil
        }
    }

    /// Returns the column of the SQL whose name SQL reads as a calculation, as in `my-field`.
    private func calculated(among columns: [String]) -> String? {
        let (sql, start) = (sql.lowercased(), name.lowercased())
        let found = columns.filter { column in
            let column = column.lowercased()
            return column.hasPrefix(start) && sql.contains(column) && !sql.contains("\"\(column)\"")
                && column.dropFirst(start.count).first.map { "-+*/%".contains($0) } == true
        }
        return found.max { $0.count < $1.count }
    }

    /// Returns the advice to put a column in double quotes whose name SQL reads as a calculation.
    private func quotingCalculated(_ column: String) -> Hint {
        let ranges = SQLWord.all(in: sql).compactMap { word -> Range<String.Index>? in
            let start = word.range.lowerBound
            guard !word.isQuoted, word.name.lowercased() == name.lowercased(),
                let end = sql.index(start, offsetBy: column.count, limitedBy: sql.endIndex),
                sql[start..<end].lowercased() == column.lowercased()
            else { return nil }
            return start..<end
        }
        return .quoteName(
            column, reason: "'\(column)' is a calculation without double quotes; write",
            sql: SQLWord.quoting(ranges, in: sql))
    }

    /// Returns what is probably meant; nil if nothing is near.
    ///
    /// - Parameter unmade: Returns why a stream has no table of a name yet; nil if that is not known.
    func hint(relations: [String], columns: (String) -> [String], unmade: (String) -> Hint?) -> Hint? {
        switch kind {
        case .table:
            let dotted = parts.joined(separator: ".")
            if parts.count == 2, relations.contains(where: { $0.lowercased() == dotted.lowercased() }) {
                return .quoteName(
                    dotted, reason: "'\(dotted)' is one name with a dot, and needs double quotes; write",
                    sql: SQLWord.quoting(dottedPlaces(), in: sql))
            }
            if let reason = unmade(name) { return reason }
            if sql.contains(/(?i)\bin\s*'/), sql.contains("'\(name)'") {
                return "write the values in brackets: IN ('\(name)', …)"
            }
            // Oracle's table of one row, for queries that read none.
            if name.lowercased() == "dual" { return "leave out FROM \(name): SQLite needs no table there" }
            let closest = Suggestion.closest(to: name, among: relations)
            let others: Hint? = relations.isEmpty ? nil : "the tables are: \(relations.joined(separator: ", "))"
            return closest.map { "did you mean '\($0)'?" } ?? others
        case .column:
            let words = Set(SQLWord.all(in: sql).map { $0.name.lowercased() })
            let named = relations.filter { words.contains($0.lowercased()) }
            let names = (named.isEmpty ? relations : named).flatMap(columns)
            if let column = calculated(among: names) { return quotingCalculated(column) }
            let members = members(among: names)
            if let column = extracted(among: members) { return "did you mean '\(column)'?" }
            let closest = nested(among: names) ?? Suggestion.closest(to: name, among: names)
            let text = parts.count > 1 ? nil : quotedText(alsoWhereNamed: closest == nil)
            let others: Hint? = members.isEmpty ? nil : "its members are columns: \(members.joined(separator: ", "))"
            guard let text else { return closest.map { "did you mean '\($0)'?" } ?? others }
            return .quoteText(sql: text, column: closest)
        }
    }

    /// Returns the SQL with single quotes around the name where it stands for a text; nil if it does so nowhere.
    ///
    /// - Parameter isText: True if the name also is a text where it is in double quotes and compared with nothing.
    private func quotedText(alsoWhereNamed isText: Bool) -> String? {
        let words = SQLWord.all(in: sql)
        let places = words.indices.filter { index in
            let word = words[index]
            guard word.name == name, index > 0 else { return false }
            return isText && word.isQuoted || words[index - 1].isComparison
                || index > 1 && words[index - 1].name == "(" && words[index - 2].name.lowercased() == "in"
        }
        guard !places.isEmpty else { return nil }
        let literal = sqlLiteral(name)
        var corrected = sql
        for place in places.reversed() { corrected.replaceSubrange(words[place].range, with: literal) }
        return SQLWord.isShort(corrected) ? corrected : literal
    }
}

/// A word or a sign of SQL.
struct SQLWord {
    /// The word without quotes.
    let name: String
    let isQuoted: Bool
    let range: Range<String.Index>
    /// True for a literal.
    var isText = false

    /// True for what stands between a column and the text that it is compared with.
    var isComparison: Bool {
        !isQuoted && ["=", "<", ">", "like", "glob", "is"].contains(name.lowercased())
    }

    /// True for a word that is no sign.
    static func isName(_ word: String) -> Bool { word.first.map { $0.isLetter || $0 == "_" } ?? false }

    /// Returns true for SQL that an advice can repeat.
    static func isShort(_ sql: String) -> Bool { sql.count <= 300 && !sql.contains("\n") }

    /// Returns the SQL with names in double quotes; nil if it names none there, or is too long to be told.
    ///
    /// - Parameter ranges: The places of the names, in order.
    static func quoting(_ ranges: [Range<String.Index>], in sql: String) -> String? {
        var quoted = sql
        for range in ranges.reversed() { quoted.replaceSubrange(range, with: "\"\(sql[range])\"") }
        return !ranges.isEmpty && isShort(quoted) ? quoted : nil
    }

    /// Returns the words of a text. Comments are none; what is not closed ends with the text.
    ///
    /// - Parameter withTexts: True if literals are words, too.
    static func all(in sql: String, withTexts: Bool = false) -> [SQLWord] {
        var words: [SQLWord] = []
        var place = sql.startIndex
        func isPart(_ character: Character) -> Bool {
            character.isLetter || character.isNumber || character == "_" || character == "$"
        }
        while place < sql.endIndex {
            let start = place
            let character = sql[place]
            sql.formIndex(after: &place)
            switch character {
            case "'", "\"":
                while place < sql.endIndex, sql[place] != character { sql.formIndex(after: &place) }
                let name = String(sql[sql.index(after: start)..<place])
                if place < sql.endIndex { sql.formIndex(after: &place) }
                let isText = character == "'"
                if !isText || withTexts {
                    words.append(SQLWord(name: name, isQuoted: !isText, range: start..<place, isText: isText))
                }
            case "-" where place < sql.endIndex && sql[place] == "-":
                while place < sql.endIndex, sql[place] != "\n" { sql.formIndex(after: &place) }
            case _ where isPart(character):
                while place < sql.endIndex, isPart(sql[place]) { sql.formIndex(after: &place) }
                words.append(SQLWord(name: String(sql[start..<place]), isQuoted: false, range: start..<place))
            case _ where character.isWhitespace: break
            default: words.append(SQLWord(name: String(character), isQuoted: false, range: start..<place))
            }
        }
        return words
    }
}

/// A date in SQL without quotes, which SQLite reads as a subtraction.
enum UnquotedDate {
    /// Throws `PersistenceError` if the SQL has such a date, as in `created > 2024-01-31`.
    static func refuse(in sql: String) throws {
        // The time of day may follow.
        let pattern =
            /\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?(?!\w)/
        let dates = SQLWord.all(in: sql).compactMap { word in
            word.isQuoted || word.name.utf8.count != 4
                ? nil : sql[word.range.lowerBound...].prefixMatch(of: pattern)?.range
        }
        guard let first = dates.first.map({ sql[$0] }) else { return }
        var corrected = sql
        for range in dates.reversed() { corrected.replaceSubrange(range, with: "'\(sql[range])'") }
        throw PersistenceError(
            .request, "\(first) without quotes is no date for SQLite, which subtracts its parts",
            hint: .quoteText(sql: corrected, column: nil))
    }
}

/// Quotes in SQL that a word processor has made.
enum TypographicQuotes {
    /// Returns the SQL with the quotes that it has instead; nil if it has none of them outside of texts.
    static func hint(in sql: String) -> Hint? {
        let marks = SQLWord.all(in: sql).filter { ["‘", "’", "‚", "“", "”", "„"].contains($0.name) }
        guard !marks.isEmpty, sql.utf8.count <= 300 else { return nil }
        var corrected = sql
        for mark in marks.reversed() { corrected.replaceSubrange(mark.range, with: "'") }
        return .quoteText(sql: corrected, column: nil)
    }
}

extension String {
    fileprivate func trimming(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}

extension ReadOnlyDatabase {
    /// Returns what SQL probably means that SQLite does not understand; nil if that is unknown.
    ///
    /// - Parameter relation: The table whose columns may be meant; nil for all tables that the SQL names.
    func meaning(of message: String, in sql: [String], on relation: String?) -> Hint? {
        sql.lazy.compactMap { text -> Hint? in
            if let hint = TypographicQuotes.hint(in: text) { return hint }
            let relations = relation.map { [$0] } ?? (try? self.relationNames()) ?? []
            func columns(of relation: String) -> [String] { (try? self.columnNames(of: relation)) ?? [] }
            return SQLMistake(message, in: text)?.hint(
                relations: relations, columns: columns,
                unmade: { self.reasonOfNoTable($0, orAny: relations.isEmpty) })
                ?? ForeignSQL.hint(for: message, in: text, isPart: relation != nil)
                ?? SQLSlip(message, in: text)?.hint(
                    relations: relations, columns: { relations.flatMap(columns) },
                    functions: { (try? self.functions()) ?? [] })
        }.first
    }

    private func functions() throws -> [(name: String, count: Int)] {
        try connection.rows("SELECT DISTINCT name, narg FROM pragma_function_list") {
            ($0.text(at: 0), Int($0.integer(at: 1)))
        }
    }

    /// The tables and views that queries read: those of streams, and in the database of another program all.
    func relationNames() throws -> [String] {
        try connection.rows(
            """
            SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')
            AND name NOT GLOB '_garner_*' AND name NOT GLOB 'sqlite_*' ORDER BY 1
            """
        ) { $0.text(at: 0) }
    }
}
