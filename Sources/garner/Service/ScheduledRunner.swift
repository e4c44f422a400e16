import Catalog
import Fetcher
import Logging
import Persistence
import Scheduler
import ServiceLifecycle
import Sync

/// Performs what the scheduler decides, and says so in the log.
struct ScheduledRunner: Sendable {
    let setup: Setup
    let streams: LiveConfiguration
    let store: Store
    let transports: Transports
    let manualRuns: ManualRuns
    /// nil where hooks are not wanted.
    let hooks: HookRunner?
    let logger: Logger
    let clock: any Clock<Duration>

    func perform(_ start: Start, stop: StopRequest) async -> (RunResult, StreamMemory) {
        streams.refreshSecrets { try setup.configuration() }
        guard let stream = streams[start.stream] else {
            // It was taken out of the configuration between the decision and now.
            manualRuns.end(start.requests, of: start.stream, .failed(.unknownStream(start.stream)))
            let result = RunResult(.cancelled)
            return (result, start.memory(after: result, at: setup.now()))
        }
        let nominal = start.nominal
        hooks?.began(stream, nominal: nominal)
        let outcome = await run(stream, start, stop)
        note(outcome, start)
        hooks?.ended(outcome, of: stream, nominal: nominal)
        tell(start.requests, outcome)
        let result = RunResult(outcome, at: setup.now(), stop)
        return (result, outcome.schedule.map(StreamMemory.init) ?? start.memory(after: result, at: setup.now()))
    }

    /// Keeps what was decided without a run; while another program has the database locked, that waits.
    func keep(_ note: SchedulerService.Note) async {
        var hasWaited = false
        while true {
            do {
                return try await record(note)
            } catch {
                let isLocked = (error as? PersistenceError)?.kind == .locked
                guard isLocked, !Task.isShuttingDownGracefully,
                    (try? await clock.sleep(for: .seconds(1))) != nil
                else {
                    return logger.error(
                        "Decision not recorded",
                        metadata: ["decision": "\(note)", "error": "\(Failure(error).message)"])
                }
                if !hasWaited { logger.warning("Decisions wait for the database, which another program has locked") }
                hasWaited = true
            }
        }
    }

    private func record(_ note: SchedulerService.Note) async throws {
        switch note {
        case .skip(let skip, let memory):
            guard let stream = streams[skip.stream] else { return }
            try await store.skip(skip, of: stream, memory)
        case .remember(let name, let memory):
            guard let stream = streams[name] else { return }
            try await store.remember(ScheduleRecord(memory), of: stream)
        case .refuse(let name, let requests):
            guard let stream = streams[name] else {
                return manualRuns.end(requests, of: name, .failed(.unknownStream(name)))
            }
            // Who is told to ask again is not to be served twice.
            try await store.withdraw(requests: requests, of: stream)
            manualRuns.end(requests, of: name, .stopped)
        }
    }

    private func run(_ stream: Catalog.Stream, _ start: Start, _ stop: StopRequest) async -> RunOutcome {
        let wish = manualRuns.begin(start.requests, of: start.stream)
        let settle: RunOptions.Settle = { ending, leftAlone in
            ScheduleRecord(start.memory(after: RunResult(ending, leftAlone), at: ending.at))
        }
        let options = RunOptions(
            occasion: RunOccasion(start), restarts: wish.restarts, maximumPages: wish.maximumPages, settle: settle,
            onRequest: { note($0, of: stream.name) })
        // Another run may have read a new secret meanwhile.
        let used = streams.configuration.fileSecrets
        let renewed: @Sendable () -> Catalog.Stream? = {
            streams.refreshSecrets { try setup.configuration() }
            return streams.configuration.fileSecrets == used ? nil : streams[stream.name]
        }
        return await setup.streamSync(stream, into: store, over: transports, renewed: renewed).run(options, stop: stop)
    }

    private func note(_ request: RequestRecord, of stream: StreamName) {
        logger.debug(
            "Request",
            metadata: [
                "stream": "\(stream)", "url": "\(request.url)",
                "status": "\(request.status.map(String.init) ?? "-")", "attempts": "\(request.attempts)",
                "bytes": "\(request.bytes)", "duration_ms": "\(request.duration.wholeMilliseconds)",
                "error": "\(request.errorKind ?? "-")",
            ])
    }

    private func tell(_ requests: [String], _ outcome: RunOutcome) {
        for request in requests {
            if let run = outcome.record?.id ?? outcome.servedBy[request] {
                manualRuns.end([request], of: outcome.stream, .run(run))
            } else {
                manualRuns.end([request], of: outcome.stream, outcome.failure.map(ManualRuns.End.failed) ?? .stopped)
            }
        }
    }

    private func note(_ outcome: RunOutcome, _ start: Start) {
        var metadata: Logger.Metadata = [
            "stream": "\(outcome.stream)", "status": "\(outcome.status.rawValue)",
            "pages": "\(outcome.counts.pages)", "inserted": "\(outcome.counts.inserted)",
            "updated": "\(outcome.counts.updated)", "unchanged": "\(outcome.counts.unchanged)",
            "deleted": "\(outcome.counts.deleted)",
        ]
        metadata["nominal"] = start.nominal.map { "\($0)" } ?? "manual"
        if let record = outcome.record {
            metadata["run"] = "\(record.id)"
            metadata["late_ms"] = record.lateness.map { "\($0.wholeMilliseconds)" }
        }
        if let failure = outcome.failure {
            metadata["error"] = "\(failure.message)"
            metadata["try"] = "\(failure.hint ?? "-")"
            logger.error(outcome.record == nil ? "Run not begun" : "Run failed", metadata: metadata)
        } else {
            logger.info("Run ended", metadata: metadata)
        }
        if let warning = outcome.record?.news {
            logger.warning("Run warned", metadata: ["stream": "\(outcome.stream)", "warning": "\(warning)"])
        }
        if let wait = outcome.leftAlone {
            let until = setup.now().advanced(by: wait)
            logger.info("Source left alone", metadata: ["stream": "\(outcome.stream)", "until": "\(until)"])
        }
    }
}

extension RunFailure {
    fileprivate static func unknownStream(_ name: StreamName) -> RunFailure {
        RunFailure(
            code: ExitCode.configuration, kind: "unknown_stream",
            message: "the stream \(name) was taken out of the configuration",
            hint: "see what the service knows: garner status")
    }
}
