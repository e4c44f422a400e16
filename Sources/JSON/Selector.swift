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

    /// The values from the root to the one that holds all that can be selected, each with its path; without those that are
    /// not there.
    package func way(in root: Node) -> [(path: String, node: Node)] {
        var way = [(path: "$", node: root)]
        for segment in segments.prefix(while: { $0 != .wildcard }) {
            guard let last = way.last, let next = last.node.children(segment).first else { break }
            way.append((path: last.path + segment.text, node: next))
        }
        return way
    }

    /// Whether each value of one array or object is selected, and nothing below them.
    package var selectsChildren: Bool { segments.firstIndex(of: .wildcard).map { $0 == segments.count - 1 } ?? false }

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

extension Selector.Segment {
    fileprivate var text: String {
        switch self {
        case .name(let name):
            name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil ? ".\(name)" : Selector.segment(named: name)
        case .index(let index): "[\(index)]"
        case .wildcard: "[*]"
        }
    }
}
