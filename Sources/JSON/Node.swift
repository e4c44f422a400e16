public import CGarnerSimdJSON

/// A value of a document. It is a pointer into the document, and valid while the document lives.
///
/// The accessors used for every stored value can be inlined into other modules.
public struct Node {
    public enum Kind: Sendable {
        case null, `false`, `true`
        /// A number that Int64 represents exactly.
        case integer
        /// A number that a Double represents with the same decimal digits as the source.
        case real
        /// A number that neither type represents exactly; use its spelling.
        case number
        case string, array, object
    }

    @usableFromInline
    let raw: UnsafePointer<garner_json_node>

    @inlinable
    public var kind: Kind {
        switch garner_json_kind_of(raw) {
        case 1: .false
        case 2: .true
        case 3: .integer
        case 4: .real
        case 5: .number
        case 6: .string
        case 7: .array
        case 8: .object
        default: .null
        }
    }

    @inlinable
    public var isNull: Bool { garner_json_kind_of(raw) == 0 }

    @inlinable
    public var isString: Bool { garner_json_kind_of(raw) == 6 }

    @inlinable
    public var isBoolean: Bool { 1...2 ~= garner_json_kind_of(raw) }

    @inlinable
    public var isObject: Bool { garner_json_kind_of(raw) == 8 }

    /// The value of an `.integer`.
    @inlinable
    public var integer: Int64 { raw.pointee.integer }

    /// The value of a `.real`.
    @inlinable
    public var real: Double { raw.pointee.real }

    /// The unescaped UTF-8 of a `.string`, or the spelling in the source for any other kind; empty if `isComposed`.
    @inlinable
    public var utf8: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafeRawPointer(garner_json_text(raw))?.assumingMemoryBound(to: UInt8.self),
            count: garner_json_length(raw))
    }

    @inlinable
    init(raw: UnsafePointer<garner_json_node>) { self.raw = raw }

    /// The text of a `.string`, or the spelling of any other kind.
    package var text: String { withSpelling { String(decoding: $0, as: UTF8.self) } }

    /// The text of a `.string`; nil for any other kind.
    package var string: String? { kind == .string ? text : nil }

    /// True if a lone surrogate in this string was replaced by U+FFFD.
    package var isReplaced: Bool { garner_json_is_replaced(raw) }

    /// Returns the last member with this name, since the last of duplicates wins; nil if there is none, or for no object.
    package subscript(key: String) -> Node? {
        var key = key
        return key.withUTF8 { key in
            var found: Node?
            for member in members where member.key.has(key) { found = member.value }
            return found
        }
    }
}

extension Node {
    func equals(_ key: String) -> Bool {
        var key = key
        return key.withUTF8 { has($0) }
    }

    /// True if the text has these bytes. Most others have another number of them.
    private func has(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        let text = utf8
        return text.count == key.count && text.elementsEqual(key)
    }
}

extension Node {
    /// The values of an `.array` in order; empty for any other kind.
    @inlinable
    public var elements: Elements {
        kind == .array ? Elements(place: raw + 1, end: raw + Int(raw.pointee.nodes)) : Elements(place: raw, end: raw)
    }

    /// The members of an `.object` in order, including duplicates; empty for any other kind.
    @inlinable
    public var members: Members {
        kind == .object ? Members(place: raw + 1, end: raw + Int(raw.pointee.nodes)) : Members(place: raw, end: raw)
    }
}

/// The values of an array.
public struct Elements: Sequence, IteratorProtocol {
    @usableFromInline
    var place: UnsafePointer<garner_json_node>
    @usableFromInline
    let end: UnsafePointer<garner_json_node>

    @inlinable
    init(place: UnsafePointer<garner_json_node>, end: UnsafePointer<garner_json_node>) {
        self.place = place
        self.end = end
    }

    @inlinable
    public mutating func next() -> Node? {
        guard place < end else { return nil }
        defer { place = garner_json_next(place) }
        return Node(raw: place)
    }
}

/// The members of an object. Each key is a `.string` node.
public struct Members: Sequence, IteratorProtocol {
    @usableFromInline
    var place: UnsafePointer<garner_json_node>
    @usableFromInline
    let end: UnsafePointer<garner_json_node>

    @inlinable
    init(place: UnsafePointer<garner_json_node>, end: UnsafePointer<garner_json_node>) {
        self.place = place
        self.end = end
    }

    @inlinable
    public mutating func next() -> (key: Node, value: Node)? {
        guard place < end else { return nil }
        let value = place + 1
        defer { place = garner_json_next(value) }
        return (Node(raw: place), Node(raw: value))
    }
}

extension Node {
    /// The value as in the source, except that a string has no unnecessary escapes.
    package var source: String {
        guard kind == .string else { return text }
        var canonical = CanonicalText()
        canonical.append(self)
        return String(decoding: canonical.bytes, as: UTF8.self)
    }
}
