import GarnerCatalog
import GarnerJSON
import GarnerModel

/// Judges from its last page whether a read got all that was asked for, got a part, or cannot tell.
struct Judgement {
    let evidence: PagingEvidence
    let locator: PageLocator
    let page: PageSummary
    let isFirstPage: Bool
    /// The read before this page.
    let before: ReadHistory
    let context: ReadContext
    /// True if the configuration, or the request for the next page, ends the read here.
    var isDecided = false
    /// The read with this page.
    let history: ReadHistory

    init(
        evidence: PagingEvidence, locator: PageLocator, page: PageSummary, isFirstPage: Bool, before: ReadHistory,
        context: ReadContext
    ) {
        (self.evidence, self.locator, self.page, self.isFirstPage) = (evidence, locator, page, isFirstPage)
        (self.before, self.context) = (before, context)
        history = before.following(page, asked: locator, isFirst: isFirstPage)
    }

    private var markers: PageMarkers { page.markers }
    private var isSingle: Bool { evidence == .none }
    private var isAuto: Bool { evidence == .response }
    private var records: Int { history.records.addingReportingOverflow(history.offset).partialValue }

    /// The number of pages with records. A first page without records counts as one.
    private var pagesRead: Int { max(history.filledPages, isFirstPage ? 1 : 0) }

    /// The number of pages that this page states, or else another page of the read.
    private var totalPages: Int? { markers.totalPages ?? history.totalPages?.value }

    /// The total of this page, or else of an earlier one.
    private var total: ReadHistory.KnownTotal? { history.total }

    var verdict: Verdict {
        if let doubt = history.doubt { return doubt }
        if let left { return left }
        if markers.isDecided, let flag = markers.flagOfMore { return Verdict(.contradicted, .announced(place: flag)) }
        // A link or a cursor beside a flag that says "no more" says nothing.
        if let odd = markers.notUnderstood, markers.end == nil, !markers.isDecided {
            return Verdict(.contradicted, .notUnderstood(odd))
        }
        if let cut = history.cutOff { return Verdict(.contradicted, .cutOff(cut)) }
        if let contradiction { return contradiction }
        if let beginning = history.beginning(isNumbered: evidence.isCount || locator.isNumbered, asked: locator) {
            return beginning
        }
        if markers.isDocument {
            if let list = markers.pagedList { return .besidePagedList(list) }
            guard markers.looksLikeList else { return Verdict(.document) }
            return Verdict(
                .silent, "the body is taken for one record, although it looks like a list",
                advice: "set record_selector to where the records stand, or to $ if the body is one record")
        }
        // A part of a list whose length is not known is not its end, whatever leads on.
        // So is a field of the head beside the empty one that the configuration names.
        let isPart =
            markers.possible.map { $0.path == "Content-Range" || evidence == .header && !$0.path.hasPrefix("$") }
            ?? false
        if let possible = markers.possible,
            evidence.isCount ? namesPageInHead : isPart || !isAtEnd && !isBehindLastPage && !hasAnnounced
        {
            return Verdict(.contradicted, .mayLeadOn(place: possible.path))
        }
        if isComplete { return .complete }
        return Verdict(.silent, isSingle ? .looksFull(records: history.records) : .silent(records: history.records))
    }

    /// Returns the verdict for a read that the configuration ends here.
    func chosen(_ reason: String) -> Verdict {
        guard let total, total.value > records else { return Verdict(.chosen, reason) }
        return Verdict(.chosen, "\(records) of \(total.value) records, \(reason)")
    }

    /// Returns the verdict for a read that ends at an empty page, although the source announces another one.
    ///
    /// - Parameter mayReadOn: True if `stop_after_empty_page: false` would request that page.
    func emptyPage(mayReadOn: Bool) -> Verdict {
        let announced = announcedAndRead
        let readOn = mayReadOn ? ", or stop_after_empty_page: false to read on" : ""
        if markers.more == nil, !markers.sawPlace, let announced {
            return Verdict(
                .missed,
                "\(announced.all) announced, but a page is empty after \(announced.read)",
                advice: "set ignore_total: true in paginator if that total is always wrong\(readOn)")
        }
        let sign = markers.more.map { "\($0) tells of another page" } ?? "it leads to another page"
        let read = announced.map { " after \($0.read) of \($0.all)" } ?? ""
        let total = announced == nil ? "" : ", with ignore_total: true if that total is always wrong"
        return Verdict(
            .missed,
            "a page is empty\(read), although \(sign)",
            advice: "set stop_after_empty_page: true in paginator if such a page is the last\(total)\(readOn)")
    }

