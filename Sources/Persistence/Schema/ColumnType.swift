import JSON

/// The declared type of a column, from narrow to wide.
package enum ColumnType: String, Sendable, CaseIterable {
    /// Stored as 0 and 1.
    case boolean = "BOOLEAN"
    case integer = "INTEGER"
    case real = "REAL"
    /// Arrays and objects alone, as their canonical text. It has the affinity of TEXT (sqlite.org/datatype3.html, section 3.1).
    case json = "JSON TEXT"
    /// Whatever the other types do not hold, arrays and objects among it; in tables of Garner 0.1.0 those alone too.
    case text = "TEXT"

    /// The narrowest type that holds a value of this kind exactly; nil for null.
    init?(holding node: Node) {
        switch node.kind {
        case .null: return nil
        case .true, .false: self = .boolean
        case .integer: self = .integer
        case .real: self = .real
        case .array, .object: self = .json
        case .number, .string: self = .text
        }
    }

    /// The type of a column of this type that must also hold `other`.
    func widened(toHold other: ColumnType) -> ColumnType {
        switch (self, other) {
        case (.json, .json): .json
        case (.text, _), (_, .text), (.json, _), (_, .json): .text
        case (.real, _), (_, .real): .real
        case (.integer, _), (_, .integer): .integer
        case (.boolean, .boolean): .boolean
        }
    }
}

extension Int64 {
    /// Whether a double holds this integer, and every one nearer to zero, exactly.
    var isExactDouble: Bool { magnitude <= 1 << 53 }
}
