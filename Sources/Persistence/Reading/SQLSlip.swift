import GarnerCatalog
import GarnerModel

/// A message of SQLite on SQL of the user that is neither a name that it does not know nor a word of another database.
struct SQLSlip {
    /// SQLite's words, without what differs from one statement to another.
    private enum Kind: String, CaseIterable {
        case function = "no such function: "
        case ambiguous = "ambiguous column name: "
        case aggregate = "misuse of aggregate"
        case window = "misuse of window function"
        case count = "wrong number of arguments to function "
        case end = "incomplete input"
        case token = "unrecognized token: "
        case several = "more than one statement"
        case path = "JSON path error near "
        case badPath = "bad JSON path"
        case empty = "an empty statement"
        case near = "near "
    }

    private let kind: Kind
    /// The rest of the message without quotes, brackets and what else stands around the name.
    private let name: String
    private let words: [SQLWord]
    private let sql: String

    /// Fails for a message of another kind.
    init?(_ message: String, in sql: String) {
        guard let kind = Kind.allCases.first(where: { message.hasPrefix($0.rawValue) }) else { return nil }
        let rest = message.dropFirst(kind.rawValue.count)
        self.kind = kind
        switch kind {
        case .near: name = rest.firstMatch(of: /"(.*)": syntax error/).map { String($0.1) } ?? ""
        case .token: name = String(rest.dropFirst().dropLast())
        default: name = rest.firstMatch(of: /\w+(?=\(|$)/).map { String($0.0) } ?? ""
        }
        words = SQLWord.all(in: sql)
        self.sql = sql
    }

    /// Returns what to try; nil if that is unknown.
    ///
    /// - Parameter functions: Returns the functions of SQLite, with the numbers of values that each takes; a number below 0 is any.
    func hint(
        relations: [String], columns: () -> [String], functions: () -> [(name: String, count: Int)]
    ) -> Hint? {
        switch kind {
        case .function:
            let known = Set(functions().map(\.name)).sorted()
            return Suggestion.closest(to: name, among: known).map { "did you mean '\($0)'?" }
                ?? "SQLite has no function \(name); sqlite.org/lang_corefunc.html has those that it has"
        case .ambiguous:
            return "several tables have it; write which one is meant, as in: \(firstTable ?? "TABLE").\(name)"
        case .aggregate where isAny("where"):
            return
                "WHERE is asked before rows are counted; write the condition on \(name)() after GROUP BY, with HAVING"
        case .aggregate:
            return "an aggregate cannot be there; count in a query in brackets: FROM (SELECT \(name)(…) AS n FROM …)"
        case .window:
            return "write it in a query in brackets, and the condition around it: SELECT * FROM (SELECT …) WHERE …"
        case .count:
            if name.lowercased() == "count",
                let list = sql.firstMatch(of: /\(\s*distinct\s+([\w", ]+)\)/.ignoresCase())?.1
            {
                let columns = list.split(separator: ",").map { $0.trimming { $0 == " " } }
                return "write count(DISTINCT \(columns.joined(separator: " || '|' || ")))"
            }
            let counts = Set(functions().filter { $0.name == name.lowercased() && $0.count >= 0 }.map(\.count)).sorted()
            guard !counts.isEmpty else { return "sqlite.org/lang_corefunc.html says which values \(name) takes" }
            return
                "\(name) takes \(counts.map(String.init).joined(separator: " or ")) \(counts == [1] ? "value" : "values")"
        case .end:
            let open = words.count { !$0.isQuoted && $0.name == "(" } - words.count { !$0.isQuoted && $0.name == ")" }
            return open > 0
                ? "close the bracket: put \(String(repeating: ")", count: open)) at the end"
                : "the SQL ends too early; what is to follow '\(words.last?.name ?? "")'?"
        case .token:
            guard let quote = name.first, "'\"`[".contains(quote) else {
                return "remove \(name.prefix(20)), or put the text in single quotes"
            }
            return "a quote is not closed: put \(quote == "[" ? "]" : quote) behind the text"
        case .several: return "a query is one statement; ask for each of them by itself"
        case .path, .badPath:
            return "a path of JSON begins with $, as in '$.name' or '$[0]'; or write: COLUMN ->> 'name'"
        case .empty: return "write a statement, such as: SELECT name FROM sqlite_schema"
        case .near: return hintNear(relations, columns)
        }
    }

    private func isAny(_ word: String) -> Bool { words.contains { !$0.isQuoted && $0.name.lowercased() == word } }

    /// The name by which the statement calls its first table; nil if it has none.
    private var firstTable: String? {
        let place = words.firstIndex { !$0.isQuoted && $0.name.lowercased() == "from" }
        guard let place, words.indices.contains(place + 1) else { return nil }
        var behind = words.dropFirst(place + 2)
        if behind.first?.name.lowercased() == "as" { behind = behind.dropFirst() }
        guard let alias = behind.first, SQLWord.isName(alias.name), !Self.keywords.contains(alias.name.uppercased())
        else {
            return words[place + 1].name
        }
        return alias.name
    }

    private func hintNear(_ relations: [String], _ columns: () -> [String]) -> Hint? {
        let places = words.indices.filter { words[$0].name == name }
        // The words around a condition are Garner's, and the user does not know them.
        guard !places.isEmpty || name.hasPrefix("'") else { return nil }
        for place in places {
            if let hint = hint(at: place, relations, columns) { return hint }
        }
        return "the mistake is at '\(name.prefix(40))', or just before it"
    }

    private func hint(at place: Int, _ relations: [String], _ columns: () -> [String]) -> Hint? {
        let word = words[place]
        guard place > 0 else {
            if let table = relations.first(where: { $0.lowercased() == word.name.lowercased() }) {
                return .browse(table: table)
            }
            // A condition may begin with a column.
            if !word.isQuoted, Self.keywords.contains(word.name.uppercased()), isColumn(word.name, columns) {
                return quotingName(at: place, "column")
            }
            guard let meant = Suggestion.closest(to: word.name, among: ["SELECT", "WITH"]),
                meant != word.name.uppercased()
            else { return nil }
            return "did you mean '\(meant)'?"
        }
        if !word.isQuoted, let ours = Self.ours.first(where: { $0.others.contains(word.name.lowercased()) })?.ours {
            return "write \(ours) in place of '\(word.name)'"
        }
        let before = words[place - 1]
        let isTable = relations.contains { $0.lowercased() == word.name.lowercased() }
        if isTable, isInPlaceOfTable(place) { return quotingName(at: place, "table") }
        if word.name == "&", words[place...].prefix(2).allSatisfy({ $0.name == "&" }) {
            return "write AND in place of &&"
        }
        if before.name.uppercased() == "IN", !before.isQuoted, word.name != "(" {
            // A text is no word.
            let first = word.name == "," ? sql[before.range.upperBound..<word.range.lowerBound] : word.name[...]
            return "write the values in brackets: IN (\(first.trimming { $0 == " " }), …)"
        }
        if let text = textWithApostrophe(at: word) { return "write the apostrophe in a text twice: \(text)" }
        if let order = limitBeforeOffset { return "write \(order), in this order" }
        if before.name.uppercased() == "AS", !word.isQuoted, Self.keywords.contains(word.name.uppercased()) {
            return quotingName(at: place, "name")
        }
        let hasOffset = [word, before].contains { !$0.isQuoted && $0.name.uppercased() == "OFFSET" }
        if hasOffset, !isAny("limit") { return "write a LIMIT before OFFSET; LIMIT -1 OFFSET 5 gives all rows but 5" }
        if !word.isQuoted, let hint = hint(onOrderOf: word.name.uppercased(), at: place) { return hint }
        if before.name == ",", !before.isQuoted {
            guard isInPlaceOfColumn(place) else { return "remove the comma before '\(word.name)'" }
            return isColumn(word.name, columns) ? quotingName(at: place, "column") : nil
        }
        if place > 1, ["ORDER", "GROUP"].contains(before.name.uppercased()) {
            return "write \(before.name.uppercased()) BY"
        }
        for place in [place, place - 1] where !words[place].isQuoted {
            let word = words[place]
            let isKeyword = Self.keywords.contains(word.name.uppercased())
            if isKeyword, isColumn(word.name, columns) { return quotingName(at: place, "column") }
            if !isKeyword, let meant = Suggestion.closest(to: word.name, among: Self.clauses) {
                return "did you mean '\(meant)'?"
            }
        }
        return isTable && !isAny("from") ? "write FROM before '\(word.name)'" : nil
    }

    private func isColumn(_ name: String, _ columns: () -> [String]) -> Bool {
        columns().contains { $0.lowercased() == name.lowercased() }
    }

    /// Returns true for a word of SQL that stands where a value is expected, and not before what its clause has behind it.
    private func isInPlaceOfColumn(_ place: Int) -> Bool {
        func isOne(of names: Set<String>, at place: Int) -> Bool {
            !words[place].isQuoted && names.contains(words[place].name.uppercased())
        }
        guard place > 0, isOne(of: Self.keywords, at: place), isOne(of: Self.beforeColumns, at: place - 1) else {
            return false
        }
        return place + 1 == words.count || isOne(of: Self.behindColumns, at: place + 1)
    }

    /// Returns true for a word of SQL that stands where a table is expected.
    private func isInPlaceOfTable(_ place: Int) -> Bool {
        guard place > 0, !words[place].isQuoted, Self.keywords.contains(words[place].name.uppercased()) else {
            return false
        }
        func name(at place: Int) -> String {
            words.indices.contains(place) && !words[place].isQuoted ? words[place].name.uppercased() : ""
        }
        let clause = words[..<place].last { !$0.isQuoted && Self.keywords.contains($0.name.uppercased()) }
        return ["FROM", "JOIN"].contains(name(at: place - 1)) || name(at: place + 1) == "."
            || name(at: place - 1) == "," && clause?.name.uppercased() == "FROM"
    }

    /// Returns the advice to put a name that is a word of SQL in double quotes, there and where else it is a column.
    private func quotingName(at place: Int, _ kind: String) -> Hint {
        let name = words[place].name
        let places = words.indices.filter { other in
            other == place
                || words[other].name.lowercased() == name.lowercased()
                    && (isInPlaceOfColumn(other) || isInPlaceOfTable(other))
        }
        return .quoteName(
            name, reason: "'\(name)' is a word of SQL, too; put the \(kind) in double quotes",
            sql: SQLWord.quoting(places.map { words[$0].range }, in: sql))
    }

    /// Returns what to try if a clause stands behind one that it must be before, or in a bracket that is still open; nil otherwise.
    private func hint(onOrderOf clause: String, at place: Int) -> Hint? {
        let before = words[..<place].filter { !$0.isQuoted }.map { $0.name.uppercased() }
        if clause == "WHERE", let late = before.last(where: { ["ORDER", "GROUP", "LIMIT"].contains($0) }) {
            return "write WHERE before \(late)\(late == "LIMIT" ? "" : " BY")"
        }
        guard ["FROM", "WHERE"].contains(clause), let open = before.lastIndex(of: "("), !before[open...].contains(")"),
            !before[open...].contains("SELECT")
        else { return nil }
        return "close the bracket: put ) before \(clause)"
    }

    /// Returns the text whose apostrophe ends it for SQL with two of them; nil if the word does not stand right behind one.
    private func textWithApostrophe(at word: SQLWord) -> String? {
        let before = sql[..<word.range.lowerBound]
        guard SQLWord.isName(word.name), before.last == "'", let start = before.dropLast().lastIndex(of: "'"),
            let end = sql[word.range.lowerBound...].firstIndex(of: "'")
        else { return nil }
        return "\(before[start...])'\(sql[word.range.lowerBound...end])"
    }

    /// The clauses LIMIT and OFFSET with their numbers, if they stand the wrong way round.
    private var limitBeforeOffset: String? {
        func place(of clause: String) -> Int? {
            words.firstIndex { !$0.isQuoted && $0.name.uppercased() == clause }
        }
        guard let limit = place(of: "LIMIT"), let offset = place(of: "OFFSET"), offset < limit,
            words.indices.contains(limit + 1)
        else { return nil }
        return "LIMIT \(words[limit + 1].name) OFFSET \(words[offset + 1].name)"
    }

    /// The words of SQL by those of other languages in their places.
    private static let ours: [(others: Set<String>, ours: String)] = [
        (["ascending", "ascend", "increasing"], "ASC"),
        (["descending", "descend", "decreasing", "reverse", "dsc"], "DESC"),
        (["eq", "equals", "equal"], "="), (["ne", "neq"], "<>"), (["gt"], ">"), (["gte", "ge"], ">="), (["lt"], "<"),
        (["lte", "le"], "<="),
    ]

    private static let clauses = ["FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "BETWEEN", "DISTINCT"]

    private static let beforeColumns: Set = [
        ",", "(", ".", "=", "<", ">", "SELECT", "DISTINCT", "BY", "WHERE", "AND", "OR", "ON", "HAVING",
    ]
    private static let behindColumns: Set = [
        ",", ")", "=", "<", ">", "!", ";", "|", "FROM", "AS", "ASC", "DESC", "AND", "OR", "IN", "IS", "LIKE", "GLOB",
        "BETWEEN", "LIMIT", "ORDER", "GROUP", "WHERE",
    ]

    /// Words that are no names without quotes, as far as a column is likely to be called so.
    private static let keywords: Set = [
        "ADD", "ALL", "ALTER", "AND", "AS", "BETWEEN", "BY", "CASE", "CHECK", "COLLATE", "COMMIT", "CONSTRAINT",
        "CREATE", "CROSS", "DEFAULT", "DELETE", "DISTINCT", "DROP", "ELSE", "ESCAPE", "EXISTS", "FOREIGN", "FROM",
        "FULL", "GROUP", "HAVING", "IN", "INDEX", "INNER", "INSERT",
        "INTO", "IS", "JOIN", "LEFT", "LIMIT", "NATURAL", "NOT", "NULL", "ON", "OR", "ORDER", "OUTER", "PRIMARY",
        "REFERENCES", "RETURNING", "RIGHT", "SELECT", "SET", "TABLE", "THEN", "TO", "TRANSACTION", "UNION", "UNIQUE",
        "UPDATE",
        "USING", "VALUES", "WHEN", "WHERE", "WINDOW", "WITH",
    ]
}
