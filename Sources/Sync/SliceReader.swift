import GarnerCatalog
import GarnerFetcher
import GarnerModel
import GarnerPersistence
import Synchronization

/// Judges and stores the pages of one slice, which a `PageStream` fetches. A class, since each of the functions that wait for its pages
/// would copy three kilobytes.
final class SliceReader: Sendable {
    let stream: StreamConfiguration
    let source: FetcherSource
    let writer: DatabaseWriter
    let run: RunID
    let slice: Slice
    /// The cursor; nil for a stream that is not incremental.
    let cursor: SliceCursor?
    /// The start of the read.
    let beganAt: Timestamp
    let budget: PageBudget
    let ledger: RequestLedger
    let stop: StopRequest
    /// The findings of earlier reads.
    let context: ReadContext
    /// Receives the findings of the first page.
    let findings: FirstFindings
    /// Receives the addresses of the first pages of slices.
    let addresses: SliceAddresses
    let window: AheadWindow

    init(
        stream: StreamConfiguration, source: FetcherSource, writer: DatabaseWriter, run: RunID, slice: Slice,
        cursor: SliceCursor?, read: ReadStart, budget: PageBudget, ledger: RequestLedger, stop: StopRequest,
        findings: FirstFindings, addresses: SliceAddresses, window: AheadWindow
    ) {
        (self.stream, self.source, self.writer, self.run) = (stream, source, writer, run)
        (self.slice, self.cursor, beganAt, context) = (slice, cursor, read.beganAt, read.context)
        (self.budget, self.ledger, self.stop) = (budget, ledger, stop)
        (self.findings, self.addresses, self.window) = (findings, addresses, window)
    }

    enum End: Sendable {
        /// All pages of the slice are stored. The run is set if this was its last slice.
        case complete(RunRecord?)
        /// The run's page limit is reached.
        case outOfPages
        case stopped
    }

    func read(_ progress: @Sendable (RunCounts) -> Void) async throws -> End {
        let hashes = remembersPages && slice.added == nil
        let ahead = PagesAhead(
            source, window, ledger, context, hashes ? try await writer.recordHasher(for: run) : nil)
        do {
            let end = try await read(ahead, progress)
            await ahead.end()
            return end
        } catch {
            await writer.endGroup(of: run)
            await ahead.end()
            throw error
        }
    }

    private func read(_ ahead: PagesAhead, _ progress: @Sendable (RunCounts) -> Void) async throws -> End {
        guard !stop.isRequested else { return .stopped }
        guard budget.take() else { return .outOfPages }
        var pages = PageStream(self, ahead)
        var page = try await pages.first()
        // A read that began again has no page before this one.
        var state = State(self, at: page.position)
        if findings.note(page) {
            try page.requireNames(known: context.namedFields, isNew: !context.hasEndedWithoutMore)
        }
        let one = mayLackPageZero && page.position.number == 0 ? PageOne(page, of: stream) : nil
        while true {
            // Nothing else in this loop notices a cancellation if each page comes before the last one is stored.
            try Task.checkCancellation()
            ledger.note(page.request)
            try judge(&page, &state)
            one?.note(page)
            guard let next = try successor(of: page)?.behind(state.verdict, holdsCursor: state.isHeld) else {
                if let one, state.verdict == .complete, !page.isCounted, try await lacksPageZero(before: one) {
                    if statesBasePage == false {
                        state.verdict = .lacksPageZero
                    } else {
                        state.warning =
                            "page 0 has records that no other page has; write base_page: 0 in paginator if they belong to the list"
                    }
                }
                let look = state.hasLooked ? nil : try secondLook(after: page, startingAt: pages.start)
                // The page of another slice may come soon.
                let result = try await commit(page, .ended(state.verdict), state, progress, lookingAgainAt: look) {
                    stop.isRequested ? .separate : .requested
                }
                guard result.looksAgain, let look else { return .complete(result.ended) }
                guard budget.take() else { return .outOfPages }
                state.lookAgain(self, at: look)
                page = try await pages.again(at: look, behind: page)
                continue
            }
            // After a stop, pages that were requested are stored.
            let isStopped = stop.isRequested && !ahead.hasRequested(next)
            if let end: End = isStopped ? .stopped : budget.take() ? nil : .outOfPages {
                _ = try await commit(page, .next(next.checkpoint), state, progress)
                return end
            }
            let (stored, known) = (page, state)
            page = try await pages.page(at: next, behind: stored) { expected, successor in
                try await commit(
                    stored, .next(next.checkpoint), known, progress, lookingUp: expected, successor: successor
                ).memory
            }
        }
    }

