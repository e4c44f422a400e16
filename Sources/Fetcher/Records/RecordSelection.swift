import JSON
import Model

/// Where the records of a page stand.
enum RecordSelection: Sendable {
    case selector(Selector)
    /// The body if it is an array, else the only array of objects in it, else the object itself.
    case automatic(RecordNames)

    var isAutomatic: Bool { if case .automatic = self { true } else { false } }

    /// - Parameters:
    ///   - place: where earlier pages of the read had their records, if that was found out.
    ///   - context: what earlier reads have shown.
    func records(
        in document: Document, asIn place: ReadHistory.Place?, _ context: ReadContext
    ) throws(FetchError.Kind) -> FoundRecords {
        switch self {
        case .selector(let selector):
            do {
                let selection = try Self.select(selector, in: document)
                let isWhole = selector.isRoot && document.withRoot { $0.kind == .object }
                return FoundRecords(selection: selection, place: isWhole ? .wholeBody : .selector(selector))
            } catch {
                if let refusal = document.withRoot(BodyRefusal.init) { throw refusal.kind }
                throw error
            }
        case .automatic(let names):
            return try document.withRoot { root throws(FetchError.Kind) in
                guard root.kind == .array || root.kind == .object else { throw .scalar(found: root.kind.noun) }
                if let refusal = BodyRefusal(root) { throw refusal.kind }
                switch place {
                case nil: return try Self.find(names, below: root, in: document, context)
                case .member(let member): return try Self.find([member], below: root, in: document)
                case .path(let names): return try Self.find(names, below: root, in: document)
                case .array:
                    guard root.kind == .array else { throw .noArray(selector: "$", found: root.kind.noun) }
                    return FoundRecords(selection: Selection(valuesOf: root, in: document), place: .array)
                case .second:
                    guard let pair = root.pageAndRecords else {
                        throw .noArray(selector: "$[1]", found: root.kind.noun)
                    }
                    return FoundRecords(selection: Selection(valuesOf: pair.records, in: document), place: .second)
                }
            }
        }
    }

    private static func select(_ selector: Selector, in document: Document) throws(FetchError.Kind) -> Selection {
        let selection = selector.select(in: document)
        return try document.withRoot { root throws(FetchError.Kind) in
            if selector.isSingular {
                // One array stands for its values: `$.data` is what most people write for `$.data[*]`.
                guard let value = selector.first(in: root) else { throw missing(selector, below: root) }
                if value.kind == .array { return Selection(valuesOf: value, in: document) }
                return value.kind == .null ? Selection([], in: document) : selection
            }
            if selection.count == 0, let container = try? selector.withoutLastWildcard, container.isSingular {
                guard let value = container.first(in: root) else { throw missing(selector, below: root) }
                guard [.array, .object, .null].contains(value.kind) else {
                    throw .noArray(selector: "\(selector)", found: value.kind.noun)
                }
            }
            return selection
        }
    }

    /// A later page may look otherwise: where no other array is filled, an empty one is not the record itself.
    private static func find(
        _ path: [String], below root: Node, in document: Document
    ) throws(FetchError.Kind) -> FoundRecords {
        let selector = "$" + path.map(JSONPath.segment).joined()
        var value = root
        for name in path {
            guard let next = value[name] else { throw .missingPath(selector: selector, found: names(below: root)) }
            value = next
        }
        let place: FoundRecords.Place = path.count == 1 ? .member(path[0]) : .path(path)
        switch value.kind {
        case .array: return FoundRecords(selection: Selection(valuesOf: value, in: document), place: place)
        case .null: return FoundRecords(selection: Selection([], in: document), place: place)
        default: throw .noArray(selector: selector, found: value.kind.noun)
        }
    }

    private static func find(
        _ names: RecordNames, below root: Node, in document: Document, _ context: ReadContext
    ) throws(FetchError.Kind) -> FoundRecords {
        if root.kind == .array {
            if !context.followsAsBefore, let pair = root.pageAndRecords {
                return FoundRecords(selection: Selection(valuesOf: pair.records, in: document), place: .second)
            }
            return FoundRecords(selection: Selection(valuesOf: root, in: document), place: .array)
        }
        let arrays = arrays(below: root)
        var ofObjects = arrays.filter { $0.value.elements.contains { $0.kind == .object } }
        // Beside records they tell what went wrong.
        if ofObjects.count > 1 { ofObjects.removeAll { BodyRefusal.complaints.contains($0.name) } }
        if ofObjects.count > 1 { throw .severalArrays(ofObjects.map(\.name)) }
        if let (name, value) = ofObjects.first ?? names.emptyPage(among: arrays, of: root) {
            if context.isFirst, names.isDoubtful(name, in: root) { throw .arrayInRecord(name: name) }
            return FoundRecords(selection: Selection(valuesOf: value, in: document), place: .member(name))
        }
        if !context.followsAsBefore, !names.isRecord(root), let nested = NestedArray(below: root) {
            return FoundRecords(selection: Selection(valuesOf: nested.array, in: document), place: .path(nested.names))
        }
        return FoundRecords(selection: Selection([root], in: document), place: .wholeBody)
    }

