import Catalog
import JSON

/// How pages follow one another: from a page alone, so that a read can go on from any stored position.
protocol PageFollower: Sendable {
    /// The first page's address, with the parameters that page by page change.
    func first(from address: WebAddress) -> WebAddress
    /// nil after the last page.
    func next(after page: ReceivedPage) throws(FetchError.Kind) -> WebAddress?
}

extension PageFollower {
    func first(from address: WebAddress) -> WebAddress { address }
}

/// What a follower sees of a page; valid while the document's scope lasts.
struct ReceivedPage {
    let address: WebAddress
    let head: ResponseHead
    let root: Node
    let recordCount: Int

    /// The address that a link on this page means.
    func following(_ link: String) throws(FetchError.Kind) -> WebAddress {
        guard let target = address.resolving(link) else { throw .invalidLink(link) }
        return target
    }
}
