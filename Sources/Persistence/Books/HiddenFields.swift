package import GarnerCatalog
import GarnerDigest
import GarnerJSON
package import GarnerModel

/// The fields of a stream's records whose values its configuration keeps out of the database.
package struct HiddenFields: Sendable {
    package let stream: StreamName
    /// The fields that the search index has.
    package let search: [String]
    private let tree: FieldTree?
    /// The treatment of what Garner adds to the records, by the names of members.
    private let added: [String: FieldTree.Treatment]
    /// The parent with its rules; nil if they hide nothing.
    private let parent: (parent: Parent, tree: FieldTree)?
    /// The text from which reads are made now.
    package let readIdentity: String
    private let key: Secret

    /// Returns nil if every value may be stored.
    ///
    /// - Parameter streams: All streams; the rules of a parent also hold for what its children take from it.
    package init?(of stream: StreamConfiguration, among streams: [StreamConfiguration]) {
        self.stream = stream.name
        search = stream.search
        readIdentity = stream.readIdentity
        tree = stream.fields.hidesValues ? FieldTree(stream.fields) : nil
        var added = Dictionary(stream.partitions.map { ($0.memberName, FieldTree.Treatment.keep) }) { first, _ in first
        }
        // They are made of fields as these come.
        for column in stream.fields.composed { added[column.name] = .keep }
        var (isHidden, key) = (tree != nil, stream.fields.hash.key)
        var inherited: (Parent, FieldTree)?
        if let parent = stream.parent, let rules = streams.first(where: { $0.name == parent.stream })?.fields {
            let tree = rules.hidesValues ? FieldTree(rules) : nil
            inherited = tree.map { (parent, $0) }
            for field in parent.include {
                let treatment = tree?.treatment(of: Parent.path(ofField: field)[...]) ?? .keep
                added[parent.memberName(for: field)] = treatment
            }
            for column in stream.fields.composed where !column.parentFields.isEmpty {
                let treatments = column.parentFields.compactMap { tree?.treatment(of: Parent.path(ofField: $0)[...]) }
                let isKept = treatments.allSatisfy { if case .keep = $0 { true } else { false } }
                guard !isKept else { continue }
                added[column.name] =
                    column.templates.count == 1 && column.templates[0].alone != nil ? treatments[0] : .remove
            }
            if stream.fields.hash.fields.isEmpty { key = rules.hash.key }
        }
        (self.added, self.key, self.parent) = (added, key, inherited)
        isHidden = isHidden || inherited != nil
        guard isHidden else { return nil }
    }

    /// Returns the treatment of a stored value by the names that lead to it from the record.
    package func treatment(of path: [String]) -> FieldTree.Treatment {
        if path.count == 1, let treatment = added[path[0]] ?? inherited(path[0]) { return treatment }
        return tree?.treatment(of: path[...]) ?? .keep
    }

    /// Returns the treatment of a member that was once included from the parent; nil if its rules do not hide it.
    private func inherited(_ name: String) -> FieldTree.Treatment? {
        guard let (parent, tree) = parent else { return nil }
        let prefix = parent.memberName(for: "")
        guard name.hasPrefix(prefix) else { return nil }
        let path = name.dropFirst(prefix.count).split(separator: "__").map { String($0) }
        let treatment = tree.treatment(of: path[...])
        if case .keep = treatment { return nil }
        return treatment
    }

    /// Returns the treatment of a value in the column for members without a column, where names are joined.
    private func treatment(ofRest name: String) -> FieldTree.Treatment {
        if added[name] != nil || inherited(name) != nil || tree?.rule(ofStored: name) != nil {
            return treatment(of: [name])
        }
        return treatment(of: name.split(separator: "__").map { String($0) })
    }

    package func hash(of text: [UInt8]) -> [UInt8] {
        Array(SHA256.hexAuthenticationCode(of: text, key: Array(key.reveal().utf8)).utf8)
    }

    /// Returns true if a text has the form of a hash.
    static func isHash(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.count == 64
            && text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (97...102).contains($0) }
    }

    /// The SQL condition for a column to hold a value that is not hashed.
    package static func isPlain(_ column: String) -> String {
        "\(column) IS NOT NULL AND (typeof(\(column)) <> 'text' OR length(\(column)) <> 64 OR \(column) GLOB '*[^0-9a-f]*')"
    }
}

extension HiddenFields {
    /// A text after its hidden values were removed or hashed.
    package struct Cleaned {
        /// The text; nil if nothing of it may be stored.
        package var text: [UInt8]?
        package var removed = 0
        package var hashed = 0
        package var isChanged: Bool { removed + hashed > 0 }

        package init(text: [UInt8]? = nil, removed: Int = 0, hashed: Int = 0) {
            (self.text, self.removed, self.hashed) = (text, removed, hashed)
        }
    }

