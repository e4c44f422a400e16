import GarnerCatalog
import GarnerDigest
import GarnerJSON
import GarnerModel

/// A stream's paging: its method, and the rules that hold for every method.
struct Paging: Sendable {
    let method: any PagingMethod
    let limits: PageLimits
    private let boundary: SecretBoundary
    let template: RequestTemplate
    /// True if placeholders stand for the page.
    let fillsPage: Bool
    /// The parameters with a value of the partition or the parent.
    let listParameters: [String]
    /// The number of segments of the path behind the last one with such a value; nil if none has one.
    let segmentsBelowList: Int?
    private let names: RequestNames

    init(_ paginator: Paginator, of template: RequestTemplate, boundary: SecretBoundary) {
        var method = paginator.kind.method
        if paginator.limits.ignoresTotal { method = method.ignoringTotals() }
        let place = template.pagePlace
        if let place { method = method.placed(at: place) }
        (self.method, fillsPage) = (method, place != nil)
        limits = paginator.limits
        listParameters = template.writtenParameters.filter { Template($0.text).namesList }.map(\.name)
        let segments = template.path.prefix { $0 != "?" }.split(separator: "/")
        segmentsBelowList = segments.lastIndex { Template(String($0)).namesList }.map { segments.count - 1 - $0 }
        names = RequestNames(of: template)
        self.boundary = boundary
        self.template = template
    }

    /// Returns the request of a position. Throws if it goes to another origin and `limits` do not allow that; the
    /// secrets of the stream are not sent there in any case.
    func locator(of position: PagePosition) throws(FetchError.Kind) -> PageLocator {
        guard let locator = PageLocator(position) else { throw .invalidLink(position.url) }
        guard boundary.isInside(locator.address) || limits.allowsOtherOrigins else {
            throw .linkToOtherOrigin("\(locator.address.origin)")
        }
        return locator
    }

    enum Continuation {
        case end(Verdict)
        case next(PagePosition)
    }

    /// Describes the parts of a page's layout that are not configured.
    func layout(of found: FoundRecords, _ summary: PageSummary, isAutomatic: Bool) -> PageLayout {
        let next = summary.following.map { following in
            let more = following.isCounted ? nil : summary.markers.more
            return more ?? (following.isNumbered ? "their numbers" : "counting")
        }
        return PageLayout(
            recordsPath: isAutomatic ? found.place.path : nil, nextPage: method.evidence == .response ? next : nil,
            isDocument: found.place == .wholeBody)
    }

    /// Returns what to try if a page fails to which the one before has led; nil for the usual advice.
    func advice(on kind: FetchError.Kind, at position: PagePosition) -> String? {
        guard position.number > 0 else { return nil }
        switch kind {
        case .status(404, _) where !method.evidence.isCount && !usesCursor: return advice(onLost: position)
        case .mediaType(let type?, _) where type.lowercased().contains("html"):
            return
                "the pages before it came as JSON, so that the server seems to hold off programs for now: try again later, and ask "
                + "less often, with rate_limit: { requests: 1, per: 1s } in the source"
        default: return nil
        }
    }

    /// Returns what to try if nothing is where the link to a page leads.
    private func advice(onLost position: PagePosition) -> String {
        guard let link = method as? Paginator.JSONLink, let path = link.nextURLPaths.first,
            !position.url.contains("?")
        else {
            return
                "the page before leads to this address: if its link lacks a part of base_url, or names another path, set a "
                + "paginator that makes the addresses, such as page_number"
        }
        return
            "is \(path) a cursor and no URL? Write paginator: { type: cursor, cursor_path: \(path) }, with cursor_param if its "
            + "parameter is not called cursor"
    }

    /// The places of values that say nothing of the pages.
    var ignored: [Selector] { limits.ignored }

    /// True if the configuration says that a cursor leads to the next page.
    var usesCursor: Bool { method.evidence == .header || method is Paginator.Cursor }

    /// True if the configuration names a place in the body that decides how a read goes on.
    var looksIntoBody: Bool { method.evidence == .body || limits.lastWhen != nil }

    /// True if the request of a position brings the same page again. A cursor that stays the same does not: the server
    /// moves it, as Elasticsearch's scroll does.
    func namesPage(of position: PagePosition) -> Bool { !position.history.repeatsRequest }

