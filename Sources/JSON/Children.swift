import CGarnerSimdJSON

extension Node {
    /// The values of an array or object in order, including those of duplicate names.
    var children: Children {
        isContainer
            ? Children(place: raw + 1, end: raw + Int(raw.pointee.nodes), areMembers: isObject)
            : Children(place: raw, end: raw, areMembers: false)
    }

    /// The number of nodes of the value and all below it, keys included.
    var nodeCount: Int { garner_json_next(raw) - raw }

    var isContainer: Bool { kind == .array || kind == .object }
}

/// The values of an array or object.
struct Children: Sequence, IteratorProtocol {
    private var place: UnsafePointer<garner_json_node>
    private let end: UnsafePointer<garner_json_node>
    /// True if a key stands before each value.
    private let areMembers: Bool

    init(place: UnsafePointer<garner_json_node>, end: UnsafePointer<garner_json_node>, areMembers: Bool) {
        self.place = place
        self.end = end
        self.areMembers = areMembers
    }

    mutating func next() -> Node? {
        guard place < end else { return nil }
        let value = areMembers ? place + 1 : place
        place = garner_json_next(value)
        return Node(raw: value)
    }

    /// The number of values that are left. O(n).
    var count: Int { reduce(0) { count, _ in count + 1 } }
}

/// The arrays and objects among a value and all below it, in the document's order.
struct Containers: Sequence, IteratorProtocol {
    private var place: UnsafePointer<garner_json_node>
    private let end: UnsafePointer<garner_json_node>

    init(from node: Node) {
        place = node.raw
        end = garner_json_next(node.raw)
    }

    // The nodes below a value follow it in one flat array. Of these, keys and scalars are no containers.
    mutating func next() -> Node? {
        while place < end {
            let node = Node(raw: place)
            place += 1
            if node.isContainer { return node }
        }
        return nil
    }
}
