import Catalog
import Digest
import JSON

/// A stream's paging: its follower, and the rules that hold for every follower.
struct Paging: Sendable {
    private let follower: any PageFollower
    private let limits: PageLimits
    private let boundary: SecretBoundary

    init(_ paginator: Paginator, boundary: SecretBoundary) throws {
        follower = try paginator.kind.follower()
        limits = paginator.limits
        self.boundary = boundary
    }

    /// The first page of a read that is asked for with this.
    func first(from locator: PageLocator, window: ReadWindow) -> PagePosition {
        PagePosition(follower.first(from: locator), number: 0, window: window)
    }

    /// What a position is requested with, if it may be. Another origin than the stream's own gets none of its secrets.
    func locator(of position: PagePosition) throws(FetchError.Kind) -> PageLocator {
        guard let locator = PageLocator(position) else { throw .invalidLink(position.url) }
        guard boundary.isInside(locator.address) || limits.allowsOtherOrigins else {
            throw .linkToOtherOrigin("\(locator.address.origin)")
        }
        return locator
    }

    enum Continuation {
        case end
        case cutShort(Omission)
        case next(PagePosition)
    }

    /// Whether no page can follow another one.
    var isOfOnePage: Bool { follower is SinglePage }

    /// What a page that was read says of those behind it.
    func summary(
        of found: FoundRecords, in reply: Reply, document: Document, at position: PagePosition,
        asked locator: PageLocator
    ) throws(FetchError.Kind) -> PageSummary {
        let count = found.selection.count
        let before = position.history.records
        let (following, isToldByBody) = try document.withRoot { root throws(FetchError.Kind) in
            let page = ReceivedPage(
                locator: locator, source: reply.address, head: reply.head, root: root,
                rootIsRecord: found.place == .wholeBody, recordCount: count,
                recordsRead: before.addingReportingOverflow(count).partialValue)
            return (try follower.next(after: page), follower.isToldByBody(page))
        }
        return PageSummary(
            recordCount: count, recordsBefore: before, place: found.place.remembered,
            digest: follower.counts && count > 0 ? found.selection.digest : nil,
            following: try following.map(withoutSecrets), isToldByBody: isToldByBody)
    }

    /// Where the read goes on behind a page.
    func continuation(
        after position: PagePosition, at locator: PageLocator, _ page: PageSummary
    ) throws(FetchError.Kind) -> Continuation {
        if let digest = page.digest, digest == position.history.digest { throw .unchangedPage }
        guard let following = page.following else { return .end }
        if page.recordCount == 0 {
            // A feed that gives the same cursor until there is something new is at its end.
            if limits.stopsAfterEmptyPage == true || following.locator == locator { return .end }
            if limits.stopsAfterEmptyPage == nil || following.mayBeEndless { return .cutShort(.emptyPage) }
        }
        let next = PagePosition(
            following.locator, number: position.number + 1, mayBeMissing: following.mayBeMissing,
            history: position.history.following(page), window: position.window)
        _ = try self.locator(of: next)
        if let maxPages = limits.maxPages, next.number >= maxPages { return .cutShort(.maximumPages) }
        return .next(next)
    }

    /// Positions and summaries are stored in the open.
    private func withoutSecrets(_ next: NextPage) throws(FetchError.Kind) -> NextPage {
        guard let address = boundary.withoutSecrets(next.locator.address) else {
            throw .invalidLink("\(next.locator.address)")
        }
        if let body = next.locator.body, boundary.mentionsSecret(body) { throw .invalidLink("\(body)") }
        var open = next
        open.locator.address = address
        return open
    }
}

extension Paginator.Kind {
    /// Throws `SelectorError`.
    fileprivate func follower() throws -> any PageFollower {
        switch self {
        case .auto: AutoPaging()
        case .singlePage: SinglePage()
        case .jsonLink(let link): JSONLinkPaging(nextURL: try Selector(parsing: link.nextURLPath))
        case .headerLink(let link): HeaderLinkPaging(relation: link.relation)
        case .headerCursor(let cursor):
            HeaderCursorPaging(header: cursor.cursorHeader, parameter: ParameterPlace(cursor.cursorParam))
        case .cursor(let cursor):
            CursorPaging(
                cursor: try Selector(parsing: cursor.cursorPath), parameter: ParameterPlace(cursor.cursorParam),
                hasMore: try Selector(optional: cursor.hasMorePath))
        case .offset(let offset):
            OffsetPaging(
                offsetParameter: ParameterPlace(offset.offsetParam),
                limitParameter: ParameterPlace(offset.limitParam), limit: offset.limit,
                total: try Selector(optional: offset.totalPath))
        case .pageNumber(let page):
            PageNumberPaging(
                parameter: ParameterPlace(page.pageParam), base: page.basePage,
                sizeParameter: page.pageSizeParam.map(ParameterPlace.init), size: page.pageSize,
                total: try Selector(optional: page.totalPath), totalPages: try Selector(optional: page.totalPagesPath),
                hasMore: try Selector(optional: page.hasMorePath))
        }
    }
}

extension Selection {
    /// The same text for the same records, spelling by spelling, in every process.
    var digest: String {
        var list = ListFingerprint()
        forEach { list.add($0.utf8) }
        return list.value.text
    }
}

extension Selector {
    fileprivate init?(optional text: String?) throws {
        guard let text else { return nil }
        self = try Selector(parsing: text)
    }
}
