/// A JSONPath (RFC 9535) without filters, such as `$.data[*]`, `$['odd key'][0].rows`, `$.items[1:]`, `$..id` or `$`.
package struct Selector: Sendable, Equatable, CustomStringConvertible {
    package let description: String
    let segments: [Segment]

    /// Parses a selector. Throws `SelectorError` if it is malformed, or has a filter.
    ///
    /// Beyond RFC 9535, it accepts what can only be meant in one way: a shorthand name with `-`, `@` or `$`, or one
    /// that begins with a digit (`$.@odata.nextLink`), an index with leading zeros, control characters between quotes,
    /// and white space at the end.
    package init(parsing text: String) throws(SelectorError) {
        var reader = SelectorReader(text)
        segments = try reader.readSelector()
        description = text
        guard !multipliesValues else {
            throw SelectorError(
                selector: text, offset: 0,
                reason: "it has more than one '..', three lists, or a hundred parts of a list")
        }
    }

    /// Parses a selector by the letter of RFC 9535.
    init(strict text: String, allowingFilters: Bool = false) throws(SelectorError) {
        var reader = SelectorReader(text, isStrict: true, allowsFilters: allowingFilters)
        segments = try reader.readSelector()
        description = text
    }

    /// True if its values may multiply: by the depth of a document with each `..`, or by two with each of many lists.
    var multipliesValues: Bool {
        segments.count(where: \.isDescendant) > 1 || segments.count(where: { $0.selectors.count > 1 }) > 3
            || segments.contains { $0.selectors.count > 100 }
    }

    /// The names of members, if it consists of nothing else.
    package var memberNames: [String]? {
        let names = segments.compactMap { segment in
            segment.isDescendant || segment.selectors.count > 1 ? nil : segment.selectors.first?.name
        }
        return names.count == segments.count && !names.isEmpty ? names : nil
    }
    /// True if it consists of names and indices, so that it can select at most one value.
    package var isSingular: Bool { segments.allSatisfy(\.isSingular) }

    /// True if it begins with names, and so selects nothing in an array.
    package var beginsWithNames: Bool {
        segments.first.map { !$0.isDescendant && $0.selectors.allSatisfy { $0.name != nil } } ?? false
    }

    /// True if it selects the whole document.
    package var isRoot: Bool { segments.isEmpty }

    /// True for `$` and `$[*]`.
    package var isOfRoot: Bool { segments.count < 2 && (isRoot || selectsChildren) }

    /// True for `$` and `$[*]`, which select each value of an array whatever the others are.
    package var selectsLines: Bool { isRoot || isOfRoot && passesAllChildren }

    /// Returns the selected values below `root`, in the order of RFC 9535; one that is reached in several ways, as often.
    ///
    /// It takes time proportional to the values that each segment passes, which several `..` in one selector multiply
    /// by the depth of the document.
    package func elements(in root: Node) -> [Node] {
        Self.nodes(from: root, along: segments, root: root)
    }

    private static func nodes(from start: Node, along segments: [Segment], root: Node) -> [Node] {
        var evaluation = QueryEvaluation(root: root)
        // Without a limit, it throws nothing.
        return (try? evaluation.nodes(from: start, along: segments)) ?? []
    }

    /// Returns the first value selected; nil if there is none.
    package func first(in root: Node) -> Node? {
        isSingular ? root.descendant(along: segments) : elements(in: root).first
    }

    /// Returns the values from the root to the one that holds all that can be selected, each with its path. The list
    /// ends early if a value is missing. Of several names, such as `$['data','archived'][*]`, it leads to the first that is there: the
    /// object has other members beside these lists.
    package func way(in root: Node) -> [(path: String, node: Node)] {
        var way = [(path: "$", node: root)]
        for (index, segment) in segments.enumerated() {
            guard !segment.isDescendant, let last = way.last else { break }
            let names = segment.selectors.compactMap(\.name)
            if segment.isSingular {
                guard let next = last.node.descendant(along: [segment]) else { break }
                way.append((path: last.path + segment.text, node: next))
            } else {
                guard index < segments.count - 1, names.count == segment.selectors.count,
                    let name = names.first(where: { last.node[$0] != nil }),
                    let next = last.node[name]
                else { break }
                way.append((path: last.path + Self.shortSegment(named: name), node: next))
                break
            }
        }
        return way
    }

    /// True if it selects values of one array or object, and none below: all as `$.data[*]`, or some as `$.data[1:]`.
    package var selectsChildren: Bool {
        guard let last = segments.last else { return false }
        return !last.isSingular && !last.isDescendant && segments.dropLast().allSatisfy(\.isSingular)
    }

    /// True if the first segment that can select several values selects all of one array or object.
    package var passesAllChildren: Bool {
        guard let first = segments.first(where: { !$0.isSingular }) else { return false }
        return !first.isDescendant && first.selectors == [.wildcard]
    }

    /// Returns the value at the end of the names and indices with which the selector begins; nil if it is missing.
    package func container(below root: Node) -> Node? { root.descendant(along: segments.prefix(while: \.isSingular)) }

    /// The path of the objects that hold the selected lists, such as `$.issues[*].comments` of `$.issues[*].comments.nodes[*]`; nil if all
    /// values come from one list, or if a list has no name.
    package var pathOfInnerLists: String? {
        guard segments.count > 2, let last = segments.last, !last.isSingular, !last.isDescendant,
            segments[segments.count - 2].isSingular, segments.dropLast(2).contains(where: { !$0.isSingular })
        else { return nil }
        return "$" + segments.dropLast(2).map { $0.isSingular ? $0.text : "[*]" }.joined()
    }

    /// Returns the objects at the places of `pathOfInnerLists`, each with what stands at the place of its list; nil for nothing.
    package func innerLists(in root: Node) -> [(owner: Node, list: Node?)] {
        guard segments.count > 2 else { return [] }
        return Self.nodes(from: root, along: Array(segments.dropLast(2)), root: root).filter { $0.kind == .object }.map
        {
            (owner: $0, list: $0.descendant(along: segments.dropLast().suffix(1)))
        }
    }

    /// Returns a value in the place of a list, or of an object that leads to one, below the elements of a list, with the path of such
    /// places; nil if there is none. Null and an empty text stand for nothing, and most elements of a list may well be values.
    package func valueInPlaceOfInnerList(in root: Node) -> (path: String, node: Node)? {
        guard passesAllChildren, container(below: root)?.kind == .array, !segments.contains(where: \.isDescendant),
            let first = segments.firstIndex(where: { !$0.isSingular })
        else { return nil }
        var nodes = Self.nodes(from: root, along: Array(segments[..<first]), root: root)
        var path = "$" + segments[..<first].map(\.text).joined()
        for segment in segments[first...].dropLast() {
            // Other members of an object stand beside those that are meant.
            let holders = segment.isSingular ? nodes : nodes.filter { $0.kind == .array }
            let found = holders.flatMap { Self.nodes(from: $0, along: [segment], root: root) }
            path += segment.isSingular ? segment.text : "[*]"
            let odd = found.filter { ![.array, .object, .null].contains($0.kind) && !($0.isString && $0.utf8.isEmpty) }
            if let node = odd.first, segment.isSingular || odd.count < found.count - odd.count { return (path, node) }
            nodes = segment.isSingular ? found : nodes.flatMap { Self.nodes(from: $0, along: [segment], root: root) }
        }
        return nil
    }

    /// The reason why a selector selects nothing.
    package enum Absence: Sendable, Equatable {
        /// The list that it names is there, and empty or null.
        case empty
        /// The selector names a member or an element that does not exist.
        case missing
        /// It names a value that holds no others.
        case noContainer(Node.Kind)
    }

    /// Returns the reason why the selector selects nothing below `root`.
    package func absence(in root: Node) -> Absence {
        guard let place = segments.firstIndex(where: { !$0.isSingular }),
            let container = root.descendant(along: segments[..<place])
        else { return .missing }
        let isContainer = { (kind: Node.Kind) in [.array, .object, .null].contains(kind) }
        guard isContainer(container.kind) else { return .noContainer(container.kind) }
        if container.isNull { return .empty }
        let segment = segments[place]
        let found = Self.nodes(from: container, along: [segment], root: root)
        if let first = found.first {
            return found.contains { isContainer($0.kind) } ? .empty : .noContainer(first.kind)
        }
        // An array may be empty or short; an object without the names has none of what is asked for.
        if segment.isDescendant { return .missing }
        return container.kind == .array || segment.selectors.contains(.wildcard) ? .empty : .missing
    }

    /// Returns the values selected in `document`. A wildcard at the end selects an array's values without a list of them.
    package func select(in document: Document) -> Selection {
        document.withRoot { root in
            if selectsChildren, segments.last?.selectors == [.wildcard],
                let container = root.descendant(along: segments.dropLast()), container.kind == .array
            {
                return Selection(valuesOf: container, in: document)
            }
            return Selection(elements(in: root), in: document)
        }
    }
}

