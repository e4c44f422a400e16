import GarnerCatalog
import TestSupport
import Testing
@testable import GarnerFetcher

struct EarliestNextTests {
    /// `X-Poll-Interval`, `Cache-Control`, `Age`, and what they come to, in seconds, where the latter counts.
    private static let cases: [(String?, String?, String?, Int?)] = [
        (nil, nil, nil, nil), ("60", nil, nil, 60), (nil, "max-age=120", nil, 120), ("60", "max-age=120", nil, 120),
        ("120", "max-age=60", nil, 120), (nil, "private, MAX-AGE=120 , must-revalidate", nil, 120),
        (nil, #"max-age="120""#, nil, 120), (nil, "max-age = 120", nil, 120), (nil, "s-maxage=120", nil, nil),
        (nil, "max-age=120", "20", 100), (nil, "max-age=120", "500", 0), (nil, "max-age=120", "x", 120),
        (nil, "max-age=120, no-cache", nil, nil), (nil, "no-store, max-age=120", nil, nil),
        (nil, "max-age=-1", nil, nil), (nil, "max-age=1.5", nil, nil), (nil, "max-age=", nil, nil),
        (nil, "max-age", nil, nil), (nil, "max-age=abc", nil, nil), (nil, ",=,;", nil, nil),
        (nil, "max-age=99999999999999999999999", nil, 86_400), (nil, "max-age=0", nil, 0),
        ("99999999999999999999999", nil, nil, 86_400), ("-5", nil, nil, 0), ("soon", nil, nil, nil),
        ("soon", "max-age=30", nil, 30), (nil, "max-age=10, max-age=20", nil, 10),
    ]

    @Test(arguments: cases)
    func `a response tells when it is to be asked again`(poll: String?, cache: String?, age: String?, seconds: Int?)
        async throws
    {
        let headers = [("X-Poll-Interval", poll), ("Cache-Control", cache), ("Age", age)].compactMap { name, value in
            value.map { (name, $0) }
        }
        let page = try await scriptedPage(Paginator(), body: "[1]", headers: headers) { $0.usesCacheLifetime = true }
        #expect(page.request.earliestNext == seconds.map { .seconds($0) })
    }

    @Test func `the cache's lifetime counts only where it is respected`() async throws {
        let headers = [("X-Poll-Interval", "60"), ("Cache-Control", "max-age=120")]
        #expect(
            try await scriptedPage(Paginator(), body: "[1]", headers: headers).request.earliestNext == .seconds(60))
    }

    @Test(arguments: [(200, 120), (404, nil), (500, nil)] as [(Int, Int?)])
    func `what is no page has no lifetime, but may have an interval`(status: Int, seconds: Int?) async throws {
        let head = ResponseHead(status: status, headers: ["Cache-Control": "max-age=120"])
        #expect(CacheLifetime(head)?.duration == seconds.map { .seconds($0) })
        let error = await #expect(throws: FetchError.self) {
            try await firstPage { _ in .response(status: 500, headers: [("X-Poll-Interval", "60")]) }
        }
        #expect(error?.request?.earliestNext == .seconds(60))
    }

    @Test func `the last response counts`() async throws {
        let page = try await firstPage({ $0.retry.maxAttempts = 2 }) {
            $0.number == 0 ? .response(status: 500, headers: [("X-Poll-Interval", "60")]) : .json("[1]")
        }
        #expect(page.request.earliestNext == nil)
    }
}
