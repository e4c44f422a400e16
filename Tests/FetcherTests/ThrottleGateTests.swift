import GarnerCatalog
import TestSupport
import Testing
@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct ThrottleGateTests {
    private let clock = ManualClock()

    @Test func `the next one enters as soon as someone leaves`() async throws {
        let gate = gate(concurrency: 2)
        let first = try await gate.enter()
        let second = try await gate.enter()
        #expect(first != second)
        let third = await waiter(at: gate)
        gate.leave(first)
        let ticket = try await end(of: third)
        #expect(gate.waiterCount == 0)
        gate.leave(ticket)
        gate.leave(second)
    }

    @Test func `the clock opens what the rate limit closed`() async throws {
        let gate = gate(RateLimit(requests: 1, per: .seconds(10)), concurrency: 9)
        _ = try await gate.enter()
        let second = await waiter(at: gate, 1)
        let third = await waiter(at: gate, 2)
        await clock.sleepers { $0 == [.seconds(10)] }
        clock.advance(by: .seconds(10))
        _ = try await end(of: second)
        #expect(gate.waiterCount == 1)
        await clock.sleepers { $0 == [.seconds(10)] }
        clock.advance(by: .seconds(10))
        _ = try await end(of: third)
        await clock.sleepers { $0.isEmpty }
    }

    @Test func `a response moves the alarm`() async throws {
        let gate = gate(RateLimit(requests: 2, per: .seconds(20)), concurrency: 9)
        let first = try await gate.enter()
        let second = try await gate.enter()
        let third = await waiter(at: gate)
        await clock.sleepers { $0 == [.seconds(10)] }
        gate.leave(first, report: RateLimitReport(remaining: 0, reset: .seconds(30)))
        await clock.sleepers { $0 == [.seconds(30)] }
        clock.advance(by: .seconds(5))
        gate.leave(second, retryAfter: .seconds(40))
        await clock.sleepers { $0 == [.seconds(40)] }
        clock.advance(by: .seconds(39))
        #expect(gate.waiterCount == 1)
        clock.advance(by: .seconds(1))
        _ = try await end(of: third)
    }

    @Test func `a cancelled request leaves the queue, and the last one cancels the wake timer`() async throws {
        let gate = gate(RateLimit(requests: 1, per: .seconds(10)), concurrency: 9)
        _ = try await gate.enter()
        let second = await waiter(at: gate, 1)
        let third = await waiter(at: gate, 2)
        await clock.sleepers { $0 == [.seconds(10)] }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await end(of: second) }
        #expect(gate.waiterCount == 1)
        clock.advance(by: .seconds(10))
        _ = try await end(of: third)
        let fourth = await waiter(at: gate)
        await clock.sleepers { $0 == [.seconds(10)] }
        fourth.cancel()
        await #expect(throws: CancellationError.self) { try await end(of: fourth) }
        await clock.sleepers { $0.isEmpty }
        // The token that it waited for is there for another one.
        clock.advance(by: .seconds(10))
        _ = try await gate.enter()
    }

    @Test func `a request that is cancelled already does not enter the queue`() async throws {
        let gate = gate(concurrency: 1)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await gate.enter()
        }
        await #expect(throws: CancellationError.self) { try await end(of: cancelled) }
        _ = try await gate.enter()
    }

    @Test func `too long a wait is refused at once, and when it shows`() async throws {
        let gate = gate(RateLimit(requests: 1, per: .seconds(45)), concurrency: 9, wait: .seconds(60))
        let first = try await gate.enter()
        let second = await waiter(at: gate)
        await #expect(throws: ThrottleError.waitTooLong(.seconds(90))) { try await gate.enter() }
        #expect(gate.waiterCount == 1)
        clock.advance(by: .seconds(1))
        gate.leave(first, retryAfter: .seconds(3600))
        await #expect(throws: ThrottleError.waitTooLong(.seconds(3600))) { try await end(of: second) }
        await clock.sleepers { $0.isEmpty }
        await #expect(throws: ThrottleError.waitTooLong(.seconds(3600))) { try await gate.enter() }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every request ends when requests are cancelled at random`(seed: UInt64) async throws {
        let gate = gate(RateLimit(requests: 7, per: .seconds(1)), concurrency: 4, wait: .seconds(20))
        let inside = Watched((now: 0, most: 0))
        var random = SplitMix64(seed: seed)
        let crowd = (0..<200).map { _ in
            let (stays, remaining) = (Int.random(in: 0..<4, using: &random), Int.random(in: 0..<20, using: &random))
            return Task {
                let ticket = try await gate.enter()
                inside.change { $0 = (now: $0.now + 1, most: max($0.most, $0.now + 1)) }
                for _ in 0..<stays { await Task.yield() }
                inside.change { $0.now -= 1 }
                gate.leave(ticket, report: RateLimitReport(remaining: remaining, reset: .seconds(2)))
            }
        }
        let cancelled = (0..<40).compactMap { _ in crowd.randomElement(using: &random) }
        let time = Task {
            while !Task.isCancelled {
                await clock.advanceToNextWake()
                await Task.yield()
            }
        }
        for task in cancelled {
            await Task.yield()
            task.cancel()
        }
        var ends: [String: Int] = [:]
        for task in crowd {
            do {
                try await end(of: task)
                ends["sent", default: 0] += 1
            } catch is ThrottleError {
                ends["refused", default: 0] += 1
            } catch {
                ends["\(error)", default: 0] += 1
            }
        }
        time.cancel()
        #expect(Set(ends.keys).isSubset(of: ["sent", "refused", "CancellationError()"]))
        #expect(ends.values.reduce(0, +) == 200)
        #expect(inside.value.now == 0)
        #expect((1...4).contains(inside.value.most))
        #expect(gate.waiterCount == 0)
    }

    private func gate(
        _ limit: RateLimit? = nil, concurrency: Int, wait: Duration = .seconds(3600)
    ) -> ThrottleGate {
        ThrottleGate(rateLimit: limit, maximumConcurrency: concurrency, maximumWait: wait, clock: clock)
    }

    /// Starts a task that waits at the gate; returns when `count` tasks wait.
    private func waiter(at gate: ThrottleGate, _ count: Int = 1) async -> Task<ThrottleGate.Ticket, any Error> {
        let task = Task { try await gate.enter() }
        while !Task.isCancelled, gate.waiterCount < count { await Task.yield() }
        return task
    }

    /// The time limit cancels the test, and with it this.
    private func end<Result: Sendable>(of task: Task<Result, any Error>) async throws -> Result {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
