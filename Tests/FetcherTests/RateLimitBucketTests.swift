import GarnerCatalog
import TestSupport
import Testing
@testable import GarnerFetcher

struct RateLimitBucketTests {
    /// Requests, seconds, and the waits in nanoseconds of those that come at once.
    private static let bursts: [(Int, Int, [Int])] = [
        (1, 1, [0, 1_000_000_000, 2_000_000_000]),
        (3, 1, [0, 0, 0, 333_333_334, 666_666_667, 1_000_000_000, 1_333_333_334]),
        (2, 60, [0, 0, 30_000_000_000, 60_000_000_000]),
    ]

    @Test(arguments: bursts, [Duration.zero, .seconds(5), .seconds(1_000_000_000)])
    func `the first come at once, the others when their tokens are back`(burst: (Int, Int, [Int]), start: Duration) {
        var bucket = TokenBucket(RateLimit(requests: burst.0, per: .seconds(burst.1)))
        let waits = burst.2.map { _ in bucket.take(at: start) }
        #expect(waits == burst.2.map { .nanoseconds($0) })
    }

    @Test(arguments: [(3, 1, 30_003, 10_000), (7, 10, 7007, 10_000), (9973, 86_400, 2 * 9973, 86_400)])
    func `the rate limit's bucket accumulates no rounding errors`(requests: Int, per: Int, count: Int, seconds: Int) {
        var bucket = TokenBucket(RateLimit(requests: requests, per: .seconds(per)))
        var last = Duration.zero
        for _ in 0..<count { last = bucket.take(at: .zero) }
        #expect(last == .seconds(seconds))
    }

    @Test func `a pause fills the bucket, and no more`() {
        var bucket = TokenBucket(RateLimit(requests: 4, per: .seconds(2)))
        for _ in 0..<4 { #expect(bucket.take(at: .seconds(1)) == .zero) }
        #expect(bucket.due(at: .seconds(1)) == .milliseconds(1500))
        // Three tokens are back.
        for _ in 0..<3 { #expect(bucket.take(at: .milliseconds(2999)) == .zero) }
        #expect(bucket.due(at: .milliseconds(2999)) == .seconds(3))
        for _ in 0..<4 { #expect(bucket.take(at: .seconds(86_400)) == .zero) }
        #expect(bucket.take(at: .seconds(86_400)) == .milliseconds(500))
    }

    @Test func `looking ahead takes nothing and tells the truth`() {
        var bucket = TokenBucket(RateLimit(requests: 3, per: .seconds(1)))
        let ahead = (0..<20).map { bucket.due(at: .seconds(9), behind: $0) }
        let taken = (0..<20).map { _ in .seconds(9) + bucket.take(at: .seconds(9)) }
        #expect(ahead == taken)
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `no window has more than twice the requests`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let requests = Int.random(in: 1...9, using: &random)
        let per = Duration.nanoseconds(Int.random(in: 1...10_000_000_000, using: &random))
        var bucket = TokenBucket(RateLimit(requests: requests, per: per))
        var now = Duration.zero
        var sent: [Duration] = []
        for _ in 0..<2000 {
            if Int.random(in: 0..<requests, using: &random) == 0 {
                now += per * Double.random(in: 0...2, using: &random) / requests
            }
            let wait = bucket.take(at: now)
            #expect(wait >= .zero)
            sent.append(now + wait)
        }
        #expect(zip(sent, sent.dropFirst()).allSatisfy(<=))
        #expect(zip(sent, sent.dropFirst(2 * requests)).allSatisfy { $1 - $0 > per })
        // From the start on never more than the bucket's content and the tokens that came back.
        for (count, time) in sent.enumerated() where count >= requests {
            #expect(time * requests >= per * (count + 1 - requests) - .nanoseconds(requests))
        }
    }

    private static let extremes: [(Int, Duration)] = [
        (0, .seconds(1)), (-1, .seconds(1)), (.max, .seconds(1)), (.min, .zero), (1, .zero), (1, .seconds(-1)),
        (1, .seconds(Int64.max)), (.max, .seconds(Int64.max)), (1, .seconds(Int64.min)), (.max, .nanoseconds(1)),
    ]

    @Test(arguments: extremes)
    func `the rate limit's bucket never overflows`(requests: Int, per: Duration) {
        var bucket = TokenBucket(RateLimit(requests: requests, per: per))
        let times: [Duration] = [.zero, .seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1), .seconds(-1)]
        for time in times + times {
            #expect(bucket.take(at: time) >= .zero)
            #expect(bucket.due(at: time, behind: .max) >= time)
        }
    }

    @Test func `a limit of none is one of one`() {
        var bucket = TokenBucket(RateLimit(requests: 0, per: .seconds(2)))
        #expect(bucket.take(at: .zero) == .zero)
        #expect(bucket.take(at: .zero) == .seconds(2))
    }
}
