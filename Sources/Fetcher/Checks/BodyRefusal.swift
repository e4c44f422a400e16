import JSON

/// An answer of HTTP 200 whose body says that the server refuses: an object without records that says no, or an error.
struct BodyRefusal {
    /// What the server says; empty where it says nothing.
    let words: String

    var kind: FetchError.Kind { .refusal(words: words) }

    /// nil where the body is none.
    init?(_ root: Node) {
        guard root.kind == .object, !RecordNames.looksLikeRecord(root) else { return nil }
        let saysNo = [root["ok"], root["success"]].contains { $0?.kind == .false }
        let errors = [root["error"], root["errors"]].compactMap(\.self).filter(Self.isFilled)
        guard saysNo || !errors.isEmpty, !Self.hasRecords(root) else { return nil }
        words = Self.words(in: errors + [root["message"], root["messages"], root["detail"]].compactMap(\.self))
    }

    /// Arrays with these names tell what is wrong.
    static let complaints: Set = ["error", "errors", "warnings", "messages"]

    private static func hasRecords(_ root: Node) -> Bool {
        let arrays = root.members.filter { $0.value.kind == .array && !complaints.contains($0.key.text) }
        return !arrays.isEmpty || NestedArray(below: root) != nil
    }

    /// Tells of something: a text, an object or a list with something in it.
    static func isFilled(_ node: Node) -> Bool {
        switch node.kind {
        case .string: !node.utf8.isEmpty
        case .array: node.elements.contains { _ in true }
        case .object: node.members.contains { _ in true }
        default: false
        }
    }

    private static func words(in nodes: [Node]) -> String {
        for node in nodes {
            switch node.kind {
            case .string where !node.utf8.isEmpty: return node.text
            case .object:
                for name in ["message", "detail", "title", "code"] {
                    if let text = node[name]?.pagingText, !text.isEmpty { return text }
                }
            case .array:
                let words = words(in: Array(node.elements.prefix(1)))
                if !words.isEmpty { return words }
            default: continue
            }
        }
        return ""
    }
}