    /// True if no earlier read has shown that the list begins with page 1.
    private var mayLackPageZero: Bool {
        context.isFirst && slice.bindings.isEmpty && cursor == nil && statesBasePage != nil
    }

    private var statesBasePage: Bool? { (stream.paginator.kind.method as? Paginator.PageNumber)?.statesBasePage }

    /// Returns true if the list has a page 0 with other records. It is asked for once, at the end of the read that makes the table.
    private func lacksPageZero(before one: PageOne) async throws -> Bool {
        guard !stop.isRequested else { return false }
        do {
            let zero = try await one.pageZero(by: source.current.remade)
            ledger.note(zero.request)
            return one.follows(zero)
        } catch let error as FetchError {
            ledger.note(error)
            return false
        }
    }

    /// What the pages of a slice have shown so far.
    private struct State {
        /// The worst verdict of several windows counts.
        var verdict: Verdict
        var watermark: String?
        var descent: Descent?
        /// True behind a window that was not wholly read: the cursor stays.
        var isHeld: Bool
        var hasLooked = false
        /// An end that a window was given, and that may be that of the source.
        var end: SliceCursor.OtherBound?
        var warning: String?

        init(_ reader: SliceReader, at position: PagePosition) {
            (verdict, isHeld) = (reader.verdict(before: position), position.history.holdsCursor)
            (watermark, descent) = (reader.slice.watermark, reader.cursor?.descent)
        }

        mutating func lookAgain(_ reader: SliceReader, at position: PagePosition) {
            (verdict, isHeld) = (reader.verdict(before: position), position.history.holdsCursor)
            hasLooked = true
        }
    }

    /// Returns the judgement on the pages before a position, by whichever run they were read.
    private func verdict(before position: PagePosition) -> Verdict {
        let begun: Verdict = stream.replacesTable && isResumedByNumber ? .resumed : .complete
        return position.history.judged.map(begun.worse) ?? begun
    }

    /// Notes what a page shows of the read. Makes it the last one if it reaches known records.
    private func judge(_ page: inout Page, _ state: inout State) throws {
        if let doubt = doubtOnRequest(of: page, &state) { page.note(doubt) }
        // It is to be seen in the next read, too.
        if state.end?.window == page.position.window { page.memory = nil }
        page.note(naming: addresses.naming)
        if case .records = page.content {
            var isBehindStart = false
            if state.descent != nil {
                try page.forEachPiece { isBehindStart = state.descent?.isBehindStart(after: $0) == true }
            }
            if page.next == nil, state.descent?.lacksKnown == true, let end = page.verdict {
                page.end(end.worse(.knownIsMissing))
            } else if page.next != nil, isBehindStart {
                page.end(page.totalHasChanged ? .totalChanged : .known)
            }
        }
        state.verdict = [page.doubt, page.verdict].compactMap(\.self).reduce(state.verdict) { $0.worse($1) }
        state.watermark = try cursor?.watermark(state.watermark, behind: page) ?? state.watermark
        // What a page in the midst should have had is missing, whatever the last one says.
        if page.next == nil ? !isWindowRead(page) : page.doubt?.kind == .contradicted { state.isHeld = true }
    }

    /// Returns the judgement on a page that answers the request of another slice or window, or of a part of its own; else nil.
    private func doubtOnRequest(of page: Page, _ state: inout State) -> Verdict? {
        if let other = page.echoes.first(where: namesOtherSlice) { return .otherList(place: other.place) }
        if let end = state.end, cursor?.passes(end, on: page) == true { return .otherBound(end) }
        guard page.position.number == 0 else { return nil }
        if let bound = cursor?.otherBound(on: page) {
            guard bound.mayBeEndOfSource else { return .otherBound(bound) }
            state.end = state.end ?? bound
        }
        guard !slice.bindings.isEmpty, stream.request.asksByURL,
            addresses.areMixed(asked: page.position.url, reached: page.reached)
        else { return nil }
        return .otherListByRedirect
    }

