import GarnerDatabase
import GarnerSQLite

/// A column of a table or a view, as somebody who looks through the rows needs it.
package struct RelationColumn: Sendable, Equatable {
    /// The way in which SQLite converts values that are compared with the column (sqlite.org/datatype3.html#affinity).
    package enum Affinity: Sendable { case text, number, none }

    package let name: String
    /// The declared type; empty for the expression of a view.
    package let type: String
    package let affinity: Affinity
    /// True if 0 and 1 stand for false and true.
    package let isBoolean: Bool
    /// True if the texts are arrays and objects.
    package let isJSON: Bool
    /// True if the column has the time since when the source lacks the record.
    package var isDeletionTime: Bool { name == TableSchema.deletionColumn }

    /// - Parameter type: The declared type; empty for the expression of a view.
    init(name: String, type: String) {
        (self.name, self.type) = (name, type)
        let type = type.uppercased()
        isBoolean = type == "BOOLEAN"
        isJSON = type.contains("JSON") || name == TableSchema.restColumn
        // The rules and their order are those of section 3.1.
        affinity =
            if type.contains("INT") { .number } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
                .text
            } else if type.isEmpty || type.contains("BLOB") { .none } else { .number }
    }
}

/// A condition on the values of one column.
package struct ColumnFilter: Sendable, Equatable {
    package enum Comparison: String, Sendable, CaseIterable {
        case equal = "exact"
        case not, gt, gte, lt, lte, contains, startswith, isnull
    }

    package let column: RelationColumn
    package let comparison: Comparison
    /// The text that is compared; for `isnull`, `0` asks for rows with a value.
    package let value: String

    package init(_ column: RelationColumn, _ comparison: Comparison, _ value: String) {
        (self.column, self.comparison, self.value) = (column, comparison, value)
    }

    /// False if the filter compares a column of numbers with a text. To SQLite, every text is above every number, so such a
    /// filter would choose all rows or none.
    package var isComparable: Bool {
        guard [.equal, .not, .gt, .gte, .lt, .lte].contains(comparison), column.affinity == .number else { return true }
        return operand.map { if case .integer = $0 { true } else { Self.isNumber(value) } } ?? true
    }

    /// Returns true for a text that SQLite takes for a number: `-1.5e3`, but not `0x10` or `inf`.
    private static func isNumber(_ text: String) -> Bool {
        let isWritten = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        return isWritten && Double(text) != nil
    }

    /// Returns the condition as SQL whose values are bound, in the order of its `?`.
    ///
    /// - Parameter prefix: The text before the column's name: `record.`
    func condition(_ prefix: String) -> BoundSQL {
        let operand = operand
        return text(prefix, operand.map { _ in "?" }, operand.map { [$0] } ?? [])
    }

    /// The condition as SQL with its value in it, for people to read and to change. The value is quoted.
    package var literal: String { text("", operand.map(Self.literal), []).text }

    private func text(_ prefix: String, _ operand: String?, _ values: [Value]) -> BoundSQL {
        let name = prefix + quoted(column.name)
        let value = operand ?? "NULL"
        let text =
            switch comparison {
            case .equal: "\(name) = \(value)"
            // A row without a value is another one, too.
            case .not: "\(name) IS NOT \(value)"
            case .gt: "\(name) > \(value)"
            case .gte: "\(name) >= \(value)"
            case .lt: "\(name) < \(value)"
            case .lte: "\(name) <= \(value)"
            case .contains, .startswith: "\(name) LIKE \(value) ESCAPE '\\'"
            case .isnull: self.value == "0" ? "\(name) IS NOT NULL" : "\(name) IS NULL"
            }
        return BoundSQL(text, values)
    }

    /// The value that is bound; nil if the comparison has none.
    ///
    /// Beside a column with affinity, SQLite converts a text itself: "NUMERIC affinity is applied to [the] other operand".
    private var operand: Value? {
        switch comparison {
        case .isnull: return nil
        case .contains: return .text("%\(Self.escaped(value))%")
        case .startswith: return .text("\(Self.escaped(value))%")
        default: break
        }
        if column.isBoolean {
            if value == "true" { return .integer(1) }
            if value == "false" { return .integer(0) }
        }
        guard column.affinity != .text else { return .text(value) }
        if let integer = Int64(value) { return .integer(integer) }
        if column.affinity == .none, let real = Double(value), real.isFinite { return .real(real) }
        return .text(value)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { escaped.append("\\") }
            escaped.append(scalar)
        }
        return String(escaped)
    }

    private static func literal(_ value: Value) -> String {
        switch value {
        case .null: return "NULL"
        case .integer(let integer): return String(integer)
        case .real(let real): return real.description
        case .text(let text): return sqlLiteral(text)
        case .blob(let bytes): return "x'\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
        }
    }
}

/// A piece of SQL with the values of its parameters, in their order.
struct BoundSQL {
    let text: String
    let values: [Value]

    init(_ text: String, _ values: [Value] = []) { (self.text, self.values) = (text, values) }
}
