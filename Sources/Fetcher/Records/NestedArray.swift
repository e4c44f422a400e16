import JSON

/// The only array of objects in what wraps it by custom, such as `$.data.children` or `$.query.allpages`.
struct NestedArray {
    /// The names that lead to it from the root, at least two.
    let names: [String]
    let array: Node

    /// nil where there is none, or more than one.
    init?(below root: Node) {
        let found = Self.arrays(below: root, at: [])
        let filled = found.filter { $0.array.elements.contains { $0.kind == .object } }
        // Where none is filled, the page is empty.
        let empty = found.filter { names, array in
            names.last.map(RecordNames.isList) == true && !array.elements.contains { _ in true }
        }
        let meant = filled.isEmpty ? empty : filled
        guard meant.count == 1, let only = meant.first else { return nil }
        (names, array) = only
    }

    private static func arrays(below node: Node, at names: [String]) -> [(names: [String], array: Node)] {
        node.members.flatMap { key, value -> [(names: [String], array: Node)] in
            let name = key.text
            // A duplicate name's earlier values are not what the path leads to.
            guard !names.isEmpty || wrappers.contains(name), node[name]?.isSame(as: value) == true else { return [] }
            switch value.kind {
            case .array: return names.isEmpty ? [] : [(names + [name], value)]
            case .object where names.count < 3 && !RecordNames.looksLikeRecord(value):
                return arrays(below: value, at: names + [name])
            default: return []
            }
        }
    }

    /// Members that wrap what is asked for, by custom.
    private static let wrappers: Set = [
        "_embedded", "body", "content", "d", "data", "feed", "hits", "list", "payload", "query", "response", "result",
        "results", "search",
    ]
}
