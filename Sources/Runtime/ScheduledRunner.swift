package import GarnerCatalog
import GarnerFetcher
import Logging
package import GarnerModel
package import GarnerPersistence
import GarnerReports
package import GarnerScheduler
import ServiceLifecycle
import GarnerSync

/// Performs the scheduler's decisions and logs them.
struct ScheduledRunner: Sendable {
    let context: RuntimeContext
    let streams: LiveConfiguration
    let writer: DatabaseWriter
    let transports: Transports
    let manualRuns: ManualRuns
    /// The runner of hooks; nil if hooks are off.
    let hooks: HookRunner?
    /// nil if nothing is published.
    var publication: TablePublication? = nil
    var gate = RunGate()
    var active = ActiveRuns()
    /// Called if a run could not write to the database, as on a full disk.
    var cannotWrite: (@Sendable () -> Void)? = nil
    let logger: Logger

    func perform(_ start: Start, stop: StopRequest) async -> (RunResult, ScheduleState) {
        await active.counting { await gate.run { await begin(start, stop: stop) } }
    }

    private func begin(_ start: Start, stop: StopRequest) async -> (RunResult, ScheduleState) {
        streams.refreshSecrets(context.load)
        guard let stream = streams[start.stream] else {
            // It was removed from the configuration since the decision.
            manualRuns.end(start.requests, of: start.stream, .failed(.unknownStream(start.stream)))
            let result = RunResult(.cancelled)
            return (result, start.state(after: result, at: context.now()))
        }
        let nominal = start.nominal
        hooks?.began(stream, nominal: nominal)
        let outcome = await run(stream, start, stop)
        publication?.wake()
        note(outcome, start)
        if outcome.failure?.kind == PersistenceError.Kind.inputOutput.rawValue { cannotWrite?() }
        hooks?.ended(outcome, of: stream, nominal: nominal)
        tell(start.requests, outcome)
        let result = RunResult(outcome, at: context.now(), stop)
        return (result, outcome.schedule ?? start.state(after: result, at: context.now()))
    }

    /// Stores a decision that needs no run, and waits while another program has locked the database.
    func keep(_ note: SchedulerService.Note) async {
        var hasWaited = false
        while true {
            do {
                return try await record(note)
            } catch {
                let isLocked = (error as? PersistenceError)?.kind == .locked
                guard isLocked, !Task.isShuttingDownGracefully,
                    (try? await context.clock.sleep(for: .seconds(1))) != nil
                else {
                    return logger.error(
                        "Decision not recorded",
                        metadata: ["stream": "\(note.stream)", "error": "\(RunFailure(error).message)"])
                }
                if !hasWaited { logger.warning("Decisions wait for the database, which another program has locked") }
                hasWaited = true
            }
        }
    }

    private func record(_ note: SchedulerService.Note) async throws {
        switch note {
        case .skip(let skip, let state):
            guard let stream = streams[skip.stream] else { return }
            try await skip.record(of: stream, state, with: writer)
        case .remember(let name, let state):
            guard let stream = streams[name] else { return }
            try await writer.remember(state, of: stream)
        case .refuse(let name, let requests):
            guard let stream = streams[name] else {
                return manualRuns.end(requests, of: name, .failed(.unknownStream(name)))
            }
            // A client that is told to ask again must not be served twice.
            try await writer.withdraw(requests: requests, of: stream)
            manualRuns.end(requests, of: name, .stopped)
        }
    }

    private func run(_ stream: StreamConfiguration, _ start: Start, _ stop: StopRequest) async -> RunOutcome {
        let options = RunOptions(
            occasion: start.occasion, scope: manualRuns.begin(start.requests, of: start.stream),
            settle: start.state(after:at:), onRequest: { note($0, of: stream.name) })
        // Another run may have read a new secret meanwhile.
        let used = streams.configuration.fileSecrets
        let renewed: @Sendable () -> StreamConfiguration? = {
            streams.refreshSecrets(context.load)
            return streams.configuration.fileSecrets == used ? nil : streams[stream.name]
        }
        return await context.streamSync(
            stream, of: streams.configuration, into: writer, over: transports, renewed: renewed
        ).run(options, stop: stop)
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
                manualRuns.end([request], of: outcome.stream, outcome.failure.map(RequestAnswer.failed) ?? .stopped)
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
            metadata["try"] = "\(failure.hint?.serviceWords ?? "-")"
            logger.error(outcome.record == nil ? "Run not begun" : "Run failed", metadata: metadata)
        } else {
            logger.info("Run ended", metadata: metadata)
        }
        if let warning = outcome.record?.changedWarning {
            logger.warning("Run warned", metadata: ["stream": "\(outcome.stream)", "warning": "\(warning)"])
        }
        if let warning = outcome.record?.endedNotice {
            logger.info("Run warns no more", metadata: ["stream": "\(outcome.stream)", "warning": "\(warning)"])
        }
        if let wait = outcome.retryAfter {
            let until = context.now().advanced(by: wait)
            logger.info("Source left alone", metadata: ["stream": "\(outcome.stream)", "until": "\(until)"])
        }
    }
}

extension RunFailure {
    fileprivate static func unknownStream(_ name: StreamName) -> RunFailure {
        RunFailure(
            .misconfigured, kind: "unknown_stream",
            message: "the stream \(name) was removed from the configuration",
            hint: "list the configured streams with: garner status")
    }
}

extension Skip {
    /// Records the instants, which pass without a run.
    package func record(of stream: StreamConfiguration, _ state: ScheduleState, with writer: DatabaseWriter)
        async throws
    {
        try await writer.skip(stream, nominals: nominals, count: count, reason: "\(reason)", state)
    }
}

extension RunResult {
    /// - Parameter stop: Tells if the program is ending, for a cancelled run that never began.
    init(_ outcome: RunOutcome, at now: Timestamp, _ stop: StopRequest) {
        let wasStopped = outcome.record?.wasStopped ?? stop.isRequested
        self.init(status: outcome.status, wasStopped: wasStopped, failure: outcome.failure)
        retryAfter = outcome.retryAfter.map(now.advanced(by:))
    }
}
