import GarnerModel

/// Words of other databases and of their shells, and what SQLite and Garner have instead.
enum ForeignSQL {
    private static let functions: [(names: String, ours: String)] = [
        ("now getdate sysdate getutcdate localtimestamp", "datetime('now')"), ("curdate today", "date('now')"),
        ("curtime", "time('now')"),
        ("to_char date_format format_date date_trunc", "strftime('%Y-%m', created)"),
        ("year month day hour extract date_part datepart", "strftime('%Y', created)"),
        ("interval dateadd date_add date_sub adddate subdate", "datetime('now', '-7 days')"),
        ("datediff date_diff timestampdiff age", "julianday('now') - julianday(created)"),
        ("to_date", "date(created)"), ("to_timestamp str_to_date", "datetime(created)"),
        ("from_unixtime", "datetime(number, 'unixepoch')"), ("unix_timestamp to_unixtime", "strftime('%s', created)"),
        ("nvl isnull", "ifnull(name, 'none')"), ("len char_length character_length", "length(name)"),
        ("string_agg listagg", "group_concat(name, ', ')"), ("array_agg json_agg", "json_group_array(name)"),
        ("concat concat_ws", "name || ' ' || number"), ("left", "substr(name, 1, 3)"), ("right", "substr(name, -3)"),
        ("if", "iif(number > 1, 'many', 'one')"), ("greatest", "max(number, 2)"), ("least", "min(number, 2)"),
        ("ilike", "name LIKE 'k%', which ignores the case of a to z"),
        ("regexp rlike regexp_like similar", "name GLOB '[A-K]*'"), ("regexp_replace", "replace(name, 'K', 'k')"),
        ("ucase", "upper(name)"), ("lcase", "lower(name)"), ("position locate charindex strpos", "instr(name, 'e')"),
        ("rand", "random()"), ("to_number", "CAST(number AS INTEGER)"), ("convert try_cast ::", "CAST(number AS TEXT)"),
        ("top fetch", "LIMIT 10 at the end"), ("distinct", "GROUP BY name, which gives one row of each"),
    ]

    /// Words that are foreign wherever they stand in SQL that SQLite does not understand.
    private static let phrases = [
        "ilike", "rlike", "similar to", "interval", "extract (", "left (", "right (", "isnull (", "if (", "dateadd (",
        "datediff (",
        ": :",
        "select top", "fetch first", "fetch next", "distinct on",
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
    /// - Parameters:
    ///   - message: SQLite's, on SQL that it does not understand.
    ///   - isPart: True if the SQL is a condition or an order, which Garner completes.
    static func hint(for message: String, in sql: String, isPart: Bool) -> Hint? {
        let words = SQLWord.all(in: sql).filter { !$0.isQuoted }.map { $0.name.lowercased() }
        let text = words.joined(separator: " ") + " "
        if message.hasPrefix("no such function: ") {
            return remedy(for: message.dropFirst("no such function: ".count).lowercased())
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
            return remedy(for: name)
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

    private static func remedy(for name: String) -> Hint? {
        let first = name.prefix { $0 != " " }
        return functions.first { $0.names.split(separator: " ").contains(first) }
            .map { "SQLite has no \(name); write \($0.ours)" }
    }
}
