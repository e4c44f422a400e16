import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

/// Statuses that mean something else than most servers mean by them.
@Suite(.timeLimit(.minutes(5)))
struct OddStatusTests {
    private static let list = #"{"data":[{"id":1}]}"#

    // 202

    /// The stream's selector, the body of a response with 202, and whether it is an answer.
    private static let promises: [(String?, LoopbackReply, Bool)] = [
        ("$.data", .response(status: 202, headers: json, body: list), true),
        ("$.data[*]", .response(status: 202, headers: json, body: list), true),
        ("$.data", .response(status: 202, headers: json, body: #"{"data":[]}"#), false),
        ("$", .response(status: 202, headers: json, body: #"{"job":7}"#), false),
        (nil, .response(status: 202, headers: json, body: list), false),
        (nil, .response(status: 202, headers: json, body: #"{"job":7}"#), false),
        (nil, .response(status: 202, headers: json, body: "[]"), false),
        (nil, .response(status: 202), false),
        (nil, .response(status: 202, headers: [("Content-Type", "text/html")], body: "<p>Wait"), false),
    ]
    private static let json = [("Content-Type", "application/json")]

    @Test(arguments: promises)
    func `202 is an answer only with records where they are known to be`(
        selector: String?, reply: LoopbackReply, isAnswer: Bool
    ) async throws {
        let kind = await failureKind {
            try await firstPage({ $0.recordSelector = selector }) { _ in reply }
        }
        #expect(kind == (isAnswer ? nil : .status(202, retryAfter: nil)))
    }

    @Test(arguments: [207, 226], [false, true])
    func `a list with a status of parts is not known to be whole, unless the configuration says so`(
        status: Int, isAccepted: Bool
    ) async throws {
        let page = try await firstPage({ stream in
            if isAccepted { stream.responseActions = [ResponseAction(status: status, action: .accept)] }
        }) { _ in
            .response(status: status, headers: Self.json, body: #"{"data":[{"id":1}],"next":null}"#)
        }
        #expect(page.verdict?.completeness == (isAccepted ? .complete : .unknown))
        let line = "response_actions: [{ status: \(status), action: accept }]"
        #expect((page.verdict?.reason?.contains(line) ?? false) != isAccepted)
    }

    @Test func `a later page is known by the place of the first one's records`() async throws {
        try await LoopbackServer.serve({ request in
            .response(
                status: request.number == 0 ? 200 : 202, headers: Self.json,
                body: request.number == 0 ? #"{"data":[{"id":1}],"next":"?page=2"}"# : Self.list)
        }) { server in
            try await withFetcher(stream(at: server.url)) { fetcher in
                let next = try #require(try await fetcher.page(at: fetcher.firstPosition).next)
                let texts = try await fetcher.page(at: next).texts
                #expect(texts == [#"{"id":1}"#])
            }
        }
    }

    @Test func `a server that makes the answer is asked again as it says, and pays no retry for that`() async throws {
        let clock = ManualClock()
        try await LoopbackServer.serve({ request in
            switch request.number {
            case 0: .response(status: 202, headers: [("Retry-After", "3")])
            case 1...12: .response(status: 202)
            default: .json(Self.list)
            }
        }) { server in
            let stream = stream(at: server.url) {
                $0.retry = RetryPolicy(maxAttempts: 99, baseDelay: .seconds(1), maxDelay: .seconds(8))
                $0.limits.total = .seconds(500)
            }
            try await withFetcher(stream, clock: clock, random: 0) { fetcher in
                async let page = fetcher.page(at: fetcher.firstPosition)
                // Without Retry-After, the delays are the longest: nothing is won by less.
                for delay in [3, 2, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8] {
                    await clock.sleepers { $0.contains(.seconds(delay)) }
                    clock.advance(by: .seconds(delay))
                }
                let texts = try await page.texts
                #expect(texts == [#"{"id":1}"#])
            }
        }
    }

    @Test(arguments: [(2, 100, 2), (9, 5, 3)])
    func `an answer is waited for up to max_attempts and limits.total`(attempts: Int, seconds: Int, requests: Int)
        async throws
    {
        let clock = ManualClock()
        try await LoopbackServer.serve({ _ in .response(status: 202, headers: [("Retry-After", "2")]) }) { server in
            let stream = stream(at: server.url) {
                $0.retry = RetryPolicy(maxAttempts: attempts, baseDelay: .milliseconds(1), maxDelay: .seconds(8))
                $0.limits.total = .seconds(seconds)
            }
            try await withFetcher(stream, clock: clock) { fetcher in
                async let kind = failureKind { try await fetcher.page(at: fetcher.firstPosition) }
                for _ in 1..<requests {
                    await clock.sleepers { $0.contains(.seconds(2)) }
                    clock.advance(by: .seconds(2))
                }
                let found = await kind
                #expect(found == .status(202, retryAfter: .seconds(2)))
                #expect(server.requests.count == requests)
            }
        }
    }

    @Test(arguments: [202, 206, 404, 500])
    func `a response that the configuration accepts is a page`(status: Int) async throws {
        let page = try await firstPage({ $0.responseActions = [.init(status: status, action: .accept)] }) { _ in
            .response(status: status, headers: Self.json, body: Self.list)
        }
        #expect(page.texts == [#"{"id":1}"#])
    }

    // 206

    @Test(arguments: [
        ("items 0-0/1", true), ("0-0/1", true), ("*/1", true), ("bytes 0-0/1", false), ("Bytes 0-0/1", false),
        ("none", false),
    ])
    func `a part of a list is a page, and a part of a body is none`(range: String, isPage: Bool) async throws {
        let kind = await failureKind {
            try await firstPage { _ in
                .response(status: 206, headers: Self.json + [("Content-Range", range)], body: Self.list)
            }
        }
        #expect(kind == (isPage ? nil : .status(206, retryAfter: nil)))
    }

    @Test func `a part without Content-Range is none`() async throws {
        let kind = await failureKind {
            try await firstPage { _ in .response(status: 206, headers: Self.json, body: Self.list) }
        }
        #expect(kind == .status(206, retryAfter: nil))
    }

    // 304

    @Test(arguments: ["If-Modified-Since", "if-none-match"])
    func `304 to a condition of the configuration says that there is nothing new`(name: String) async throws {
        let page = try await firstPage({ $0.request.headers = [.init(name: name, value: .literal("x"))] }) { _ in
            .response(status: 304)
        }
        #expect(page.texts == [])
        #expect(page.next == nil)
        #expect(page.verdict == .nothingNew)
        #expect(page.verdict?.completeness == .unknown)
    }

    @Test func `a request with a condition of its own has no other one`() async throws {
        let memory = CachedPage(validator: #"ETag: "a""#, fingerprint: nil, summary: #"{"count":1,"before":0}"#)
        try await LoopbackServer.serve({ _ in .json(Self.list) }) { server in
            let stream = stream(at: server.url) {
                $0.request.headers = [.init(name: "If-Modified-Since", value: .literal("2026-01-01"))]
            }
            try await withFetcher(stream) { fetcher in
                _ = try await fetcher.page(at: fetcher.firstPosition, remembered: ParsedCachedPage(memory))
            }
            #expect(server.requests.map { $0["If-None-Match"] } == [nil])
            #expect(server.requests.map { $0["If-Modified-Since"] } == ["2026-01-01"])
        }
    }

    // 403

    /// Header fields, and the seconds to wait; nil: the account is refused.
    private static let refusals: [([(String, String)], Int?)] = [
        ([], nil), ([("X-RateLimit-Remaining", "0")], nil), ([("X-RateLimit-Reset", "5")], nil),
        ([("X-RateLimit-Remaining", "7"), ("X-RateLimit-Reset", "5")], nil),
        ([("Retry-After", "1")], 1), ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "5")], 5),
        ([("Retry-After", "2"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "5")], 2),
    ]

    @Test(arguments: refusals)
    func `403 is a limit if it says when that ends`(headers: [(String, String)], seconds: Int?) async throws {
        let error = await #expect(throws: FetchError.self) {
            try await firstPage { _ in .response(status: 403, headers: headers) }
        }
        #expect(
            error?.kind == (seconds.map { .status(403, retryAfter: .seconds($0)) } ?? .unauthorized(status: 403)))
        guard seconds != nil else { return }
        #expect(error?.failure.kind == "rate_limited")
        #expect(error?.failure.isPermanent == false)
    }

    @Test(arguments: [RequestTemplate.Method.get, .post])
    func `a limit that is told with 403 is waited for`(method: RequestTemplate.Method) async throws {
        let clock = ManualClock()
        try await LoopbackServer.serve({ request in
            request.number == 0 ? .response(status: 403, headers: [("Retry-After", "9")]) : .json(Self.list)
        }) { server in
            let stream = stream(at: server.url) {
                $0.request.method = method
                $0.retry = RetryPolicy(maxAttempts: 2, baseDelay: .seconds(1), maxDelay: .seconds(60))
            }
            try await withFetcher(stream, clock: clock) { fetcher in
                async let page = fetcher.page(at: fetcher.firstPosition)
                await clock.sleepers { $0.contains(.seconds(9)) }
                clock.advance(by: .seconds(9))
                let requests = try await page.requests
                #expect(requests == 2)
            }
        }
    }

    // Blanks

    @Test func `a field's value has no blanks around it`() {
        let headers = HeaderFields([(name: "Retry-After", value: "1 "), (name: "Link", value: "\t<a>; rel=next \t")])
        #expect(headers["retry-after"] == "1")
        #expect(headers.values(of: "Link") == ["<a>; rel=next"])
    }
}
