import GarnerDatabase
import GarnerSQLite

/// A slip in SQL that SQLite takes without a word, so that rows are missing or wrong.
package struct QuietSlip: Equatable {
    package let message: String
    package let remedy: String
}

extension ReadOnlyDatabase {
    /// Returns the slips in SQL; those of a column only if it is certain which one it is.
    ///
    /// - Parameter relation: The table of a condition alone; nil for those that the SQL names.
    package func quietSlips(in sql: String, on relation: String? = nil) throws -> [QuietSlip] {
        let words = SQLWord.all(in: sql, withTexts: true)
        let names = Set(words.filter { !$0.isText }.map { $0.name.lowercased() })
        let text = QuietSQL(sql: sql, words: words, names: names)
        let slips = text.slips
        // A query in front may give its columns any names.
        guard !names.contains("with"), case let doubts = text.doubts, !doubts.isEmpty else { return slips }
        return try slips
            + reading { () -> [QuietSlip] in
                let tables = try relation.map { [$0] } ?? relationNames().filter { names.contains($0.lowercased()) }
                return try doubts.compactMap { (name, judge) -> QuietSlip? in
                    let found = try text.isAlias(name) ? [] : tables.compactMap { try column(name, of: $0) }
                    return found.count == 1 ? judge(found[0]) : nil
                }
            }
    }

    /// Returns a column of a table, with one of its first values; nil if it has none, or if there is no such table.
    private func column(_ name: String, of table: String) throws -> QuietSQL.Column? {
        let found = try connection.firstRow(
            """
            SELECT name, type FROM pragma_table_info(?1) WHERE name = ?2 COLLATE NOCASE
            AND ?1 COLLATE NOCASE IN (SELECT name FROM sqlite_schema WHERE type = 'table')
            """, [.text(table), .text(name)]
        ) { (name: $0.text(at: 0), type: $0.text(at: 1)) }
        guard let found else { return nil }
        let sample = "SELECT \(quoted(found.name)) AS v FROM \(quoted(table)) LIMIT 1000"
        return try connection.firstRow(
            """
            SELECT CAST(v AS TEXT), (SELECT count(DISTINCT instr(v || '.', '.')) FROM (\(sample)) WHERE v IS NOT NULL)
            FROM (\(sample)) WHERE v IS NOT NULL LIMIT 1
            """
        ) { QuietSQL.Column(type: found.type, value: $0.text(at: 0), hasWidths: $0.integer(at: 1) > 1) }
    }
}

/// SQL in which slips are looked for.
private struct QuietSQL {
    struct Column {
        let type: String
        let value: String
        /// True if its numbers have more digits in one row than in another, so that their order is not that of texts.
        let hasWidths: Bool

        /// True for texts that are numbers.
        var holdsNumbers: Bool { type == "TEXT" && Double(value) != nil }
    }

    let sql: String
    let words: [SQLWord]
    let names: Set<String>

    /// The slips that the SQL alone shows.
    var slips: [QuietSlip] { [loneJoin, mixedRows].compactMap(\.self) + words.indices.compactMap(slip) }

    /// The places that may be slips, each with the name of the column that decides it.
    var doubts: [(String, (Column) -> QuietSlip?)] {
        words.indices.compactMap { doubtOnNumber($0) ?? doubtOnText($0) ?? doubtOnOrder($0) ?? doubtOnTime($0) }
    }

    /// Returns true if the SQL gives something else this name.
    func isAlias(_ name: String) -> Bool {
        words.indices.contains { word($0) == "as" && entry($0 + 1)?.name.lowercased() == name.lowercased() }
    }

    private func entry(_ place: Int) -> SQLWord? { words.indices.contains(place) ? words[place] : nil }

    /// The word or sign at a place in lower case; nil for a text or a name in quotes.
    private func word(_ place: Int) -> String? {
        entry(place).flatMap { $0.isText || $0.isQuoted ? nil : $0.name.lowercased() }
    }

    private func isName(_ place: Int) -> Bool {
        entry(place).map { !$0.isText && ($0.isQuoted || SQLWord.isName($0.name)) } ?? false
    }

    /// Returns the text of a literal with its quotes; nil for other words.
    private func literal(_ place: Int) -> String? {
        entry(place).flatMap { $0.isText ? String(sql[$0.range]) : nil }
    }