    /// Returns false if a page that was requested twice may be another one than the first answer would have had: its cursor has
    /// not been seen to change, and may be one that the server moves.
    func isSure(of position: PagePosition, at locator: PageLocator, leadingTo next: NextPage?) -> Bool {
        guard position.history.isByCursor, !takesCursorOfRecord else { return true }
        return next.map { $0.locator != locator } ?? (position.number > 1)
    }

    /// True if the next page begins after a value of a record, whatever the server remembers.
    private var takesCursorOfRecord: Bool {
        (method as? Paginator.Cursor)?.cursorPaths.allSatisfy { "\($0)".contains("[-1]") } ?? false
    }

    /// True if the stream's limits allow a page.
    func allows(_ position: PagePosition) -> Bool {
        (limits.maxPages.map { position.number < $0 } ?? true) && (try? locator(of: position)) != nil
    }

    /// True if a read has one page only.
    var isOfOnePage: Bool { method.evidence == .none }

    /// Returns the facts about a page that decide how the read goes on.
    ///
    /// - Parameter mayBeList: true if a body that was read as one record may be a list.
    func summary(
        of found: FoundRecords, in reply: Reply, document: Document, at position: PagePosition,
        asked locator: PageLocator, _ context: ReadContext, mayBeList: Bool
    ) throws(FetchError.Kind) -> PageSummary {
        let (count, summary) = try document.withRoot { root throws(FetchError.Kind) in
            let count = found.count(in: root)
            let isRecord = found.place == .wholeBody
            let way = found.way(in: root)
            let page = ReceivedPage(
                locator: locator, source: reply.address, head: reply.head, root: root, rootIsRecord: isRecord,
                recordCount: count, history: position.history, context: context,
                recordsPath: way.last?.path ?? "$",
                detection: try detection(root, reply.head, way, count, position, locator))
            let isLast = try meetsLastWhen(root)
            var looksLikeList = false
            if isRecord, mayBeList {
                let said = try detection(root, reply.head, root.wayToUnknownList, count, position, locator)
                // A record does not repeat the number and the size of the page that was asked for.
                let isPage = said.size != nil && said.page.map { $0.value == locator.page } == true
                looksLikeList = said.looksLikeList || isPage
            }
            // Pages that are counted would come for ever, each as one record.
            let step = isLast || looksLikeList && method.evidence.isCount ? .end : method.next(after: page.view)
            var following = try page.next(by: try filled(step, at: position), method.evidence)
            if !isLast, case .end = step, method is Paginator.JSONLink { following = try page.behindLastRecord }
            let ignored = limits.ignored.compactMap { $0.first(in: root) }
            let places = method.places(on: page.view)
            var markers = PageMarkers(page, places: places?.without(ignored))
            if isLast { markers.isDecided = true }
            if case .notUnderstood(let place, let node) = step {
                markers.notUnderstood = PageStatement(place, node)
                // An empty place beside the flag that the configuration names is no end.
                if place == method.hasMorePath?.description, page.detection.end == nil { markers.end = nil }
            }
            markers.looksLikeList = looksLikeList
            markers.isCounted = method.evidence.isCount
            markers.countsFromOne = (method as? Paginator.Offset)?.baseOffset == 1 && markers.start ?? 1 < 2
            markers.pagedList = found.pagedList
            markers.isNameless =
                root.kind == .array && method.wayOn?.paths.allSatisfy(\.beginsWithNames) == true
            markers.lost = following.flatMap { parameterLost(from: locator, in: $0) }
            let holdsErrors = [.member("error"), .member("errors")].contains(found.place.remembered)
            if !isRecord, !holdsErrors {
                markers.errors = BodyRefusal.failure(in: root, way: way, hasRecords: count > 0, ignoring: ignored)
            }
            // A server that asks to wait has not looked, unless it asks so beside records, too.
            if count == 0, position.history.statuses["Retry-After"] == nil,
                reply.head.without(limits.ignoredHeaders).headers["Retry-After"] != nil
            {
                markers.errors = markers.errors ?? "Retry-After"
            }
            if let container = way.last {
                markers.isList = count > 0 && container.node.kind == .array
                // Something else stands where the list was.
                if count == 0, position.history.isList, container.node.kind == .object {
                    markers.notUnderstood = PageStatement(container.path, container.node)
                }
            }
            if let relation = method.evidence.configuredRelation,
                let odd = reply.head.without(limits.ignoredHeaders)
                    .oddLink(besides: relation, and: position.history.namesOfOthers)
            {
                markers.notUnderstood = odd
            }
            let head = reply.head.without(limits.ignoredHeaders)
            markers.namesOfOthers = head.namesOfOthers(
                besides: method.evidence.linkRelation ?? "next", from: reply.address)
            func texts() -> AnswerTexts? { page.detection.envelope.map { AnswerTexts(root, in: $0, head) } }
            if let next = following?.locator, next.body == nil {
                markers.namesOfNext =
                    texts()?.names(
                        of: next.address, behind: locator.address, sendsCursor: !method.evidence.isCount,
                        besides: page.detection.signs) ?? []
            } else if following == nil, markers.more == nil, page.detection.end == nil,
                !position.history.namesOfNext.isEmpty
            {
                markers.more = texts()?.leadsOn(byAnyOf: position.history.namesOfNext, from: locator.address)
            }
            // A total on a later page may count the records of all pages.
            if following == nil, !isLast, position.number == 0 || page.detection.openSign != nil {
                try requireClarity(of: page)
            }
            var summary = PageSummary(
                recordCount: count, recordsBefore: position.history.records, place: found.place.remembered,
                following: following, markers: markers, memory: page.memory(by: method.evidence, next: following))
            if let envelope = page.detection.envelope {
                summary.echoes = names.echoes(
                    of: found.selection, in: page.recordsPath, beside: envelope, head, at: locator.address,
                    ignoring: limits.ignored)
                if position.number == 0, count > 0, summary.echoes.contains(where: { $0.list != nil }) {
                    let records = found.digest
                    for place in summary.echoes.indices where summary.echoes[place].list != nil {
                        summary.echoes[place].records = records
                    }
                }
            }
            (summary.remark, summary.doubled) = (page.detection.remark, page.detection.doubled)
            if position.number == 0, following != nil {
                summary.doubtOnPlaces = method.doubt(onTotalsOf: page, places) ?? method.doubt(onFlagOf: page)
            }
            return (count, summary)
        }
        var open = summary
        open.rowNames = found.rowNames
        open.digest =
            count > 0
                && (method.evidence.isCount || summary.following?.isCounted == true || position.history.digest != nil)
            ? found.digest : nil
        open.following = try summary.following.map(withoutSecrets)
        return open
    }

