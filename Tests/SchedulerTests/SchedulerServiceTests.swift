import Catalog
import Scheduler
import ServiceLifecycle
import Sync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SchedulerServiceTests {
    private let rig = ServiceRig()
    private let animals = StreamName.zoo("animals")
    private let keepers = StreamName.zoo("keepers")
    private let secondly = Schedule(every: .seconds(1))

    private func latest(_ schedule: Schedule, of stream: StreamName) throws -> Timestamp {
        try #require(Timeline(schedule, for: stream).latest(atOrBefore: rig.wall))
    }

    // Beats

    @Test func `twenty beats of a second, none missed, none doubled`() async throws {
        let first = try latest(secondly, of: animals)
        try await rig.serve(rig.service([(animals, secondly)])) { _ in
            for beat in 1...20 {
                await rig.untilNoted(beat)
                await rig.clock.advanceToNextWake()
            }
            await rig.untilNoted(21)
        }
        #expect(rig.nominals(of: animals) == (0...20).map { first + .seconds($0) })
        #expect(rig.skips.value.isEmpty)
    }

    @Test func `a stream whose runs fail leaves the others running, and goes on itself`() async throws {
        let streams = [(animals, secondly), (keepers, secondly)]
        let firsts = try streams.map { try latest($0.1, of: $0.0) }
        let failing = animals
        let service = rig.service(streams) { stream, _ in stream == failing ? .failed : .succeeded }
        try await rig.serve(service) { _ in
            for beat in 2...41 {
                await rig.untilNoted(beat)
                await rig.clock.advanceToNextWake()
            }
            await rig.untilNoted(42)
        }
        for ((stream, _), first) in zip(streams, firsts) {
            #expect(rig.nominals(of: stream) == (0...20).map { first + .seconds($0) })
        }
        #expect(rig.skips.value.isEmpty)
    }

    @Test func `a run that never ends is skipped over, and the others do not wait for it`() async throws {
        let streams = [(animals, secondly), (keepers, secondly)]
        let firsts = try streams.map { try latest($0.1, of: $0.0) }
        let endless = animals
        let service = rig.service(streams) { stream, _ in
            if stream == endless { await cancellation() }
            return .succeeded
        }
        try await rig.serve(service) { group in
            for beat in 1...40 {
                await rig.untilNoted(beat)
                await rig.clock.advanceToNextWake()
            }
            await rig.untilNoted(41)
            await group.triggerGracefulShutdown()
            await rig.clock.sleeper(for: .seconds(10))
            rig.clock.advance(by: .seconds(10))
        }
        #expect(rig.nominals(of: animals) == [firsts[0]])
        #expect(rig.nominals(of: keepers) == (0...20).map { firsts[1] + .seconds($0) })
        let skips = rig.skips.value.sorted { $0.nominals.lowerBound < $1.nominals.lowerBound }
        #expect(skips.map(\.nominals) == (1...20).map { firsts[0] + .seconds($0) }.map { $0...$0 })
        #expect(skips.allSatisfy { $0.reason == .stillRunning(nominal: firsts[0]) })
    }

    // Waits

    @Test func `a long wait is slept in slices, and a wall clock set forward is seen after the slice`() async throws {
        let hourly = Schedule(every: .seconds(3600))
        let last = try latest(hourly, of: animals)
        try await rig.serve(rig.service([(animals, hourly)], after: [animals: last])) { _ in
            for _ in 0..<3 {
                await rig.clock.sleeper(for: .seconds(30))
                #expect(rig.clock.waits == [.seconds(30)])
                rig.clock.advance(by: .seconds(30))
            }
            await rig.clock.sleeper(for: .seconds(30))
            #expect(rig.begun.value.isEmpty)
            rig.setWallClock(forwardBy: .seconds(7200))
            rig.clock.advance(by: .seconds(30))
            await rig.untilNoted(2)
        }
        #expect(rig.begun.value.map(\.nominal) == [last + .seconds(7200)])
        await rig.skips.until { !$0.isEmpty }
        #expect(rig.skips.value.map(\.reason) == [.missed])
    }

    @Test func `without streams it sleeps for nothing until it is stopped`() async throws {
        try await rig.serve(rig.service([])) { _ in
            await rig.log.until { $0.contains("Scheduler started") }
            #expect(rig.clock.waits.isEmpty)
        }
        #expect(rig.log.value.last == "Scheduler stopped")
    }

    // Stop

    @Test func `a graceful stop lets the run in flight end, tells it, and starts no other`() async throws {
        let gate = Watched(false)
        let requested = Watched<[Bool]>([])
        let service = rig.service([(animals, secondly), (keepers, secondly)], places: 1) { _, stop in
            requested.change { $0.append(stop.isRequested) }
            await gate.until { $0 }
            requested.change { $0.append(stop.isRequested) }
            return .succeeded
        }
        try await rig.serve(service) { group in
            await rig.begun.until { $0.count == 1 }
            await group.triggerGracefulShutdown()
            await rig.clock.sleeper(for: .seconds(10))
            gate.change { $0 = true }
        }
        #expect(requested.value == [false, true])
        #expect(rig.ended.value.count == 1)
        #expect(rig.begun.value.count == 1)
        #expect(rig.clock.waits.isEmpty)
    }

    @Test func `a run that does not end within the grace period is cancelled`() async throws {
        let service = rig.service([(animals, secondly)]) { _, _ in
            await cancellation()
            return .cancelled
        }
        try await rig.serve(service) { group in
            await rig.begun.until { $0.count == 1 }
            await group.triggerGracefulShutdown()
            await rig.clock.sleeper(for: .seconds(10))
            rig.clock.advance(by: .seconds(9))
            await rig.clock.sleeper(for: .seconds(1))
            #expect(rig.ended.value.isEmpty)
            rig.clock.advance(by: .seconds(1))
        }
        #expect(rig.ended.value == rig.begun.value)
        #expect(rig.log.value.contains { $0.contains("grace period") })
        #expect(rig.log.value.last == "Scheduler stopped")
    }

    @Test func `a cancelled service cancels its runs and returns when they have ended`() async throws {
        let service = rig.service([(animals, secondly), (keepers, secondly)]) { _, stop in
            await cancellation()
            return stop.isRequested ? .cancelled : .succeeded
        }
        await withTaskGroup { group in
            group.addTask { await service.run() }
            await rig.begun.until { $0.count == 2 }
            group.cancelAll()
        }
        #expect(rig.ended.value.count == 2)
        #expect(rig.clock.waits.isEmpty)
    }

    @Test func `every skip has been recorded when the service returns`() async throws {
        let minutely = Schedule(every: .seconds(60))
        let last = try latest(minutely, of: animals) - .seconds(600)
        try await rig.serve(rig.service([(animals, minutely)], after: [animals: last])) { _ in
            await rig.untilNoted(1)
        }
        #expect(rig.skips.value.map(\.count) == [9])
    }
}

/// Returns when the task is cancelled.
private func cancellation() async {
    await Watched(()).until { false }
}
