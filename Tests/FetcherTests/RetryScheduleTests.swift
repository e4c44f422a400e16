import GarnerCatalog
import Testing
@testable import GarnerFetcher

struct RetryScheduleTests {
    private let schedule = RetrySchedule(
        policy: RetryPolicy(maxAttempts: 8, baseDelay: .seconds(1), maxDelay: .seconds(20)))

    private static let ceilings: [(Int, Int)] = [
        (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 20), (7, 20), (1_000_000, 20),
    ]

    @Test(arguments: ceilings)
    func `the longest delay doubles up to max_delay`(attempts: Int, seconds: Int) {
        #expect(schedule.ceiling(after: attempts) == .seconds(seconds))
    }

    @Test(arguments: Array(1...7), [0, 0.000001, 0.25, 0.5, 0.999999])
    func `the delay is anywhere below the longest`(attempts: Int, random: Double) throws {
        let delay = try #require(schedule.delay(after: .refused, attempts: attempts, random: random))
        let ceiling = schedule.ceiling(after: attempts)
        #expect(delay >= .zero)
        #expect(delay < ceiling)
        #expect(delay == ceiling * random)
    }

    @Test(arguments: [(7, false), (8, true), (9, true)])
    func `max_attempts counts the first one`(requests: Int, isLast: Bool) {
        #expect((schedule.delay(after: .refused, attempts: requests, random: 0) == nil) == isLast)
    }

    /// Seconds asked for, chance, and the delay after the second attempt; nil: given up.
    private static let waits: [(Int, Double, Duration?)] = [
        (0, 0.5, .seconds(1)), (1, 0, .seconds(1)), (1, 0.75, .milliseconds(1500)), (20, 0.75, .seconds(20)),
        (21, 0, nil), (86_400, 0.9, nil),
    ]

    @Test(arguments: waits)
    func `what the server asks for is the least`(seconds: Int, random: Double, delay: Duration?) {
        let kind = FetchError.Kind.status(503, retryAfter: .seconds(seconds))
        #expect(schedule.delay(after: kind, attempts: 2, random: random) == delay)
    }

    private static let lasting: [FetchError.Kind] = [
        .misconfigured(reason: "x"), .privateNetwork(host: "x"), .tls(reason: "x"), .decompression(reason: "x"),
        .malformedResponse(reason: "x"),
        .headTooLarge(limit: 1), .bodyTooLarge(limit: 1), .unauthorized(status: 401), .unauthorized(status: 403),
        .redirect(status: 301, .noLocation), .status(304, retryAfter: nil), .status(400, retryAfter: nil),
        .status(404, retryAfter: .seconds(1)),
        .status(410, retryAfter: nil), .status(501, retryAfter: nil), .status(505, retryAfter: nil),
        .status(509, retryAfter: nil), .status(525, retryAfter: nil),
        .mediaType(nil, excerpt: ""),
        .charset("x"), .emptyBody(status: 200), .json(reason: "x", offset: 0),
        .missingPath(selector: "$", found: []),
        .noArray(selector: "$", found: "x"), .severalArrays([]), .scalar(found: "x"), .linkToOtherOrigin("x"),
        .invalidLink("x"),
        .repeatedPage(url: "x"), .repeatedRecords(pages: 10), .endlessEmptyPages(count: 9),
        .unclearPaging(sign: "x", []),
    ]

    @Test(arguments: lasting)
    func `what stays is not tried again`(kind: FetchError.Kind) {
        #expect(schedule.delay(after: kind, attempts: 1, random: 0) == nil)
    }

    private static let passing: [FetchError.Kind] = [
        .unknownHost, .refused, .unreachable(reason: "x"), .closed, .incompleteBody, .wrongDigest(field: "x"),
        .connection(reason: "x"),
        .deadline(.connect, limit: .zero), .deadline(.firstByte, limit: .zero), .deadline(.idle, limit: .zero),
        .deadline(.total, limit: .zero),
        .status(408, retryAfter: nil), .status(425, retryAfter: nil), .status(429, retryAfter: nil),
        .status(500, retryAfter: nil),
        .status(502, retryAfter: nil), .status(503, retryAfter: nil), .status(504, retryAfter: nil),
        .status(520, retryAfter: nil), .status(522, retryAfter: nil), .status(524, retryAfter: nil),
        .status(529, retryAfter: nil), .status(202, retryAfter: nil), .status(509, retryAfter: .zero),
        .status(501, retryAfter: .zero), .status(403, retryAfter: .zero),
    ]

    @Test(arguments: passing)
    func `what may pass is tried again`(kind: FetchError.Kind) {
        #expect(schedule.delay(after: kind, attempts: 1, random: 0) == .zero)
    }
}
