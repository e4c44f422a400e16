import GarnerCatalog
import GarnerJSON
import GarnerModel

extension Column {
    /// The normalized path (RFC 9535, 2.7), such as `$['weight']['min']`; `parent['id']` or `index` for other values.
    package var normalizedPath: String { Self.normalized(path, in: outer?.rawValue ?? "$") }

    package static func normalized(_ path: [String], in root: String = "$") -> String {
        path.reduce(into: root) { $0 += Selector.segment(named: $1) }
    }

    /// Parses the origin of the value from a `normalizedPath`. Returns nil for the record itself.
    static func outerPlace(normalized text: String) -> Outer? {
        text.hasPrefix("$") ? nil : Outer(rawValue: String(text.prefix { $0 != "[" }))
    }

    /// Parses the names from a `normalizedPath`.
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
    /// Returns true if both lead to the same member. Compares bytes: Swift's strings are equal in any Unicode form.
    func isSamePath(as other: [String]) -> Bool { elementsEqual(other) { $0.utf8.elementsEqual($1.utf8) } }
}

extension ColumnType {
    /// Creates the narrowest type that holds a value of this kind exactly. Returns nil for null.
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
}

extension Int64 {
    /// True if a double holds this integer, and every one nearer to zero, exactly.
    var isExactDouble: Bool { magnitude <= 1 << 53 }
}

/// The naming of columns after the members of records.
package struct ColumnNaming {
    /// The longest name in bytes. SQLite allows far more, but a longer text is not a name.
    static let maximumBytes = 255

    /// Returns true if the member at `path` can have a column.
    static func canName(_ path: [String]) -> Bool {
        let bytes = path.reduce(2 * (path.count - 1)) { $0 + $1.utf8.count }
        return bytes <= maximumBytes && !path.contains { $0.utf8.contains(0) }
    }

    /// Returns a column name for the member at `path` that is not `taken`; nil if its name cannot be one.
    ///
    /// Levels are joined by `__`. A name that SQLite or Garner reserves, such as `_rowid_` for the number of a
    /// row, gets a leading `_`. A name that differs from a taken one only by case gets a number, since SQL
    /// names ignore the case of ASCII letters.
    package static func name(for path: [String], taken: [String]) -> String? {
        guard canName(path) else { return nil }
        var name = path.joined(separator: "__")
        let isReserved =
            name.beginsLike("_garner_") || name.beginsLike("sqlite_") || name.isSameSQLName(as: "_rowid_")
        if isReserved || name.isEmpty { name = "_" + name }
        func isTaken(_ name: String) -> Bool { taken.contains { $0.isSameSQLName(as: name) } }
        return isTaken(name) ? (2...).lazy.map { "\(name)_\($0)" }.first { !isTaken($0) } : name
    }
}

extension String {
    /// Returns true if SQL takes both for one name. Compares bytes: Swift's strings are equal in any Unicode form.
    func isSameSQLName(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }

    fileprivate func beginsLike(_ prefix: String) -> Bool {
        utf8.starts(with: prefix.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    fileprivate var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension Parent {
    /// Returns the member name of a parent's field in its children: `_animals_id`.
    package func memberName(for field: String) -> String {
        "_\(stream.stream)_\(Self.path(ofField: field).filter { !$0.isEmpty }.joined(separator: "__"))"
    }

    /// Returns the line of configuration that gives children a member such as `_animals_id`; nil for another or a known name.
    func inclusion(for member: String) -> String? {
        let prefix = memberName(for: "")
        let field = String(member.dropFirst(prefix.count)).replacing("__", with: ".")
        guard member.hasPrefix(prefix), !field.isEmpty, !include.contains(field) else { return nil }
        return "write include_from_parent: [\((include + [field]).joined(separator: ", "))]"
    }

    /// Returns the names that lead to a field such as `a.b`. Scalars, since a point with a combining mark is no point.
    static func path(ofField field: String) -> [String] {
        field.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    }
}

extension StreamConfiguration {
    /// Returns the members that the partitions add to each record that is requested with these values.
    func partitionMembers(_ bindings: Bindings) -> [(String, JSONText)] {
        partitions.compactMap { partition in
            bindings[.partition(partition.name)].map { (partition.memberName, .string($0)) }
        }
    }

    /// The members whose values are those of a partition, so that a record under several has the first one's.
    var partitionMemberNames: [String] {
        partitions.map(\.memberName) + fields.composed.filter(\.hasPartition).map(\.name)
    }

    /// Returns the members that `fields.add` makes of the values of a slice. One without a value is null.
    ///
    /// - Parameter parent: Returns the value of a field of the parent's record; nil for null.
    func columnMembers(
        _ bindings: Bindings, parent: (String) -> (json: JSONText, text: String)?
    ) -> [(String, JSONText)] {
        func value(_ part: FieldTemplate.Part) -> (json: JSONText, text: String)? {
            switch part {
            case .value(.parent(let field)): parent(field)
            case .value(let placeholder): bindings[placeholder].map { (.string($0), $0) }
            case .literal, .record: nil
            }
        }
        return fields.composed.filter(\.isOfSlice).map { column in
            // An empty text in a list is no value.
            let takesEmpty = column.templates.count == 1
            for template in column.templates {
                if let alone = template.alone {
                    if let value = value(alone), takesEmpty || !value.text.isEmpty { return (column.name, value.json) }
                } else if let text = template.filled({ value($0)?.text }), takesEmpty || !text.isEmpty {
                    return (column.name, .string(text))
                }
            }
            return (column.name, .null)
        }
    }
}
