import GarnerDatabase
import GarnerSQLite

/// A comparison of a column of texts with a number, which SQLite makes letter by letter: the text 10.50 comes before the number 5.
package struct TextComparison: Equatable {
    /// The column, and the sign with the number, as they are written.
    package let column: String
    package let rest: String

    /// Returns the comparisons of a name with a number that are conditions of their own, with that name.
    fileprivate static func all(in sql: String, _ words: [SQLWord]) -> [(name: String, comparison: TextComparison)] {
        words.indices.compactMap { sign in
            guard sign > 0, !words[sign].isQuoted, ["<", ">"].contains(words[sign].name) else { return nil }
            let column = words[sign - 1]
            guard column.isQuoted || SQLWord.isName(column.name) else { return nil }
            var number = sign + 1
            for mark in ["=", "-"] where words.indices.contains(number) && words[number].name == mark { number += 1 }
            guard words.indices.contains(number), words[number].name.first?.isNumber == true else { return nil }
            var start = sign - 1
            if start > 1, words[start - 1].name == "." { start -= 2 }
            // In a calculation it is a number.
            guard start == 0 || !words[start - 1].isQuoted && before.contains(words[start - 1].name.lowercased()) else {
                return nil
            }
            let tail = sql[words[number].range.lowerBound...].prefix { $0.isNumber || $0 == "." }
            let rest = sql[words[sign].range.lowerBound..<tail.endIndex]
            return (
                name: column.name,
                comparison: TextComparison(
                    column: String(sql[words[start].range.lowerBound..<column.range.upperBound]), rest: String(rest))
            )
        }
    }

    private static let before: Set = ["where", "and", "or", "not", "on", "when", "having", "(", ",", "select"]
}

extension ReadOnlyDatabase {
    /// Returns the first comparison of a column of texts with a number; nil if there is none, or if the column may be another one.
    ///
    /// - Parameter relation: The table of a condition alone; nil for those that the SQL names.
    package func textComparison(in sql: String, on relation: String? = nil) throws -> TextComparison? {
        let words = SQLWord.all(in: sql)
        let names = Set(words.map { $0.name.lowercased() })
        // A query in front, or another name, may be of numbers.
        guard !names.contains("with"), case let found = TextComparison.all(in: sql, words), !found.isEmpty else {
            return nil
        }
        return try reading { () -> TextComparison? in
            let tables = try relation.map { [$0] } ?? relationNames().filter { names.contains($0.lowercased()) }
            for (name, comparison) in found where !words.isAlias(name) {
                let isNumeric = try tables.compactMap { try first(of: name, in: $0) }.map { Double($0) != nil }
                if !isNumeric.isEmpty, isNumeric.allSatisfy(\.self) { return comparison }
            }
            return nil
        }
    }

    /// Returns one of the first values of a column of texts; an empty text if there is none, or if the column or table is of another kind.
    /// Returns nil if the table has no such column.
    private func first(of column: String, in table: String) throws -> String? {
        let found = try connection.firstRow(
            """
            SELECT name, type = 'TEXT' AND ?1 COLLATE NOCASE IN (SELECT name FROM sqlite_schema WHERE type = 'table')
            FROM pragma_table_info(?1) WHERE name = ?2 COLLATE NOCASE
            """, [.text(table), .text(column)]
        ) { (name: $0.text(at: 0), isText: $0.integer(at: 1) == 1) }
        guard let found else { return nil }
        guard found.isText else { return "" }
        return try connection.text(
            """
            SELECT value FROM (SELECT \(quoted(found.name)) AS value FROM \(quoted(table)) LIMIT 1000)
            WHERE value IS NOT NULL LIMIT 1
            """) ?? ""
    }
}

extension [SQLWord] {
    /// Returns true if the SQL gives something else this name.
    fileprivate func isAlias(_ name: String) -> Bool {
        zip(self, dropFirst()).contains { word, other in
            !word.isQuoted && word.name.lowercased() == "as" && other.name.lowercased() == name.lowercased()
        }
    }
}