extension Selector {
    /// Returns the segment that selects the member with this name, for appending to its object's selector: `['it\'s']`.
    package static func segment(named name: String) -> String {
        // Scalars, not Characters: a quote and a combining mark behind it are one Character, which is no quote.
        let escaped = name.unicodeScalars.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "['\(escaped.joined())']"
    }

    /// Returns the shortest segment that selects the member with this name: `.name`, or `['odd name']`.
    ///
    /// It reads bytes instead of matching a pattern, which Swift would compile for each page.
    package static func shortSegment(named name: String) -> String {
        func isWordByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): true
            default: false
            }
        }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = name.utf8.first, isWordByte(first),
            name.utf8.allSatisfy({ isWordByte($0) || digits.contains($0) })
        else { return segment(named: name) }
        return ".\(name)"
    }
}

extension Selector: ExpressibleByStringLiteral {
    /// A selector that stands in the code.
    package init(stringLiteral text: String) {
        do {
            try self.init(parsing: text)
        } catch {
            preconditionFailure("a selector in the code must be one: \(error)")
        }
    }
}

/// The error of a text that is not a supported selector or filter expression.
package struct SelectorError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The whole text.
    package let selector: String
    /// The position of the error in bytes from the start of the text.
    package let offset: Int
    package let reason: String

    package var description: String { "\(selector): \(reason) (byte \(offset))" }
}
