import GarnerModel

/// Words of other databases and of their shells, and what SQLite and Garner have instead.
enum ForeignSQL {
    /// `{1}` and `{2}` are the columns in question. A word in capitals is a value that `ForeignCall` did not understand.
    private static let functions: [(names: String, ours: String)] = [
        ("now getdate sysdate getutcdate localtimestamp", "datetime('now')"), ("curdate today", "date('now')"),
        ("curtime", "time('now')"),
        ("to_char date_format format_date date_trunc", "strftime('FORMAT', {1})"),
        ("year month day hour minute second extract date_part datepart", "strftime('FORMAT', {1})"),
        ("interval dateadd date_add date_sub adddate subdate", "datetime('now', '-NUMBER days')"),
        ("datediff date_diff timestampdiff age", "julianday('now') - julianday({1})"),
        ("to_date", "date({1})"), ("to_timestamp str_to_date", "datetime({1})"),
        ("from_unixtime", "datetime({1}, 'unixepoch')"), ("unix_timestamp to_unixtime", "strftime('%s', {1})"),
        ("nvl isnull", "ifnull({1}, VALUE)"), ("len char_length character_length", "length({1})"),
        ("string_agg listagg", "group_concat({1})"), ("array_agg json_agg", "json_group_array({1})"),
        ("concat concat_ws", "{1} || {2}"), ("left", "substr({1}, 1, NUMBER)"), ("right", "substr({1}, -NUMBER)"),
        ("if", "iif(CONDITION, VALUE, VALUE)"), ("greatest", "max({1}, VALUE)"), ("least", "min({1}, VALUE)"),
        ("ilike", "{1} LIKE VALUE, which ignores the case of a to z"),
        ("regexp rlike regexp_like similar", "{1} GLOB 'PATTERN', which has *, ? and [a-z]"),
        ("regexp_replace", "replace({1}, 'OLD', 'NEW')"),
        ("ucase", "upper({1})"), ("lcase", "lower({1})"), ("position locate charindex strpos", "instr({1}, 'TEXT')"),
        ("rand", "random()"), ("to_number", "CAST({1} AS INTEGER)"), ("convert try_cast ::", "CAST({1} AS TEXT)"),
        (
            "lateral cross outer",
            "a query in brackets in the place of a column: SELECT …, (SELECT …) AS NAME FROM …"
        ),
        (
            "unnest explode flatten",
            "json_each.value, and json_each({1}) behind the table: SELECT json_each.value FROM TABLE, json_each({1})"
        ),
        ("contains", "{1} LIKE '%TEXT%', or for a list: EXISTS (SELECT 1 FROM json_each({1}) WHERE value = 'TEXT')"),
        ("qualify", "a query in brackets with the condition around it: SELECT * FROM (SELECT …) WHERE …"),
        ("for", "the SQL without it: a query only reads, and sees one state of the database"),
        ("top fetch", "LIMIT NUMBER at the end"), ("distinct", "GROUP BY {1}, which gives one row of each"),
    ]

    /// Words that are foreign wherever they stand in SQL that SQLite does not understand.
    private static let phrases = [
        "ilike", "rlike", "similar to", "interval", "extract (", "left (", "right (", "isnull (", "if (", "dateadd (",
        "datediff (", ": :", "lateral", "cross apply", "outer apply", "select top", "fetch first", "fetch next",
        "distinct on", "contains", "qualify", "for update", "for share",
    ]

    private static let listing = [
        "show tables", "list tables", "tables", ". tables", "show databases", "show schemas", "\\ dt", "\\ l", "\\ d",
    ]
    private static let describing = [
        "describe", "desc", "show columns from", "show create table", "show index from", ". schema", "\\ d",
    ]
    private static let choosing = ["use", "\\ c", "\\ connect", ". open"]
    private static let formatting = [". mode", ". headers", ". header", ". separator", ". output", ". once", "\\ x"]

