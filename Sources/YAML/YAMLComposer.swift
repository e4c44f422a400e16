/// The composer of a document: it makes nodes of the parser's events.
package struct YAMLComposer {
    /// The limit of collections inside each other. It is more than any configuration needs.
    package static let maximumDepth = 128

    /// A sequence or a mapping whose end has not come yet.
    private struct Collection {
        let isMapping: Bool
        let properties: YAMLParser.Event.Properties
        let mark: YAMLMark
        var children: [Int] = []
        /// The lines of the keys that are texts.
        var keys: [String: Int] = [:]
        /// The line of the merge key `<<`. In quotes it is a key as any other.
        var mergeKey: Int?

        /// Notes a key. Returns the line of the same key before it, if there is one.
        mutating func note(_ key: YAMLNode.Scalar, line: Int) -> Int? {
            if key.isMergeKey {
                defer { mergeKey = mergeKey ?? line }
                return mergeKey
            }
            if let first = keys[key.string] { return first }
            keys[key.string] = line
            return nil
        }
    }

    private var entries: [YAMLTree.Entry] = []
    private var children: [Int] = []
    private var anchors: [String: Int] = [:]
    /// The collections that hold the next node, the innermost last.
    private var open: [Collection] = []
    private var root: Int?
    private let allowsDuplicateKeys: Bool

    private init(allowsDuplicateKeys: Bool) { self.allowsDuplicateKeys = allowsDuplicateKeys }

    /// Returns the root of the only document of a text; nil if there is none.
    ///
    /// - Parameter allowsDuplicateKeys: True to keep all members with the same key, for texts of programs that allow them.
    package static func root(of text: String, allowsDuplicateKeys: Bool = false) throws(YAMLError) -> YAMLNode? {
        var text = text
        let result = text.withUTF8 { bytes -> Result<YAMLNode?, YAMLError> in
            guard !bytes.isEmpty else { return .success(nil) }
            var composer = YAMLComposer(allowsDuplicateKeys: allowsDuplicateKeys)
            do throws(YAMLError) {
                return .success(try composer.compose(YAMLParser(bytes)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private mutating func compose(_ parser: borrowing YAMLParser) throws(YAMLError) -> YAMLNode? {
        while true {
            let (event, mark) = try parser.next()
            switch event {
            case .documentStart where root != nil:
                let context = YAMLError.Context(
                    text: "expected a single document in the stream", mark: YAMLMark(line: 1, column: 1))
                throw .malformed(problem: "but found another document", mark, context: context)
            case .alias(let anchor):
                // A collection has its anchor from its end on, so that nothing can hold itself.
                guard let index = anchors[anchor] else {
                    throw .malformed(problem: "found undefined alias", mark, context: nil)
                }
                try place(index, at: mark)
            case .scalar(let scalar, let properties):
                try add(.scalar(scalar), properties, mark)
            case .collectionStart(let isMapping, let properties):
                guard open.count < Self.maximumDepth else { throw .nestedTooDeeply(mark) }
                open.append(Collection(isMapping: isMapping, properties: properties, mark: mark))
            case .collectionEnd:
                guard let collection = open.popLast() else { break }
                let range = children.count..<(children.count + collection.children.count)
                children += collection.children
                try add(
                    collection.isMapping ? .mapping(range) : .sequence(range), collection.properties, collection.mark)
            case .documentStart, .other: break
            case .streamEnd:
                return root.map { YAMLTree(entries: entries, children: children).node(at: $0) }
            }
        }
    }

    private mutating func add(
        _ content: YAMLTree.Entry.Content, _ properties: YAMLParser.Event.Properties, _ mark: YAMLMark
    ) throws(YAMLError) {
        let index = entries.count
        entries.append(YAMLTree.Entry(content: content, tag: properties.tag, mark: mark))
        if let anchor = properties.anchor { anchors[anchor] = index }
        try place(index, at: mark)
    }

    /// Puts a node into the innermost open collection.
    ///
    /// - Parameter mark: where it stands there, which for an alias is another place than that of the node.
    private mutating func place(_ index: Int, at mark: YAMLMark) throws(YAMLError) {
        guard let last = open.indices.last else {
            root = index
            return
        }
        if !allowsDuplicateKeys, open[last].isMapping, open[last].children.count.isMultiple(of: 2),
            case .scalar(let key) = entries[index].content, let first = open[last].note(key, line: mark.line)
        {
            throw .duplicateKey(key.string, mark, firstLine: first)
        }
        open[last].children.append(index)
    }
}
