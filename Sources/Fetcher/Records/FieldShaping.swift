import GarnerCatalog
import GarnerDigest
import GarnerJSON
import GarnerLibC
import GarnerModel

/// Composes the records of a page by the rules of `fields`: members are left out, renamed, hashed, given a type or made.
///
/// Records of a page mostly have the same members in the same order. So what becomes of a member is looked up where the
/// record before had it, and neighbours that stay as they are are taken over at once.
struct FieldShaping: ~Copyable {
    private var builder: DocumentBuilder
    private let rules: Level
    private let key: SHA256.AuthenticationKey
    /// The largest size of the texts that are made, hashes and names: that of a body.
    private let limit: Int
    private var canonical = CanonicalText()
    private var columns: [(name: ComposedString, templates: [FieldTemplate])] = []
    /// The bounds of the read; none for a bound that is open.
    private let bounds: Bindings

    init(
        _ tree: FieldTree, adding columns: [ComposedColumn] = [], bounds: Bindings = [:], hashKey: [UInt8], limit: Int,
        from document: Document
    ) {
        self.bounds = bounds
        builder = DocumentBuilder(from: document)
        rules = Level(tree)
        key = SHA256.AuthenticationKey(hashKey)
        self.limit = limit
        self.columns = columns.map { (Self.string($0.name, in: &builder), $0.templates) }
    }

    /// Returns the records of a selection of the document as they are stored.
    consuming func records(of selection: Selection) throws(FetchError.Kind) -> Selection {
        try selection.forEach { record throws(FetchError.Kind) in
            guard builder.textBytes <= limit else { throw .bodyTooLarge(limit: limit) }
            if record.kind == .object { try append(record: record) } else { try append(record, rules) }
        }
        return Selection(valuesOf: builder.document(), composedOf: selection)
    }

    // MARK: Members

    private enum Treatment {
        case copy
        case leaveOut
        /// Another member gets this one's name, as the end of the message says.
        case isTaken(String)
        case change(name: ComposedString?, ValueChange)
    }

    private enum ValueChange {
        case none
        case hash
        case type(FieldType)
        /// The value may have members with rules. A type is that of the whole.
        case inside(Level, FieldType?)
    }

    /// The rules for the members of an object, with those that were met, in their order.
    ///
    /// One task uses it, and no use of a property contains another one. Swift would check that for each member of each record.
    private final class Level {
        let tree: FieldTree
        /// The names, which lie in the page's document.
        @exclusivity(unchecked) private var names: [UnsafeBufferPointer<UInt8>] = []
        @exclusivity(unchecked) private var treatments: [Treatment] = []
        private var places: [ExactText: Int] = [:]

        init(_ tree: FieldTree) { self.tree = tree }

        /// Returns what becomes of a member.
        ///
        /// - Parameter place: Where it is looked for; then, the place where the next member is likely to be.
        func treatment(
            of name: Node, at place: inout Int, make: (ExactText, FieldTree) -> Treatment
        ) -> Treatment {
            let bytes = name.utf8
            if place < names.count, Self.areEqual(names[place], bytes) {
                defer { place += 1 }
                return treatments[place]
            }
            let text = ExactText(name.text)
            if let known = places[text] {
                place = known + 1
                return treatments[known]
            }
            let made = make(text, tree)
            places[text] = names.count
            names.append(bytes)
            treatments.append(made)
            place = names.count
            return made
        }

        private static func areEqual(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
            guard one.count == other.count else { return false }
            guard let one = one.baseAddress, let start = other.baseAddress else { return true }
            return memcmp(one, start, other.count) == 0
        }
    }

    /// Appends a value whose fields have rules. Elements of arrays are treated alike.
    private mutating func append(_ node: Node, _ level: Level) throws(FetchError.Kind) {
        switch node.kind {
        case .object: try append(object: node, level)
        case .array:
            let array = builder.begin(node)
            for element in node.elements { try append(element, level) }
            builder.end(array)
        // A text in the place of an object has none of the fields that are kept.
        default: if level.tree.keepsOnly { builder.append(boolean: nil) } else { builder.append(node) }
        }
    }

    private mutating func append(object: Node, _ level: Level) throws(FetchError.Kind) {
        let begun = builder.begin(object)
        try append(membersOf: object, level)
        builder.end(begun)
    }

    private mutating func append(membersOf object: Node, _ level: Level) throws(FetchError.Kind) {
        var place = 0
        var unchanged: (first: Node, last: Node)?
        for (name, value) in object.members {
            let treatment = level.treatment(of: name, at: &place) { made(for: $0, by: $1) }
            if case .copy = treatment {
                unchanged = (unchanged?.first ?? name, value)
                continue
            }
            if let (first, last) = unchanged { builder.append(from: first, through: last) }
            unchanged = nil
            switch treatment {
            case .copy, .leaveOut: break
            case .isTaken(let other):
                // The configuration has this name, too, so that it says nothing of the records.
                throw .shape(reason: "a record has the field '\(name.text)'\(other)")
            case .change(let newName, let change):
                if let newName { builder.append(newName) } else { builder.append(name) }
                switch change {
                case .none: builder.append(value)
                case .hash: append(hashOf: value)
                case .type(let type): append(value, as: type)
                case .inside(let below, let type): try append(value, below, as: type)
                }
            }
        }
        if let (first, last) = unchanged { builder.append(from: first, through: last) }
    }

