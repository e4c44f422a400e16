import JSON

/// The declared type of a column, from narrow to wide.
package enum ColumnType: String, Sendable, CaseIterable {
    /// Stored as 0 and 1.
    case boolean = "BOOLEAN"
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"

    /// The narrowest type that holds a value of this kind exactly; nil for null.
    init?(holding node: Node) {
        switch node.kind {
        case .null: return nil
        case .true, .false: self = .boolean
        case .integer: self = .integer
        case .real: self = .real
        case .number, .string, .array, .object: self = .text
        }
    }

    /// The type of a column of this type that must also hold `other`.
    func widened(toHold other: ColumnType) -> ColumnType {
        switch (self, other) {
        case (.text, _), (_, .text): .text
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