    /// Returns what to write instead; nil if no foreign word is known in the SQL.
    ///
    /// - Parameter isPart: True if the SQL is a condition or an order, which Garner completes.
    static func hint(for message: String, in sql: String, isPart: Bool) -> Hint? {
        let all = SQLWord.all(in: sql)
        let words = all.filter { !$0.isQuoted }.map { $0.name.lowercased() }
        let text = words.joined(separator: " ") + " "
        if message.hasPrefix("no such function: ") {
            return remedy(for: message.dropFirst("no such function: ".count).lowercased(), in: all, of: sql)
        }
        if isPart {
            if text.hasPrefix("where ") { return "leave out the word WHERE" }
            if text.hasPrefix("order by ") { return "leave out the words ORDER BY" }
            if text.contains(" order by ") { return .orderByOption }
            if text.contains(" limit ") { return .limitByOption }
        } else if let hint = hint(onBeginning: text, words) {
            return hint
        }
        let spaced = " " + text
        return phrases.lazy.filter { spaced.contains(" \($0) ") }.compactMap { phrase in
            let name = phrase == ": :" ? "::" : phrase.replacing("select ", with: "").replacing(" (", with: "")
            return remedy(for: name, in: all, of: sql)
        }.first
    }

    private static func hint(onBeginning text: String, _ words: [String]) -> Hint? {
        func begins(_ table: [String]) -> String? { table.first { text.hasPrefix($0 + " ") } }
        if listing.contains(where: { text == $0 + " " || text == $0 + " ; " }) { return .listTables }
        if let phrase = begins(describing) {
            let count = phrase.split(separator: " ").count
            return .describeTable(words.dropFirst(count).first { $0 != "table" && SQLWord.isName($0) })
        }
        if begins(choosing) != nil { return .nameAnotherDatabase }
        if begins(formatting) != nil { return .chooseFormat }
        if begins(["truncate"]) != nil { return .onlyRead }
        if begins([".", "\\"]) != nil { return "write SQL; commands of a database's own shell are not for a query" }
        return nil
    }

    private static func remedy(for name: String, in words: [SQLWord], of sql: String) -> Hint? {
        let first = name == "::" ? ":" : name.prefix { $0 != " " }
        guard
            let ours = functions.first(where: { $0.names.split(separator: " ").contains(name == "::" ? "::" : first) })?
                .ours
        else { return nil }
        let place = words.firstIndex { !$0.isQuoted && $0.name.lowercased() == first }
        let columns = place.map { operands(at: $0, in: words) } ?? []
        if let place, let line = ForeignCall(words[place], in: sql).replacement(on: columns.first) {
            return "SQLite has no \(name.uppercased()); write \(line)"
        }
        let line = ours.replacing("{1}", with: columns.first ?? "COLUMN")
            .replacing("{2}", with: columns.dropFirst().first ?? columns.first ?? "COLUMN")
        return "SQLite has no \(name.uppercased()); write \(line)"
    }

    /// Words in the brackets of foreign functions that are no columns.
    private static let units: Set = [
        "from", "as", "on", "distinct", "interval", "year", "month", "week", "day", "hour", "minute", "second", "text",
        "integer", "int", "varchar", "order", "by", "separator", "null", "in", "not",
    ]

    /// Returns the columns that a foreign word is about: those in the brackets behind it, or else the name before it.
    private static func operands(at place: Int, in words: [SQLWord]) -> [String] {
        var (found, depth): ([String], Int) = ([], 0)
        for index in words.indices.dropFirst(place + 1) {
            let next = words[index]
            if !next.isQuoted, ["(", ")"].contains(next.name) { depth += next.name == "(" ? 1 : -1 }
            // 'DISTINCT ON (name)'
            guard depth > 0 || next.name.lowercased() == "on" else { break }
            let isCall = words.indices.contains(index + 1) && words[index + 1].name == "("
            if !isCall, isColumn(next) { found.append(spelled(next)) }
        }
        guard found.isEmpty, place > 0, isColumn(words[place - 1]) else { return found }
        return [spelled(words[place - 1])]
    }

    private static func isColumn(_ word: SQLWord) -> Bool {
        word.isQuoted
            || SQLWord.isName(word.name) && !units.contains(word.name.lowercased())
                && word.name.lowercased() != "select"
    }

    private static func spelled(_ word: SQLWord) -> String { word.isQuoted ? "\"\(word.name)\"" : word.name }
}
