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

    /// What a page that was read says of those behind it.
    func summary(
        of found: FoundRecords, in reply: Reply, document: Document, at position: PagePosition,
        asked address: WebAddress
    ) throws(FetchError.Kind) -> PageSummary {
        let count = found.selection.count
        let before = position.history.records
        let following = try document.withRoot { root throws(FetchError.Kind) in
            try follower.next(
                after: ReceivedPage(
                    address: address, source: reply.address, head: reply.head, root: root,
                    rootIsRecord: found.place == .wholeBody, recordCount: count,
                    recordsRead: before.addingReportingOverflow(count).partialValue))
        }
        return PageSummary(
            recordCount: count, recordsBefore: before, place: found.place.remembered,
            digest: follower.counts && count > 0 ? found.selection.digest : nil,
            following: try following.map(withoutSecrets))
    }

    /// Where the read goes on behind a page.
    func continuation(
        after position: PagePosition, at address: WebAddress, _ page: PageSummary
    ) throws(FetchError.Kind) -> Continuation {
        if let digest = page.digest, digest == position.history.digest { throw .unchangedPage }
        guard let following = page.following else { return .end }
        if page.recordCount == 0 {
            // A feed that gives the same cursor until there is something new is at its end.
            if limits.stopsAfterEmptyPage == true || following.address == address { return .end }
            if limits.stopsAfterEmptyPage == nil || following.mayBeEndless { return .cutShort(.emptyPage) }
        }
        let next = PagePosition(
            url: following.address.description, number: position.number + 1, mayBeMissing: following.mayBeMissing,
            history: position.history.following(page))
        _ = try self.address(of: next)
        if let maxPages = limits.maxPages, next.number >= maxPages { return .cutShort(.maximumPages) }
        return .next(next)
    }

    /// Positions and summaries are stored in the open.
    private func withoutSecrets(_ next: NextPage) throws(FetchError.Kind) -> NextPage {
        guard let address = boundary.withoutSecrets(next.address) else { throw .invalidLink("\(next.address)") }
        return NextPage(address: address, mayBeMissing: next.mayBeMissing, mayBeEndless: next.mayBeEndless)
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