    /// Returns the parameter that says which of several lists is meant, if a numbered page is to be asked for without it. A cursor may know
    /// it, and so may an address that has its value elsewhere.
    private func parameterLost(from locator: PageLocator, in next: NextPage) -> String? {
        guard next.isNumbered else { return nil }
        return listParameters.first { locator.address.loses($0, at: next.locator.address) }
    }

    private func meetsLastWhen(_ root: Node) throws(FetchError.Kind) -> Bool {
        do throws(FilterLimitError) {
            return try limits.lastWhen?.matches(root, root: root) ?? false
        } catch {
            throw .filterLimit(steps: error.steps, key: "last_when")
        }
    }

    /// Returns the summary of a page that has not changed, with the link and the totals in the head of this response.
    func renewed(_ page: PageSummary, by reply: Reply, asked locator: PageLocator) throws(FetchError.Kind)
        -> PageSummary
    {
        var page = page
        // The fingerprint of a body that came again covers what its head says.
        if case .notModified = reply.content {
            let head = reply.head.without(limits.ignoredHeaders)
            page.markers.take(head)
            // The page was the last one, and may be no longer.
            if page.following == nil, page.markers.end == nil, (try? head.link("next")) ?? nil != nil {
                page.markers.more = page.markers.more ?? "Link"
            }
            if !limits.ignoresTotal { page.markers.raise(to: HeadTotals(reply.head, count: page.recordCount)) }
        }
        guard let relation = method.evidence.linkRelation, page.markers.end == nil || page.following?.isFromHead == true
        else {
            return page
        }
        if let target = try reply.head.link(relation) {
            guard let address = reply.address.resolving(target).map(reply.address.securing) else {
                throw .invalidLink(target)
            }
            var next = NextPage(
                leadingTo: PageLocator(address: address, body: locator.body), from: reply.address, page.recordCount)
            next.isFromHead = true
            page.following = try withoutSecrets(next)
            page.markers.more = "Link"
        }
        return page
    }