    /// The members that are arrays; of duplicate names the last.
    private static func arrays(below root: Node) -> [(name: String, value: Node)] {
        var last: [[UInt8]: (place: Int, value: Node)] = [:]
        for (place, member) in root.members.enumerated() { last[Array(member.key.utf8)] = (place, member.value) }
        return last.filter { $0.value.value.kind == .array }.sorted { $0.value.place < $1.value.place }
            .map { (name: String(decoding: $0.key, as: UTF8.self), value: $0.value.value) }
    }

    private static func missing(_ selector: Selector, below root: Node) -> FetchError.Kind {
        .missingPath(selector: "\(selector)", found: names(below: root))
    }

    private static func names(below root: Node) -> [String] { root.members.prefix(20).map(\.key.text) }
}

extension Selector {
    /// The selector of what a `[*]` at the end looks into; itself where none is at the end.
    fileprivate var withoutLastWildcard: Selector {
        get throws(SelectorError) {
            guard let ending = description.firstMatch(of: /(\[\s*\*\s*\]|\.\*)\s*$/) else { return self }
            return try Selector(parsing: String(description[..<ending.range.lowerBound]))
        }
    }
}

extension Node.Kind {
    /// With its article, for a sentence.
    fileprivate var noun: String {
        switch self {
        case .null: "null"
        case .true, .false: "a boolean"
        case .integer, .real, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// The records of a page, and where they stood.
struct FoundRecords {
    let selection: Selection
    let place: Place

    enum Place: Equatable {
        /// Where the configuration says.
        case selector(Selector)
        /// The body is their array.
        case array
        case member(String)
        case path([String])
        /// The body is an array of two, of which the second is theirs.
        case second
        /// The body is the one record.
        case wholeBody

        /// Where earlier pages had them; the configured place where that was not found out.
        init(_ remembered: ReadHistory.Place?) {
            switch remembered {
            case .array: self = .array
            case .member(let name): self = .member(name)
            case .path(let names): self = .path(names)
            case .second: self = .second
            case nil: self = .array
            }
        }

        /// As a JSONPath; nil where the configuration says it.
        var path: String? {
            switch self {
            case .selector: nil
            case .array, .wholeBody: "$"
            case .second: "$[1]"
            case .member(let name): "$" + JSONPath.segment(name)
            case .path(let names): "$" + names.map(JSONPath.segment).joined()
            }
        }

        /// As later pages of the read must have it.
        var remembered: ReadHistory.Place? {
            switch self {
            case .array: .array
            case .member(let name): .member(name)
            case .path(let names): .path(names)
            case .second: .second
            case .selector, .wholeBody: nil
            }
        }
    }

    /// The values from the root to the one that holds the records; empty where the body is the record.
    func way(in root: Node) -> [(path: String, node: Node)] {
        switch place {
        case .selector(let selector): return selector.way(in: root)
        case .array: return [(path: "$", node: root)]
        case .second: return [(path: "$", node: root), (path: "$[1]", node: root)]
        case .member(let name): return Self.way([name], in: root)
        case .path(let names): return Self.way(names, in: root)
        case .wholeBody: return []
        }
    }

    private static func way(_ names: [String], in root: Node) -> [(path: String, node: Node)] {
        var way = [(path: "$", node: root)]
        for name in names {
            guard let last = way.last, let next = last.node[name] else { break }
            way.append((path: last.path + JSONPath.segment(name), node: next))
        }
        return way
    }

    /// How many records the server has put on the page, whatever is selected below each.
    func count(in root: Node) -> Int {
        guard case .selector(let selector) = place, !selector.isSingular, !selector.selectsChildren,
            let container = selector.way(in: root).last?.node
        else { return selection.count }
        switch container.kind {
        case .array: return container.elements.reduce(0) { count, _ in count + 1 }
        case .object: return container.members.reduce(0) { count, _ in count + 1 }
        default: return selection.count
        }
    }
}
