import GarnerJSON
package import GarnerModel

extension OddColumn {
    /// The entries of `fields.types`, of which either settles the column: the one that keeps its numbers, and text; the better one first.
    package var entries: [String] {
        let field = FieldPath.written(path)
        return (hasLongNames ? [.text, typeOfNumbers] : [typeOfNumbers, .text]).map { "\(field): \($0)" }
    }

    /// True for whole numbers that name things, by the field's name, and of which SQL would round some, and take two for one.
    private var hasLongNames: Bool {
        let name = path.last?.lowercased() ?? ""
        guard type == .integer, typeOfNumbers == .numeric,
            ["id", "key", "code", "number"].contains(where: name.hasSuffix)
        else { return false }
        // An example that is cut ends with the sign for that.
        return oddNumbers.allSatisfy { $0.drop { $0 == "-" }.allSatisfy { $0.isASCII && $0.isNumber || $0 == "…" } }
    }

    /// The type that leaves no number aside.
    private var typeOfNumbers: FieldType {
        // A number that is too long for an example is too long for a number of SQLite.
        let numbers = oddNumbers.map { text in
            var text = text
            return text.withUTF8 { SpelledNumber($0) } ?? .other
        }
        switch type {
        case _ where numbers.contains(.other): return .numeric
        case .text, .json: return .numeric
        case .boolean where numbers.isEmpty: return .boolean
        case .boolean: return numbers.count == examples.count && numbers.allSatisfy(\.isInteger) ? .integer : .text
        case .integer: return numbers.isEmpty ? .integer : .real
        case .real: return numbers.isEmpty ? .real : .numeric
        }
    }

    /// The lines of a stream without other `fields`, of which either settles the column.
    package var remedies: [String] { entries.map { "fields: { types: { \($0) } }" } }
}

extension FieldRules {
    /// Returns what to write to settle columns, for people; nil if there are none.
    package func remedy(for columns: [OddColumn]) -> String? {
        guard !columns.isEmpty else { return nil }
        let columns = columns.filter { !willChange($0) }
        if columns.isEmpty { return "the next sync makes them what 'types' of 'fields' says" }
        // A type that is set already settles nothing.
        let set = types.map { "\(FieldPath.written($0.field.names.map(\.text))): \($0.type)" }
        let isSet = columns.contains { type(of: $0) != nil }
        var choices = [0, 1].map { choice in
            columns.map { $0.entries[set.contains($0.entries[choice]) ? 1 - choice : choice] }.joined(separator: ", ")
        }
        if choices[0] == choices[1] { choices.removeLast() }
        let them = columns.count == 1 ? "it" : "them"
        let isNew = self == FieldRules()
        let lines = choices.map { isNew ? "fields: { types: { \($0) } }" : "{ \($0) }" }.joined(separator: ", or ")
        let place = isNew ? "write" : "\(isSet ? "write in" : "add to") 'types' of 'fields':"
        return "to settle \(them), \(place) \(lines)"
    }
}

/// The declared type of a field. A value that does not fit it exactly stays as it is, and is set aside from its column.
package enum FieldType: String, Sendable, CaseIterable {
    case text, integer, real, boolean
    /// A number with all of its digits: the column has the nearest one, and what it does not show is set aside.
    case numeric

    /// The type of a column for such values.
    package var column: ColumnType {
        switch self {
        case .text: .text
        case .integer: .integer
        case .real, .numeric: .real
        case .boolean: .boolean
        }
    }
}

/// A field of a record: a member, or one at any depth. Elements of arrays on the way are all meant.
package struct FieldPath: Sendable, Equatable, CustomStringConvertible {
    /// The names from the record to the member, at least one.
    package let names: [ExactText]
    package let description: String

    /// Returns the text from which these names are read, as a scalar of YAML.
    package static func written(_ names: [String]) -> String {
        YAMLText.scalar(
            names.count == 1 && !names[0].utf8.starts(with: "$".utf8)
                ? names[0] : "$" + names.map(Selector.shortSegment(named:)).joined())
    }

    /// Returns the names of a text such as `contact.email`, `$.tags[*].email` or `tags[].email`; nil if it is a single one.
    package static func dotted(_ text: String) -> [String]? {
        var rest = text.replacing("[*]", with: "").replacing("[]", with: "")
        if rest.hasPrefix("$.") { rest.removeFirst(2) }
        let names = rest.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count > 1, !names.contains(""), !rest.contains("["), !rest.contains("$"), !rest.contains(", ")
        else { return nil }
        return names
    }

    /// Parses `email`, `$.contact.email` or `$['contact']['e-mail']`; fails if these have anything but names.
    package init?(_ text: String) {
        if text.utf8.starts(with: "$".utf8) {
            let path = BodyPlace(text)?.names ?? (try? Selector(parsing: text))?.memberNames
            guard let path else { return nil }
            names = path.map { ExactText($0) }
        } else {
            names = [ExactText(text)]
        }
        description = text
    }
}
