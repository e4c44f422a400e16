import GarnerCatalog
import GarnerFetcher
import GarnerModel
import GarnerPersistence
import Synchronization

/// Fetches and stores the pages of one slice. It fetches the next page while it stores this one, and pages behind it where
/// fetching takes longer than storing.
struct SliceReader: Sendable {
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
    let window: AheadWindow

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
        var visited = VisitedPages(stream: stream.name)
        var watermark = slice.watermark
        var descent = cursor?.descent
        var page = try await firstPage()
        if findings.note(page) {
            try page.requireNames(known: context.namedFields, isNew: !context.hasEndedWithoutMore)
        }
        // The worst verdict of several windows counts.
        var verdict = stream.replacesTable && isResumedByNumber ? Verdict.resumed : .complete
        var hasLooked = false
        // Behind a window that was not wholly read, the cursor stays.
        var isHeld = false
        while true {
            // Nothing else in this loop notices a cancellation if each page comes before the last one is stored.
            try Task.checkCancellation()
            ledger.note(page.request)
            if case .records(let records) = page.content {
                let isBehindStart = descent?.isBehindStart(after: records) == true
                if page.next == nil, descent?.lacksKnown == true, let end = page.verdict {
                    page.end(end.worse(.knownIsMissing))
                } else if page.next != nil, isBehindStart {
                    page.end(page.totalHasChanged ? .totalChanged : .known)
                }
            }
            verdict = [page.doubt, page.verdict].compactMap(\.self).reduce(verdict) { $0.worse($1) }
            watermark = try cursor?.watermark(watermark, behind: page) ?? watermark
            let wasHeld = isHeld
            if page.next == nil, !isWindowRead(page) { isHeld = true }
            guard let next = try successor(of: page) else {
                let look = hasLooked ? nil : try secondLook(after: page)
                let result = try await commit(
                    page, .ended(verdict), watermark, isHeld: isHeld, progress, lookingAgainAt: look)
                guard result.looksAgain, let look else { return .complete(result.ended) }
                guard budget.take() else { return .outOfPages }
                (visited, verdict, hasLooked) = (VisitedPages(stream: stream.name), .complete, true)
                isHeld = wasHeld && look == page.position
                ahead.close()
                if page.isRefused { try await source.current.waitBeforeSecondLook() }
                page = try await self.page(at: look, asWhole: page.isRefused)
                continue
            }
            // After a stop, pages that were requested are stored.
            let isStopped = stop.isRequested && !ahead.hasRequested(next)
            let end: End? = isStopped ? .stopped : budget.take() ? nil : .outOfPages
            if let end {
                _ = try await commit(page, .next(next.checkpoint), watermark, isHeld: isHeld, progress)
                return end
            }
            try visited.visit(page)
            // Looked up before this page is stored, because the writer does one thing at a time.
            let taken = await ahead.take(next)
            let memory = if let taken { taken.memory } else { try await memory(of: next) }
            let arrivals = ahead.arrivals
            let (followsLinks, known) = (!hasMemory && descent == nil, visited)
            async let following = ahead.page(
                at: next, taken?.request, remembered: memory,
                following: { followsLinks && !stop.isRequested && !known.contains($0) })
            if !stop.isRequested {
                try await ahead.request(
                    behind: page.position, next, remembered: memory, isVisited: visited.contains, lookUp: self.memory)
            }
            let expected =
                hasMemory
                ? ahead.expectedPosition(
                    behind: page.position, next, remembered: memory, isVisited: visited.contains) : nil
            let result = try await commit(
                page, .next(next.checkpoint), watermark, isHeld: isHeld, progress, lookingUp: expected
            ) {
                ahead.arrivals == arrivals ? .requested : .arrived
            }
            if let expected { ahead.expect(expected, remembered: result.memory.flatMap(ParsedCachedPage.init)) }
            window.notePage(wasLate: ahead.arrivals == arrivals)
            page = try await following
        }
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

    /// Returns true if the window that ends with the page needs no reading again: if no page of it was left out, and no record may have
    /// moved between them.
    private func isWindowRead(_ page: Page) -> Bool {
        guard page.next == nil, let verdict = page.verdict else { return false }
        if isResumedByNumber && page.position.window == position?.window { return false }
        // The refused page may be in the midst of the list.
        if case .noSuchPage = verdict.cause { return false }
        return verdict.kind != .contradicted && verdict != .nothingNew
            && (verdict.completeness != .partial || verdict == .known)
    }

