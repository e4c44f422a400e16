import Catalog
import Fetcher
import Model
import Persistence

/// Fetches and stores the pages of one slice; the next page is fetched while this one is stored.
struct SliceReader: Sendable {
    let stream: Stream
    let source: FetcherSource
    let store: Store
    let run: Int64
    let slice: Slice
    /// nil for a stream that is not incremental.
    let cursor: SliceCursor?
    let budget: PageBudget
    let ledger: RequestLedger
    let stop: StopRequest
    /// What earlier reads have shown.
    let context: ReadContext
    /// Takes what the first page has shown.
    let findings: FirstFindings

    enum End: Sendable {
        /// All its pages are stored; with the run where it was the last slice.
        case complete(RunRecord?)
        /// The run's pages are used up.
        case outOfPages
        case stopped
    }

    func read(_ progress: @Sendable (RunCounts) -> Void) async throws -> End {
        guard !stop.isRequested else { return .stopped }
        guard budget.take() else { return .outOfPages }
        var trail = PageTrail(stream: stream.name)
        var watermark = slice.watermark
        var page = try await firstPage()
        findings.note(page.layout)
        // Of several windows the worst.
        var verdict = Verdict.complete
        while true {
            ledger.note(page.request)
            verdict = page.verdict.map(verdict.worse) ?? verdict
            watermark = try cursor?.watermark(watermark, behind: page) ?? watermark
            guard let next = try successor(of: page) else {
                return .complete(try await commit(page, .ended(verdict), watermark, progress).ended)
            }
            let end: End? = stop.isRequested ? .stopped : budget.take() ? nil : .outOfPages
            if let end {
                _ = try await commit(page, .next(next.checkpoint), watermark, progress)
                return end
            }
            try trail.visit(page.position)
            // Asked before this page is stored, as the store does one thing at a time.
            let memory = try await memory(of: next)
            async let following = source.fetching { try await $0.page(at: next, remembered: memory, context) }
            _ = try await commit(page, .next(next.checkpoint), watermark, progress)
            page = try await following
        }
    }

    /// The page behind this one: of the same window, or the first one of the next window.
    private func successor(of page: Page) throws -> PagePosition? {
        if let next = page.next { return next }
        guard page.verdict?.completeness != .partial, let window = try cursor?.windows.next(after: page.position.window)
        else {
            return nil
        }
        return try source.current.firstPosition(filling: slice.bindings, window: window)
    }

    private func commit(
        _ page: Page, _ continuation: PageCommit.Continuation, _ watermark: String?,
        _ progress: @Sendable (RunCounts) -> Void
    ) async throws -> RunProgress {
        let requests = ledger.take()
        // A window whose pages were left out in part is read again.
        let isWindowRead = page.next == nil && page.verdict?.completeness != .partial
        let moved = isWindowRead ? cursor?.windows.cursor(behind: watermark) : nil
        let commit = PageCommit(
            page, of: slice, continuation, .init(watermark: watermark, moved: moved), requests: requests)
        do {
            let result = try await store.commit(commit, to: run)
            progress(result.counts)
            return result
        } catch {
            ledger.putBack(requests)
            throw error
        }
    }

    /// The page where an earlier run has left the slice, or its first one.
    private func firstPage() async throws -> Page {
        guard let position = slice.nextPosition.flatMap(PagePosition.init(checkpoint:)) else {
            return try await self.page(at: firstPosition)
        }
        do {
            return try await page(at: position)
        } catch let error as FetchError where error.kind.spoilsPosition {
            // Cursors expire and collections shrink: what is left of that read can no longer be read.
            ledger.note(error)
            try await store.restart(slice, of: run)
            return try await page(at: firstPosition)
        }
    }

    private var firstPosition: PagePosition {
        get throws {
            try source.current.firstPosition(
                filling: slice.bindings, window: try cursor?.windows.first() ?? ReadWindow())
        }
    }

    private func page(at position: PagePosition) async throws -> Page {
        let memory = try await memory(of: position)
        return try await source.fetching { try await $0.page(at: position, remembered: memory, context) }
    }

    private func memory(of position: PagePosition) async throws -> PageMemory? {
        try await store.memory(of: position.key, added: slice.added, for: run).map { PageMemory($0) }
    }
}

extension PageMemory {
    init(_ page: RememberedPage) {
        self.init(validator: page.validator, fingerprint: page.fingerprint, summary: page.summary)
    }
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
            content: content, position: page.position.key, slice: slice.id, added: slice.added,
            continuation: continuation, cursor: cursor, hasPagingPlace: page.sawPagingPlace,
            isNumbered: page.isNumbered,
            url: page.position.url,
            memory: page.memory.map {
                RememberedPage(validator: $0.validator, fingerprint: $0.fingerprint, summary: $0.summary)
            },
            requests: requests)
    }
}
