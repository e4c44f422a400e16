import GarnerCatalog
import GarnerModel
import Testing
@testable import GarnerFetcher

struct RateLimitReportTests {
    private static let day = 24 * 3600 * 1000

    /// `X-RateLimit-Reset`, `Date`, and the milliseconds; nil: ignored. Here it is 2027-01-15T08:00:00Z.
    private static let resets: [(String, String?, Int?)] = [
        ("0", nil, 0), ("30", nil, 30_000), ("0.25", nil, 250), ("1.0009", nil, 1000), (" 30\t", nil, 30_000),
        ("86400", nil, day), ("86401", nil, day), ("-1", nil, 0), ("-0.5", nil, 0), ("-1800000060", nil, 0),
        ("99999999999999999999999999", nil, day), ("0.\(String(repeating: "9", count: 5000))", nil, 999),
        // Up to 10⁹ it is a time from now, then an epoch, beyond 10¹² one of milliseconds, then of microseconds and nanoseconds.
        ("1000000000", nil, day), ("1000000001", nil, 0), ("1800000060", nil, 60_000), ("1800000060.5", nil, 60_500),
        ("1799999999", nil, 0), ("1000000000000", nil, day), ("1000000000001", nil, 0),
        ("1800000060500000", nil, 60_500), ("1800000060500000000", nil, 60_500), ("1000000000000000", nil, day),
        ("1800000060500", nil, 60_500), ("1800000060500.9", nil, 60_500), ("9223372036854775807", nil, day),
        // The server's clock is years behind: only the difference counts.
        ("1420070460", "Thu, 01 Jan 2015 00:00:00 GMT", 60_000),
        ("1420070400", "Thu, 01 Jan 2015 00:00:00 GMT", 0), ("30", "Thu, 01 Jan 2015 00:00:00 GMT", 30_000),
        ("1800000060", "yesterday", 60_000),
        ("Fri, 15 Jan 2027 08:01:00 GMT", nil, 60_000), ("Fri Jan 15 08:01:00 2027", nil, 60_000),
        ("Fri, 15 Jan 2027 07:00:00 GMT", nil, 0), ("Fri, 31 Dec 2099 23:59:59 GMT", nil, day),
        ("Sun, 06 Nov 1994 08:51:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 120_000),
        ("2027-01-15T08:01:00Z", nil, 60_000), ("2027-01-15T09:01:00.5+01:00", nil, 60_500),
        ("", nil, nil), ("soon", nil, nil), ("+30", nil, nil), ("30s", nil, nil), ("3e1", nil, nil), ("1.", nil, nil),
        (".5", nil, nil), ("--1", nil, nil), ("-", nil, nil), ("1.2.3", nil, nil), ("٣", nil, nil), ("0x1e", nil, nil),
    ]

    @Test(arguments: resets)
    func `the reset is read in all its forms`(value: String, date: String?, milliseconds: Int?) {
        let headers = [("x-ratelimit-reset", value)] + (date.map { [("Date", $0)] } ?? [])
        let reset = report(headers).reset
        #expect(reset.map { Int($0.wholeMilliseconds) } == milliseconds)
    }

    private static let remainings: [(String, Int?)] = [
        ("0", 0), ("50", 50), ("007", 7), ("598.0", 598), ("0.9", 0), ("-1", 0), ("9223372036854775807", .max),
        ("9223372036854775808", .max), ("", nil), ("many", nil), ("1 2", nil), ("50;w=60", nil),
    ]

    @Test(arguments: remainings, ["X-RateLimit-Remaining", "x-rate-limit-remaining", "RateLimit-Remaining"])
    func `what remains is a whole number`(value: (String, Int?), name: String) {
        #expect(report([(name, value.0)]) == RateLimitReport(remaining: value.1))
    }

    /// `RateLimit`, `RateLimit-Policy`, what remains and the seconds to the reset.
    private static let structured: [(String, String?, Int?, Int?)] = [
        (#""default";r=50;t=30"#, nil, 50, 30), (#""default"; r=50; t=30"#, nil, 50, 30),
        ("default;r=50;t=30", nil, 50, 30),
        (#""default";r=50;t=30;pk=:Zm9v:;new"#, nil, 50, 30), (#""a\"b";r=0;t=1"#, nil, 0, 1),
        (#""default";r=50.7;t=30.0"#, nil, 50, 30), (#""default";r=-3;t=-1"#, nil, 0, 0),
        (#""default";r=50;r=7"#, nil, 7, nil), (#""default";t=30"#, nil, nil, 30), (#""default""#, nil, nil, nil),
        (#""default";r="50";t=?1"#, nil, nil, nil), (#""default";r=1;t=999999999999999"#, nil, 1, 86_400),
        (#""default";r=1;t=1800000060"#, nil, 1, 60),
        // The tightest of several.
        (#""hour";r=50;t=3000, "second";r=2;t=1"#, nil, 2, 1), (#""a";r=2;t=1,"b";r=2;t=9,"c";r=2"#, nil, 2, 9),
        (#""a";t=30, "b";r=5;t=3"#, nil, 5, 3), (#"("inner" "list");r=1, "b";r=5"#, nil, 5, nil),
        // The window of the policy of that name.
        (#""default";r=50"#, #""default";q=100;w=60"#, 50, 60),
        (#""default";r=50;t=30"#, #""default";q=100;w=60"#, 50, 30),
        (#""a";r=5, "b";r=5"#, #""a";q=9;w=10, "b";q=9;w=20"#, 5, 20), (#""a";r=5"#, #""b";q=100;w=60"#, 5, nil),
        (#""a";r=5"#, #""a";q=100;w=60,"#, 5, nil), (#""a";r=5"#, #""a";w=-1"#, 5, 0),
        (#""a";r=5"#, #""a";w=60, "a";w=70"#, 5, 70),
        // The dictionary.
        ("limit=100, remaining=50, reset=30", nil, 50, 30), ("limit=100,remaining=0,reset=0", nil, 0, 0),
        ("remaining=50", nil, 50, nil), ("reset=30, limit=1", "100;w=60", nil, 30), ("limit=100", nil, nil, nil),
        ("limit=100, remaining=(1 2), reset=x", nil, nil, nil),
        // No structured fields at all.
        ("", nil, nil, nil), (#""default";r=50;t=30,"#, nil, nil, nil), (#""default;r=50"#, nil, nil, nil),
        (#""default";R=50"#, nil, nil, nil), (#""default";r=9999999999999999"#, nil, nil, nil),
        ("limit=100, remaining=50 reset=30", nil, nil, nil), ("50", nil, nil, nil), (#""é";r=1"#, nil, nil, nil),
    ]

    @Test(arguments: structured)
    func `structured fields are read in all their forms`(
        limit: String, policy: String?, remaining: Int?, seconds: Int?
    ) {
        let headers = [("RateLimit", limit)] + (policy.map { [("RateLimit-Policy", $0)] } ?? [])
        #expect(report(headers) == RateLimitReport(remaining: remaining, reset: seconds.map { .seconds($0) }))
    }

    private static let several: [([(String, String)], Int?, Int?)] = [
        ([("X-RateLimit-Remaining", "50"), ("X-RateLimit-Reset", "30")], 50, 30),
        ([("RateLimit-Remaining", "50"), ("RateLimit-Limit", "100, 100;w=60"), ("RateLimit-Reset", "30")], 50, 30),
        ([("X-RateLimit-Remaining", "50"), ("X-RateLimit-Reset", "30"), ("RateLimit", "a;r=0;t=5")], 0, 5),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "30"), ("RateLimit", "a;r=0;t=5")], 0, 30),
        ([("X-Rate-Limit-Remaining", "9"), ("X-Rate-Limit-Reset", "1"), ("RateLimit-Remaining", "9")], 9, 1),
        // Lists and repeated fields are paired by their places; a single reset is everyone's.
        ([("X-RateLimit-Remaining", "0, 4000"), ("X-RateLimit-Reset", "1, 3600")], 0, 1),
        ([("X-RateLimit-Remaining", "50"), ("X-RateLimit-Remaining", "7"), ("X-RateLimit-Reset", "1,60")], 7, 60),
        ([("X-RateLimit-Remaining", "50, 0"), ("X-RateLimit-Reset", "30")], 0, 30),
        ([("X-RateLimit-Remaining", "junk, 3"), ("X-RateLimit-Reset", "30, junk")], 3, nil),
        ([("RateLimit", "a;r=5;t=1"), ("RateLimit", "b;r=4;t=2")], 4, 2),
        ([("RateLimit", "limit=9, remaining=5"), ("RateLimit", "reset=2")], 5, 2),
        ([("RateLimit", "a;r=5;t=1"), ("RateLimit", "?")], nil, nil),
        ([("Retry-After", "30"), ("RateLimit-Policy", "a;q=1;w=2")], nil, nil), ([], nil, nil),
    ]

    @Test(arguments: several)
    func `the tightest limit counts`(headers: [(String, String)], remaining: Int?, seconds: Int?) {
        #expect(report(headers) == RateLimitReport(remaining: remaining, reset: seconds.map { .seconds($0) }))
    }

    @Test(arguments: [("60", 60), ("0", 0), ("-5", 0), ("86401", 86_400), ("", nil), ("1m", nil)] as [(String, Int?)])
    func `the poll interval is in seconds`(value: String, seconds: Int?) {
        #expect(report([("X-Poll-Interval", value)]) == RateLimitReport(pollInterval: seconds.map { .seconds($0) }))
    }

    @Test func `what is out of range is clamped`() {
        let report = RateLimitReport(remaining: -1, reset: .seconds(-1), pollInterval: .seconds(Int64.max))
        #expect(report.remaining == 0)
        #expect(report.reset == .zero)
        #expect(report.pollInterval == .seconds(86_400))
    }

    private func report(_ headers: [(String, String)]) -> RateLimitReport {
        let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        return RateLimitReport(HeaderFields(headers.map { (name: $0.0, value: $0.1) }), now: now)
    }
}