    /// Returns true for the value of a partition or of a parent that another slice asks for. Any other text may mean the same in other words.
    private func namesOtherSlice(_ echo: RequestEcho) -> Bool {
        guard let list = echo.list, let asked = slice.bindings[list] else { return false }
        var names: [String] = []
        if case .partition(let name) = list { names = stream.partitions.first { $0.name == name }?.values ?? [] }
        // A word that is the same beside all of several lists is that of something else, such as the user who asks.
        if echo.isUnsure || names.count > 2 { return addresses.areMixed(echo, in: list, asked: asked, among: names) }
        guard asked != echo.text else { return false }
        if names.contains(echo.text) { return true }
        // In other capitals, it is the same name.
        let text = echo.text.lowercased()
        return text != asked.lowercased() && names.contains { $0.lowercased() == text }
    }

    /// Returns the position after this page: in the same window, or the first of the next window.
    private func successor(of page: Page) throws -> PagePosition? {
        if let next = page.next { return next }
        guard page.verdict?.completeness != .partial, let window = try cursor?.windows.next(after: page.position.window)
        else {
            return nil
        }
        return try source.current.firstPosition(
            filling: slice.bindings, window: window, beganAt: beganAt)
    }

    /// Returns true if the window that ends here needs no reading again: no page is left out, and no record may have moved.
    private func isWindowRead(_ page: Page) -> Bool {
        guard page.next == nil, let verdict = page.verdict else { return false }
        if isResumedByNumber && page.position.window == position?.window { return false }
        // The refused page may be in the midst of the list.
        if case .noSuchPage = verdict.cause { return false }
        if page.fallsShort { return false }
        return verdict.kind != .contradicted && verdict != .nothingNew
            && (verdict.completeness != .partial || verdict == .known)
    }

    private func commit(
        _ page: Page, _ continuation: PageCommit.Continuation, _ state: State,
        _ progress: @Sendable (RunCounts) -> Void, lookingUp expected: PagePosition? = nil,
        lookingAgainAt secondLook: PagePosition? = nil, successor: @Sendable () -> SuccessorState = { .separate }
    ) async throws -> RunProgress {
        let requests = ledger.take()
        let moved =
            state.isHeld || page.next != nil
            ? nil : cursor?.windows.cursor(behind: state.watermark, endOf: page.position.window)
        let isHeld = page.next == nil && state.isHeld && page.verdict?.kind != .chosen
        var commit = PageCommit(
            page, of: slice, continuation,
            .init(
                watermark: state.watermark, moved: moved, isHeld: isHeld,
                far: state.watermark == nil ? try cursor?.farCursor(on: page) : nil), requests: requests)
        commit.later = page.later
        if !remembersPages { commit.memory = nil }
        commit.warning = state.warning ?? page.warning ?? cursor?.doubt(on: page) ?? stream.doubtOnRecords(page)
        if let cursor, page.position.number == 0, stream.sendsIncrementalStart {
            commit.remark = commit.remark ?? cursor.doubtOnAnswer(page)
        }
        commit.remark = commit.remark ?? stream.doubtOnFiles(page)
        commit.secondLook = secondLook.map {
            .init(
                checkpoint: $0.checkpoint, isFromStart: $0.number == 0, isCounted: page.isCounted && !page.isRefused,
                isOfNothing: page.isNothing)
        }
        do {
            let result = try await writer.commit(commit, to: run, lookingUp: expected?.key, successor: successor)
            progress(result.counts)
            return result
        } catch {
            ledger.putBack(requests)
            throw error
        }
    }

    /// Returns the position from which the read looks once more, page by page, for rows that it lacks; nil if they are gone.
    ///
    /// A list that changes between the requests of numbered pages moves records to pages that were read before, and requests that were
    /// under way at the same time may have been answered from lists in either order. A total of as many records as came rules that out,
    /// unless records came that the table did not have, which the writer knows. A total that changes shows such a change behind links of
    /// any kind.
    private func secondLook(
        after page: Page, startingAt start: @autoclosure () throws -> PagePosition
    ) throws -> PagePosition? {
        let mayHide =
            !stream.replacesTable && (page.isNumbered || page.totalHasChanged) && page.position.number > 0
        if mayHide { return try start() }
        return page.isRefused ? page.position : nil
    }

    /// The position at which an earlier run left the slice; nil if it begins.
    var position: PagePosition? { slice.nextPosition.flatMap(PagePosition.init(checkpoint:)) }

    /// True if a read that goes down to known records begins again at its first page.
    var descendsAgain: Bool { stream.incremental?.stopsAtKnown == true && position?.isNumbered == true }

    /// True if the run continues at a numbered page. Others may have moved before it, so the cursor must not pass them.
    private var isResumedByNumber: Bool { position?.isNumbered == true && !descendsAgain }

