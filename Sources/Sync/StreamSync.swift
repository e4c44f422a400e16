package import Catalog
package import Fetcher
package import Persistence

/// Synchronises one stream: pages in, transactions out, one outcome.
package struct StreamSync: Sendable {
    private let stream: Stream
    private let fetcher: PageFetcher
    private let store: Store

    /// Throws `FetchError` where the stream cannot be fetched as it is configured.
    package init(
        _ stream: Stream, into store: Store, transport: any Transport, timing: Timing, traffic: SourceTraffic? = nil
    ) throws {
        self.stream = stream
        self.store = store
        fetcher = try PageFetcher(stream: stream, transport: transport, timing: timing, traffic: traffic)
    }

    /// Runs once; what failed is in the outcome.
    ///
    /// - Parameters:
    ///   - stop: once requested, no further page is fetched, and those that were are stored.
    ///   - progress: called after each page with what the run has done so far.
    package func run(
        _ options: RunOptions = RunOptions(), stop: StopRequest = StopRequest(),
        progress: @Sendable (RunCounts) -> Void = { _ in }
    ) async -> RunOutcome {
        var begun: RunStart?
        var unstored: [RequestRecord] = []
        do {
            let run = try await store.begin(
                stream, identity: stream.readIdentity, credential: fetcher.credentialTag, nominal: options.nominal,
                restarting: options.restarts)
            begun = run
            return RunOutcome(try await read(run, options, stop, &unstored, progress), of: stream.name)
        } catch {
            return await end(begun, after: error, unstored)
        }
    }

    /// Fetches and stores page after page; the next one is fetched while this one is stored.
    ///
    /// - Parameter unstored: the requests that no stored page accounts for.
    private func read(
        _ run: RunStart, _ options: RunOptions, _ stop: StopRequest, _ unstored: inout [RequestRecord],
        _ progress: @Sendable (RunCounts) -> Void
    ) async throws -> RunRecord {
        var trail = PageTrail(stream: stream.name)
        var page = try await firstPage(of: run, &unstored)
        unstored.append(RequestRecord(page.request))
        var pages = 1
        while let next = page.next, pages != options.maximumPages, !stop.isRequested {
            try trail.visit(page.position)
            // Asked before this page is stored, as the store does one thing at a time.
            let memory = try await store.memory(of: next, for: run)
            async let following = fetcher.page(at: next, remembered: memory)
            progress(try await store.commit(PageCommit(page, .next(next.checkpoint), requests: unstored), to: run.id))
            unstored = []
            page = try await following
            unstored = [RequestRecord(page.request)]
            pages += 1
        }
        let last = PageCommit(page, ending(page, options, pages), requests: unstored)
        let (counts, record) = try await store.commitLast(last, to: run.id)
        progress(counts)
        return record
    }

    private func ending(_ page: Page, _ options: RunOptions, _ pages: Int) -> PageCommit.Continuation {
        guard let next = page.next else {
            return page.omission.map { .cutShort(warning: $0.warning) } ?? .complete
        }
        return pages == options.maximumPages ? .cutShort(warning: nil) : .stopped(next: next.checkpoint)
    }

    /// The page where an unfinished read goes on, or the first one.
    private func firstPage(of run: RunStart, _ unstored: inout [RequestRecord]) async throws -> Page {
        guard let position = run.resumeAt.flatMap(PagePosition.init(checkpoint:)) else {
            return try await page(at: fetcher.firstPosition, for: run)
        }
        do {
            return try await page(at: position, for: run)
        } catch let error as FetchError where error.kind.spoilsPosition {
            // Cursors expire and collections shrink: what is left of that read can no longer be read.
            unstored += error.records
            try await store.restart(run.id)
            return try await page(at: fetcher.firstPosition, for: run)
        }
    }

    private func page(at position: PagePosition, for run: RunStart) async throws -> Page {
        try await fetcher.page(at: position, remembered: try await store.memory(of: position, for: run))
    }

    /// Records how the run ended; where it never began, there is nothing to record.
    private func end(_ run: RunStart?, after error: any Error, _ unstored: [RequestRecord]) async -> RunOutcome {
        let isCancelled = error is CancellationError
        let failure = isCancelled ? nil : RunFailure(error)
        guard let run else { return RunOutcome(stream.name, isCancelled ? .cancelled : .failed, failure) }
        do {
            let record = try await store.end(
                run: run.id, as: isCancelled ? .cancelled : .failed,
                requests: unstored + ((error as? FetchError)?.records ?? []), failure: failure,
                givesUpRead: (error as? FetchError)?.kind.spoilsRead == true)
            return RunOutcome(record, of: stream.name)
        } catch let second {
            return RunOutcome(stream.name, .failed, failure ?? RunFailure(second))
        }
    }
}

extension FetchError.Kind {
    /// Whether going on behind the stored pages would lead there again.
    fileprivate var spoilsRead: Bool {
        switch self {
        case .repeatedPage, .unchangedPage: true
        default: false
        }
    }

    /// Whether the same answer is to be expected at this position again, which a first page may not give.
    fileprivate var spoilsPosition: Bool {
        if case .status(let status, _) = self {
            return (400..<500).contains(status) && ![408, 425, 429].contains(status)
        }
        return category == .badContent
    }
}

extension Omission {
    /// nil where the configuration asks for it.
    fileprivate var warning: String? {
        switch self {
        case .maximumPages: nil
        case .emptyPage:
            "the read ended at an empty page although more was announced, so that nothing counts as missing; "
                + "set the paginator's stop_after_empty_page: true if such a page is the last, or false to read on"
        case .refusedPage(let status):
            "the read ended where the server answered HTTP \(status) to the next page, so that nothing counts as missing; "
                + "set the paginator's total_path, so that the last page can be told"
        }
    }
}

extension PageCommit {
    fileprivate init(_ page: Page, _ continuation: Continuation, requests: [RequestRecord]) {
        let content: Content =
            switch page.content {
            case .records(let records): .records(records)
            case .unchanged: .unchanged
            }
        self.init(
            content: content, position: page.position.url, continuation: continuation, url: page.position.url,
            memory: page.memory.map { RememberedPage(validator: $0.validator, summary: $0.summary) },
            requests: requests)
    }
}

extension Store {
    fileprivate func memory(of position: PagePosition, for run: RunStart) async throws -> PageMemory? {
        try await memory(of: position.url, for: run.id).map {
            PageMemory(validator: $0.validator, summary: $0.summary)
        }
    }
}

extension RequestRecord {
    fileprivate init(_ entry: RequestEntry, errorKind: String? = nil) {
        self.init(
            sentAt: entry.sentAt, url: entry.url, status: entry.status, attempts: entry.attempts, bytes: entry.bytes,
            duration: entry.duration, isNotModified: entry.isNotModified,
            rateLimitRemaining: entry.rateLimit?.remaining, errorKind: errorKind)
    }
}

extension FetchError {
    /// The request that failed, if one was made.
    fileprivate var records: [RequestRecord] {
        guard let request, request.attempts > 0 else { return [] }
        return [RequestRecord(request, errorKind: kind.name)]
    }
}
