import JSON

/// A column of a stream's table, and where in a record its value stands.
package struct Column: Sendable, Equatable {
    package var name: String
    /// The names of the members that lead to the value.
    package var path: [String]
    /// nil while every value was null.
    package var type: ColumnType?
    /// 0, 1, … in the primary key; nil outside it.
    package var keyPosition: Int?
    package var firstSeenRun: Int64
    /// Where the value comes from if not from the record: in a child table, from the record that holds the array.
    var outer: Outer?

    enum Outer: String, Sendable {
        /// From the parent's record, at `path`.
        case parent
        /// The place in the array.
        case index
    }

    /// A column without a value yet is declared as the type that holds anything.
    var declaredType: ColumnType { type ?? .text }

    /// RFC 9535, section 2.7, such as `$['weight']['min']`; of what comes from outside of the record, `parent['id']` or
    /// `index`.
    package var normalizedPath: String { Self.normalized(path, in: outer?.rawValue ?? "$") }

    static func normalized(_ path: [String], in root: String = "$") -> String {
        path.reduce(into: root) { $0 += Selector.segment(named: $1) }
    }

    /// Reads from what `normalizedPath` wrote where the value comes from; nil: the record.
    static func outer(normalized text: String) -> Outer? {
        text.hasPrefix("$") ? nil : Outer(rawValue: String(text.prefix { $0 != "[" }))
    }

    /// Reads what `normalizedPath` wrote.
    static func path(normalized text: String) -> [String] {
        var names: [String] = []
        var name = ""
        var isInside = false
        var isEscaped = false
        for character in text.unicodeScalars {
            if isEscaped {
                name.unicodeScalars.append(character)
                isEscaped = false
            } else if isInside, character == "\\" {
                isEscaped = true
            } else if character == "'" {
                if isInside { names.append(name) }
                name = ""
                isInside.toggle()
            } else if isInside {
                name.unicodeScalars.append(character)
            }
        }
        return names
    }
}

extension [String] {
    /// Whether both lead to one member, by bytes: Swift's strings are equal where only their Unicode form differs.
    func isSamePath(as other: [String]) -> Bool { elementsEqual(other) { $0.utf8.elementsEqual($1.utf8) } }
}
