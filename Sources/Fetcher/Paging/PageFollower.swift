import Catalog
import JSON

/// How pages follow one another: from a page and its position alone, so that a read can go on from any stored position.
protocol PageFollower: Sendable {
    /// Whether the next page is counted, whatever a response says: then a server that ignores the count would be read
    /// for ever.
    var counts: Bool { get }
    /// The first page, with the parameters that page by page change.
    func first(from locator: PageLocator) -> PageLocator
    /// Whether the body alone tells what follows the page, so that the same body is followed by the same.
    func isToldByBody(_ page: ReceivedPage) -> Bool
    /// nil after the last page.
    func next(after page: ReceivedPage) throws(FetchError.Kind) -> NextPage?
}

extension PageFollower {
    var counts: Bool { false }

    func isToldByBody(_ page: ReceivedPage) -> Bool { true }

    func first(from locator: PageLocator) -> PageLocator { locator }
}

struct NextPage: Equatable {
    var locator: PageLocator
    /// Nothing announces it.
    var mayBeMissing = false
    /// It follows an empty page, and whether any page is filled again cannot be told.
    var mayBeEndless = false
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
    let recordCount: Int
    /// How many records the read has had, this page's included.
    let recordsRead: Int

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
