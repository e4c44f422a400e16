import JSON

/// Where the records of a page stand.
enum RecordSelection: Sendable {
    case selector(Selector)
    /// The body if it is an array, else the only array of objects in it, else the object itself.
    case automatic

    func records(in document: Document) throws(FetchError.Kind) -> Selection {
        switch self {
        case .selector(let selector): try Self.select(selector, in: document)
        case .automatic:
            try document.withRoot { root throws(FetchError.Kind) in try Self.find(below: root, in: document) }
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

    private static func find(below root: Node, in document: Document) throws(FetchError.Kind) -> Selection {
        switch root.kind {
        case .array: return Selection(valuesOf: root, in: document)
        case .object: break
        default: throw .scalar(found: root.kind.noun)
        }
        let arrays = arrays(below: root)
        let ofObjects = arrays.filter { $0.value.elements.contains { $0.kind == .object } }
        if ofObjects.count > 1 { throw .severalArrays(ofObjects.map(\.name)) }
        if let only = ofObjects.first { return Selection(valuesOf: only.value, in: document) }
        // An empty array is an empty page where nothing else can be one.
        let empty = arrays.filter { $0.value.elements.contains { _ in true } == false }
        let usual = empty.filter { usualNames.contains($0.name) }
        if arrays.count == 1, let only = empty.first { return Selection(valuesOf: only.value, in: document) }
        if usual.count == 1, let only = usual.first { return Selection(valuesOf: only.value, in: document) }
        return Selection([root], in: document)
    }

    private static let usualNames: Set<String> = ["data", "entries", "items", "records", "results", "value", "values"]

    /// The members that are arrays; of duplicate names the last.
    private static func arrays(below root: Node) -> [(name: String, value: Node)] {
        var last: [String: (place: Int, value: Node)] = [:]
        for (place, member) in root.members.enumerated() { last[member.key.text] = (place, member.value) }
        return last.filter { $0.value.value.kind == .array }.sorted { $0.value.place < $1.value.place }
            .map { (name: $0.key, value: $0.value.value) }
    }

    private static func missing(_ selector: Selector, below root: Node) -> FetchError.Kind {
        .missingPath(selector: "\(selector)", found: root.members.prefix(20).map(\.key.text))
    }
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
