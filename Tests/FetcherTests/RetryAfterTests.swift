import GarnerCatalog
import GarnerModel
import TestSupport
import Testing
@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct RetryAfterTests {
    private static let day = 24 * 3600

    /// `Retry-After`, `Date`, and the seconds; nil: ignored. Here it is 2027-01-15T08:00:00Z.
    private static let fields: [(String, String?, Int?)] = [
        ("0", nil, 0), ("1", nil, 1), ("120", nil, 120), ("007", nil, 7), ("86400", nil, day), ("86401", nil, day),
        ("1000000000000000000", nil, day), ("99999999999999999999999999", nil, day),
        // The server's clock is years behind: only the difference counts.
        ("Sun, 06 Nov 1994 08:51:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 120),
        ("Sunday, 06-Nov-94 08:51:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 120),
        ("Sun Nov  6 08:51:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT", 120),
        ("Sun, 06 Nov 1994 08:51:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", 120),
        ("Sun, 06 Nov 1994 08:51:37 GMT", "Sun Nov  6 08:49:37 1994", 120),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("Fri, 31 Dec 2099 23:59:59 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", day),
        // Without a Date, or with none that can be read, our own clock counts.
        ("Fri, 15 Jan 2027 08:01:00 GMT", nil, 60), ("Fri Jan 15 08:01:00 2027", "yesterday", 60),
        ("Friday, 15-Jan-27 08:01:00 GMT", "", 60), ("Fri, 15 Jan 2027 07:00:00 GMT", nil, 0),
        ("", nil, nil), ("-1", nil, nil), ("+1", nil, nil), ("5.0", nil, 5), ("1.", nil, nil), ("1s", nil, nil),
        ("soon", nil, nil),
        ("1 2", nil, nil),
        ("0x10", nil, nil), ("٣", nil, nil), ("2027-01-15T08:01:00Z", nil, nil),
        ("Fri, 15 Jan 2027 08:01:00 CET", nil, nil),
    ]

    private static func headers(_ value: String, _ date: String?) -> [(String, String)] {
        [("Retry-After", value)] + (date.map { [("Date", $0)] } ?? [])
    }

    @Test(arguments: fields)
    func `the wait is read in all its forms`(value: String, date: String?, seconds: Int?) {
        let headers = HeaderFields(Self.headers(value, date).map { (name: $0.0.lowercased(), value: $0.1) })
        let wait = RetryAfter(headers) { Timestamp(millisecondsSince1970: 1_800_000_000_000) }
        #expect(wait?.delay == seconds.map { .seconds($0) })
    }

    @Test(arguments: [("5.2", 5200), ("0.25", 250), ("86400.5", 86_400_000)])
    func `a wait may have decimals`(value: String, milliseconds: Int) {
        let wait = RetryAfter(["Retry-After": value]) { Timestamp(millisecondsSince1970: 0) }
        #expect(wait?.delay == .milliseconds(milliseconds))
    }

    @Test func `no field is no wait`() {
        #expect(RetryAfter(["Retry-Afte": "1"]) { Timestamp(millisecondsSince1970: 0) } == nil)
    }

    @Test(
        arguments: [
            ("120", nil, 120), ("Sun, 06 Nov 1994 08:51:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 120),
            ("soon", nil, nil),
        ]
            as [(String, String?, Int?)], [503, 429])
    func `a server is left alone as long as it asks`(field: (String, String?, Int?), status: Int) async throws {
        let clock = ManualClock()
        try await LoopbackServer.serve({ request in
            let headers = Self.headers(field.0, field.1) + [("Content-Type", "text/plain")]
            return request.number == 0 ? .response(status: status, headers: headers) : .json("[1]")
        }) { server in
            let stream = stream(at: server.url) {
                $0.retry = RetryPolicy(maxAttempts: 2, baseDelay: .seconds(4), maxDelay: .seconds(Self.day))
            }
            // Half of the base delay is 2 s: what is asked for only makes it longer.
            let expected = Duration.seconds(max(2, field.2 ?? 0))
            try await withFetcher(stream, clock: clock, random: 0.5) { fetcher in
                async let page = fetcher.page(at: fetcher.firstPosition)
                await clock.sleepers { $0 == [expected] }
                #expect(server.requests.count == 1)
                clock.advance(by: expected)
                let requests = try await page.requests
                #expect(requests == 2)
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test(arguments: ["301", "86400", "1000000000000000000", "Fri, 31 Dec 2099 23:59:59 GMT"])
    func `a wait beyond max_delay ends the attempts at once`(value: String) async throws {
        try await LoopbackServer.serve({ _ in .response(status: 503, headers: [("Retry-After", value)]) }) { server in
            let stream = stream(at: server.url) { $0.retry = RetryPolicy(maxAttempts: 9, maxDelay: .seconds(300)) }
            try await withFetcher(stream, clock: ManualClock()) { fetcher in
                let error = await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
                #expect(error?.request?.attempts == 1)
                #expect((error?.kind.retryAfter).map { $0 > .seconds(300) } == true)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a policy may disregard it`() async throws {
        let clock = ManualClock()
        try await LoopbackServer.serve({ request in
            request.number == 0 ? .response(status: 503, headers: [("Retry-After", "86400")]) : .json("[1]")
        }) { server in
            let stream = stream(at: server.url) {
                $0.retry = RetryPolicy(
                    maxAttempts: 2, baseDelay: .seconds(4), maxDelay: .seconds(300), respectsRetryAfter: false)
            }
            try await withFetcher(stream, clock: clock, random: 0.25) { fetcher in
                async let page = fetcher.page(at: fetcher.firstPosition)
                await clock.sleepers { $0 == [.seconds(1)] }
                clock.advance(by: .seconds(1))
                let requests = try await page.requests
                #expect(requests == 2)
            }
        }
    }
}
