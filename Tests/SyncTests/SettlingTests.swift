import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// The state of a schedule after the end of a run.
@Suite(.timeLimit(.minutes(5)))
struct SettlingTests {
    private static let due = SyncRig.epoch.advanced(by: .seconds(-2))
    private static let occasion = RunOccasion.scheduled(nominal: due, dueAt: due)
    private static let record = ScheduleState(settled: due, failures: 1)

    private func options(_ seen: Watched<[RunResult]>, _ occasion: RunOccasion = occasion) -> RunOptions {
        RunOptions(occasion: occasion) { result, endedAt in
            #expect(endedAt == SyncRig.epoch)
            seen.value += [result]
            return Self.record
        }
    }

    private func stored(_ rig: SyncRig) throws -> ScheduleState? {
        try ReadOnlyDatabase(path: rig.path).scheduleStates()["zoo.animals"]
    }

    @Test func `a run that succeeds tells so, and gives what was stored`() async throws {
        let seen = Watched<[RunResult]>([])
        try await SyncRig.run({ .page($0.page, of: 2) }) { rig in
            let outcome = try await rig.sync(nil, options(seen))
            #expect(outcome.status == .succeeded)
            #expect(seen.value == [RunResult(.succeeded)])
            #expect(outcome.schedule == Self.record)
            #expect(try stored(rig) == Self.record)
            #expect(outcome.record?.lateness == .seconds(2))
        }
    }

    @Test func `a run that fails tells why, and how long the source wants to be left alone`() async throws {
        let seen = Watched<[RunResult]>([])
        try await SyncRig.run({ _ in .response(status: 503, headers: [("Retry-After", "120")]) }) { rig in
            let outcome = try await rig.sync(nil, options(seen))
            #expect(outcome.status == .failed)
            #expect(seen.value.map(\.ending) == [.failed(isPermanent: false)])
            #expect(seen.value.map(\.failure) == [outcome.failure])
            #expect(seen.value.map(\.retryAfter) == [SyncRig.epoch.advanced(by: .seconds(120))])
            #expect(outcome.schedule == Self.record)
        }
    }

    @Test func `a run that a stop ends leaves its instant free, and the next one goes on`() async throws {
        let (seen, stop) = (Watched<[RunResult]>([]), StopRequest())
        try await SyncRig.run({ request in
            if request.page == 2 { stop.request() }
            return .page(request.page, of: 4)
        }) { rig in
            let stopped = try await rig.sync(nil, options(seen), stop: stop)
            #expect(stopped.status == .cancelled && stopped.record?.wasStopped == true)
            let next = try await rig.sync(nil, options(seen))
            #expect(next.status == .succeeded)
            #expect(rig.pagesAsked == [1, 2, 3, 4])
            #expect(seen.value.map(\.ending) == [.stopped, .succeeded])
        }
    }

    @Test(arguments: [false, true])
    func `a cancelled run was stopped where the program ends`(isEnding: Bool) async throws {
        let (seen, stop) = (Watched<[RunResult]>([]), StopRequest())
        try await SyncRig.run({ request in request.page == 2 ? LoopbackReply(.stall) : .page(request.page, of: 3) }) {
            rig in
            let run = Task { try await rig.sync(nil, options(seen), stop: stop) }
            try await eventually { rig.pagesAsked.contains(2) }
            if isEnding { stop.request() }
            run.cancel()
            #expect(try await run.value.status == .cancelled)
            #expect(seen.value == [RunResult(status: .cancelled, wasStopped: isEnding)])
        }
    }

    @Test func `a request that was served is told by which run, and nothing is asked for`() async throws {
        let seen = Watched<[RunResult]>([])
        try await SyncRig.run({ .page($0.page, of: 1) }) { rig in
            let first = try await rig.sync(nil, options(seen, .manual(requests: ["a"])))
            #expect(first.record?.trigger == .manual && first.servedBy.isEmpty)
            let second = try await rig.sync(nil, options(seen, .manual(requests: ["a"])))
            #expect(second.servedBy == ["a": 1])
            #expect(second.status == .skipped && second.failure == nil && second.schedule == nil)
            #expect(rig.pagesAsked == [1])
            #expect(seen.value.count == 1)
        }
    }
}