    /// False if the records of every page are needed: an unchanged page would not move the cursor of a read that meets it
    /// after a read of a range, and does not show where known records begin.
    var remembersPages: Bool {
        stream.incremental.map {
            !$0.isBackfill && !$0.stopsAtKnown && !stream.fields.composed.contains(where: \.hasBound)
        } ?? true
    }
}

extension Verdict {
    /// The judgement on a list for a table to replace that was read in two parts.
    fileprivate static let resumed = Verdict(
        .silent, "the read went on at the page at which an earlier run had ended",
        advice: "a record that moved to an earlier page meanwhile comes with the next sync")

    /// The judgement on a page that names another slice.
    fileprivate static func otherList(place: String) -> Verdict {
        Verdict(
            .contradicted, "\(place) names another list than was asked for",
            advice: "look whether a cache answers for the source, or \(Cause.ignoring(place, "it says something else"))"
        )
    }

    /// The judgement on a window that the source begins later, or ends earlier, than it was asked to.
    fileprivate static func otherBound(_ bound: SliceCursor.OtherBound) -> Verdict {
        let remedy =
            bound.isEnd
            ? "set step to what the source answers at once" : "set initial_value to what the source still has"
        return Verdict(
            .contradicted,
            "\(bound.place) is \(bound.isEnd ? "earlier than the end" : "later than the start") that was asked for",
            advice: "\(remedy), or \(Cause.ignoring(bound.place, "it says something else"))")
    }

    /// The judgement on a list that was read from page 1 on, and whose first page is page 0.
    fileprivate static let lacksPageZero = Verdict(
        .silent, "page 0 has records that no other page has", advice: "write base_page: 0 in paginator")

    /// The judgement on a list that was read from its newest record down to known ones.
    fileprivate static let knownIsMissing = Verdict(
        .contradicted, "stop_at_known: the list ended before a record that was read before",
        advice: "if the source has removed all of them, run garner sync --full-refresh once")
}

extension PageCommit {
    fileprivate init(
        _ page: Page, of slice: Slice, _ continuation: Continuation, _ cursor: CursorProgress, requests: [RequestRecord]
    ) {
        let content: Content =
            switch page.content {
            case .records(let records): .records(records)
            case .unchanged: .unchanged
            }
        self.init(
            content: content, facts: page.facts, unseenFields: Set(page.unseenFields.map(\.field.text)),
            position: page.position.key, slice: slice.id, added: slice.added, continuation: continuation,
            cursor: cursor,
            fullPage: page.position.number == 0 ? page.next?.history.largestPage : nil, endsList: page.next == nil,
            url: page.position.url, requests: requests)
    }
}

/// The fetcher of a run. It is replaced when the server no longer accepts its secrets.
final class FetcherSource: Sendable {
    typealias Renewal = @Sendable () throws -> PageFetcher?

    private let fetcher: Mutex<(current: PageFetcher, generation: Int)>
    private let renewal: Renewal

    init(_ fetcher: PageFetcher, renewed renewal: @escaping Renewal) {
        self.fetcher = Mutex((fetcher, 0))
        self.renewal = renewal
    }

    var current: PageFetcher { fetcher.withLock(\.current) }

    /// Calls `body` with the current fetcher, and again with a new one if its secrets were refused and have changed.
    func fetching<Result: Sendable>(_ body: (PageFetcher) async throws -> Result) async throws -> Result {
        let (used, generation) = fetcher.withLock(\.self)
        do {
            return try await body(used)
        } catch let error as FetchError where error.isUnauthorized {
            guard let other = try renewed(after: generation) else { throw error }
            return try await body(other)
        }
    }

    /// Returns the fetcher that another task has already renewed, or a new one.
    private func renewed(after generation: Int) throws -> PageFetcher? {
        try fetcher.withLock { fetcher in
            if fetcher.generation == generation, let other = try renewal() { fetcher = (other, generation + 1) }
            return fetcher.generation == generation ? nil : fetcher.current
        }
    }
}

extension FetchError {
    var isUnauthorized: Bool { if case .unauthorized = kind { !isRateLimited } else { false } }
}

/// The number of pages that a run may still request.
final class PageBudget: Sendable {
    private let left: Mutex<Int?>

    /// Creates a budget; nil means no limit.
    init(_ limit: Int?) { left = Mutex(limit) }

    /// Takes one page from the budget. Returns false if none is left.
    func take() -> Bool {
        left.withLock { left in
            guard let count = left else { return true }
            guard count > 0 else { return false }
            left = count - 1
            return true
        }
    }
}
