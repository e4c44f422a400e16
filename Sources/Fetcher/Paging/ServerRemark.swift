import GarnerJSON

/// What an answer tells people under a name such as `warnings`. It says nothing of the read.
struct ServerRemark: Equatable {
    /// The JSONPath of its member.
    let path: String
    private let text: String

    /// The number of levels below which a text is looked for, as in MediaWiki's `{"warnings": {"main": {"*": "..."}}}`.
    private static let depth = 3

    /// Returns nil if the member has no text. In `messages`, which also holds records and reports of success, only texts count.
    init?(_ member: Envelope.Member) {
        let depth = member.name == "messages" ? 1 : Self.depth
        let isOfTexts = member.name != "messages" || member.node.kind != .object
        guard isOfTexts, let text = Self.text(in: member.node, depth: depth) else { return nil }
        (path, self.text) = (member.path, text)
    }

    private static func text(in node: Node, depth: Int) -> String? {
        switch node.kind {
        case .string: node.utf8.isEmpty ? nil : node.text
        case .array where depth > 0: first(of: node.elements, depth)
        case .object where depth > 0: first(of: node.members.lazy.map(\.value), depth)
        default: nil
        }
    }

    private static func first(of nodes: some Sequence<Node>, _ depth: Int) -> String? {
        nodes.lazy.compactMap { text(in: $0, depth: depth - 1) }.first { _ in true }
    }

    /// Returns the remark as a warning, without secrets and in one short line.
    func words(_ redaction: Redaction) -> String {
        "the source says at \(path): “\(redaction.excerpt(of: Array(text.utf8)))”"
    }
}
