import Catalog
import Fetcher
import Logging
import Persistence
import Scheduler
import Sync

/// Performs what the scheduler decides, and says so in the log.
struct ScheduledRunner: Sendable {
    let setup: Setup
    let streams: [StreamName: Stream]
    let store: Store
    let transports: Transports
    let logger: Logger
    /// nil: nobody is told.
    let hooks: HookRunner?

    func perform(_ name: StreamName, nominal: Timestamp, stop: StopRequest) async -> RunResult {
        guard let stream = streams[name] else { return .failed }
        hooks?.began(stream, nominal: nominal)
        do {
            let outcome = try await setup.streamSync(stream, into: store, over: transports).run(
                RunOptions(nominal: nominal), stop: stop)
            note(outcome, nominal)
            hooks?.ended(outcome, of: stream, nominal: nominal)
            if let wait = outcome.leftAlone {
                let until = setup.now().advanced(by: wait)
                logger.info("Source left alone", metadata: ["stream": "\(name)", "until": "\(until)"])
                return .leftAlone(until: until)
            }
            return switch outcome.status {
            case .succeeded: .succeeded
            case .cancelled: .cancelled
            default: .failed
            }
        } catch {
            logger.error("Run not begun", metadata: ["stream": "\(name)", "error": "\(Failure(error).message)"])
            hooks?.ended(RunOutcome(unbegun: name, error), of: stream, nominal: nominal)
            return .failed
        }
    }

    func skipped(_ skip: Skip) async {
        guard let stream = streams[skip.stream] else { return }
        let reason = skip.count == 1 ? "\(skip.reason)" : "\(skip.reason) (\(skip.count) instants)"
        do {
            try await store.skip(stream, nominal: skip.nominals.upperBound, reason: reason)
        } catch {
            logger.error(
                "Skip not recorded", metadata: ["stream": "\(skip.stream)", "error": "\(Failure(error).message)"])
        }
    }

    private func note(_ outcome: RunOutcome, _ nominal: Timestamp) {
        var metadata: Logger.Metadata = [
            "stream": "\(outcome.stream)", "nominal": "\(nominal)", "status": "\(outcome.status.rawValue)",
            "pages": "\(outcome.counts.pages)", "inserted": "\(outcome.counts.inserted)",
            "updated": "\(outcome.counts.updated)", "unchanged": "\(outcome.counts.unchanged)",
            "deleted": "\(outcome.counts.deleted)",
        ]
        if let record = outcome.record { metadata["run"] = "\(record.id)" }
        if let failure = outcome.failure {
            metadata["error"] = "\(failure.message)"
            metadata["try"] = "\(failure.hint ?? "-")"
            logger.error("Run failed", metadata: metadata)
        } else {
            logger.info("Run ended", metadata: metadata)
        }
        if let warning = outcome.record?.warning {
            logger.warning("Run warned", metadata: ["stream": "\(outcome.stream)", "warning": "\(warning)"])
        }
    }
}