    /// The number of records or pages that the source announces, and the smaller number that came; nil if none is missing.
    var announcedAndRead: (all: String, read: Int)? {
        if let total, total.value > records { return (total.value.counted("record"), records) }
        return totalPages.flatMap { $0 > pagesRead ? ($0.counted("page"), pagesRead) : nil }
    }

    /// The verdict for records or pages that were announced and not read; nil if there are none.
    private var left: Verdict? {
        if let more = markers.more, !isDecided, !markers.isDecided {
            return Verdict(
                partial,
                total.flatMap { $0.value > records ? .left(records: records, of: $0.value) : nil }
                    ?? .announced(place: more))
        }
        guard !isAtEnd else { return nil }
        if let total, total.value > records { return Verdict(partial, .left(records: records, of: total.value)) }
        if let pages = totalPages, pages > pagesRead {
            return Verdict(partial, .leftPages(pages: pagesRead, of: pages))
        }
        return nil
    }

    private var contradiction: Verdict? {
        if let total, total.exceeds(records) {
            return Verdict(.contradicted, .endedBefore(announced: "\(total.value) records", read: records))
        }
        if let pages = totalPages, pages > pagesRead {
            return Verdict(.contradicted, .endedBefore(announced: "\(pages) pages", read: pagesRead))
        }
        if let more = history.foundMore(than: records) { return more }
        let pagesBefore = max(history.firstPage ?? 1, 1) - 1
        if let last = history.last,
            last.isBehind(
                locator, isFirstPage: isFirstPage, stated: markers.page,
                pages: pagesRead.addingReportingOverflow(pagesBefore).partialValue, records: history.records)
        {
            return Verdict(.contradicted, .announced(place: last.place))
        }
        // A short page is no end where the one before was short, too.
        let endsShort = isShort && !before.hasShrunk
        if let total, total.isExact, total.value < records, !isAtEnd, !isBehindLastPage, !endsShort {
            return Verdict(.contradicted, .exceeded(announced: total.value, records: records))
        }
        if history.isNumbered || evidence.isCount, history.totalHasChanged {
            return .totalChanged
        }
        return nil
    }

    /// The kind of a read that lacks announced pages. A single page is a choice, unless an earlier read had no further ones.
    private var partial: Verdict.Kind { isSingle && !context.hasEndedWithoutMore ? .chosen : .missed }

    /// True if something on the page says that it is the last one.
    private var isAtEnd: Bool {
        if markers.isDecided || isDecided || markers.end != nil { return true }
        if page.recordCount == 0, !markers.isDocument { return true }
        // The page has the place that the paginator reads, and the place leads to no further page.
        if evidence.isNamed, page.following == nil {
            if markers.sawPlace, evidence.configuredRelation == nil { return true }
            if markers.sawPlace || before.sawPlace { return !leadsOnElsewhere }
        }
        // The page before announced another one, and this page does not.
        return before.hadSign && markers.more == nil && !leadsOnElsewhere
    }

    /// True if a place whose name tells of a next page is filled. A list does not end where its sign has moved there.
    private var leadsOnElsewhere: Bool {
        markers.possible.map { Envelope.normalized($0.path).mentions(["next"]) } ?? false
    }

    /// True if a field such as `X-Next-Page` leads on from the last page that counting asks for, and that has records.
    private var namesPageInHead: Bool {
        guard page.recordCount > 0, let place = markers.possible?.path, !place.hasPrefix("$") else { return false }
        return Envelope.normalized(place).mentions(["nextoffset", "nextpage"])
    }

    /// True if as many pages as there are have been read.
    private var isBehindLastPage: Bool { totalPages.map { pagesRead >= $0 } ?? false }

    /// True if the page has fewer records than a page of this list has.
    private var isShort: Bool {
        if let limit = evidence.pageSize ?? locator.limit, history.largestPage >= limit, page.recordCount < limit {
            return true
        }
        return markers.size.map { page.recordCount < $0 } ?? false
    }

    private var isComplete: Bool {
        if isAtEnd || isBehindLastPage || isShort { return true }
        if hasAnnounced { return true }
        if isAuto || markers.totalIsSize { return false }
        if isSingle { return !looksFull }
        guard evidence.isNamed else { return true }
        if history.sawPlace { return true }
        // Some APIs leave the place out where one page is all. A mistyped path must not end a read after its first page.
        return isFirstPage && !markers.isNameless && !looksFull && page.recordCount < locator.limit ?? Int.max
    }

