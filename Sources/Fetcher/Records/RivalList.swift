import GarnerJSON
import GarnerModel

/// A value of the first page that may hold the records, such as `$.result.items`, rather than an empty array beside it.
struct RivalList {
    /// The names that lead from the root to the value.
    private let names: [String]
    /// The array of the records; nil if it is not clear that they are meant.
    private let meant: Node?

    /// Finds the value; fails if the empty array is more likely the list.
    ///
    /// An array with the name of a list gives way to no map, as facets are one.
    init?(of empty: String, below root: Node, _ recordNames: RecordNames) {
        let isUsual = recordNames.isUsual(empty)
        if let nested = NestedArray(below: root), !recordNames.isRecord(root) {
            let isFilled = nested.array.elements.contains { $0.kind == .object }
            if isFilled || recordNames.isComplaint(empty) {
                (names, meant) = (nested.names, isUsual ? nil : nested.array)
                return
            }
        }
        guard !isUsual else { return nil }
        let found = Self.values(below: root, at: [])
        guard let first = found.first(where: { $0.node.kind == .array }) ?? found.first else { return nil }
        names = first.names
        meant = found.count == 1 && first.node.kind == .array ? first.node : nil
    }

    /// The records: those that are meant, or else none, with a doubt.
    func found(beside empty: (name: String, value: Node), in document: Document) -> FoundRecords {
        if let meant {
            return FoundRecords(valuesOf: meant, at: .path(names), in: document)
        }
        var found = FoundRecords(valuesOf: nil, at: .member(empty.name), in: document)
        found.rival = "$" + names.map(Selector.shortSegment(named:)).joined()
        found.doubt = .emptyBeside(found.rival ?? "$", list: "$" + Selector.shortSegment(named: empty.name))
        return found
    }

    /// Returns the JSONPath of the largest array of objects inside the objects of a body; nil if none has more elements than that.
    static func largest(below root: Node, than count: Int) -> String? {
        var largest: (names: [String], size: Int) = ([], count)
        for (names, node) in values(below: root, at: []) where node.kind == .array {
            let size = node.elements.reduce(0) { count, _ in count + 1 }
            if size > largest.size { largest = (names, size) }
        }
        return largest.names.isEmpty ? nil : "$" + largest.names.map(Selector.shortSegment(named:)).joined()
    }

    /// Returns true if an object has something that may hold records.
    static func isThere(below root: Node) -> Bool { !values(below: root, at: []).isEmpty }

    /// Returns the values below an object that may hold records: objects of objects, and arrays with an object.
    private static func values(below object: Node, at names: [String]) -> [(names: [String], node: Node)] {
        object.members.prefix(100).flatMap { key, value -> [(names: [String], node: Node)] in
            let place = names + [key.text]
            guard !isAboutPage(key.text) else { return [] }
            switch value.kind {
            case .array where !names.isEmpty:
                return value.elements.contains { $0.kind == .object } ? [(place, value)] : []
            case .object:
                let isMap =
                    value.members.contains { _ in true } && value.members.allSatisfy { $0.value.kind == .object }
                let inner = names.count < 3 ? values(below: value, at: place) : []
                return inner.isEmpty && isMap ? [(place, value)] : inner
            default: return []
            }
        }
    }

    private static let aboutPage = [
        "aggregation", "context", "debug", "facet", "filter", "info", "link", "meta", "pager", "pagin", "param",
        "request",
    ]

    /// Returns true if an object with this name describes the page or the request.
    private static func isAboutPage(_ name: String) -> Bool {
        let name = Envelope.normalized(name)
        return name == "page" || aboutPage.contains { name.contains($0) }
    }
}
