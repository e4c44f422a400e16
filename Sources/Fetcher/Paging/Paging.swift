import Catalog
import JSON

/// A stream's paging: its follower, and the rules that hold for every follower.
struct Paging: Sendable {
    private let follower: any PageFollower
    private let limits: PageLimits
    private let boundary: SecretBoundary
    let first: PagePosition

    init(_ paginator: Paginator, start: WebAddress, boundary: SecretBoundary) throws {
        follower = try paginator.follower()
        limits = paginator.limits
        self.boundary = boundary
        first = PagePosition(url: follower.first(from: start).description, number: 0)
    }

    /// The address of a position that may be requested: secrets are bound to the stream's own origin.
    func address(of position: PagePosition) throws(FetchError.Kind) -> WebAddress {
        guard let address = WebAddress(position.url) else { throw .invalidLink(position.url) }
        guard boundary.isInside(address) else { throw .linkToOtherOrigin("\(address.origin)") }
        return address
    }

    enum Continuation {
        case end
        case cutShort(Omission)
        case next(PagePosition)
    }

    func continuation(
        after position: PagePosition, at address: WebAddress, reply: Reply, found: FoundRecords
    ) throws(FetchError.Kind) -> Continuation {
        let count = found.selection.count
        let history = try history(after: position, reply, found)
        let following = try reply.document.withRoot { root throws(FetchError.Kind) in
            try follower.next(
                after: ReceivedPage(
                    address: address, source: reply.address, head: reply.head, root: root,
                    rootIsRecord: found.place == .wholeBody,
                    recordCount: count, recordsRead: history.records))
        }
        guard let following else { return .end }
        if count == 0 {
            // A feed that gives the same cursor until there is something new is at its end.
            if limits.stopsAfterEmptyPage == true || following.address == address { return .end }
            if limits.stopsAfterEmptyPage == nil || following.mayBeEndless { return .cutShort(.emptyPage) }
        }
        // A position is stored in the open.
        guard let withoutSecrets = boundary.withoutSecrets(following.address) else {
            throw .invalidLink("\(following.address)")
        }
        let next = PagePosition(
            url: withoutSecrets.description, number: position.number + 1,
            mayBeMissing: following.mayBeMissing, history: history)
        _ = try self.address(of: next)
        if let maxPages = limits.maxPages, next.number >= maxPages { return .cutShort(.maximumPages) }
        return .next(next)
    }

    /// Throws where the page is the same as the one before.
    private func history(
        after position: PagePosition, _ reply: Reply, _ found: FoundRecords
    ) throws(FetchError.Kind) -> ReadHistory {
        let count = found.selection.count
        let digest = follower.counts && count > 0 ? found.selection.digest : nil
        if let digest, digest == position.history.digest { throw .unchangedPage }
        return position.history.following(count, at: found.place.remembered, digest: digest)
    }
}

extension Paginator {
    /// Throws `SelectorError`.
    fileprivate func follower() throws -> any PageFollower {
        switch self {
        case .auto: AutoPaging()
        case .singlePage: SinglePage()
        case .jsonLink(let path, _): JSONLinkPaging(nextURL: try Selector(parsing: path))
        case .headerLink(let relation, _): HeaderLinkPaging(relation: relation)
        case .cursor(let path, let parameter, let hasMorePath, _):
            CursorPaging(
                cursor: try Selector(parsing: path), parameter: parameter,
                hasMore: try hasMorePath.map(Selector.init(parsing:)))
        case .offset(let offsetParameter, let limitParameter, let limit, let totalPath, _):
            OffsetPaging(
                offsetParameter: offsetParameter, limitParameter: limitParameter, limit: limit,
                total: try totalPath.map(Selector.init(parsing:)))
        case .pageNumber(let page, let base, let sizeParameter, let size, let totalPath, let totalPagesPath, _):
            PageNumberPaging(
                parameter: page, base: base, sizeParameter: sizeParameter, size: size,
                total: try totalPath.map(Selector.init(parsing:)),
                totalPages: try totalPagesPath.map(Selector.init(parsing:)))
        }
    }
}
