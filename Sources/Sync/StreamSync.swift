package import GarnerCatalog
package import GarnerFetcher
package import GarnerModel
package import GarnerPersistence
import Synchronization

/// Syncs one stream: fetches its pages, stores each in a transaction, and returns one outcome.
package struct StreamSync: Sendable {
    private let stream: StreamConfiguration
    /// The fetcher, or the configuration error with which every run of the stream fails.
    private let fetcher: Result<PageFetcher, any Error>
    private let writer: DatabaseWriter
    private let renewed: FetcherSource.Renewal

    /// - Parameter renewed: Returns a fetcher to use if the server no longer accepts this one's secrets; nil if
    ///   there is none.
    package init(
        _ stream: StreamConfiguration, into writer: DatabaseWriter, fetcher: @autoclosure () throws -> PageFetcher,
        renewed: @escaping @Sendable () throws -> PageFetcher? = { nil }
    ) {
        self.stream = stream
        self.writer = writer
        self.renewed = renewed
        self.fetcher = Result { try fetcher() }
    }

    package init(
        _ stream: StreamConfiguration, into writer: DatabaseWriter, transport: @autoclosure () throws -> any Transport,
        timing: Timing
    ) {
        self.init(
            stream, into: writer, fetcher: try PageFetcher(stream: stream, transport: transport(), timing: timing))
    }

    /// Runs once. A failure is in the outcome.
    ///
    /// - Parameters:
    ///   - stop: Requested when the program ends. No further page is fetched then, and fetched pages are stored.
    ///   - progress: Called after each page with the run's counts so far.
    package func run(
        _ options: RunOptions = RunOptions(), stop: StopRequest = StopRequest(),
        progress: @escaping @Sendable (RunCounts) -> Void = { _ in }
    ) async -> RunOutcome {
        var begun: RunID?
        let ledger = RequestLedger(respectsRetryAfter: stream.retry.respectsRetryAfter, tell: options.onRequest)
        let findings = FirstFindings()
        var source: FetcherSource?
        do {
            let settle = options.settle.map { settle in
                { @Sendable (result: RunResult, endedAt: Timestamp) in
                    var result = result
                    result.retryAfter = ledger.retryAfter.map(endedAt.advanced(by:))
                    return settle(result, endedAt)
                }
            }
            let run = try await writer.begin(
                stream, identity: stream.readIdentity, credential: (try? fetcher.get().credentialTag) ?? "",
                occasion: options.occasion, restarting: options.scope.restarts, settle: settle)
            begun = run
            let opened = FetcherSource(try fetcher.get(), renewed: renewed)
            source = opened
            var outcome = try await read(run, opened, options, stop, ledger, findings, progress)
            outcome.retryAfter = ledger.retryAfter
            if outcome.record?.isFirstRead == true {
                let key = stream.primaryKey == nil ? try await writer.inferredKey(of: stream.name) : nil
                outcome.assumptions = findings.text(key: key).map(opened.current.redaction.redacted)
            }
            return outcome
        } catch let served as AlreadyServedError {
            return RunOutcome(stream.name, served)
        } catch {
            var outcome = await end(begun, after: error, ledger, wasStopped: stop.isRequested, redaction(of: source))
            outcome.retryAfter = ledger.retryAfter
            return outcome
        }
    }

    private func read(
        _ run: RunID, _ source: FetcherSource, _ options: RunOptions, _ stop: StopRequest, _ ledger: RequestLedger,
        _ findings: FirstFindings, _ progress: @escaping @Sendable (RunCounts) -> Void
    ) async throws -> RunOutcome {
        let read = try await writer.openRead(of: run)
        let budget = PageBudget(options.scope.maximumPages)
        // While pages of some slices are stored, others are fetched. The source's gate limits the requests.
        let concurrency = read.hasOneSlice || read.isOrdered ? 1 : 2 * stream.maxConcurrency - 1
        let window = AheadWindow(
            limit: read.hasOneSlice && options.scope.maximumPages == nil ? stream.pagesAhead : 1)
        let addresses = SliceAddresses(naming: read.context.naming)
        let pass = SlicesPass(
            reader: { slice in
                let cursor = try stream.incremental.map {
                    try SliceCursor($0, behind: slice.cursor, signpost: read.beganAt)
                }
                return SliceReader(
                    stream: stream, source: source, writer: writer, run: run, slice: slice, cursor: cursor, read: read,
                    budget: budget, ledger: ledger, stop: stop, findings: findings, addresses: addresses, window: window
                )
            }, writer: writer, run: run, concurrency: concurrency, ledger: ledger,
            progress: progress)
        var result = try await pass.read()
        if result.isGood, try await !attachments(run, source.current, ledger, stop, progress).fetch() {
            result = .stopped
        }
        switch result {
        case .ended(let record): return RunOutcome(record, of: stream.name)
        case .nothingLeft: return RunOutcome(try await writer.finish(run), of: stream.name)
        case .outOfPages: return RunOutcome(try await writer.cutShort(run), of: stream.name)
        case .stopped:
            let record = try await writer.end(
                run: run, as: .cancelled, wasStopped: true, requests: ledger.take())
            return RunOutcome(record, of: stream.name)
        case .failed(let failures): return try await end(run, after: failures, ledger, read, redaction(of: source))
        }
    }

    /// Returns the redaction of all that a run with these fetchers says.
    private func redaction(of source: FetcherSource?) -> Redaction {
        source?.current.redaction ?? Redaction(of: stream)
    }

    private func attachments(
        _ run: RunID, _ fetcher: PageFetcher, _ ledger: RequestLedger, _ stop: StopRequest,
        _ progress: @escaping @Sendable (RunCounts) -> Void
    ) -> AttachmentsPass {
        AttachmentsPass(
            stream: stream, fetcher: fetcher, writer: writer, run: run, ledger: ledger, stop: stop, progress: progress)
    }

    /// Records the end of a run in which some slices failed and everything else was read.
    private func end(
        _ run: RunID, after failures: SliceFailures, _ ledger: RequestLedger, _ read: ReadStart, _ redaction: Redaction
    ) async throws -> RunOutcome {
        guard let first = failures.first else { return RunOutcome(try await writer.finish(run), of: stream.name) }
        // If all slices that were left fail again, the next run reads every slice: their failures must not stop the others.
        let isStuck = failures.arePermanent || read.goesOn && !failures.othersWereRead
        let givesUp = read.hasOneSlice ? first.kind.spoilsRead : failures.areAll && isStuck
        let record = try await writer.end(
            run: run, as: .failed, requests: ledger.take(),
            failure: redaction.failure(first)
                .amongSeveral(failures.slices.count, areAll: read.hasOneSlice || failures.areAll),
            rest: givesUp ? .givenUp : .postponing(failures.slices))
        return RunOutcome(record, of: stream.name)
    }

    /// Records the end of the run, if it ever began.
    private func end(
        _ run: RunID?, after error: any Error, _ ledger: RequestLedger, wasStopped: Bool, _ redaction: Redaction
    ) async -> RunOutcome {
        let isCancelled = error is CancellationError
        let failure = isCancelled ? nil : redaction.failure(error)
        guard let run else { return RunOutcome(stream.name, isCancelled ? .cancelled : .failed, failure) }
        if let error = error as? FetchError { ledger.note(error) }
        do {
            let rest: RestOfRead =
                (error as? PersistenceError)?.kind == .key
                ? .undone : (error as? FetchError)?.kind.spoilsRead == true ? .givenUp : .kept
            let record = try await writer.end(
                run: run, as: isCancelled ? .cancelled : .failed, wasStopped: isCancelled && wasStopped,
                requests: ledger.take(), failure: failure, rest: rest)
            return RunOutcome(record, of: stream.name)
        } catch let second {
            return await RunOutcome(
                unrecorded: run, of: stream.name, failure ?? redaction.failure(second), by: writer)
        }
    }
}

extension StreamConfiguration {
    /// The number of requests that a read may have under way.
    fileprivate var pagesAhead: Int {
        // A limit is reached one by one. What two requests hide from each other must not be passed by a cursor, nor be missing.
        rateLimit != nil || incremental != nil || replacesTable ? 1 : maxConcurrency
    }
}

package struct RunOptions: Sendable {
    package var occasion: RunOccasion
    package var scope: RunScope
    /// Computes the stream's schedule after the run; nil to keep the schedule as it is.
    package var settle: SettleSchedule?
    /// Called with each request as soon as it has ended.
    package var onRequest: (@Sendable (RequestRecord) -> Void)?

    package init(
        occasion: RunOccasion = .manual(), scope: RunScope = RunScope(), settle: SettleSchedule? = nil,
        onRequest: (@Sendable (RequestRecord) -> Void)? = nil
    ) {
        self.occasion = occasion
        self.scope = scope
        self.settle = settle
        self.onRequest = onRequest
    }
}

/// A request to active runs to end after their current page. It cannot be withdrawn.
package final class StopRequest: Sendable {
    private let state = Mutex(false)

    package init() {}

    package var isRequested: Bool {
        state.withLock { $0 }
    }

    package func request() {
        state.withLock { $0 = true }
    }
}
