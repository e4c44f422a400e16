/// A column with values of another kind than its others, of which people are told until it is settled.
package struct OddColumn: Sendable, Equatable {
    /// The form in which SQL sees the values.
    package enum Kind: String, Sendable {
        /// NULL: the column has numbers or booleans, and `_garner_rest` has the values.
        case valuesSetAside = "values_set_aside"
        /// Texts: the column is TEXT, and numbers are compared by letters.
        case numbersAsText = "numbers_as_text"
    }

    package let kind: Kind
    package let table: String
    package let column: String
    /// The member names that lead to the value in a record of the stream.
    package let path: [String]
    /// The type of the other values.
    package let type: ColumnType
    /// The number of odd values; nil while a run changes the table.
    package let odd: Int?
    /// The number of all values, without NULL; nil while a run changes the table.
    package let values: Int?
    /// A few of the odd values, as JSON.
    package let examples: [String]
    /// The views that read the column.
    package var views: [String] = []

    package init(
        _ kind: Kind, table: String, column: String, path: [String], type: ColumnType, odd: Int?, values: Int?,
        examples: [String]
    ) {
        (self.kind, self.table, self.column, self.path, self.type) = (kind, table, column, path, type)
        (self.odd, self.values, self.examples) = (odd, values, examples)
    }

    /// True if numbers were set aside, which the column's type does not hold.
    package var hasNumbersAside: Bool { !numbersAside.isEmpty }

    private var numbersAside: [String] { kind == .valuesSetAside ? oddNumbers : [] }

    /// The examples that are numbers. One of those that need the widest type is among them.
    package var oddNumbers: [String] {
        examples.filter { $0.utf8.first.map { $0 < UInt8(ascii: ":") && $0 > UInt8(ascii: "#") } == true }
    }

    /// The number of examples of a column.
    package static let mostExamples = 3

    /// One sentence: `people.age: 1 of 7 values is no number: "n/a"; SQL sees NULL, and _garner_rest has it`.
    package var text: String {
        let isOne = odd == 1
        let noun =
            switch type {
            case .boolean: "boolean"
            case .integer where !oddNumbers.isEmpty: "integer"
            default: "number"
            }
        let held =
            switch (type, kind) {
            case (.real, _) where !oddNumbers.isEmpty: " that REAL holds exactly"
            case (.integer, .numbersAsText) where !oddNumbers.isEmpty: " of 64 bits"
            default: ""
            }
        let are = (isOne ? "is no \(noun)" : "are no \(noun)s") + held
        let count =
            if odd == 0, let values {
                "all of \(values == 1 ? "1 value is a \(noun)" : "\(values) values are \(noun)s")"
            } else if let odd, let values {
                "\(odd) of \(values == 1 ? "1 value" : "\(values) values") \(are)"
            } else {
                "some values are no \(noun)s"
            }
        let rest = examples.count >= Self.mostExamples && (odd ?? .max) > examples.count ? ", …" : ""
        let shown = examples.isEmpty ? "" : ": \(examples.joined(separator: ", "))\(rest)"
        let effect =
            switch kind {
            case .valuesSetAside: "SQL sees NULL, and _garner_rest has \(isOne ? "it" : "them")"
            case .numbersAsText: "the column is TEXT, so that SQL compares by letters"
            }
        let readers =
            views.isEmpty ? "" : "; read by the view\(views.count == 1 ? "" : "s") \(views.joined(separator: ", "))"
        return "\(table).\(column): \(count)\(shown); \(effect)\(readers)"
    }
}
