import GarnerJSON

/// The only array of objects inside conventional wrappers, such as `$.data.children` or `$.query.allpages`.
struct NestedArray {
    /// The names on the path from the root, at least two.
    let names: [String]
    let array: Node

    /// Finds the array. Fails if there is none, or more than one.
    init?(below root: Node) {
        let found = Self.arrays(below: root, at: [])
        let filled = found.filter { $0.array.elements.contains { $0.kind == .object } }
        // If no array holds an object, an empty one with a usual name is an empty page. One at `next` gives way to others.
        let empty = found.filter { names, array in
            names.last.map(RecordNames.isList) == true && !array.elements.contains { _ in true }
        }
        var meant = filled.isEmpty ? empty : filled
        if meant.count > 1 { meant.removeAll { names, array in array.isListOfLinks(named: names.last ?? "") } }
        // Collection+JSON has the fields of a query, and of a new item, beside the items.
        if meant.count > 1 {
            meant.removeAll {
                ["next", "previous", "after", "before"].contains($0.names.last)
                    || $0.names[0] == "collection" && ["queries", "template"].contains($0.names[1])
            }
        }
        guard meant.count == 1, let only = meant.first else { return nil }
        (names, array) = only
    }

    private static func arrays(below node: Node, at names: [String]) -> [(names: [String], array: Node)] {
        node.members.flatMap { key, value -> [(names: [String], array: Node)] in
            let name = key.text
            // The path leads to the last value of a duplicate name, so earlier ones are skipped.
            guard !names.isEmpty || isWrapper(name, in: node), node[name]?.isSame(as: value) == true else { return [] }
            switch value.kind {
            case .array: return names.isEmpty ? [] : [(names + [name], value)]
            case .object where names.count < 3 && !RecordNames.looksLikeRecord(value):
                return arrays(below: value, at: names + [name])
            default: return []
            }
        }
    }

    /// Returns true if a member of the body usually wraps the data. One called `message` does where nothing tells of a failure.
    static func isWrapper(_ name: String, in root: Node) -> Bool {
        wrappers.contains(name) || name == "message" && !tellsOfFailure(root)
    }

    private static func tellsOfFailure(_ root: Node) -> Bool {
        StatusMembers(root).refusal != nil
            || [root, root["message"]].compactMap(\.self).contains { object in
                BodyRefusal.complaints.contains { object[$0].map(BodyRefusal.isFilled) ?? false }
            }
    }

    private static let wrappers: Set = [
        "QueryResponse", "_embedded", "body", "collection", "content", "d", "data", "feed", "hits", "list", "payload",
        "query", "response", "result", "results", "search",
    ]
}