    /// Returns true if a body without records at the known place says that it is the last page.
    func saysEnd(
        _ document: Document, _ head: ResponseHead, at position: PagePosition, asked locator: PageLocator
    ) throws(FetchError.Kind) -> Bool {
        try document.withRoot { root throws(FetchError.Kind) in
            let detection = try detection(root, head, root.wayToUnknownList, 0, position, locator)
            if detection.isEnd { return true }
            if try meetsLastWhen(root) { return true }
            guard let total = detection.total, total.isExact else { return false }
            return position.history.records >= total.value
        }
    }

    private func detection(
        _ root: Node, _ head: ResponseHead, _ way: [(path: String, node: Node)], _ count: Int,
        _ position: PagePosition, _ locator: PageLocator
    ) throws(FetchError.Kind) -> PaginationDetection {
        var detection: PaginationDetection
        // The field that the paginator follows says something, whatever else it has.
        let follows = method.evidence.configuredRelation != nil
        let head = head.without(limits.ignoredHeaders.filter { !follows || $0.lowercased() != "link" })
        let endsWithZero = position.history.isByCursor || isOfOnePage && !count.isUsualPageSize
        do {
            detection = try PaginationDetection(
                head: head, root: root, way: way, count: count, locator: locator, fullest: position.history.largestPage,
                before: position.history.records,
                endsWithZero: endsWithZero, isCounted: method.evidence.isCount, ignoring: limits.ignored)
        } catch {
            // Paginators that follow no `Link` header ignore a broken one.
            guard method.evidence.linkRelation == nil else { throw error }
            detection = try PaginationDetection(
                head: ResponseHead(status: head.status, headers: [:]), root: root, way: way, count: count,
                locator: locator, fullest: position.history.largestPage, before: position.history.records,
                endsWithZero: endsWithZero, isCounted: method.evidence.isCount, ignoring: limits.ignored)
        }
        if limits.ignoresTotal { detection.ignoreTotals() }
        return detection
    }

    /// Throws if a first read would end although the page announces more. No user relies on the table yet.
    private func requireClarity(of page: ReceivedPage) throws(FetchError.Kind) {
        guard method.evidence == .response, page.context.isFirst, limits.maxPages != 1,
            let advice = PagingAdvice(page)
        else { return }
        throw .unclearPaging(sign: advice.sign, advice.settings)
    }

