package import GarnerCatalog
import GarnerDigest
import GarnerJSON
package import GarnerModel
import GarnerTasks

/// Fetches the pages of one stream, one at a time.
package final class PageFetcher: Sendable {
    let requests: StreamRequests
    let chain: MiddlewareChain<Reply>
    private let selection: RecordSelection
    private let transform: RecordTransform
    /// True if the detected place of the records is that of later reads, too. Slices may differ in it.
    private let remembersPlace: Bool
    /// True if the configuration takes any answer that the list does not exist for an empty list.
    private let takesAbsenceAsEmpty: Bool
    /// The statuses that the configuration takes for good answers.
    private let acceptedStatuses: Set<Int>
    let paging: Paging
    let timing: Timing
    /// A short hash that distinguishes the stream's credentials from others.
    package let credentialTag: String
    /// Makes a fetcher of a changed stream, with the same connections, limits and tokens.
    package let remade: @Sendable (StreamConfiguration) throws -> PageFetcher

    /// Creates a fetcher. Throws `FetchError` if the stream's URL or selectors cannot be parsed.
    ///
    /// - Parameters:
    ///   - traffic: the limits that all requests to the stream's source share; nil if the source has no other requests.
    ///   - tokens: the source of access tokens, if the stream needs any; nil creates a separate one.
    package init(
        stream: StreamConfiguration, transport: any Transport, timing: Timing, traffic: SourceTraffic? = nil,
        tokens: TokenSource? = nil
    ) throws {
        requests = try StreamRequests(
            stream: stream, transport: transport, timing: timing, traffic: traffic, tokens: tokens)
        self.timing = timing
        remade = {
            try PageFetcher(stream: $0, transport: transport, timing: timing, traffic: traffic, tokens: tokens)
        }
        let isOneList = stream.parent == nil && stream.partitions.isEmpty
        remembersPlace = isOneList
        takesAbsenceAsEmpty =
            isOneList
            && stream.responseActions.contains {
                $0.action == .ignore && $0.bodyContains == nil && $0.condition == nil
            }
        acceptedStatuses = Set(stream.responseActions.filter { $0.action == .accept }.compactMap(\.status))
        credentialTag = stream.request.credentialTag
        do {
            transform = RecordTransform(of: stream)
            selection =
                try stream.recordSelector.map { .selector(try Selector(parsing: $0)) }
                ?? (transform.takesObjects ? .automatic(RecordNames(of: stream)) : .selector("$"))
            paging = Paging(stream.paginator, of: stream.request, boundary: requests.boundary)
        } catch {
            throw requests.report.error((error as? FetchError.Kind) ?? .misconfigured(reason: "\(error)"))
        }
        chain = requests.chain()
    }

    /// The first position of a read that needs no placeholder values.
    package var firstPosition: PagePosition { get throws { try firstPosition(filling: [:]) } }

    /// Returns the first position of a read.
    ///
    /// Throws `FetchError` if a placeholder has no value, or one that cannot be part of a request.
    ///
    /// - Parameter beganAt: the start of the read, the value of `{now}`; nil for the present time.
    package func firstPosition(
        filling bindings: Bindings, window: ReadWindow = ReadWindow(), beganAt: Timestamp? = nil
    ) throws -> PagePosition {
        do throws(FetchError.Kind) {
            let times = try requests.times(of: window, beganAt: beganAt ?? timing.now())
            return try paging.first(filling: bindings.merging(times) { $1 }, window: window)
        } catch {
            throw requests.report.error(error)
        }
    }

    /// Fetches and checks the page at a position: that of `firstPosition`, of an earlier page or of a stored checkpoint.
    ///
    /// Returns a whole page or throws `FetchError`, `CancellationError` or an error of the token storage.
    ///
    /// - Parameter memory: the validator and summary of the stored page. With it, the server may answer that the page is
    ///   unchanged. It is of no use if the page had another number of records before it.
    package func page(
        at position: PagePosition, remembered memory: ParsedCachedPage? = nil, _ context: ReadContext = ReadContext(),
        onPushback: (@Sendable () -> Void)? = nil
    ) async throws -> Page {
        try await page(
            from: try await answer(at: position, remembered: memory, onPushback: onPushback), at: position, context)
    }

    /// Sends the request of a position. What its answer means, an error too, is decided by `page(from:at:_:)`.
    ///
    /// Throws `FetchError` if nothing can be sent.
    package func answer(
        at position: PagePosition, remembered memory: ParsedCachedPage? = nil, onPushback: (@Sendable () -> Void)? = nil
    ) async throws -> PageAnswer {
        let trace = requests.trace(of: position.url, onPushback: onPushback)
        let stopwatch = Stopwatch(timing.clock)
        let locator: PageLocator
        do {
            locator = try paging.locator(of: position)
        } catch {
            throw requests.report.error(error, at: position.url, request: trace.entry)
        }
        let known = memory.flatMap { $0.belongs(to: position) ? $0 : nil }
        var request = requests.request(for: locator, headers: position.headers, known: known, trace)
        request.namesItsPage = paging.namesPage(of: position)
        let place = position.history.place ?? memory?.summary.place
        request.takesPieces = takesPieces
        request.hasRecords = { [selection] document in selection.hasRecords(in: document, asIn: place) }
        let reply: Result<Reply, any Error>
        do {
            reply = .success(try await chain.send(request))
        } catch {
            reply = .failure(error)
        }
        trace.note { $0.duration = stopwatch.elapsed }
        return PageAnswer(locator: locator, known: known, reply: reply, request: trace.entry)
    }

    /// True if the records of JSON Lines are the lines, whatever stands in others, so that a long body may come in pieces.
    private var takesPieces: Bool {
        let selectsLines = if case .selector(let selector) = selection { selector.selectsLines } else { true }
        return selectsLines && transform.looksAtOneRecord && !paging.looksIntoBody && !requests.template.isGraphQL
    }

    /// Waits as long as before the first retry of a request.
    package func waitBeforeSecondLook() async throws {
        try await timing.clock.sleep(for: requests.retryDelay)
    }

    /// Checks an answer, and finds the page that follows. Throws as `page(at:remembered:_:onPushback:)` does.
    ///
    /// The records of a long page are parsed and composed on the concurrent executor, which leaves the connections' thread free.
    ///
    /// - Parameter position: the position as the page before names it. Its request is the one that was answered.
    package func page(from answer: PageAnswer, at position: PagePosition, _ context: ReadContext) async throws -> Page {
        guard answer.isInPieces || transform.writesRecords && answer.isLong else {
            return try checked(answer, at: position, context)
        }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try checked(answer, at: position, context)
        }
    }

    private func checked(_ answer: PageAnswer, at position: PagePosition, _ context: ReadContext) throws -> Page {
        do {
            switch answer.reply {
            case .success(let reply):
                return try page(
                    at: position, asked: answer.locator, reply, answer.known, answer.request, context)
            case .failure(let error): throw error
            }
        } catch let again as NoSuchPage {
            return try Page(emptyAt: position, paging.verdict(behind: position, again), request: answer.request)
        } catch let kind as FetchError.Kind {
            if position.mayBeMissing, let noSuchPage = NoSuchPage(kind) {
                return try Page(
                    emptyAt: position, paging.verdict(behind: position, noSuchPage), request: answer.request)
            }
            // A source that had a list before says that it is empty now. A page to which a redirect leads for the first time does not.
            let redirect = answer.request.redirect
            let isElsewhere =
                remembersPlace && redirect != nil && redirect != AnswerShape(text: context.shape)?.redirect
            if position.number == 0, !context.isFirst, !isElsewhere, kind == .emptyBody(status: 204) {
                var page = try Page(emptyAt: position, .complete, request: answer.request)
                page.isNothing = true
                return page
            }
            var error = requests.report.error(kind, at: position.url, request: answer.request)
            error.advice = paging.advice(on: kind, at: position)
            throw error
        }
    }

    /// Returns what to store of the page; nil if its successor may change while it does not, or if a redirect led elsewhere.
    private func memory(
        of reply: Reply, asked locator: PageLocator, _ fingerprint: Fingerprint, _ summary: PageSummary
    ) -> CachedPage? {
        guard reply.address == locator.address, summary.memory != .none else { return nil }
        return CachedPage(
            validator: summary.memory == .full ? validator(of: reply) : nil, fingerprint: fingerprint.text,
            summary: summary.text)
    }

    /// True if a request only reads, so that it can be sent once more.
    var isPlainRead: Bool { requests.template.method == .get }

    /// Returns the validator to store; nil if there is none, or if the server repeats a secret in it.
    private func validator(of reply: Reply) -> String? {
        guard requests.template.asksByURL, let validator = Validator(reply.head.headers, now: timing.now())
        else { return nil }
        return requests.report.redaction.mentionsSecret(validator.text) ? nil : validator.text
    }

    private func page(
        at position: PagePosition, asked locator: PageLocator, _ reply: Reply, _ known: ParsedCachedPage?,
        _ request: RequestEntry, _ context: ReadContext
    ) throws -> Page {
        switch reply.content {
        case .document(let document, let fingerprint):
            if requests.template.isGraphQL { try GraphQLErrors.check(document) }
            var found = try records(in: document, of: reply, at: position, asked: locator, known, context)
            if reply.rest != nil { found = found.ofLines(document, asOne: fingerprint) }
            var unseen = transform.unseenFields(of: found.selection, isFirst: position.number == 0)
            let later = try reply.rest.map { try transform.later($0, in: position.window, &found, &unseen) }
            var summary = try found.advisingOnPlace { () throws(FetchError.Kind) in
                try paging.summary(
                    of: found, in: reply, document: document, at: position, asked: locator, context,
                    mayBeList: selection.isAutomatic)
            }
            if request.wasSentAgain, !paging.isSure(of: position, at: locator, leadingTo: summary.following) {
                throw FetchError.Kind.closed
            }
            if summary.isLastPageAgain(at: position) {
                let stated = summary.markers.page.flatMap { $0 == locator.page ? $0 : nil }
                let isListed = stated.map { $0 <= summary.markers.totalPages ?? 0 } ?? false
                throw NoSuchPage.lastPageAgain(isListed: isListed)
            }
            var shape = found.shape(in: document, context, remembersPlace: remembersPlace)
            let redirect = reply.address.redirect(from: locator.address)
            if remembersPlace { shape.redirect = redirect ?? reply.address.namesAdded(to: locator.address) }
            if position.number == 0 {
                shape.isAccepted = AnswerShape(text: context.shape)?.isAccepted ?? (reply.head.status == 202)
            }
            summary.statuses = shape.statuses
            if reply.head.headers["Retry-After"] != nil { summary.statuses["Retry-After"] = "sent" }
            summary.redirect = redirect
            let (records, deletions, doubtOnDeletions) = try transform.stored(found.selection, in: position.window)
            let doubt = PageDoubts(
                found: found, document: document, reply: reply, position: position, locator: locator, context: context,
                paging: paging, acceptedStatuses: acceptedStatuses, shape: shape, doubled: summary.doubled,
                ofDeletions: doubtOnDeletions
            ).first
            // Its successor, and what it means, depend on other pages.
            if doubt != nil { summary.memory = .none }
            let continuation = try paging.continuation(after: position, at: locator, summary, context).doubted(
                doubt, endsRead: found.doubt != nil && found.selection.count == 0)
            let isNothing =
                found.isNothing(in: document)
                || found.selection.count == 0
                    && known?.hadRecords(under: Validator(reply.head.headers, now: timing.now())) == true
            // A list that is not believed to be empty is compared with what it was next time, too.
            let memory =
                doubt == nil && !isNothing || found.selection.count > 0
                ? memory(of: reply, asked: locator, fingerprint, summary) : known?.unidentified
            var page = Page(
                position, .records(records), summary, continuation, request, isPlainRead: isPlainRead, memory: memory,
                isRefused: isNothing)
            page.isNothing = isNothing && position.number == 0
            if page.next != nil, found.selection.count > 0 {
                // A body that is taken for a record may be an empty page, which is another one by its number only.
                let number = found.isHollow(in: document) ? locator.page ?? locator.offset : nil
                page.digest = number.map(found.digest(without:)) ?? summary.digest ?? found.digest
            }
            page.echoes = summary.echoes
            if position.number == 0, !remembersPlace, reply.address != locator.address {
                page.reached = "\(reply.address)"
            }
            page.deletions = deletions
            page.later = later
            page.leftOut = found.selection.count + found.later - page.recordCount
            if page.recordCount == 0 {
                page.filterMismatch = transform.mismatch(in: found.selection).map {
                    requests.report.redaction.redacted($0)
                }
            }
            if page.leftOut > 0, records.count == deletions.count, page.recordCount == records.count {
                page.filterDoubt = transform.doubt(onFilterOf: found.selection, lacking: unseen)
            }
            page.unseenFields = unseen
            if summary.following?.isSecured == true {
                page.warning = "links to the next page name http, and are asked by https, as base_url is"
            }
            page.warning = page.warning ?? summary.doubtOnPlaces
            if position.number == 0, context.isFirst, transform.takesObjects {
                page.warning = page.warning ?? found.doubtOnShape(in: document)
            }
            if position.number == 0, context.isFirst, doubt == nil, found.selection.count == 0, page.warning == nil {
                page.warning = requests.template.doubtOnEmptyList
            }
            page.remark = summary.remark?.words(requests.report.redaction)
            page.doubt = doubt
            if summary.recordCount > 0, found.place != .wholeBody, position.number == 0 { page.shape = shape.text }
            page.layout = paging.layout(of: found, summary, isAutomatic: selection.isAutomatic)
            return page
        case .notModified, .repeated:
            return try unchanged(position, at: locator, known, reply, request, context)
        case .file: throw FetchError.Kind.mediaType(reply.head.headers["Content-Type"], excerpt: "")
        case .nothingNew: return try Page(emptyAt: position, .nothingNew, request: request)
        case .ignored:
            let status = reply.head.status
            let isEmpty = position.number == 0 && status.saysThatNothingIsThere
            var page = try Page(
                emptyAt: position, isEmpty ? .complete : .ignoredPage(status: status), request: request)
            if isEmpty, status == 404 || status == 410, takesAbsenceAsEmpty {
                page.warning =
                    "HTTP \(status) was ignored, as response_actions says, so that the list counts as empty; check base_url "
                    + "and path if it is not"
            }
            return page
        case .ended:
            let status = reply.head.status
            guard position.number == 0 else {
                return try Page(
                    emptyAt: position, paging.verdict(behind: position, .declared(status)), request: request)
            }
            // The list may be empty, or the request wrong.
            return try Page(
                emptyAt: position, status.saysThatNothingIsThere ? .complete : .endedAtOnce(status: status),
                request: request)
        }
    }

    /// Selects the records of a body. Where their path is missing, the page is empty only if it says that it is the last one.
    private func records(
        in document: Document, of reply: Reply, at position: PagePosition, asked locator: PageLocator,
        _ known: ParsedCachedPage?, _ context: ReadContext
    ) throws(FetchError.Kind) -> FoundRecords {
        do throws(FetchError.Kind) {
            if case .selector(let selector) = selection, !transform.takesObjects {
                return try transform.shaped(
                    selector, in: document, namedAs: position.history.rowNames, ignoring: paging.ignored, context)
            }
            var found = try selection.records(
                in: document, asIn: position.history.place, earlier: earlierPlace(at: position, known, context),
                ignoring: paging.ignored, context)
            // Behind other pages, `null` in place of the whole body may be a fault.
            if position.number > 0, found.selection.count == 0, document.withRoot({ $0.kind == .null }) {
                guard !position.mayBeMissing else { throw .noArray(selector: "$", found: "null") }
                found.doubt = Verdict(.silent, .noSuchPage(answer: "null"))
            }
            return found
        } catch {
            guard case .missingPath = error, position.number > 0,
                !document.withRoot({ BodyRefusal.hasRecords($0) || RivalList.isThere(below: $0) }),
                try paging.saysEnd(document, reply.head, at: position, asked: locator)
            else { throw error }
            var found = FoundRecords(valuesOf: nil, at: position.history.place ?? .array, in: document)
            if position.history.hadSign {
                found.doubt = Verdict(
                    .contradicted, "a page that the one before announced has no list",
                    advice: "look at what the source answers; the list may go on")
            }
            return found
        }
    }

    /// Returns the place of the records in an earlier read of the list; nil if none is known, and behind pages that have shown it.
    private func earlierPlace(
        at position: PagePosition, _ known: ParsedCachedPage?, _ context: ReadContext
    ) -> ReadHistory.Place? {
        guard position.history.place == nil else { return nil }
        // Each of several lists may have its own place.
        return remembersPlace ? AnswerShape(text: context.shape)?.place : known?.place
    }

    private func unchanged(
        _ position: PagePosition, at locator: PageLocator, _ known: ParsedCachedPage?, _ reply: Reply,
        _ request: RequestEntry, _ context: ReadContext
    ) throws -> Page {
        // These two answer only a request that carried the validator or fingerprint of a known page.
        guard let known else { throw FetchError.Kind.status(304, retryAfter: nil) }
        let renewed = try paging.renewed(known.summary, by: reply, asked: locator)
        var summary = renewed
        // A repeated body has stated its total in this read.
        if case .repeated = reply.content {
            summary.markers = summary.markers.received
        }
        // A body, and its validator, say nothing of the links in the head.
        let last = reply.head.lastPage(asked: locator)
        if last != nil || summary.markers.last?.isInHead == true { summary.markers.last = last }
        let continuation = try paging.continuation(after: position, at: locator, summary, context)
        let validator: String? =
            switch reply.content {
            case .notModified: known.memory.validator
            default: summary.memory == .full ? self.validator(of: reply) : nil
            }
        // The text does not tell what this read has received. A last page that leads on now is to come whole next time.
        let leadsOn = known.summary.markers.more == nil && renewed.markers.more != nil && renewed.following == nil
        let memory =
            leadsOn
            ? known.unidentified
            : CachedPage(
                validator: validator, fingerprint: known.memory.fingerprint,
                summary: renewed == known.summary ? known.memory.summary : summary.text)
        var page = Page(position, .unchanged, summary, continuation, request, isPlainRead: isPlainRead, memory: memory)
        page.echoes = summary.echoes
        return page
    }
}