    private mutating func made(for name: ExactText, by tree: FieldTree) -> Treatment {
        let rule = tree.rules[name]
        if rule?.isDropped == true || tree.keepsOnly && rule?.isKept != true { return .leaveOut }
        if rule?.name == nil, tree.newNames.contains(name) { return .isTaken(FetchError.Kind.takenName) }
        if rule?.name == nil, tree.addedNames.contains(name) { return .isTaken(FetchError.Kind.addedName) }
        let newName = rule?.name.map { Self.string($0.text, in: &builder) }
        if rule?.isHashed == true { return .change(name: newName, .hash) }
        if let below = rule?.below { return .change(name: newName, .inside(Level(below), rule?.type)) }
        if let type = rule?.type { return .change(name: newName, .type(type)) }
        return newName == nil ? .copy : .change(name: newName, .none)
    }

    /// Appends a value whose fields have rules, and which has a type as a whole.
    private mutating func append(_ value: Node, _ below: Level, as type: FieldType?) throws(FetchError.Kind) {
        guard let type else { return try append(value, below) }
        guard value.kind == .object || value.kind == .array else {
            return below.tree.keepsOnly ? builder.append(boolean: nil) : append(value, as: type)
        }
        let place = builder.end
        try append(value, below)
        if type == .text { builder.makeText(from: place) }
    }

    // MARK: Columns that are made of others

    private mutating func append(record: Node) throws(FetchError.Kind) {
        let begun = builder.begin(record)
        try append(membersOf: record, rules)
        for column in columns {
            builder.append(column.name)
            append(column.templates, of: record)
        }
        builder.end(begun)
    }

    /// Appends the value of the first template that has one, else null. A placeholder alone keeps the type and the digits of its value.
    /// An empty text in a list is no value.
    private mutating func append(_ templates: [FieldTemplate], of record: Node) {
        let takesEmpty = templates.count == 1
        for template in templates {
            if case .record(let path)? = template.alone {
                guard let value = record.value(at: path), takesEmpty || value.kind != .string || !value.utf8.isEmpty
                else { continue }
                return builder.append(value)
            }
            if let text = template.filled({ text(of: $0, in: record) }), takesEmpty || !text.isEmpty {
                let string = Self.string(text, in: &builder)
                guard template.alone != nil, let integer = Int64(text), String(integer) == text else {
                    return builder.append(string)
                }
                return builder.append(integer: integer, spelled: string)
            }
        }
        builder.append(boolean: nil)
    }

    private func text(of part: FieldTemplate.Part, in record: Node) -> String? {
        switch part {
        case .literal(let text): text
        case .record(let path): record.value(at: path)?.text
        case .value(let placeholder): bounds[placeholder]
        }
    }

    private static func string(_ text: String, in builder: inout DocumentBuilder) -> ComposedString {
        Array(text.utf8).withUnsafeBufferPointer { builder.string($0) }
    }

    // MARK: Values

    /// Appends the hash of a value as text. Equal values have equal hashes; null stays null.
    private mutating func append(hashOf value: Node) {
        switch value.kind {
        case .null: builder.append(value)
        case .string: append(hashOf: value.utf8)
        default:
            canonical.removeAll()
            canonical.append(value)
            let bytes = canonical.bytes
            bytes.withUnsafeBufferPointer { append(hashOf: $0) }
        }
    }

    private mutating func append(hashOf text: UnsafeBufferPointer<UInt8>) {
        builder.append(builder.string(of: SHA256.hexLength) { [key] in key.write(hexCodeOf: text, to: $0) })
    }

    /// Appends a value in the spelling of its declared type if that loses nothing, else as it is.
    private mutating func append(_ value: Node, as type: FieldType) {
        switch FieldSpelling(of: value, as: type) {
        case .asItIs: builder.append(value)
        case .text:
            canonical.removeAll()
            canonical.append(value)
            let bytes = canonical.bytes
            bytes.withUnsafeBufferPointer { builder.append(builder.string($0)) }
        case .integer(let integer): builder.append(integer: integer, spelled: builder.string(value.utf8))
        case .real(let real, let isWhole):
            let digits = value.utf8
            let spelled = builder.string(of: digits.count + (isWhole ? 2 : 0)) { text in
                let end = text.initialize(fromContentsOf: digits)
                if isWhole { _ = text[end...].initialize(fromContentsOf: [UInt8(ascii: "."), UInt8(ascii: "0")]) }
            }
            builder.append(real: real, spelled: spelled)
        case .boolean(let boolean): builder.append(boolean: boolean)
        case .number: builder.append(number: builder.string(value.utf8))
        }
    }
}

extension Node {
    /// Returns the value to which names lead, or places in lists; nil if there is none, or if it is null.
    fileprivate func value(at path: [String]) -> Node? {
        let found = path.reduce(self as Node?) { node, name in
            guard let node, node.kind == .array else { return node?[name] }
            guard let place = Int(name), place >= 0 else { return nil }
            return node.elements.dropFirst(place).first { _ in true }
        }
        return found.flatMap { $0.isNull ? nil : $0 }
    }
}
