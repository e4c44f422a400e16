package import Catalog
package import Fetcher
package import Persistence

/// Synchronises one stream: pages in, transactions out, one outcome.
package struct StreamSync: Sendable {
    private let stream: Stream
    /// Fails where the stream cannot be fetched as it is configured, which is how each of its runs ends then.
    private let fetcher: Result<PageFetcher, any Error>
    private let store: Store
    private let renewed: FetcherSource.Renewal

    /// - Parameter renewed: another fetcher for a server that takes the secrets of this one no more; nil: there is none.
    package init(
        _ stream: Stream, into store: Store, fetcher: @autoclosure () throws -> PageFetcher,
        renewed: @escaping @Sendable () throws -> PageFetcher? = { nil }
    ) {
        self.stream = stream
        self.store = store
        self.renewed = renewed
        self.fetcher = Result { try fetcher() }
    }

    package init(
        _ stream: Stream, into store: Store, transport: @autoclosure () throws -> any Transport, timing: Timing
    ) {
        self.init(
            stream, into: store, fetcher: try PageFetcher(stream: stream, transport: transport(), timing: timing))
    }

    /// Runs once; what failed is in the outcome.
    ///
    /// - Parameters:
    ///   - stop: that the program ends: once requested, no further page is fetched, and those that were are stored.
    ///   - progress: called after each page with what the run has done so far.
    package func run(
        _ options: RunOptions = RunOptions(), stop: StopRequest = StopRequest(),
        progress: @escaping @Sendable (RunCounts) -> Void = { _ in }
    ) async -> RunOutcome {
        var begun: Int64?
        let ledger = RequestLedger(respectsRetryAfter: stream.retry.respectsRetryAfter, tell: options.onRequest)
        let findings = FirstFindings()
        do {
            let settle = options.settle.map { settle in
                { @Sendable (ending: RunEnding) in settle(ending, ledger.leftAlone) }
            }
            let run = try await store.begin(
                stream, identity: stream.readIdentity, credential: (try? fetcher.get().credentialTag) ?? "",
                occasion: options.occasion, restarting: options.restarts, settle: settle)
            begun = run
            var outcome = try await read(run, fetcher.get(), options, stop, ledger, findings, progress)
            outcome.leftAlone = ledger.leftAlone
            if outcome.record?.isFirstRead == true {
                let key = stream.primaryKey == nil ? try await store.inferredKey(of: stream.name) : nil
                outcome.assumptions = findings.text(key: key)
            }
            return outcome
        } catch let served as AlreadyServed {
            return RunOutcome(stream.name, served)
        } catch {
            var outcome = await end(begun, after: error, ledger, wasStopped: stop.isRequested)
            outcome.leftAlone = ledger.leftAlone
            return outcome
        }
    }

    private func read(
        _ run: Int64, _ fetcher: PageFetcher, _ options: RunOptions, _ stop: StopRequest, _ ledger: RequestLedger,
        _ findings: FirstFindings, _ progress: @escaping @Sendable (RunCounts) -> Void
    ) async throws -> RunOutcome {
        let read = try await store.openRead(of: run)
        let budget = PageBudget(options.maximumPages)
        let source = FetcherSource(fetcher, renewed: renewed)
        // While the pages of some are stored, others are asked for; the source's gate lets as many requests through as it may.
        let concurrency = read.hasOneSlice ? 1 : 2 * stream.maxConcurrency - 1
        let pass = SlicesPass(
            reader: { slice in
                let cursor = try stream.incremental.map {
                    try SliceCursor($0, behind: slice.cursor, signpost: read.beganAt)
                }
                return SliceReader(
                    stream: stream, source: source, store: store, run: run, slice: slice, cursor: cursor,
                    budget: budget, ledger: ledger, stop: stop, context: read.context, findings: findings)
            }, store: store, run: run, concurrency: concurrency, ledger: ledger,
            progress: progress)
        var result = try await pass.read()
        if result.isGood, try await !attachments(run, source.current, ledger, stop, progress).fetch() {
            result = .stopped
        }
        switch result {
        case .ended(let record): return RunOutcome(record, of: stream.name)
        case .nothingLeft: return RunOutcome(try await store.finish(run), of: stream.name)
        case .outOfPages: return RunOutcome(try await store.cutShort(run), of: stream.name)
        case .stopped:
            let record = try await store.end(
                run: run, as: .cancelled, wasStopped: true, requests: ledger.take())
            return RunOutcome(record, of: stream.name)
        case .failed(let failures): return try await end(run, after: failures, ledger, read)
        }
    }

    private func attachments(
        _ run: Int64, _ fetcher: PageFetcher, _ ledger: RequestLedger, _ stop: StopRequest,
        _ progress: @escaping @Sendable (RunCounts) -> Void
    ) -> AttachmentsPass {
        AttachmentsPass(
            stream: stream, fetcher: fetcher, store: store, run: run, ledger: ledger, stop: stop, progress: progress)
    }

    /// Records what could not be read, while all else was.
    private func end(
        _ run: Int64, after failures: SliceFailures, _ ledger: RequestLedger, _ read: ReadStart
    ) async throws -> RunOutcome {
        guard let first = failures.first else { return RunOutcome(try await store.finish(run), of: stream.name) }
        let givesUp = read.hasOneSlice ? first.kind.spoilsRead : failures.areAll && failures.arePermanent
        let record = try await store.end(
            run: run, as: .failed, requests: ledger.take(),
            failure: RunFailure(first)
                .amongSeveral(failures.slices.count, areAll: read.hasOneSlice || failures.areAll),
            rest: givesUp ? .givenUp : .postponing(failures.slices))
        return RunOutcome(record, of: stream.name)
    }

    /// Records how the run ended; where it never began, there is nothing to record.
    private func end(
        _ run: Int64?, after error: any Error, _ ledger: RequestLedger, wasStopped: Bool
    ) async -> RunOutcome {
        let isCancelled = error is CancellationError
        let failure = isCancelled ? nil : RunFailure(error)
        guard let run else { return RunOutcome(stream.name, isCancelled ? .cancelled : .failed, failure) }
        if let error = error as? FetchError { ledger.note(error) }
        do {
            let rest: RestOfRead =
                (error as? PersistenceError)?.kind == .key
                ? .undone : (error as? FetchError)?.kind.spoilsRead == true ? .givenUp : .kept
            let record = try await store.end(
                run: run, as: isCancelled ? .cancelled : .failed, wasStopped: isCancelled && wasStopped,
                requests: ledger.take(), failure: failure, rest: rest)
            return RunOutcome(record, of: stream.name)
        } catch let second {
            return RunOutcome(stream.name, .failed, failure ?? RunFailure(second))
        }
    }
}