extension Page {
    fileprivate init(
        _ position: PagePosition, _ content: Content, _ summary: PageSummary, _ continuation: Paging.Continuation,
        _ request: RequestEntry, isPlainRead: Bool, memory: CachedPage?, isRefused: Bool = false
    ) {
        let next: PagePosition? = if case .next(let next) = continuation { next } else { nil }
        let verdict: Verdict? = if case .end(let verdict) = continuation { verdict } else { nil }
        self.init(
            position: position, content: content,
            facts: PageFacts(
                isNumbered: position.history.isNumbered || summary.following?.isNumbered == true,
                mayNotComeAgain: !isPlainRead || position.history.isByCursor || summary.following?.isByCursor == true,
                memory: memory,
                totalHasChanged: position.history.totalHasChanged(with: summary),
                isCounted: position.history.isCounted(with: summary),
                fallsShort: position.history.fallsShort(with: summary)),
            next: next, verdict: verdict, isRefused: isRefused, request: request)
    }

    /// Creates the last page of a read, without records.
    fileprivate init(emptyAt position: PagePosition, _ verdict: Verdict, request: RequestEntry) throws {
        let nothing = Selection([], in: try Document(parsing: Bytes("[]".utf8)))
        self.init(
            position: position, content: .records(nothing),
            facts: PageFacts(
                isNumbered: position.history.isNumbered, mayNotComeAgain: position.history.isByCursor,
                totalHasChanged: position.history.totalHasChanged,
                isCounted: position.history.isCounted(with: nil)),
            next: nil, verdict: verdict, isRefused: true, request: request)
    }
}

extension Int {
    /// True if this status says that there are no records, rather than leaving it open.
    fileprivate var saysThatNothingIsThere: Bool { (200..<300).contains(self) || self == 404 || self == 410 }
}
