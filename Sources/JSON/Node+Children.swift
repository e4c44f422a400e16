package import CSimdJSON

extension Node {
    /// The values of an `.array` in order; nothing for any other kind.
    @inlinable
    package var elements: Elements {
        kind == .array ? Elements(place: raw + 1, end: raw + raw.pointee.nodes) : Elements(place: raw, end: raw)
    }

    /// The members of an `.object` in order, duplicates included; nothing for any other kind.
    @inlinable
    package var members: Members {
        kind == .object ? Members(place: raw + 1, end: raw + raw.pointee.nodes) : Members(place: raw, end: raw)
    }
}

/// The values of an array.
package struct Elements: Sequence, IteratorProtocol {
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
    package mutating func next() -> Node? {
        guard place < end else { return nil }
        defer { place = garner_json_next(place) }
        return Node(raw: place)
    }
}

/// The members of an object; each key is a `.string` element.
package struct Members: Sequence, IteratorProtocol {
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
    package mutating func next() -> (key: Node, value: Node)? {
        guard place < end else { return nil }
        let value = place + 1
        defer { place = garner_json_next(value) }
        return (Node(raw: place), Node(raw: value))
    }
}
