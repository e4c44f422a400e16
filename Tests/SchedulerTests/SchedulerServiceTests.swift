import GarnerCatalog
import GarnerModel
import GarnerScheduler
import ServiceLifecycle
import GarnerSync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SchedulerServiceTests {
    private let rig = ServiceRig()
    private let animals = StreamName.zoo("animals")
    private let keepers = StreamName.zoo("keepers")
    private let secondly = Schedule(every: .seconds(1))

    private func latest(_ schedule: Schedule, of stream: StreamName) throws -> Timestamp {
        try #require(DueTimes(schedule, for: stream).latest(atOrBefore: rig.wall))
    }

    // Beats

    @Test func `twenty beats of a second, none missed, none doubled`() async throws {
        let last = try latest(secondly, of: animals)
        try await rig.serve(rig.service([(animals, secondly)], after: [animals: last])) { _ in
            for beat in 1...20 {
                await rig.clock.advanceToNextWake()
                await rig.untilOver(beat)
            }
        }
        #expect(rig.nominals(of: animals) == (1...20).map { last + .seconds($0) })
        #expect(rig.skips.isEmpty)
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
            await rig.untilOver(1)
        }
        #expect(rig.nominals(of: animals) == [last + .seconds(7200)])
        #expect(rig.skips.map(\.count) == [1])
    }

    @Test func `a wall clock that is set back two hours is told of, and the next instant runs`() async throws {
        let minutely = Schedule(every: .seconds(60))
        let last = try latest(minutely, of: animals)
        try await rig.serve(rig.service([(animals, minutely)], after: [animals: last])) { _ in
            await rig.clock.sleeper(for: .seconds(30))
            rig.setWallClock(forwardBy: .seconds(-7200))
            rig.clock.advance(by: .seconds(30))
            await rig.log.until { $0.contains { $0.hasPrefix("The clock was ahead, or was set back") } }
            while rig.wall < last - .seconds(7140) { await rig.clock.advanceToNextWake() }
            await rig.untilOver(1)
        }
        #expect(rig.nominals(of: animals) == [last - .seconds(7140)])
        #expect(rig.skips == [])
    }

    @Test func `a wall clock that is set back by less than is waited for is told of`() async throws {
        let minutely = Schedule(every: .seconds(60))
        let last = try latest(minutely, of: animals)
        try await rig.serve(rig.service([(animals, minutely)], after: [animals: last])) { _ in
            await rig.clock.sleeper(for: .seconds(30))
            rig.setWallClock(forwardBy: .seconds(-120))
            rig.clock.advance(by: .seconds(30))
            await rig.log.until { $0.contains { $0.hasPrefix("The clock was set back") } }
        }
        #expect(rig.log.value.filter { $0.hasPrefix("The clock was set back") }.count == 1)
    }

    // What comes from outside

    @Test func `what a stop leaves waiting is refused`() async throws {
        let gate = Watched(false)
        let service = rig.service([(animals, secondly)], places: 1) { _, _ in
            await gate.until { $0 }
            return RunResult(.stopped)
        }
        try await rig.serve(service) { group in
            await rig.begun.until { $0.count == 1 }
            service.send(.wanted(animals, request: "later"))
            await service.pulse()
            await group.triggerGracefulShutdown()
            await rig.clock.sleeper(for: .seconds(10))
            gate.change { $0 = true }
        }
        #expect(rig.notes.value.contains(.refuse(animals, requests: ["later"])))
        #expect(rig.begun.value.count == 1)
    }

    @Test(.timeLimit(.minutes(5))) func `a pulse is answered when the service has ended, too`() async throws {
        let service = rig.service([])
        try await rig.serve(service) { _ in await service.pulse() }
        await service.pulse()
    }

    @Test func `only the replaced one of several active runs is cancelled`() async throws {
        var replacing = secondly
        replacing.overlap = .cancelRunning
        let last = try latest(secondly, of: animals)
        let cancelled = Watched(0)
        let patient = keepers
        let service = rig.service(
            [(animals, replacing), (keepers, Schedule(every: .seconds(3600)))], after: [animals: last]
        ) { stream, stop in
            await cancellation()
            if stream != patient { cancelled.change { $0 += 1 } }
            return RunResult(stop.isRequested ? .stopped : .cancelled)
        }
        try await rig.serve(service) { group in
            while cancelled.value < 3 {
                await rig.clock.advanceToNextWake()
                await service.pulse()
            }
            #expect(rig.ended.value.allSatisfy { $0.stream != patient })
            await group.triggerGracefulShutdown()
            await rig.clock.sleeper(for: .seconds(10))
            rig.clock.advance(by: .seconds(10))
        }
        #expect(rig.nominals(of: animals).count >= 3)
        #expect(rig.nominals(of: keepers).count == 1)
    }

    // Stop

    @Test func `a graceful stop lets the active run end, tells it, and starts no other`() async throws {
        let gate = Watched(false)
        let requested = Watched<[Bool]>([])
        let last = try latest(secondly, of: keepers)
        // The second one waits for the only place.
        let service = rig.service(
            [(animals, secondly), (keepers, secondly)], after: [keepers: last], places: 1
        ) { _, stop in
            requested.change { $0.append(stop.isRequested) }
            await gate.until { $0 }
            requested.change { $0.append(stop.isRequested) }
            return RunResult(.succeeded)
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
            return RunResult(.stopped)
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
        let service = rig.service([(animals, secondly), (keepers, secondly)]) { _, _ in
            await cancellation()
            return RunResult(.stopped)
        }
        await withTaskGroup { group in
            group.addTask { await service.run() }
            await rig.begun.until { $0.count == 2 }
            group.cancelAll()
        }
        #expect(rig.ended.value.count == 2)
        #expect(rig.clock.waits.isEmpty)
    }

    @Test func `every skip has been kept when the service returns`() async throws {
        let minutely = Schedule(every: .seconds(60))
        let last = try latest(minutely, of: animals) - .seconds(600)
        try await rig.serve(rig.service([(animals, minutely)], after: [animals: last])) { _ in
            while rig.ended.value.isEmpty { await rig.clock.advanceToNextWake() }
        }
        #expect(rig.skips.map(\.count) == [9])
    }
}

/// Returns when the task is cancelled.
private func cancellation() async {
    await Watched(()).until { false }
}
