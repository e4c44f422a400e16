import GarnerCatalog
import Testing
@testable import GarnerFetcher

struct ThrottleTests {
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
