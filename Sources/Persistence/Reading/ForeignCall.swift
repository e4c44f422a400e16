import GarnerModel

/// A word of another database with the values around it, which go over into what SQLite has instead.
struct ForeignCall {
    private let name: String
    /// The values in the brackets behind the word, as they are written.
    private let values: [String]
    private let before: String
    private let behind: String

    init(_ word: SQLWord, in sql: String) {
        name = word.name.lowercased()
        (before, behind) = (String(sql[..<word.range.lowerBound]), String(sql[word.range.upperBound...]))
        values = Self.values(in: behind).map(Self.ours)
    }

    /// Returns what to write instead; nil if the values are not understood.
    ///
    /// - Parameter column: The column that stands before the word.
    func replacement(on column: String?) -> String? {
        let unit = values.lazy.compactMap(Self.unit).first
        let others = values.filter { Self.unit($0) == nil }
        switch (name, values.count) {
        case ("date_trunc", 2) where others.count == 1:
            return unit.map { "strftime('\($0.start)', \(others[0]))" }
        case ("date_part", 2) where others.count == 1, ("datepart", 2) where others.count == 1:
            return unit.map { "strftime('\($0.part)', \(others[0]))" }
        case ("extract", 1):
            guard let match = values[0].wholeMatch(of: /(\w+)\s+[Ff][Rr][Oo][Mm]\s+(.+)/) else { return nil }
            return Self.unit(String(match.1)).map { "strftime('\($0.part)', \(Self.ours(String(match.2))))" }
        case ("year", 1), ("month", 1), ("day", 1), ("hour", 1), ("minute", 1), ("second", 1):
            return Self.unit(name).map { "strftime('\($0.part)', \(values[0]))" }
        case ("interval", _): return interval
        case ("dateadd", 3), ("date_add", 3):
            guard others.count == 2, let number = others.first(where: { Int($0) != nil }),
                let base = others.first(where: { Int($0) == nil })
            else { return nil }
            return unit.flatMap { Self.shifted(base, by: number, $0) }
        case ("adddate", 2), ("subdate", 2):
            return Self.unit("day").flatMap { Self.shifted(values[0], by: values[1], $0, isBack: name == "subdate") }
        case ("datediff", 2), ("date_diff", 2): return "julianday(\(values[0])) - julianday(\(values[1]))"
        case ("datediff", 3) where others.count == 2, ("date_diff", 3) where others.count == 2:
            return "julianday(\(others[1])) - julianday(\(others[0]))"
        case ("isnull", 1): return "\(values[0]) IS NULL"
        case ("nvl", 2), ("isnull", 2): return "ifnull(\(list))"
        case ("string_agg", 2), ("listagg", 2): return "group_concat(\(list))"
        case ("concat", 1...): return values.joined(separator: " || ")
        case ("concat_ws", 2...): return values.dropFirst().joined(separator: " || \(values[0]) || ")
        case ("left", 2): return "substr(\(values[0]), 1, \(values[1]))"
        case ("right", 2): return "substr(\(values[0]), -\(values[1]))"
        case ("if", 3): return "iif(\(list))"
        case ("greatest", 2...): return "max(\(list))"
        case ("least", 2...): return "min(\(list))"
        case ("strpos", 2): return "instr(\(list))"
        case ("locate", 2), ("charindex", 2): return "instr(\(values[1]), \(values[0]))"
        case ("ilike", _):
            guard let text = behind.prefixMatch(of: /\s*('(?:[^']|'')*'|[:@$]\w+)/)?.1, let column else { return nil }
            return "\(column) LIKE \(text), which ignores the case of a to z"
        case (":", _):
            guard let type = behind.prefixMatch(of: /:\s*(\w+)/)?.1.lowercased(), let column else { return nil }
            return Self.cast(column, to: type)
        case ("regexp_replace", 3) where values[1].allSatisfy({ $0.isLetter || $0.isNumber || " '-_".contains($0) }):
            return "replace(\(list))"
        case ("top", _): return behind.prefixMatch(of: /\s*\(?\s*(\d+)/).map { "LIMIT \($0.1) at the end" }
        case ("fetch", _): return behind.prefixMatch(of: /\s*\w+\s+(\d+)/).map { "LIMIT \($0.1) at the end" }
        default: return nil
        }
    }

    private var list: String { values.joined(separator: ", ") }

    /// SQLite's expression for `now() - interval 1 day`; nil if the interval is not understood.
    private var interval: String? {
        guard let span = behind.prefixMatch(of: /\s*'?(\d+)'?\s*([A-Za-z]+)/), let unit = Self.unit(String(span.2))
        else {
            return nil
        }
        var words = SQLWord.all(in: before)
        guard let sign = words.popLast()?.name, ["+", "-", ","].contains(sign) else { return nil }
        let isCall = words.suffix(2).map(\.name) == ["(", ")"]
        if isCall { words.removeLast(2) }
        guard let base = words.last, base.isQuoted || SQLWord.isName(base.name) else { return nil }
        let value = Self.ours(base.isQuoted ? "\"\(base.name)\"" : base.name)
        guard !isCall || value == "'now'" else { return nil }
        let isSubtraction = words.contains { ["date_sub", "subdate"].contains($0.name.lowercased()) }
        return Self.shifted(value, by: String(span.1), unit, isBack: sign == "-" || sign == "," && isSubtraction)
    }

    /// A unit of time: its name, the format of its number, and that of the instant when it begins.
    private typealias Unit = (names: String, part: String, start: String)

    private static let units: [Unit] = [
        ("seconds", "%S", "%Y-%m-%d %H:%M:%S"), ("minutes", "%M", "%Y-%m-%d %H:%M"),
        ("hours", "%H", "%Y-%m-%d %H:00"), ("days", "%d", "%Y-%m-%d"), ("months", "%m", "%Y-%m"),
        ("years", "%Y", "%Y"),
    ]

    private static func unit(_ text: String) -> Unit? {
        let word = text.lowercased().filter { $0 != "'" }
        return units.first { $0.names == word || $0.names.dropLast() == word }
    }

    private static func shifted(_ base: String, by number: String, _ unit: Unit, isBack: Bool = false) -> String? {
        guard let count = Int(number), (-999_999...999_999).contains(count) else { return nil }
        let shift = isBack ? -count : count
        return "datetime(\(base), '\(shift < 0 ? "" : "+")\(shift) \(unit.names)')"
    }

    private static func cast(_ column: String, to type: String) -> String {
        if type == "date" { return "date(\(column))" }
        if type.hasPrefix("timestamp") { return "datetime(\(column))" }
        let isReal = ["numeric", "decimal", "float", "double", "real"].contains { type.hasPrefix($0) }
        let isInteger = type.hasPrefix("int") || type.hasSuffix("int")
        return "CAST(\(column) AS \(isReal ? "REAL" : isInteger ? "INTEGER" : "TEXT"))"
    }

    /// Returns a value as SQLite has it: the present instant is a text.
    private static func ours(_ value: String) -> String {
        let name = value.lowercased().filter { !"() ".contains($0) }
        let isNow = ["now", "getdate", "sysdate", "getutcdate", "localtimestamp", "current_timestamp", "current_date"]
            .contains(name)
        return isNow ? "'now'" : value
    }

    /// Returns the values in the brackets at the beginning of a text; none if they are not closed.
    private static func values(in text: String) -> [String] {
        let text = text.drop { $0.isWhitespace }
        guard text.first == "(" else { return [] }
        var (found, value, depth): ([String], String, Int) = ([], "", 0)
        var quote: Character?
        for character in text.dropFirst() {
            let isEnd = quote == nil && depth == 0 && (character == "," || character == ")")
            if isEnd {
                found.append(String(value.trimming(while: \.isWhitespace)))
                value = ""
                if character == ")" { return found.contains("") ? [] : found }
                continue
            }
            value.append(character.isNewline ? " " : character)
            if quote != nil {
                if character == quote { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "(" {
                depth += 1
            } else if character == ")" {
                depth -= 1
            }
        }
        return []
    }
}
