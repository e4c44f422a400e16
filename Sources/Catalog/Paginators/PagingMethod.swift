package import GarnerJSON

/// A way from a page to the next one. It depends only on the page and its request, so that a read can go on from any
/// stored position.
package protocol PagingMethod: Sendable, Equatable {
    /// The value of `type` in the configuration.
    static var type: String { get }
    var evidence: PagingEvidence { get }
    /// The parameter that sets the page size; nil if there is none.
    var sizeParameter: ParameterPlace? { get }
    /// Returns the first page, with the parameters that change from page to page.
    func first(from locator: PageLocator) -> PageLocator
    func next(after page: PageView) -> Following
    /// The placeholder for what changes from page to page; nil if there is none.
    var placeholder: PagePlaceholder? { get }
    /// Returns the method that leaves its value to a placeholder, and sends no parameter of its own.
    func placed(at place: ParameterPlace) -> Self
    /// Returns the values of this page at the places that the configuration names; nil if it names none.
    func places(on page: PageView) -> NamedPlaces?
    /// The key with the places of the body that lead to the next page; nil if the configuration names none.
    var wayOn: (key: String, paths: [Selector])? { get }
    /// The place of a value that is false on the last page; nil if the configuration names none.
    var hasMorePath: Selector? { get }
    /// Returns the method without the places of totals, for a server whose totals count something else.
    func ignoringTotals() -> Self
}

extension PagingMethod {
    package var sizeParameter: ParameterPlace? { nil }

    package func first(from locator: PageLocator) -> PageLocator { locator }

    package var placeholder: PagePlaceholder? { nil }

    package func placed(at place: ParameterPlace) -> Self { self }

    /// The value of the first page, where a placeholder takes it; nil if nothing names that page.
    package var firstValue: BodyValue? {
        let nowhere = WebAddress(scheme: "https", authority: "", path: "", query: nil)
        return first(from: PageLocator(address: nowhere, body: nil)).pageValue
    }

    package func places(on page: PageView) -> NamedPlaces? { nil }

    package var wayOn: (key: String, paths: [Selector])? { nil }

    package var hasMorePath: Selector? { nil }

    package func ignoringTotals() -> Self { self }
}

protocol ConfiguredPaging: PagingMethod {
    static var keys: Keys<Self> { get }
}

extension ConfiguredPaging {
    /// The keys and values as a file has them. A value that is not set is left out.
    var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        [("type", .text(Self.type))] + Self.keys.show(self)
    }

    func equals(_ other: any ConfiguredPaging) -> Bool { other as? Self == self }

    var parameters: [ParameterPlace] { Self.keys.values(of: ParameterPlace.self, in: self) }
}

/// The sign by which a paginator knows the next page.
package enum PagingEvidence: Sendable, Equatable {
    /// There is no next page.
    case none
    /// Any sign in a response.
    case response
    /// A place of the body that the configuration names.
    case body
    /// A header that the configuration names.
    case header
    /// The link of the `Link` header with this relation (RFC 8288).
    case link(relation: String)
    /// A count, whatever the response says. A server that ignores the count would be read for ever.
    ///
    /// Page size: the number of records that are requested; nil if the request decides it.
    case count(pageSize: Int?)
}

/// The request for the next page.
package enum Following {
    /// The page is the last one.
    case end
    /// The request that the response itself suggests.
    case asShown
    /// A URL, or a reference relative to the page's URL.
    case link(String)
    /// The link of the `Link` header with the paginator's relation.
    case linkHeader
    /// A request. `mayBeMissing`: nothing announces the page. `mayBeEndless`: the page follows an empty one, and
    /// nothing tells whether a later page has records.
    case request(PageLocator, mayBeMissing: Bool = false, mayBeEndless: Bool = false)
    /// The page has a value at a place that should lead on, and it is neither a way to the next page nor an end.
    case notUnderstood(place: String, Node)

    static func notUnderstood(_ sign: (path: Selector, node: Node)) -> Following {
        .notUnderstood(place: "\(sign.path)", sign.node)
    }
}

/// The parts of a page that a paginator sees. It is valid within the document's scope.
package struct PageView {
    package let locator: PageLocator
    package let root: Node
    /// The number of records that the server put on the page.
    package let recordCount: Int
    /// The number of records of the read, this page's included.
    package let recordsRead: Int
    /// True if the page states that it begins with record 1, where it was asked for without skipping any.
    let countsFromOne: Bool
    private let headers: (String) -> String?

    package init(
        locator: PageLocator, root: Node, recordCount: Int, recordsRead: Int, countsFromOne: Bool = false,
        headers: @escaping (String) -> String?
    ) {
        self.locator = locator
        self.root = root
        self.recordCount = recordCount
        self.recordsRead = recordsRead
        self.countsFromOne = countsFromOne
        self.headers = headers
    }

    func header(_ name: String) -> String? { headers(name) }

    /// Returns the first value at a place of the body; nil if there is none, or if the path is nil.
    func node(at path: Selector?) -> Node? { path?.first(in: root) }

    /// Returns the value at a place with the place itself; nil if there is none.
    func place(at path: Selector?) -> (path: Selector, node: Node)? {
        path.flatMap { path in node(at: path).map { (path: path, node: $0) } }
    }

    /// Returns the number at a place of the body; nil if there is none, or if it is negative, as of a server that did not
    /// count.
    func count(at path: Selector?) -> Int? { node(at: path)?.pagingCount }

    /// Returns what a flag says of another page; nil if it is absent, null, or an empty object or list.
    func flag(at path: Selector?) -> PageFlag? {
        guard let place = place(at: path), place.node.kind != .null else { return nil }
        if [.array, .object].contains(place.node.kind), place.node.saysNoNext { return nil }
        switch (place.node.kind, place.node.text.lowercased()) {
        case (.true, _), (.string, "true"), (.string, "yes"), (.string, "y"), (.string, "1"): return .more
        case (.false, _), (.string, "false"), (.string, "no"), (.string, "n"), (.string, "0"), (.string, ""):
            return .last
        case (.integer, _): return place.node.integer == 0 ? .last : .more
        default: return .notUnderstood(place: "\(place.path)", place.node)
        }
    }

    /// Returns the first of these places whose value says that there is a next page; nil if all are absent or empty.
    ///
    /// - Parameter saysNone: Returns true for another value that says that there is none.
    func sign(
        at paths: [Selector], unless saysNone: (Selector, Node) -> Bool = { _, _ in false }
    ) -> (path: Selector, node: Node)? {
        paths.lazy.compactMap(place).first { path, node in
            // The value of a record may be any word.
            let isWord = node.isWordForNothing && !"\(path)".contains("[-1]")
            return !node.saysNoNext && !isWord && !saysNone(path, node)
        }
    }
}

