import Catalog
import Persistence
import Scheduler
import Sync

// The decision and the database each have a type of their own for what is remembered of a stream, since neither may know
// the other.

extension StreamMemory {
    init(_ record: ScheduleRecord) {
        self.init(
            settled: record.settled, endedAt: record.endedAt, failures: record.failures,
            permanentFailures: record.permanentFailures, circuitOpenedAt: record.circuitOpenedAt,
            heldUntil: record.heldUntil, holdReason: record.holdReason, isPaused: record.isPaused,
            nextDue: record.nextDue)
    }
}

extension ScheduleRecord {
    /// Without the pause, which is written when it is asked for.
    init(_ memory: StreamMemory) {
        self.init(
            settled: memory.settled, endedAt: memory.endedAt, failures: memory.failures,
            permanentFailures: memory.permanentFailures, circuitOpenedAt: memory.circuitOpenedAt,
            heldUntil: memory.heldUntil, holdReason: memory.holdReason, nextDue: memory.nextDue)
    }
}

extension Store {
    /// Records instants that pass without a run.
    func skip(_ skip: Skip, of stream: Catalog.Stream, _ memory: StreamMemory) async throws {
        try await self.skip(
            stream, nominals: skip.nominals, count: skip.count, reason: "\(skip.reason)", ScheduleRecord(memory))
    }
}

extension RunOccasion {
    init(_ start: Start) {
        switch start.occasion {
        case .nominal(let nominal): self = .scheduled(nominal: nominal, dueAt: start.dueAt)
        case .manual(let requests): self = .manual(requests: requests)
        }
    }
}

extension RunResult {
    /// - Parameter leftAlone: how long the source asks to be left alone.
    init(_ ending: RunEnding, _ leftAlone: Duration?) {
        let result: Ending =
            switch ending.status {
            case .succeeded: .succeeded
            case .cancelled: ending.wasStopped ? .stopped : .cancelled
            // Others had served what it was for.
            case .skipped: .cancelled
            case .failed, .interrupted, .running: .failed(isPermanent: ending.failure?.isPermanent ?? false)
            }
        self.init(result, leftAlone: leftAlone.map(ending.at.advanced(by:)))
    }

    /// - Parameter stop: where a run that never began was cancelled: whether the program ends.
    init(_ outcome: RunOutcome, at now: Timestamp, _ stop: StopRequest) {
        let wasStopped = outcome.record?.wasStopped ?? stop.isRequested
        self.init(
            RunEnding(outcome.status, wasStopped: wasStopped, failure: outcome.failure, at: now), outcome.leftAlone)
    }
}