    private func commit(
        _ page: Page, _ continuation: PageCommit.Continuation, _ watermark: String?, isHeld: Bool,
        _ progress: @Sendable (RunCounts) -> Void, lookingUp expected: PagePosition? = nil,
        lookingAgainAt secondLook: PagePosition? = nil,
        successor: @Sendable () -> SuccessorState = { .separate }
    ) async throws -> RunProgress {
        let requests = ledger.take()
        let moved =
            isHeld || page.next != nil
            ? nil : cursor?.windows.cursor(behind: watermark, endOf: page.position.window)
        let isHeld = page.next == nil && isHeld && page.verdict?.kind != .chosen
        var commit = PageCommit(
            page, of: slice, continuation,
            .init(
                watermark: watermark, moved: moved, isHeld: isHeld,
                far: watermark == nil ? cursor?.farCursor(on: page) : nil), requests: requests)
        if !remembersPages { commit.memory = nil }
        commit.warning = page.warning ?? cursor?.doubt(on: page)
        if let cursor, page.position.number == 0, stream.sendsIncrementalStart {
            commit.remark = commit.remark ?? cursor.doubtOnAnswer(page)
        }
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

    /// Returns the position from which the read looks once more, one request at a time, for rows that it lacks; nil if their absence
    /// proves that they are gone.
    ///
    /// A list that changes between the requests of numbered pages moves records to pages that were read before, and requests that were
    /// under way at the same time may have been answered from lists in either order. A total of as many records as came rules that out,
    /// unless records came that the table did not have, which the writer knows.
    private func secondLook(after page: Page) throws -> PagePosition? {
        let mayHide = !stream.replacesTable && page.isNumbered && page.position.number > 0
        if mayHide { return try firstPosition }
        return page.isRefused ? page.position : nil
    }

    /// Fetches the page at which an earlier run left the slice, or its first page.
    private func firstPage() async throws -> Page {
        guard let position else { return try await self.page(at: firstPosition) }
        if descendsAgain {
            // Its first pages cost little, and what was removed meanwhile would have moved others past this one.
            try await writer.restart(slice, of: run)
            return try await page(at: firstPosition)
        }
        do {
            return try await page(at: position)
        } catch let error as FetchError where error.kind.spoilsPosition {
            // Cursors expire and collections shrink: the rest of that read is no longer available.
            ledger.note(error)
            try await writer.restart(slice, of: run)
            return try await page(at: firstPosition)
        }
    }

    /// The position at which an earlier run left the slice; nil if it begins.
    private var position: PagePosition? { slice.nextPosition.flatMap(PagePosition.init(checkpoint:)) }

    private var descendsAgain: Bool { stream.incremental?.stopsAtKnown == true && position?.isNumbered == true }

    /// True if the run continues at a numbered page. Records that were removed since then have moved others to a page before
    /// it, so the cursor must not pass them.
    private var isResumedByNumber: Bool { position?.isNumbered == true && !descendsAgain }

    private var firstPosition: PagePosition {
        get throws {
            try source.current.firstPosition(
                filling: slice.bindings, window: try cursor?.windows.first() ?? ReadWindow(), beganAt: beganAt)
        }
    }

    /// - Parameter isWhole: True to ask for the page whatever is known of it.
    private func page(at position: PagePosition, asWhole isWhole: Bool = false) async throws -> Page {
        let memory = isWhole ? nil : try await memory(of: position)
        var page = try await source.fetching { try await $0.page(at: position, remembered: memory, context) }
        if isWhole { page.forgetIfEmpty() }
        return page
    }

    /// False if no page has a stored memory that counts. A stream without a table has none.
    private var hasMemory: Bool { remembersPages && !context.isFirst }

    /// Returns the stored memory of a page.
    private func memory(of position: PagePosition) async throws -> ParsedCachedPage? {
        guard hasMemory else { return nil }
        return try await writer.memory(of: position.key, added: slice.added, for: run).flatMap(ParsedCachedPage.init)
    }

    /// False if the records of every page are needed: an unchanged page would not move the cursor of a read that meets it
    /// after a read of a range, and does not show where known records begin.
    private var remembersPages: Bool {
        stream.incremental.map { !$0.isBackfill && !$0.stopsAtKnown } ?? true
    }
}

extension Verdict {
    /// The judgement on a list for a table to replace that was read in two parts.
    fileprivate static let resumed = Verdict(
        .silent,
        "the read went on at the page at which an earlier run had ended; a record that moved to an earlier page meanwhile comes with the next sync"
    )

    /// The judgement on a list that was read from its newest record down to known ones.
    fileprivate static let knownIsMissing = Verdict(
        .contradicted,
        "stop_at_known: the list ended before a record that was read before; if the source has removed all of them, run garner sync --full-refresh once"
    )
}

extension PageCommit {
    fileprivate init(
        _ page: Page, of slice: Slice, _ continuation: Continuation, _ cursor: CursorProgress,
        requests: [RequestRecord]
    ) {
        let content: Content =
            switch page.content {
            case .records(let records): .records(records)
            case .unchanged: .unchanged
            }
        self.init(
            content: content, deletions: page.deletions, unseenFields: Set(page.unseenFields.map(\.field.text)),
            position: page.position.key, slice: slice.id,
            added: slice.added,
            continuation: continuation, cursor: cursor,
            fullPage: page.position.number == 0 ? page.next?.history.largestPage : nil, endsList: page.next == nil,
            isNumbered: page.isNumbered, mayNotComeAgain: page.mayNotComeAgain,
            url: page.position.url,
            memory: page.memory,
            requests: requests)
        recordHashes = page.recordHashes
        remark = page.remark
        leftOut = page.leftOut
        shape = page.shape
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

    /// Calls `body` with the current fetcher, and once more with a new one if its secrets were refused and have
    /// changed.
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
