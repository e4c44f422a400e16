/// A node of a connector's file: a scalar, a list or a mapping, with the line where it stands.
///
/// References are replaced and parameters are given to parts before anything reads it, so that nodes of one text may stand in
/// several places.
package struct ManifestNode: Sendable {
    package enum Content: Sendable {
        case null
        case bool(Bool)
        case integer(Int)
        /// A number that is no integer, as it is written.
        case number(String)
        case text(String)
        case list([ManifestNode])
        case mapping([Member])
    }

    package struct Member: Sendable {
        package let name: String
        package var value: ManifestNode

        package init(name: String, value: ManifestNode) { (self.name, self.value) = (name, value) }
    }

    package var content: Content
    /// The line of the file, from 1 on; nil for a value that is not written there.
    package var line: Int?

    package init(_ content: Content, line: Int? = nil) { (self.content, self.line) = (content, line) }

    /// The value of a member; nil for other nodes, and where there is no such member.
    package subscript(name: String) -> ManifestNode? {
        members.first { $0.name == name }?.value
    }

    package var isNull: Bool { if case .null = content { true } else { false } }

    package var text: String? { if case .text(let text) = content { text } else { nil } }

    package var bool: Bool? { if case .bool(let bool) = content { bool } else { nil } }

    // Swift 6.3.1 crashes where it inlines this in a chain of optionals ("Found outside of lifetime use").
    @inline(never)
    package var integer: Int? { if case .integer(let integer) = content { integer } else { nil } }

    /// The text of a scalar as a file has it; nil for null, and for what is no scalar.
    var scalarText: String? {
        switch content {
        case .text(let text): text
        case .integer(let integer): String(integer)
        case .number(let number): number
        case .bool(let bool): String(bool)
        case .null, .list, .mapping: nil
        }
    }

    /// The elements of a list; none for other nodes.
    package var list: [ManifestNode] { if case .list(let list) = content { list } else { [] } }

    package var isList: Bool { if case .list = content { true } else { false } }

    /// The members of a mapping in the order of the file; none for other nodes.
    package var members: [Member] { if case .mapping(let members) = content { members } else { [] } }

    package var isMapping: Bool { if case .mapping = content { true } else { false } }

    /// The component's kind, such as `HttpRequester`; empty if none is written and none is meant at its place.
    package var type: String { self["type"]?.text ?? "" }

    /// True for a component that is code of the connector's own.
    package var isCustom: Bool { type.hasPrefix("Custom") }

    /// The parameters that a component has from the components around it.
    package var parameters: ManifestNode { self["$parameters"] ?? ManifestNode(.mapping([])) }
}