    /// Returns the column that ends at a place, as it is written, with its table, and where that begins.
    private func column(endingAt place: Int) -> (text: String, start: Int)? {
        guard isName(place) else { return nil }
        let start = word(place - 1) == "." && isName(place - 2) ? place - 2 : place
        return (String(sql[words[start].range.lowerBound..<words[place].range.upperBound]), start)
    }

    /// Returns the number that begins at a place, as it is written.
    private func number(_ place: Int) -> Substring? {
        let start = word(place) == "-" ? place + 1 : place
        guard let first = entry(start), !first.isText, first.name.first?.isNumber == true else { return nil }
        let tail = sql[first.range.lowerBound...].prefix { $0.isNumber || $0 == "." }
        return sql[words[place].range.lowerBound..<tail.endIndex]
    }

    private static let beforeConditions: Set = [
        "where", "and", "or", "not", "on", "when", "having", "(", ",", "select",
    ]

    /// A comparison of a column with a number, which is one of letters where the column has texts.
    private func doubtOnNumber(_ sign: Int) -> (String, (Column) -> QuietSlip?)? {
        guard let mark = word(sign), ["<", ">", "=", "between"].contains(mark),
            let column = column(endingAt: sign - 1),
            // In a calculation it is a number.
            column.start == 0 || word(column.start - 1).map(Self.beforeConditions.contains) == true
        else { return nil }
        let isWider = mark != "=" && word(sign + 1) == "="
        guard let first = number(sign + (isWider ? 2 : 1)), mark != "=" || first.contains(".") else { return nil }
        var end = first.endIndex
        if mark == "between" {
            let and = words.indices.first { $0 > sign && word($0) == "and" }
            guard let and, let last = number(and + 1) else { return nil }
            end = last.endIndex
        }
        let rest = sql[words[sign].range.lowerBound..<end]
        return (
            words[sign - 1].name,
            {
                $0.holdsNumbers
                    ? QuietSlip(
                        message:
                            "\(column.text) is TEXT, which '\(rest)' compares letter by letter, as if 10 came before 5",
                        remedy: "write CAST(\(column.text) AS REAL) \(rest)") : nil
            }
        )
    }

    /// A comparison with a text that no value of the column is like.
    private func doubtOnText(_ sign: Int) -> (String, (Column) -> QuietSlip?)? {
        guard let mark = word(sign), ["<", ">", "="].contains(mark), let column = column(endingAt: sign - 1),
            let text = entry(sign + 1), text.isText
        else { return nil }
        if mark == "=", let flag = ["false", "true"].firstIndex(of: text.name.lowercased()) {
            return (
                words[sign - 1].name,
                {
                    $0.type == "TEXT" || !["0", "1"].contains($0.value)
                        ? nil
                        : QuietSlip(
                            message: "\(column.text) is 0 or 1, and never the text '\(text.name)'",
                            remedy: "write \(column.text) = \(flag)")
                }
            )
        }
        guard let date = text.name.wholeMatch(of: /(\d{1,2})[.](\d{1,2})[.](\d{4})/)?.output else { return nil }
        let day = "\(date.3)-\(date.2.count < 2 ? "0" : "")\(date.2)-\(date.1.count < 2 ? "0" : "")\(date.1)"
        return (
            words[sign - 1].name,
            {
                $0.value.prefixMatch(of: /\d{4}-\d\d-\d\d/) == nil
                    ? nil
                    : QuietSlip(
                        message:
                            "\(column.text) has days such as \($0.value.prefix(10)), and is compared with '\(text.name)' as a text",
                        remedy: "write '\(day)'")
            }
        )
    }

    /// An order of texts that are numbers: `ORDER BY price`, `max(price)`.
    private func doubtOnOrder(_ place: Int) -> (String, (Column) -> QuietSlip?)? {
        let isOrder = word(place) == "by" && word(place - 1) == "order"
        guard isOrder || ["max", "min"].contains(word(place)) && word(place + 1) == "(" else { return nil }
        var last = place + (isOrder ? 1 : 2)
        if word(last + 1) == "." { last += 2 }
        guard let column = column(endingAt: last), isOrder ? word(last + 1) != "(" : word(last + 1) == ")" else {
            return nil
        }
        let line =
            isOrder ? "ORDER BY CAST(\(column.text) AS REAL)" : "\(words[place].name)(CAST(\(column.text) AS REAL))"
        return (
            words[last].name,
            {
                $0.holdsNumbers && $0.hasWidths
                    ? QuietSlip(
                        message: "\(column.text) is TEXT, in whose order 10 comes before 5", remedy: "write \(line)")
                    : nil
            }
        )
    }