    /// Returns the next position, or the verdict on the read.
    func continuation(
        after position: PagePosition, at locator: PageLocator, _ page: PageSummary, _ context: ReadContext
    ) throws(FetchError.Kind) -> Continuation {
        if let digest = page.digest, digest == position.history.digest {
            let numbers = method as? Paginator.PageNumber
            let isPageOne = numbers.map { $0.basePage == 0 && locator.value(of: $0.pageParam) == "1" } ?? false
            let history = position.history
            guard history.filledPages < 2 else {
                throw .lastPageAgain(
                    pages: history.filledPages, records: history.records, total: history.total?.value)
            }
            throw isPageOne ? FetchError.Kind.pageZeroAgain : .unchangedPage
        }
        var judgement = Judgement(
            evidence: method.evidence, locator: locator, page: page, isFirstPage: position.number == 0,
            before: position.history, context: context)
        guard let following = page.following else {
            let verdict = naming(
                base: judgement, at: locator, pointing(judgement.verdict, page, position.history)
            ).naming(position.number == 0 && page.recordCount > 0 ? method.endingTotal : nil)
            guard verdict.kind == .missed, let maxPages = limits.maxPages, position.number + 1 >= maxPages else {
                return .end(verdict)
            }
            return .end(judgement.chosen("max_pages: \(maxPages)"))
        }
        if page.recordCount == 0 {
            // A feed that repeats its cursor until there are new records is at its end, unless it says that there is more.
            let isRepeated = following.locator == locator
            // All that the source counts may have come. A cursor then leads to what is added later, and so does a number behind them.
            let isOnlyPlace =
                (following.isByCursor || following.isNumbered && position.number > 0)
                && (page.markers.more == nil || method.evidence == .response)
            let isAll = limits.stopsAfterEmptyPage == nil && isOnlyPlace && judgement.hasExactlyAnnounced
            judgement.isDecided =
                limits.stopsAfterEmptyPage == true || (isRepeated || isAll) && page.markers.flagOfMore == nil
            if judgement.isDecided { return .end(judgement.verdict) }
            if limits.stopsAfterEmptyPage == nil || following.mayBeEndless || isRepeated {
                let verdict = judgement.emptyPage(mayReadOn: !following.mayBeEndless)
                let named = naming(base: judgement, at: locator, verdict)
                return .end(page.markers.more == nil ? namingPageZero(named, judgement.history) : named)
            }
        }
        let filling = position.filling?.page(following.locator.pageValue)
        let fields = try filling.map(headers(filledWith:))
        let next = PagePosition(
            following.locator, headers: fields ?? position.headers, filling: filling,
            number: position.number + 1, mayBeMissing: following.mayBeMissing,
            history: position.history.following(page, asked: locator, isFirst: position.number == 0),
            window: position.window)
        _ = try self.locator(of: next)
        if let maxPages = limits.maxPages, next.number >= maxPages {
            return .end(judgement.chosen("max_pages: \(maxPages)"))
        }
        return .next(next)
    }

    /// Returns the verdict on a read whose next page the server does not have, as this answer to its request says.
    func verdict(behind position: PagePosition, _ answer: NoSuchPage) -> Verdict {
        let history = position.history
        let records = history.records.addingReportingOverflow(history.offset).partialValue
        let total = history.total.flatMap { $0.isExact ? $0.value : nil }
        if let announced = history.total, announced.exceeds(records) {
            return namingPageZero(
                Verdict(
                    .missed,
                    "\(records) of \(announced.value) records: the server answered \(answer.words) to the next page"),
                history)
        }
        if let doubt = history.doubt { return doubt }
        if let last = history.last, PageLocator(position).map({ !last.isBefore($0) }) == true {
            return Verdict(.contradicted, .announced(place: last.place))
        }
        if let cut = history.cutOff { return Verdict(.contradicted, .cutOff(cut)) }
        if let more = history.foundMore(than: records) { return more }
        if history.totalHasChanged { return .totalChanged }
        if let beginning = history.beginning(isNumbered: true, asked: PageLocator(position)) { return beginning }
        if case .declared(let status) = answer { return position.verdict(onEndDeclaredBy: status, behind: records) }
        // Neither a short page nor the last of a total is the end if it announces another one.
        let hasEnded =
            total == records || answer.endsShortPages && history.hasShrunk || answer.confirmsPages(of: history)
        let saysEnd = history.saidEnd || hasEnded && !history.hadSign
        return saysEnd ? .complete : Verdict(.silent, .noSuchPage(answer: answer.words))
    }

    /// Returns the page without secrets, since positions and summaries are stored unencrypted. Throws if that cannot be.
    private func withoutSecrets(_ next: NextPage) throws(FetchError.Kind) -> NextPage {
        guard let address = boundary.withoutSecrets(next.locator.address) else {
            throw .secretInLink("\(next.locator.address)")
        }
        // The value of the page may go into a header only.
        for value in [next.locator.body, next.locator.pageValue].compactMap(\.self) where boundary.mentionsSecret(value)
        {
            throw .secretInLink("\(value)")
        }
        var open = next
        open.locator.address = address
        return open
    }
}

extension Template {
    /// True if a value of the partition or the parent stands in it.
    fileprivate var namesList: Bool {
        placeholders.contains {
            switch $0 {
            case .parent, .partition: true
            case .incrementalStart, .incrementalEnd, .time, .page: false
            }
        }
    }
}

extension Selection {
    /// A fingerprint that is the same in every process for records with the same bytes.
    var digest: String {
        var list = ListFingerprint()
        forEach { list.add($0.utf8) }
        return list.value.text
    }
}