/// What a flag says of another page. Servers write it as a boolean, as a text, or as a number, which may count what is left.
enum PageFlag {
    case more
    case last
    case notUnderstood(place: String, Node)

    var isMore: Bool { if case .more = self { true } else { false } }
    var isLast: Bool { if case .last = self { true } else { false } }
}

/// The values at the places that a paginator reads.
package struct NamedPlaces {
    /// The values that are present, null included.
    package var nodes: [Node] = []
    /// True if the header is present.
    package var isInHead = false
    /// The name of that header, if it has the cursor, rather than links of which one may lead to the next page.
    package var cursorHeader: String?
    /// True if the place says that this is the last page. No other sign counts then.
    package var saysLast = false
    /// True if the place says that another page follows, even if other signs are missing.
    package var saysMore = false
    /// The number of all records.
    package var total: (path: Selector, node: Node)?
    package var totalPages: (path: Selector, node: Node)?

    package var areThere: Bool { isInHead || !nodes.isEmpty }
}

extension Node {
    /// The string, or the spelling of a number.
    package var pagingText: String? {
        switch kind {
        case .string, .integer, .real, .number: text
        case .null, .true, .false, .array, .object: nil
        }
    }

    /// The integer, also one in a string or with a fraction of zero.
    package var pagingNumber: Int? {
        switch kind {
        case .integer: Int(exactly: integer)
        case .real: Double(text).flatMap { Int(exactly: $0) }
        // `+20` is no number: it says that there may be more.
        default: string.flatMap { $0.utf8.starts(with: "+".utf8) ? nil : Int($0) }
        }
    }

    /// The number of records or pages; nil for a negative one, by which servers say that they did not count.
    package var pagingCount: Int? { pagingNumber.flatMap { $0 < 0 ? nil : $0 } }

    /// True for a text by which programs write that there is no value, and CouchDB a bookmark that leads nowhere.
    package var isWordForNothing: Bool {
        kind == .string && (3...9).contains(utf8.count) && Self.wordsForNothing.contains(text.lowercased())
    }

    private static let wordsForNothing: Set = ["false", "nil", "none", "null", "undefined"]

    /// True for a value that leads nowhere in the place of a cursor: -1, a word such as "null", and "0", with which Twitter's lists and
    /// Redis's scans end, where it is not the first one.
    package func isNoCursor(behindOthers: Bool) -> Bool {
        if isWordForNothing { return true }
        guard let number = pagingNumber else { return false }
        return number == -1 || behindOthers && number == 0
    }

    /// True for the values by which servers say that there is no next page: null, false, 0, and what is empty.
    var saysNoNext: Bool {
        switch kind {
        case .null, .false: true
        case .integer: integer == 0
        case .string: utf8.isEmpty
        case .array: elements.allSatisfy { _ in false }
        case .object: members.allSatisfy { _ in false }
        case .true, .real, .number: false
        }
    }
}

// The notation of the keys that several paginators share.

extension ValueFormat where Value == Selector {
    /// A JSONPath in the body of a response.
    static var jsonPath: Self {
        text(.jsonPath) { $0.selector($1) }
    }
}

extension ValueFormat where Value: CustomStringConvertible & Sendable {
    /// One value, or a list of them, the one to try first before the others.
    var alternatives: ValueFormat<[Value]> {
        ValueFormat<[Value]>(
            schema: .anyOf([schema, .list(schema)]),
            read: { reader, value in
                guard value.isList else { return read(reader, value).map { [$0] } }
                guard let values = value.elements(read: { read(reader, $0) }) else { return nil }
                if values.isEmpty { value.fail("'\(value.name)' is an empty list", hint: "name one at least") }
                return values.isEmpty ? nil : values
            },
            show: { values in
                switch values.count {
                case 0: .nothing
                case 1: show(values[0])
                default: .value(.list(values.map(\.description)))
                }
            })
    }
}

extension ValueFormat where Value == ParameterPlace {
    /// The name of a query parameter, or `$.a.b` for a place in the body.
    static var parameter: Self {
        text { reader, value in
            guard let text = reader.name(value) else { return nil }
            guard text.hasPrefix("$.") else { return .query(text) }
            guard let place = BodyPlace(text), reader.selector(value) != nil else {
                return value.failed(
                    "'\(value.name)' is no place in the body", hint: "write names only, as in $.page.cursor")
            }
            return .body(place)
        }
    }
}