    /// Cleans the text of a column in which values may have members with rules of their own.
    package func cleaned(_ text: [UInt8], by tree: FieldTree) -> Cleaned {
        if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "["),
            let document = try? Document(parsing: Bytes(text))
        {
            var cleaning = Cleaning(fields: self)
            document.withRoot { cleaning.append($0, by: tree) }
            return cleaning.result
        }
        // A value in the place of an object has none of the fields that are kept.
        return tree.keepsOnly ? Cleaned(text: nil, removed: 1) : Cleaned(text: text)
    }

    /// Cleans the object of members without a column, and of values that were set aside from columns.
    ///
    /// - Parameter columns: The treatments of columns that do not keep their values, by their names.
    package func cleanedRest(_ text: [UInt8], columns: [String: FieldTree.Treatment]) -> Cleaned {
        guard let document = try? Document(parsing: Bytes(text)) else { return Cleaned(text: text) }
        var cleaning = Cleaning(fields: self)
        document.withRoot { root in cleaning.appendMembers(of: root) { columns[$0] ?? treatment(ofRest: $0) } }
        var cleaned = cleaning.result
        if cleaned.text?.elementsEqual("{}".utf8) == true { cleaned.text = nil }
        return cleaned
    }

    /// Cleans a record, or what was added to one. Returns nil if the text is no JSON.
    func cleanedRecord(_ text: [UInt8]) -> Cleaned? {
        guard let document = try? Document(parsing: Bytes(text)) else { return nil }
        var cleaning = Cleaning(fields: self)
        document.withRoot { root in
            if root.kind == .object {
                cleaning.appendMembers(of: root) { treatment(of: [$0]) }
            } else if let tree {
                cleaning.append(root, by: tree)
            }
        }
        return cleaning.result
    }

    /// Returns true if a record, or what was added to it, has a hidden value. A text that is no JSON counts as one.
    package func areHeld(byRecord text: [UInt8], added: [UInt8]?) -> Bool {
        [text, added].compactMap { $0 }.contains { cleanedRecord($0)?.isChanged ?? true }
    }

    /// Returns true if one of the records, a line each, has a hidden value, or if what was added to them has.
    package func areHeld(byLines text: [UInt8], added: [UInt8]?) -> Bool {
        added.map { areHeld(byRecord: $0, added: nil) } == true
            || text.split(separator: UInt8(ascii: "\n")).contains { areHeld(byRecord: Array($0), added: nil) }
    }

    /// Returns true if the bindings of a slice, as JSON, have a hidden value of the parent.
    package func areHeld(byBindings text: String) -> Bool {
        guard let tree = parent?.tree, let document = try? Document(parsing: Bytes(text.utf8)) else { return false }
        return document.withRoot { root in
            root.members.contains { name, value in
                guard case .parent(let field)? = Template.Placeholder(name: name.text) else { return false }
                switch tree.treatment(of: Parent.path(ofField: field)[...]) {
                case .remove: return true
                case .hash: return value.kind != .string || !Self.isHash(value.utf8)
                case .keep, .inside: return false
                }
            }
        }
    }
}

/// Writes a value without what must not be stored.
private struct Cleaning {
    let fields: HiddenFields
    private var text: [UInt8] = []
    private var canonical = CanonicalText()
    private var counts = HiddenFields.Cleaned()

    init(fields: HiddenFields) { self.fields = fields }

    var result: HiddenFields.Cleaned {
        var result = counts
        result.text = text
        return result
    }

    mutating func append(_ node: Node, by tree: FieldTree) {
        switch node.kind {
        case .object: appendMembers(of: node) { tree.treatment(of: [$0]) }
        case .array:
            text.append(UInt8(ascii: "["))
            for (place, element) in node.elements.enumerated() {
                if place > 0 { text.append(UInt8(ascii: ",")) }
                append(element, by: tree)
            }
            text.append(UInt8(ascii: "]"))
        case .null: append(node)
        default:
            guard tree.keepsOnly else { return append(node) }
            counts.removed += 1
            text.append(contentsOf: "null".utf8)
        }
    }

    mutating func appendMembers(of object: Node, _ treatment: (String) -> FieldTree.Treatment) {
        text.append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in object.members {
            let treatment = treatment(name.text)
            if case .remove = treatment {
                counts.removed += value.isNull ? 0 : 1
                continue
            }
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            append(name)
            text.append(UInt8(ascii: ":"))
            switch treatment {
            case .keep, .remove: append(value)
            case .hash: append(hashOf: value)
            case .inside(let tree): append(value, by: tree)
            }
        }
        text.append(UInt8(ascii: "}"))
    }

    private mutating func append(hashOf value: Node) {
        if value.isNull || value.kind == .string && HiddenFields.isHash(value.utf8) { return append(value) }
        counts.hashed += 1
        canonical.removeAll()
        if value.kind != .string { canonical.append(value) }
        let hash = fields.hash(of: value.kind == .string ? Array(value.utf8) : canonical.bytes)
        text.append(contentsOf: [UInt8(ascii: "\"")] + hash + [UInt8(ascii: "\"")])
    }

    private mutating func append(_ node: Node) {
        canonical.removeAll()
        canonical.append(node)
        text.append(contentsOf: canonical.bytes)
    }
}
