import GarnerCatalog
import Testing
@testable import GarnerFetcher

/// The throttle's reaction to what a server reports about its limits.
struct ThrottleServerTests {
    @Test func `no request starts before the server's reset`() {
        var throttle = throttle(concurrency: 3)
        #expect(throttle.requests(1...5, at: .zero) == [.start(1), .start(2), .start(3)])
        #expect(throttle.finish(1, remaining: 0, reset: .seconds(30), at: .seconds(1)) == [.wakeAt(.seconds(31))])
        // Responses overtake each other: neither more nor less opens it earlier.
        #expect(throttle.finish(2, remaining: 9, reset: .seconds(3), at: .seconds(2)) == [.wakeAt(.seconds(31))])
        #expect(throttle.finish(3, remaining: 0, reset: .seconds(3), at: .seconds(3)) == [.wakeAt(.seconds(31))])
        #expect(throttle.woke(at: .nanoseconds(30_999_999_999)) == [.wakeAt(.seconds(31))])
        #expect(throttle.woke(at: .seconds(31)) == [.start(4), .start(5)])
    }

    private static let silent: [(Int?, Duration?)] = [
        (nil, nil), (0, nil), (nil, .seconds(60)), (0, .zero), (4, .seconds(60)), (.max, .seconds(86_400)), (1, .zero),
    ]

    @Test(arguments: silent)
    func `a report without a limit to heed changes nothing`(remaining: Int?, reset: Duration?) {
        var throttle = throttle(concurrency: 3)
        #expect(throttle.requests(1...5, at: .zero) == [.start(1), .start(2), .start(3)])
        #expect(throttle.finish(1, remaining: remaining, reset: reset, at: .seconds(1)) == [.start(4)])
        #expect(throttle.finish(2, at: .seconds(1)) == [.start(5)])
    }

    @Test func `the few that remain are spread over the time left`() {
        var throttle = throttle(concurrency: 3)
        #expect(throttle.request(id: 1, at: .zero) == [.start(1)])
        #expect(throttle.finish(1, remaining: 3, reset: .seconds(60), at: .zero).isEmpty)
        #expect(throttle.requests(2...6, at: .zero) == [.wakeAt(.seconds(15))])
        #expect(throttle.woke(at: .seconds(15)) == [.start(2), .wakeAt(.seconds(30))])
        #expect(throttle.finish(2, remaining: 2, reset: .seconds(45), at: .seconds(15)) == [.wakeAt(.seconds(30))])
        // Ten seconds late: the last one is put in the middle of what is left.
        #expect(throttle.woke(at: .seconds(40)) == [.start(3), .wakeAt(.seconds(50))])
        // The response takes its time; nothing new is known.
        #expect(throttle.woke(at: .seconds(50)) == [.start(4), .wakeAt(.seconds(60))])
        // The window begins anew.
        #expect(throttle.woke(at: .seconds(60)) == [.start(5)])
        #expect(throttle.finish(3, at: .seconds(60)) == [.start(6)])
    }

    @Test func `the server's count may not include requests in flight`() {
        var throttle = throttle(concurrency: 4)
        #expect(throttle.requests(1...5, at: .zero) == (1...4).map { .start($0) })
        // Three in flight of three that remain: none is left to start.
        #expect(throttle.finish(1, remaining: 3, reset: .seconds(8), at: .zero) == [.wakeAt(.seconds(8))])
        // They were counted: one of the three is free.
        #expect(throttle.finish(2, remaining: 3, reset: .seconds(8), at: .zero) == [.wakeAt(.seconds(4))])
        #expect(throttle.finish(3, remaining: 9, reset: .seconds(8), at: .zero) == [.start(5)])
    }

    @Test func `what the server still takes is not refused for the sake of the spread`() {
        var throttle = throttle(concurrency: 3, wait: .seconds(30))
        #expect(throttle.request(id: 1, at: .zero) == [.start(1)])
        #expect(throttle.finish(1, remaining: 2, reset: .seconds(60), at: .zero).isEmpty)
        #expect(throttle.requests(2...3, at: .zero) == [.start(2), .start(3)])
        #expect(throttle.request(id: 4, at: .zero) == [.refuse(4, until: .seconds(60))])
    }

    @Test func `a spread slower than the rate limit refuses nobody too much`() {
        var throttle = throttle(RateLimit(requests: 1, per: .seconds(10)), concurrency: 9, wait: .seconds(80))
        #expect(throttle.request(id: 1, at: .zero) == [.start(1)])
        #expect(throttle.finish(1, remaining: 3, reset: .seconds(80), at: .zero).isEmpty)
        #expect(throttle.requests(2...4, at: .zero) == [.wakeAt(.seconds(20))])
    }

    @Test func `extreme reports of a server overflow nothing`() {
        var throttle = throttle(
            RateLimit(requests: .max, per: .seconds(Int64.max)), concurrency: .max, wait: .seconds(Int64.max))
        let reports = [(Int.max, 86_400), (1, 86_400), (.min, 0), (Int(Int32.max), 86_400)]
        for (id, report) in reports.enumerated() {
            _ = throttle.requests(UInt64(id * 9 + 1)...UInt64(id * 9 + 9), at: .seconds(id))
            _ = throttle.finish(
                UInt64(id * 9 + 1), remaining: report.0, reset: .seconds(report.1), retryAfter: .seconds(Int64.min),
                at: .seconds(id))
        }
        #expect(throttle.finish(2, retryAfter: .seconds(Int64.max), at: .seconds(9)).isEmpty)
        let end = Duration.seconds(86_409)
        #expect(throttle.request(id: 99, at: .seconds(9)) == [.wakeAt(end)])
    }

    private func throttle(
        _ limit: RateLimit? = nil, concurrency: Int, wait: Duration = .seconds(3600)
    ) -> Throttle {
        Throttle(rateLimit: limit, maximumConcurrency: concurrency, maximumWait: wait)
    }
}