    /// True if as many records came as the source announces.
    private var hasAnnounced: Bool { total.map { $0.isExact && records >= $0.value } ?? false }

    /// True if as many records came as all pages announce, and no more.
    var hasExactlyAnnounced: Bool {
        !history.totalHasChanged && total.map { $0.isExact && records == $0.value } ?? false
    }

    /// True if the page has as many records as it says a page may have, or as a page of an earlier read had that led to
    /// another one, or a usual page size such as 100.
    private var looksFull: Bool {
        if page.recordCount == markers.size || page.recordCount.isUsualPageSize { return true }
        guard let full = context.fullPage, full >= Self.shortestFullPage else { return false }
        return page.recordCount >= full
    }

    /// The number of records below which a list may well be as long as a page by chance.
    private static let shortestFullPage = 10
}

extension ReadHistory {
    /// Returns the verdict on a read that does not begin with the first record; nil if it does.
    ///
    /// - Parameters:
    ///   - isNumbered: True if the pages are numbered, whatever this history says.
    ///   - locator: A request of the read, by whose parameters records may be counted from 1.
    func beginning(isNumbered: Bool, asked locator: PageLocator?) -> Verdict? {
        if offset > 0 || (firstPage ?? 0) > 1 {
            let start =
                offset > 0
                ? "after \(offset.counted("record")), as the offset in path, params or the body says"
                : "with page \(firstPage ?? 0), as path, params, the body or the answer says"
            // A count of records that begins with 1 looks the same, and so does page 1 of an API that takes it for its second page.
            let isSecond = firstPage == 2 && number.map { $0.stated &- $0.asked == 1 } == true
            let fromOne = locator?.countingFromOne.map { "write paginator: \($0.line)" } ?? "does it give links?"
            let remedy =
                offset == 1
                ? "remove the offset if the API counts from 0, or takes 0 for the first record; else \(fromOne)"
                : isSecond
                    ? "begin with a lower number, such as base_page: 0 in paginator, if the requests count from 0" : nil
            return Verdict(.chosen, "the read begins \(start)", advice: remedy)
        }
        guard let before = pagesBefore, isNumbered || self.isNumbered else { return nil }
        return Verdict(.contradicted, .pagesBefore(before))
    }
}

extension Verdict.Cause {
    static func notUnderstood(_ said: PageStatement) -> Self { .notUnderstood(place: said.path, value: said.value) }
    static func partMissing(_ said: PageStatement) -> Self { .partMissing(place: said.path, value: said.value) }
    static func cutOff(_ said: PageStatement) -> Self { .cutOff(place: said.path, value: said.value) }
    static func pagesBefore(_ said: PageStatement) -> Self { .pagesBefore(place: said.path, value: said.value) }
}

extension Verdict {
    /// The judgement on a page that does not follow the one before, by its own words or by its address.
    static func skipping(_ said: PageStatement) -> Verdict {
        let isInAddress = said.path.isEmpty
        return Verdict(
            .contradicted,
            "\(isInAddress ? "the number in the address of a page" : said.path) is \(said.value), which does not follow the page before",
            advice: isInAddress
                ? "set a paginator that counts pages or records, which asks for what is in between"
                : "look at what the source answers, or \(Cause.ignoring(said.path, "it counts something else"))")
    }

    static func ignoredPage(status: Int) -> Verdict {
        Verdict(
            .missed, "response_actions ignores a page with HTTP \(status)",
            advice: "remove that action if the page should come")
    }

    /// The judgement on a list that ends before its first page.
    static func endedAtOnce(status: Int) -> Verdict {
        guard !status.tellsOfFailure else { return .endedByFailure(status: status) }
        // Whoever may not look does not know that there is nothing.
        return Verdict(
            [401, 403].contains(status) ? .missed : .silent,
            "response_actions ends the list before its first page, with HTTP \(status)",
            advice: "look whether the request is right; an empty list seldom has such a status")
    }

    /// The judgement on a list that ends where the server fails.
    static func endedByFailure(status: Int) -> Verdict {
        Verdict(
            .contradicted,
            "response_actions ends the list with HTTP \(status), which tells of a failure and not of an end",
            advice: "remove that action, so that the page is asked for again")
    }

    /// The judgement on a list that ends at a page that the pages before announced.
    static func endedAnnouncedPage(status: Int) -> Verdict {
        Verdict(
            .contradicted,
            "response_actions ends the list with HTTP \(status) at a page that the one before announced",
            advice: "remove that action if the page should come")
    }
}
