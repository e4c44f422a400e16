/// A place in a text. Lines and columns begin at 1, and a column is a Unicode scalar.
package struct YAMLMark: Equatable, Sendable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
}

/// A node of a YAML document: a scalar, a sequence or a mapping.
///
/// An alias is the node of its anchor. All nodes of a document stand in one array, so that nothing recurses when they are
/// freed, however deep aliases of aliases nest.
package struct YAMLNode {
    package enum Content {
        case scalar(Scalar)
        case sequence(Sequence)
        case mapping(Mapping)
    }

    package struct Scalar {
        package let string: String
        /// True if it has no quotes and is no block such as `|`.
        package let isPlain: Bool
        /// True if it has no quotes and goes on in further lines.
        package var spansLines = false

        package init(string: String, isPlain: Bool, spansLines: Bool = false) {
            (self.string, self.isPlain, self.spansLines) = (string, isPlain, spansLines)
        }

        /// True for YAML 1.1's merge key `<<`, if it is a key.
        package var isMergeKey: Bool { isPlain && string == "<<" }
    }

    fileprivate let tree: YAMLTree
    fileprivate let index: Int

    fileprivate init(tree: YAMLTree, index: Int) { (self.tree, self.index) = (tree, index) }

    /// Creates a scalar that is a node of its own.
    package init(_ scalar: Scalar, at mark: YAMLMark) {
        self.init(
            tree: YAMLTree(entries: [.init(content: .scalar(scalar), tag: nil, mark: mark)], children: []), index: 0)
    }

    package var content: Content {
        switch tree.entries[index].content {
        case .scalar(let scalar): .scalar(scalar)
        case .sequence(let children): .sequence(Sequence(tree: tree, children: tree.children[children]))
        case .mapping(let children): .mapping(Mapping(tree: tree, children: tree.children[children]))
        }
    }

    package var mark: YAMLMark { tree.entries[index].mark }

    /// What tells the node from others of its document. An alias has that of its anchor's node.
    package var identity: Int { index }

    /// The tag as the document's directives resolve it, such as `tag:yaml.org,2002:str` for `!!str`; nil if none is written.
    package var tag: String? { tree.entries[index].tag }

    package var scalar: Scalar? {
        guard case .scalar(let scalar) = content else { return nil }
        return scalar
    }

    package var sequence: Sequence? {
        guard case .sequence(let sequence) = content else { return nil }
        return sequence
    }

    package var mapping: Mapping? {
        guard case .mapping(let mapping) = content else { return nil }
        return mapping
    }
}

extension YAMLNode {
    /// The nodes of a sequence.
    package struct Sequence: RandomAccessCollection {
        fileprivate let tree: YAMLTree
        fileprivate let children: ArraySlice<Int>

        package var startIndex: Int { 0 }
        package var endIndex: Int { children.count }

        package subscript(position: Int) -> YAMLNode {
            YAMLNode(tree: tree, index: children[children.startIndex + position])
        }
    }

    /// The keys and values of a mapping, as they are written.
    package struct Mapping: RandomAccessCollection {
        fileprivate let tree: YAMLTree
        /// Keys and values in turn.
        fileprivate let children: ArraySlice<Int>

        package var startIndex: Int { 0 }
        package var endIndex: Int { children.count / 2 }

        package subscript(position: Int) -> (key: YAMLNode, value: YAMLNode) {
            let first = children.startIndex + 2 * position
            return (YAMLNode(tree: tree, index: children[first]), YAMLNode(tree: tree, index: children[first + 1]))
        }
    }
}

/// All nodes of a document.
final class YAMLTree {
    struct Entry {
        enum Content {
            case scalar(YAMLNode.Scalar)
            /// A range of `children`.
            case sequence(Range<Int>)
            /// A range of `children`, which are keys and values in turn.
            case mapping(Range<Int>)
        }

        let content: Content
        let tag: String?
        let mark: YAMLMark
    }

    fileprivate let entries: [Entry]
    /// The positions of children in `entries`. Each collection has its own range; aliases repeat a position.
    fileprivate let children: [Int]

    init(entries: [Entry], children: [Int]) {
        self.entries = entries
        self.children = children
    }

    func node(at index: Int) -> YAMLNode { YAMLNode(tree: self, index: index) }
}