    /// A function of times on seconds since 1970, which it takes for days: `date(ts)`.
    private func doubtOnTime(_ place: Int) -> (String, (Column) -> QuietSlip?)? {
        guard let function = word(place), ["date", "datetime", "time", "strftime"].contains(function),
            word(place + 1) == "("
        else { return nil }
        var last = place + 2
        if function == "strftime" {
            guard literal(last) != nil, word(last + 1) == "," else { return nil }
            last += 2
        }
        if word(last + 1) == "." { last += 2 }
        guard let column = column(endingAt: last), word(last + 1) == ")" else { return nil }
        let start = sql[words[place].range.lowerBound..<words[column.start].range.lowerBound]
        return (
            words[last].name,
            {
                // The last day that such a number can be is the year 9999.
                guard $0.type != "TEXT", let value = Double($0.value), value > 5_373_485 else { return nil }
                return QuietSlip(
                    message: "\(function) takes the numbers of \(column.text) for days, and gives nothing",
                    remedy: "write \(start)\(column.text)\(value > 100_000_000_000 ? " / 1000" : ""), 'unixepoch')")
            }
        )
    }

    /// A slip of texts at a place.
    private func slip(_ place: Int) -> QuietSlip? {
        switch word(place) {
        case "like"?:
            guard let text = entry(place + 1), text.isText, text.name.contains("*"),
                !text.name.contains(where: { "%_".contains($0) })
            else { return nil }
            return QuietSlip(
                message: "LIKE knows no *, so that '\(text.name)' is that text alone",
                remedy: "write LIKE '\(text.name.replacing("*", with: "%"))'")
        case "+"?:
            let isText = [place - 1, place + 1].contains {
                entry($0).map { $0.isText && Double($0.name) == nil } ?? false
            }
            return isText ? QuietSlip(message: "+ makes numbers of texts", remedy: "write || in place of +") : nil
        case "or"?, "and"?:
            let behind = word(place + 2)
            guard let text = literal(place + 1), place + 2 == words.count || behind.map(Self.ends.contains) == true,
                word(place) == "or" || !names.contains("between"), Double(text.dropFirst().dropLast()) == nil
            else { return nil }
            var line = "name the column again: = \(text)"
            if word(place) == "or", word(place - 2) == "=", let first = literal(place - 1),
                let column = column(endingAt: place - 3)
            {
                line = "write \(column.text) IN (\(first), \(text))"
            }
            return QuietSlip(message: "\(text) alone is compared with nothing, and is false", remedy: line)
        default: return nil
        }
    }

    private static let ends: Set = ["and", "or", ")", ";", "order", "group", "limit"]

    /// Tables whose rows are not told to belong together.
    private var loneJoin: QuietSlip? {
        // A function such as json_each belongs to the row before it.
        guard names.contains("join"), names.isDisjoint(with: ["on", "using", "natural", "cross", "where"]),
            !words.indices.contains(where: { word($0) == "join" && word($0 + 2) == "(" })
        else {
            return nil
        }
        return QuietSlip(
            message: "JOIN without ON puts each row beside every other",
            remedy: "write JOIN … ON with the columns that are equal")
    }

    /// A column beside a count of all rows.
    private var mixedRows: QuietSlip? {
        guard word(0) == "select", words.count(where: { $0.name.lowercased() == "select" }) == 1,
            names.isDisjoint(with: ["group", "over", "distinct", "union"]), isName(1), word(2) == ",",
            let function = word(3), ["count", "sum", "avg", "total"].contains(function), word(4) == "("
        else { return nil }
        let column = String(sql[words[1].range])
        return QuietSlip(
            message: "\(column) is that of any row, beside \(function)() of all", remedy: "add GROUP BY \(column)")
    }
}
