import JSON

/// Where the records of a page stand.
enum RecordSelection: Sendable {
    case selector(Selector)
    /// The body if it is an array, else the only array of objects in it, else the object itself.
    case automatic(RecordNames)

    /// - Parameter place: where earlier pages of the read had their records, if that was found out.
    func records(in document: Document, asIn place: ReadHistory.Place?) throws(FetchError.Kind) -> FoundRecords {
        switch self {
        case .selector(let selector):
            let selection = try Self.select(selector, in: document)
            let isWhole = selector.isRoot && document.withRoot { $0.kind == .object }
            return FoundRecords(selection: selection, place: isWhole ? .wholeBody : .selector)
        case .automatic(let names):
            return try document.withRoot { root throws(FetchError.Kind) in
                guard root.kind == .array || root.kind == .object else { throw .scalar(found: root.kind.noun) }
                switch place {
                case nil: return try Self.find(names, below: root, in: document)
                case .member(let member): return try Self.find(member, below: root, in: document)
                case .array:
                    guard root.kind == .array else { throw .noArray(selector: "$", found: root.kind.noun) }
                    return FoundRecords(selection: Selection(valuesOf: root, in: document), place: .array)
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
        _ member: String, below root: Node, in document: Document
    ) throws(FetchError.Kind) -> FoundRecords {
        guard let value = root[member] else { throw .missingPath(selector: "$.\(member)", found: names(below: root)) }
        switch value.kind {
        case .array: return FoundRecords(selection: Selection(valuesOf: value, in: document), place: .member(member))
        case .null: return FoundRecords(selection: Selection([], in: document), place: .member(member))
        default: throw .noArray(selector: "$.\(member)", found: value.kind.noun)
        }
    }

    private static func find(
        _ names: RecordNames, below root: Node, in document: Document
    ) throws(FetchError.Kind) -> FoundRecords {
        if root.kind == .array {
            return FoundRecords(selection: Selection(valuesOf: root, in: document), place: .array)
        }
        let arrays = arrays(below: root)
        let ofObjects = arrays.filter { $0.value.elements.contains { $0.kind == .object } }
        if ofObjects.count > 1 { throw .severalArrays(ofObjects.map(\.name)) }
        guard let (name, value) = ofObjects.first ?? names.emptyPage(among: arrays, of: root) else {
            return FoundRecords(selection: Selection([root], in: document), place: .wholeBody)
        }
        return FoundRecords(selection: Selection(valuesOf: value, in: document), place: .member(name))
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
        case selector
        /// The body is their array.
        case array
        case member(String)
        /// The body is the one record.
        case wholeBody

        /// As later pages of the read must have it.
        var remembered: ReadHistory.Place? {
            switch self {
            case .array: .array
            case .member(let name): .member(name)
            case .selector, .wholeBody: nil
            }
        }
    }
}
