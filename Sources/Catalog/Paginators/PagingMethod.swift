package import JSON

/// A way from a page to the next one: from a page and its request alone, so that a read can go on from any stored position.
package protocol PagingMethod: Sendable, Equatable {
    /// The value of `type` in the configuration.
    static var type: String { get }
    var evidence: PagingEvidence { get }
    /// The parameter that a page's size is sent as; nil where none is.
    var sizeParameter: ParameterPlace? { get }
    /// The first page, with the parameters that page by page change.
    func first(from locator: PageLocator) -> PageLocator
    func next(after page: PageView) -> Following
    /// The values of this page at the places that the configuration names; nil where it names none.
    func places(on page: PageView) -> NamedPlaces?
}

extension PagingMethod {
    package var sizeParameter: ParameterPlace? { nil }

    package func first(from locator: PageLocator) -> PageLocator { locator }

    package func places(on page: PageView) -> NamedPlaces? { nil }
}

/// A paging method with its keys.
protocol ConfiguredPaging: PagingMethod {
    static var keys: Keys<Self> { get }
}

extension ConfiguredPaging {
    /// Keys and values as they would be written; what is not set is left out.
    var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        [("type", .text(Self.type))] + Self.keys.show(self)
    }

    /// The parameters that it sends.
    var parameters: [ParameterPlace] { Self.keys.values(of: ParameterPlace.self, in: self) }
}

/// The sign by which a paginator knows the next page.
package enum PagingEvidence: Sendable, Equatable {
    /// There is no next page.
    case none
    /// Whatever a response shows without being asked for it.
    case response
    /// A place of the body that the configuration names.
    case body
    /// A header that the configuration names.
    case header
    /// The link of the `Link` header with this relation (RFC 8288).
    case link(relation: String)
    /// The next page is counted, whatever a response says: then a server that ignores the count would be read for ever.
    ///
    /// Page size: how many records are asked for on a page; nil: what the request says.
    case count(pageSize: Int?)
}

/// How the page behind another one is asked for.
package enum Following {
    /// The page is the last one.
    case end
    /// As the response shows by itself.
    case asShown
    /// A URL, or a reference relative to the page's own; null and an empty text lead nowhere.
    case link(Node)
    /// The link of the `Link` header with the paginator's relation.
    case linkHeader
    /// May be missing: nothing announces it. May be endless: it follows an empty page, and whether any page is filled again
    /// cannot be told.
    case request(PageLocator, mayBeMissing: Bool = false, mayBeEndless: Bool = false)
}

/// A page as a paginator sees it; valid while the document's scope lasts.
package struct PageView {
    /// The request of the page.
    package let locator: PageLocator
    package let root: Node
    /// How many records the server has put on the page.
    package let recordCount: Int
    /// How many records the read has had, this page's included.
    package let recordsRead: Int
    private let headers: (String) -> String?

    package init(
        locator: PageLocator, root: Node, recordCount: Int, recordsRead: Int, headers: @escaping (String) -> String?
    ) {
        self.locator = locator
        self.root = root
        self.recordCount = recordCount
        self.recordsRead = recordsRead
        self.headers = headers
    }

    /// The first value of the header of that name.
    func header(_ name: String) -> String? { headers(name) }

    /// The first value at a place of the body; nil where there is none, or no place.
    func node(at path: Selector?) -> Node? { path?.first(in: root) }
}

/// The values at the places where a paginator looks.
package struct NamedPlaces {
    /// The values that were there, null included.
    package var nodes: [Node] = []
    /// A header was there.
    package var isInHead = false
    /// It decides alone that this was the last page.
    package var saysLast = false
    /// It says that another page follows, whatever else is missing.
    package var saysMore = false
    /// How many records there are in all.
    package var total: Node?
    /// How many pages there are in all.
    package var totalPages: Node?

    package var areThere: Bool { isInHead || !nodes.isEmpty }
}

extension Node {
    /// A string, or a number's spelling.
    package var pagingText: String? {
        switch kind {
        case .string, .integer, .real, .number: text
        case .null, .true, .false, .array, .object: nil
        }
    }

    /// An integer, or a string that is one.
    package var pagingNumber: Int? { kind == .integer ? Int(exactly: integer) : string.flatMap { Int($0) } }
}

// How the keys that several paginators have are written.

extension ValueFormat where Value == Selector {
    /// A JSONPath in the body of a response.
    static var jsonPath: Self {
        text(.jsonPath) { $0.selector($1) }
    }
}

extension ValueFormat where Value == ParameterPlace {
    /// The name of a query parameter, or `$.a.b` for a place in the JSON body.
    static var parameter: Self {
        text { reader, value in
            guard let text = reader.name(value) else { return nil }
            guard text.hasPrefix("$.") else { return .query(text) }
            guard let place = BodyPlace(text), reader.selector(value) != nil else {
                value.fail("'\(value.name)' is no place in the body", hint: "write names only, as in $.page.cursor")
                return nil
            }
            return .body(place)
        }
    }
}
