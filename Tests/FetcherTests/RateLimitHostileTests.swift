import GarnerCatalog
import GarnerModel
import TestSupport
import Testing
@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct RateLimitHostileTests {
    private static let names = [
        "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Rate-Limit-Reset", "RateLimit-Remaining", "RateLimit-Reset",
        "RateLimit", "RateLimit-Policy", "X-Poll-Interval", "Date",
    ]

    private static let samples = [
        "50", "0", "-1", "1800000060.25", "1800000060000", "9223372036854775807", "Fri, 15 Jan 2027 08:01:00 GMT",
        "2027-01-15T08:01:00Z", #""default";r=50;t=30"#, #""a\\\"";q=100;w=60;pk=:Zm9v:, b;r=1.5"#,
        "limit=100, remaining=50, reset=30", #"(1 2.5);a, %"%f0%9f%98%80";r=@1800000060, *t/x:y;r=?0"#,
    ]

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `damaged fields neither trap nor leave the bounds`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var understood = 0
        for _ in 0..<100 {
            let fields = Self.names.map { (name: $0, value: Self.damaged(&random)) }
            let now = Timestamp(millisecondsSince1970: Int64(truncatingIfNeeded: random.next()))
            let report = RateLimitReport(HeaderFields(fields), now: now)
            for duration in [report.reset, report.pollInterval].compactMap({ $0 }) {
                #expect(duration >= .zero && duration <= .seconds(86_400))
            }
            if let remaining = report.remaining {
                #expect(remaining >= 0)
                understood += 1
            }
        }
        #expect(understood > 20)
    }

    private static func damaged(_ random: inout SplitMix64) -> String {
        var bytes = Array((samples.randomElement(using: &random) ?? "").utf8)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 1:
                bytes.insert(contentsOf: Array(#",;="\().-9:@%?*"#.utf8).shuffled(using: &random).prefix(1), at: place)
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + 3))
            default: bytes += bytes.prefix(place)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let huge: [String] = [
        String(repeating: "9", count: 60_000), String(repeating: "1,", count: 30_000),
        String(repeating: "(", count: 60_000),
        "a" + (0..<10_000).map { ";k\($0)" }.joined(), (0..<10_000).map { "k\($0)=1" }.joined(separator: ","),
        String(repeating: #"a;r=0;t=9, "#, count: 5000) + "a", String(repeating: "-", count: 60_000),
        "\"" + String(repeating: #"\""#, count: 30_000) + "\"",
    ]

    @Test(arguments: huge.indices)
    func `a field as large as a whole head is no structured one`(place: Int) {
        let headers: HeaderFields = ["RateLimit": Self.huge[place], "RateLimit-Policy": Self.huge[place]]
        #expect(RateLimitReport(headers, now: Timestamp(millisecondsSince1970: 0)) == RateLimitReport())
    }

    private static let long: [(name: String, value: String)] = [
        ("X-RateLimit-Reset", String(repeating: "soon,", count: 12_000)),
        ("X-RateLimit-Reset", String(repeating: "Fri, 15 Jan 2027 08:01:00 GMT, ", count: 2000)),
        ("X-RateLimit-Reset", String(repeating: " ", count: 60_000)),
        ("X-Poll-Interval", String(repeating: "9,", count: 30_000)),
    ]

    @Test(arguments: long.indices)
    func `a field as large as a whole head is soon read`(place: Int) {
        let report = RateLimitReport(HeaderFields([Self.long[place]]), now: Timestamp(millisecondsSince1970: 0))
        #expect(report == RateLimitReport())
    }

    @Test func `a head full of dates is soon read`() {
        let fields = Array(repeating: (name: "RateLimit-Reset", value: "Fri, 15 Jan 2027 08:01:00 GMT"), count: 60_000)
        #expect(RateLimitReport(HeaderFields(fields), now: Timestamp(millisecondsSince1970: 0)) == RateLimitReport())
    }

    @Test func `a long list of numbers is read`() {
        let report = RateLimitReport(
            ["RateLimit-Remaining": String(repeating: "7,", count: 30_000) + "3", "RateLimit-Reset": "5"],
            now: Timestamp(millisecondsSince1970: 0))
        #expect(report == RateLimitReport(remaining: 3, reset: .seconds(5)))
    }
}
