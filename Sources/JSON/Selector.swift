/// A JSONPath (RFC 9535) of names, indices and wildcards, such as `$.data[*]`, `$['odd key'][0].rows` or `$`.
package struct Selector: Sendable, Equatable, CustomStringConvertible {
    enum Segment: Sendable, Equatable {
        case name(String)
        /// From the end where negative: -1 is the last.
        case index(Int)
        case wildcard
    }

    package let description: String
    let segments: [Segment]

    package init(parsing text: String) throws(SelectorError) {
        var reader = SelectorReader(text)
        segments = try reader.read()
        description = text
    }

    /// Whether it can select no more than one value.
    package var isSingular: Bool { !segments.contains(.wildcard) }

    /// Whether it selects the whole document.
    package var isRoot: Bool { segments.isEmpty }

    /// The values selected below `root`, in document order.
    package func elements(in root: Node) -> [Node] {
        segments.reduce([root]) { found, segment in found.flatMap { $0.children(segment) } }
    }

    /// The first value selected.
    package func first(in root: Node) -> Node? { elements(in: root).first }

    /// The values selected in `document`. A wildcard at the end selects without listing each value.
    package func select(in document: Document) -> Selection {
        document.withRoot { root in
            if segments.last == .wildcard, !segments.dropLast().contains(.wildcard) {
                let container = segments.dropLast().reduce([root]) { found, segment in
                    found.flatMap { $0.children(segment) }
                }.first
                if let container, container.kind == .array { return Selection(valuesOf: container, in: document) }
            }
            return Selection(elements(in: root), in: document)
        }
    }
}

extension Node {
    fileprivate func children(_ segment: Selector.Segment) -> [Node] {
        switch segment {
        case .name(let name): self[name].map { [$0] } ?? []
        case .wildcard where kind == .object: members.map(\.value)
        case .wildcard: Array(elements)
        case .index(let index):
            {
                let all = Array(elements)
                let place = index < 0 ? all.count + index : index
                return all.indices.contains(place) ? [all[place]] : []
            }()
        }
    }
}
