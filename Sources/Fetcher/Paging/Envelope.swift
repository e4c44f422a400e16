import JSON

/// The objects of a body that speak of the page as a whole: the root, those on the way to the records, and their members
/// that are named as such objects are. Never a record, and nothing inside another array.
struct Envelope {
    struct Member {
        /// The JSONPath.
        let path: String
        /// In lower case, without `_` and `-`.
        let name: String
        let spelling: String
        let node: Node
        /// The number of the object that it is a member of.
        let object: Int
    }

    /// Of duplicate names the last; the objects in order, the root's members first.
    private(set) var members: [Member] = []
    /// The names of the objects by their number; empty for the root.
    private(set) var names: [String] = []

    /// What has more members is a map of records rather than an envelope.
    private static let mostMembers = 512
    /// A longer name is none that is known.
    private static let longestName = 32

    private static let nested: Set = [
        "meta", "metadata", "pagination", "paging", "pager", "page", "pageinfo", "links", "responsemetadata", "result",
        "response", "hits", "info",
    ]

    /// - Parameter way: the values from the root to the records, which are in the last one.
    init(root: Node, way: [(path: String, node: Node)]) {
        var objects = way.dropLast().filter { $0.node.kind == .object }
        // Some APIs send an array of an object about the page and the array of its records.
        if let pair = root.pageAndRecords { objects.insert((path: "$[0]", node: pair.page), at: 0) }
        for object in objects {
            let first = members.count
            add(object.node, at: object.path, named: object.path == "$" ? "" : object.path)
            var places = first..<members.count
            for _ in 0..<2 {
                let inner = members[places].filter { $0.node.kind == .object && Self.nested.contains($0.name) }
                let start = members.count
                for member in inner where !objects.contains(where: { $0.node.isSame(as: member.node) }) {
                    add(member.node, at: member.path, named: member.name)
                }
                places = start..<members.count
            }
        }
    }

    private mutating func add(_ object: Node, at path: String, named name: String) {
        var last: [String: Int] = [:]
        var found: [Member] = []
        var count = 0
        for (key, value) in object.members {
            count += 1
            guard count <= Self.mostMembers else { return }
            guard key.utf8.count <= Self.longestName else { continue }
            let spelling = key.text
            let member = Member(
                path: path + JSONPath.segment(spelling), name: Self.normalized(spelling), spelling: spelling,
                node: value, object: names.count)
            if let place = last[spelling] {
                found[place] = member
            } else {
                last[spelling] = found.count
                found.append(member)
            }
        }
        names.append(name)
        members += found
    }

    static func normalized(_ name: String) -> String {
        String(
            decoding: name.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") },
            as: UTF8.self)
    }
}

extension Node {
    /// An object about the page and the array of its records, which make up an array; nil for any other value.
    var pageAndRecords: (page: Node, records: Node)? {
        guard kind == .array else { return nil }
        var values: [Node] = []
        for element in elements {
            guard values.count < 2 else { return nil }
            values.append(element)
        }
        guard values.count == 2, values[0].kind == .object, values[1].kind == .array else { return nil }
        return (values[0], values[1])
    }

    /// The same place of the same document.
    func isSame(as other: Node) -> Bool { utf8.baseAddress == other.utf8.baseAddress && utf8.count == other.utf8.count }
}
