import GarnerCatalog
import Testing
@testable import GarnerFetcher

struct ThrottleTests {
    @Test func `no more than the maximum are in flight, first come, first served`() {
        var throttle = Throttle(rateLimit: nil, maximumConcurrency: 2, maximumWait: .zero)
        #expect(throttle.request(id: 1, at: .zero) == [.start(1)])
        #expect(throttle.request(id: 2, at: .zero) == [.start(2)])
        #expect(throttle.request(id: 3, at: .zero).isEmpty)
        #expect(throttle.request(id: 4, at: .zero).isEmpty)
        #expect(throttle.finish(2, at: .seconds(1)) == [.start(3)])
        #expect(throttle.finish(1, at: .seconds(2)) == [.start(4)])
        #expect(throttle.finish(3, at: .seconds(3)).isEmpty)
        // Twice finished is finished once.
        #expect(throttle.request(id: 5, at: .seconds(3)) == [.start(5)])
        #expect(throttle.finish(3, at: .seconds(3)).isEmpty)
        #expect(throttle.request(id: 6, at: .seconds(3)).isEmpty)
    }

    @Test func `the rate limit spaces the starts`() {
        var throttle = throttle(RateLimit(requests: 2, per: .seconds(1)))
        #expect(throttle.requests(1...4, at: .seconds(9)) == [.start(1), .start(2), .wakeAt(.milliseconds(9500))])
        // Too early: nothing but the same time again.
        #expect(throttle.woke(at: .milliseconds(9499)) == [.wakeAt(.milliseconds(9500))])
        #expect(throttle.woke(at: .milliseconds(9500)) == [.start(3), .wakeAt(.seconds(10))])
        // Too late: the token that came back meanwhile is not lost.
        #expect(throttle.requests(5...6, at: .milliseconds(9600)) == [.wakeAt(.seconds(10))])
        #expect(throttle.woke(at: .milliseconds(10_500)) == [.start(4), .start(5), .wakeAt(.seconds(11))])
        #expect(throttle.woke(at: .seconds(11)) == [.start(6)])
    }

    @Test func `a request that waits for a place sets no wake time`() {
        var throttle = throttle(RateLimit(requests: 1, per: .seconds(1)), concurrency: 1)
        #expect(throttle.requests(1...2, at: .zero) == [.start(1)])
        #expect(throttle.finish(1, at: .milliseconds(300)) == [.wakeAt(.seconds(1))])
        #expect(throttle.woke(at: .seconds(1)) == [.start(2)])
    }

    @Test func `a cancelled request leaves the queue of the throttle`() {
        var throttle = throttle(RateLimit(requests: 1, per: .seconds(1)), concurrency: 2)
        #expect(throttle.requests(1...4, at: .zero) == [.start(1), .wakeAt(.seconds(1))])
        #expect(throttle.cancelled(id: 2, at: .milliseconds(500)) == [.wakeAt(.seconds(1))])
        #expect(throttle.cancelled(id: 2, at: .milliseconds(500)) == [.wakeAt(.seconds(1))])
        #expect(throttle.woke(at: .seconds(1)) == [.start(3)])
        // In flight: the place is taken until it finishes.
        #expect(throttle.cancelled(id: 3, at: .seconds(5)).isEmpty)
        #expect(throttle.finish(1, at: .seconds(6)) == [.start(4)])
        #expect(throttle.request(id: 5, at: .seconds(6)).isEmpty)
        #expect(throttle.cancelled(id: 5, at: .seconds(6)).isEmpty)
        #expect(throttle.finish(4, at: .seconds(9)).isEmpty)
    }

    @Test func `a cancelled request costs no token`() {
        var throttle = throttle(RateLimit(requests: 1, per: .seconds(10)))
        #expect(throttle.requests(1...2, at: .zero) == [.start(1), .wakeAt(.seconds(10))])
        #expect(throttle.cancelled(id: 2, at: .seconds(1)).isEmpty)
        #expect(throttle.request(id: 3, at: .seconds(10)) == [.start(3)])
    }

    @Test func `a request that would wait too long is refused`() {
        var throttle = throttle(RateLimit(requests: 2, per: .seconds(1)), wait: .seconds(1))
        let wake = Throttle.Action.wakeAt(.milliseconds(500))
        #expect(throttle.requests(1...4, at: .zero) == [.start(1), .start(2), wake])
        #expect(throttle.request(id: 5, at: .zero) == [.refuse(5, until: .milliseconds(1500)), wake])
        // It left no trace.
        #expect(throttle.cancelled(id: 4, at: .zero) == [wake])
        #expect(throttle.request(id: 6, at: .zero) == [wake])
        #expect(throttle.woke(at: .milliseconds(500)) == [.start(3), .wakeAt(.seconds(1))])
        #expect(throttle.request(id: 7, at: .milliseconds(500)) == [.wakeAt(.seconds(1))])
    }

    @Test func `waiting for a place is never too long`() {
        var throttle = throttle(RateLimit(requests: 9, per: .seconds(1)), concurrency: 1, wait: .milliseconds(200))
        #expect(throttle.requests(1...4, at: .zero) == [.start(1)])
        #expect(throttle.finish(1, at: .seconds(86_400)) == [.start(2)])
        #expect(throttle.finish(2, at: .seconds(999_999)) == [.start(3)])
    }

    @Test(arguments: [Int.min, -1, 0, 1])
    func `a limit below one still allows one request in flight`(concurrency: Int) {
        var throttle = Throttle(rateLimit: nil, maximumConcurrency: concurrency, maximumWait: .seconds(-1))
        #expect(throttle.request(id: 1, at: .zero) == [.start(1)])
        #expect(throttle.request(id: 2, at: .zero).isEmpty)
        #expect(throttle.finish(1, at: .zero) == [.start(2)])
    }

    private func throttle(
        _ limit: RateLimit?, concurrency: Int = 100, wait: Duration = .seconds(60)
    ) -> Throttle {
        Throttle(rateLimit: limit, maximumConcurrency: concurrency, maximumWait: wait)
    }
}

extension Throttle {
    /// Makes the requests and returns all starts, and the wake of the last answer.
    mutating func requests(_ ids: ClosedRange<UInt64>, at now: Duration) -> [Action] {
        var starts: [Action] = []
        var last: [Action] = []
        for id in ids {
            starts += last.filter { if case .wakeAt = $0 { false } else { true } }
            last = request(id: id, at: now)
        }
        return starts + last
    }

    mutating func finish(
        _ id: UInt64, remaining: Int? = nil, reset: Duration? = nil, retryAfter: Duration? = nil, at now: Duration
    ) -> [Action] {
        finished(
            id: id, report: RateLimitReport(remaining: remaining, reset: reset), retryAfter: retryAfter, at: now)
    }
}
