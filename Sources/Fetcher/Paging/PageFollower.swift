import Catalog
import JSON
import Model

/// How pages follow one another: from a page and its position alone, so that a read can go on from any stored position.
protocol PageFollower: Sendable {
    /// Whether the next page is counted, whatever a response says: then a server that ignores the count would be read
    /// for ever.
    var counts: Bool { get }
    /// How many records it asks for on a page; nil: what the request says.
    var limit: Int? { get }
    /// It knows the next page by a place of the body or the head that the configuration names.
    var looksAtPlaces: Bool { get }
    /// The relation of the `Link` field that leads to the next page; nil where none does.
    var linkRelation: String? { get }
    /// What stands on this page where the configuration says; nil where it names no place.
    func places(on page: ReceivedPage) -> NamedPlaces?
    /// The first page, with the parameters that page by page change.
    func first(from locator: PageLocator) -> PageLocator
    /// How far what follows the page is told by the part of a response that a validator and a fingerprint stand for.
    func memory(of page: ReceivedPage, next: NextPage?) -> PageSummary.Memory
    /// nil after the last page.
    func next(after page: ReceivedPage) throws(FetchError.Kind) -> NextPage?
}

extension PageFollower {
    var counts: Bool { false }

    var limit: Int? { nil }
    var looksAtPlaces: Bool { false }
    var linkRelation: String? { nil }

    func places(on page: ReceivedPage) -> NamedPlaces? { nil }

    func memory(of page: ReceivedPage, next: NextPage?) -> PageSummary.Memory { .full }

    func first(from locator: PageLocator) -> PageLocator { locator }
}

/// What stands where a paginator looks.
struct NamedPlaces {
    /// What was there, null included.
    var nodes: [Node] = []
    /// A header was there.
    var isInHead = false
    /// It decides alone that this was the last page.
    var saysLast = false
    /// It says that another page follows, whatever else is missing.
    var saysMore = false
    /// How many records there are in all.
    var total: Node?
    /// How many pages there are in all.
    var totalPages: Node?

    var areThere: Bool { isInHead || !nodes.isEmpty }
}

struct NextPage: Equatable {
    var locator: PageLocator
    /// Nothing announces it.
    var mayBeMissing = false
    /// It follows an empty page, and whether any page is filled again cannot be told.
    var mayBeEndless = false
    /// Its address stood in the head of the response.
    var isFromHead = false
    /// It was found by counting.
    var isNumbered = false
}

/// What a follower sees of a page; valid while the document's scope lasts.
struct ReceivedPage {
    /// What was asked for.
    let locator: PageLocator
    /// Where the page came from, behind all redirects: what its links are relative to.
    let source: WebAddress
    let head: ResponseHead
    let root: Node
    /// The whole body is the record.
    let rootIsRecord: Bool
    /// How many records the server has put on the page.
    let recordCount: Int
    /// The read before this page.
    let history: ReadHistory
    let context: ReadContext
    /// The JSONPath of what holds the records.
    let recordsPath: String
    var detection: PaginationDetection

    /// How many records the read has had, this page's included.
    var recordsRead: Int { history.records.addingReportingOverflow(recordCount).partialValue }

    /// The page that a link on this page leads to.
    func following(_ link: String) throws(FetchError.Kind) -> NextPage {
        guard let target = source.resolving(link) else { throw .invalidLink(link) }
        return NextPage(locator: PageLocator(address: target, body: locator.body))
    }

    /// The page that is asked for as this one, but for a parameter.
    func following(_ place: ParameterPlace, _ value: BodyValue) -> NextPage {
        NextPage(locator: locator.setting(place, to: value))
    }
}
