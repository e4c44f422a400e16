import GarnerCatalog
import GarnerJSON
import GarnerModel
import TestSupport
import Testing
@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct ResponseActionTests {
    private static let gone = ResponseAction(status: 404, bodyContains: "on display", action: .ignore)

    /// Actions, status, body, and what becomes of the response: nil: a page.
    private static let matches: [([ResponseAction], Int, String, FetchError.Kind?)] = [
        ([.init(status: 409, action: .fail)], 409, "", .response(409, .fail, retryAfter: nil)),
        ([.init(status: 409, action: .fail)], 200, "[1]", nil),
        ([.init(status: 409, action: .fail)], 404, "", .status(404, retryAfter: nil)),
        ([.init(bodyContains: "nope", action: .fail)], 200, #"["nope"]"#, .response(200, .fail, retryAfter: nil)),
        ([.init(bodyContains: "nope", action: .fail)], 200, #"["Nope"]"#, nil),
        ([.init(bodyContains: "é", action: .fail)], 500, "<é>", .response(500, .fail, retryAfter: nil)),
        ([.init(status: 200, bodyContains: "x", action: .fail)], 500, "x", .status(500, retryAfter: nil)),
        (
            [.init(status: 400, bodyContains: "a", action: .retry), .init(status: 400, action: .fail)], 400, "b",
            .response(400, .fail, retryAfter: nil)
        ),
        (
            [.init(status: 400, bodyContains: "a", action: .retry), .init(status: 400, action: .fail)], 400, "a",
            .response(400, .retry, retryAfter: nil)
        ),
        ([.init(status: 401, action: .fail)], 401, "", .response(401, .fail, retryAfter: nil)),
        ([.init(status: 206, action: .fail)], 206, "[1]", .response(206, .fail, retryAfter: nil)),
        ([.init(bodyContains: "x", action: .fail)], 302, "x", .redirect(status: 302, .noLocation)),
        ([.init(status: 302, action: .fail)], 302, "", .response(302, .fail, retryAfter: nil)),
        ([.init(bodyContains: "", action: .fail)], 304, "", .status(304, retryAfter: nil)),
        ([.init(status: 304, action: .fail)], 304, "", .response(304, .fail, retryAfter: nil)),
    ]

    @Test(arguments: matches)
    func `the first action that matches counts`(
        actions: [ResponseAction], status: Int, body: String, failure: FetchError.Kind?
    ) async throws {
        let kind = await failureKind(of: {
            try await firstPage({ $0.responseActions = actions }) { _ in .response(status: status, body: body) }
        })
        #expect(kind == failure)
    }

    /// A condition, and a status and body that meet it or not.
    @Test(arguments: [
        ("$.code == 40100", 200, #"{"code":40100,"data":null}"#, true),
        ("@.code == 40100", 500, #"{"code":40100}"#, true),
        ("$.code == 40100", 500, #"{"code":40101}"#, false), ("$.code == 40100", 500, "code 40100", false),
        ("$.code == 40100", 500, "", false), ("!$.data", 500, "{", false), ("$[0].id == 7", 500, #"[{"id":7}]"#, true),
        ("$.code == 1", 500, #"{"code":1,"x":"\#(String(repeating: "x", count: 1 << 20))"}"#, false),
        ("$.code == 1", 500, #"{"code":1,"x":"\#(String(repeating: "x", count: 1 << 19))"}"#, true),
    ])
    func `an action may have a condition on the answer`(
        condition: String, status: Int, body: String, isMet: Bool
    ) async throws {
        let when = try FilterExpression(parsing: condition)
        let kind = await failureKind(of: {
            try await firstPage({ $0.responseActions = [.init(status: status, when: when, action: .fail)] }) { _ in
                .response(status: status, headers: [("Content-Type", "application/json")], body: body)
            }
        })
        #expect(kind == (isMet ? .response(status, .fail, retryAfter: nil) : .status(status, retryAfter: nil)))
    }

    /// What the pages say beside their records, and the judgement on a list that an action ends behind them.
    @Test(arguments: [
        ("", Verdict.Kind.complete), (#""total":2,"#, .complete), (#""total":3,"#, .missed),
    ])
    func `an action may say that the list has ended`(members: String, kind: Verdict.Kind) async throws {
        let action = ResponseAction(
            status: 400, when: try FilterExpression(parsing: "$.error == 'no page'"), action: .end)
        let pages = try await allPages(Paginator(.pageNumber(.init())), { $0.responseActions = [action] }) { request in
            request.number == 0
                ? .json(#"{\#(members)"data":[{"id":1},{"id":2}]}"#)
                : .response(status: 400, body: #"{"error":"no page"}"#)
        }
        #expect(pages.map(\.texts.count) == [2, 0])
        #expect(pages.last?.verdict?.kind == kind)
    }

    /// How pages lead on, what the first one says beside its records, the status behind it, and the judgement.
    private static let endings: [(Paginator.Kind, String, Int, Verdict.Kind)] = [
        (.pageNumber(.init()), "", 400, .complete), (.offset(.init(limit: 1)), "", 200, .complete),
        (.pageNumber(.init()), "", 500, .contradicted), (.pageNumber(.init()), "", 429, .contradicted),
        (.pageNumber(.init(hasMorePath: "$.more")), #""more":true,"#, 400, .contradicted),
        (.pageNumber(.init()), #""has_more":true,"#, 400, .contradicted),
        (.pageNumber(.init(totalPagesPath: "$.all")), #""all":2,"#, 400, .contradicted),
        (.jsonLink(.init(nextURLPath: "$.next")), #""next":"?page=2","#, 400, .contradicted),
        (.cursor(.init(cursorPath: "$.next")), #""next":"b","#, 404, .contradicted),
        (.auto, #""next":"?page=2","#, 200, .contradicted),
    ]

    @Test(arguments: endings)
    func `what announced a page contradicts an action that ends the list there, and so does a failure`(
        kind: Paginator.Kind, members: String, status: Int, verdict: Verdict.Kind
    ) async throws {
        let end = try FilterExpression(parsing: "$.error == 'x'")
        let pages = try await allPages(Paginator(kind), { $0.responseActions = [.init(when: end, action: .end)] }) {
            $0.number == 0
                ? .json(#"{\#(members)"data":[{"id":1}]}"#)
                : .response(
                    status: status, headers: [("Content-Type", "application/json")], body: #"{"error":"x"}"#)
        }
        #expect(pages.map(\.texts.count) == [1, 0])
        #expect(pages.last?.verdict?.kind == verdict)
    }

    @Test(arguments: [
        (200, Verdict.Kind.complete), (404, .complete), (410, .complete), (400, .silent),
        (429, .contradicted), (500, .contradicted),
    ])
    func `a list that ends before its first page is empty only with a status that says so`(
        status: Int, kind: Verdict.Kind
    ) async throws {
        let page = try await firstPage({ $0.responseActions = [.init(status: status, action: .end)] }) { _ in
            .response(status: status)
        }
        #expect(page.texts == [] && page.next == nil)
        #expect(page.verdict?.kind == kind)
    }

    @Test(arguments: [200, 204, 404, 410])
    func `an ignored first page that says that nothing is there is a complete read`(status: Int) async throws {
        let page = try await firstPage({ $0.responseActions = [.init(status: status, action: .ignore)] }) { _ in
            .response(
                status: status,
                headers: [("Content-Type", "text/html"), ("ETag", #""a""#), ("Link", "<?2>; rel=next")],
                body: status == 204 ? "" : "<p>Nothing")
        }
        #expect(page.texts == [])
        #expect(page.next == nil)
        #expect(page.verdict == .complete)
        #expect(page.memory == nil)
        #expect(page.request.status == status)
        #expect(page.warning?.contains("check base_url and path") == (status < 300 ? nil : true))
    }

    @Test func `an ignored first page with a text that the action asks for is not doubted`() async throws {
        let action = ResponseAction(status: 404, bodyContains: "none yet", action: .ignore)
        let page = try await firstPage({ $0.responseActions = [action] }) { _ in
            .response(status: 404, body: "none yet")
        }
        #expect(page.verdict == .complete && page.warning == nil)
    }

    @Test(arguments: [401, 403, 429, 500, 503])
    func `an ignored first page with 401, 403, 429 or 5xx leaves the read incomplete`(status: Int) async throws {
        let page = try await firstPage({ $0.responseActions = [.init(status: status, action: .ignore)] }) { _ in
            .response(status: status)
        }
        #expect(page.texts == [])
        #expect(page.next == nil)
        #expect(page.verdict?.kind == .missed)
    }

    @Test(arguments: [200, 404])
    func `an ignored later page ends the read, but not as complete`(status: Int) async throws {
        try await LoopbackServer.serve({ request in
            request.number == 0
                ? .json(#"{"data":[{}],"next":"?page=2"}"#) : .response(status: status, body: "not on display")
        }) { server in
            let stream = stream(at: server.url) {
                $0.responseActions = [.init(bodyContains: "on display", action: .ignore)]
            }
            try await withFetcher(stream) { fetcher in
                let next = try #require(try await fetcher.page(at: fetcher.firstPosition).next)
                let page = try await fetcher.page(at: next)
                #expect(page.texts == [])
                #expect(page.next == nil)
                #expect(page.verdict?.kind == .missed)
            }
        }
    }

    @Test func `a response to be tried again is so, as long as its server asks`() async throws {
        let clock = ManualClock()
        try await LoopbackServer.serve({ request in
            request.number == 0
                ? .response(status: 200, headers: [("Retry-After", "120")], body: "maintenance") : .json("[1]")
        }) { server in
            let stream = stream(at: server.url) {
                $0.retry = RetryPolicy(maxAttempts: 2, baseDelay: .seconds(1))
                $0.responseActions = [.init(status: 200, bodyContains: "maintenance", action: .retry)]
            }
            try await withFetcher(stream, clock: clock) { fetcher in
                async let page = fetcher.page(at: fetcher.firstPosition)
                await clock.sleepers { $0 == [.seconds(120)] }
                clock.advance(by: .seconds(120))
                let texts = try await page.texts
                #expect(texts == ["1"])
            }
        }
    }

    @Test func `a response to fail on is not tried again`() async throws {
        try await LoopbackServer.serve({ _ in .response(status: 503) }) { server in
            let stream = stream(at: server.url) {
                $0.retry.maxAttempts = 5
                $0.responseActions = [.init(status: 503, action: .fail)]
            }
            try await withFetcher(stream) { fetcher in
                let error = await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
                #expect(error?.request?.attempts == 1)
                #expect(error?.message.contains("response_actions says to fail") == true)
            }
        }
    }

    @Test(arguments: [nil, "gone"]) func `ignored pages share one connection`(text: String?) async throws {
        try await LoopbackServer.serve({ _ in
            .raw("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n", then: .pause(.milliseconds(20)))
                .then(.bytes(Array("gone.".utf8)))
        }) { server in
            let actions = [ResponseAction(status: 404, bodyContains: text, action: .ignore)]
            try await withFetcher(stream(at: server.url) { $0.responseActions = actions }) { fetcher in
                for _ in 1...5 { _ = try await fetcher.page(at: fetcher.firstPosition) }
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func `the text may come in pieces`() async throws {
        let page = try await firstPage({ $0.responseActions = [Self.gone] }) { _ in
            .raw("HTTP/1.1 404 Not Found\r\nContent-Length: 21\r\n\r\nno longer on d", then: .pause(.milliseconds(30)))
                .then(.bytes(Array("isplay.".utf8)))
        }
        #expect(page.texts == [])
    }

    @Test(arguments: [(0, true), (-1, true), (1, false)])
    func `body_contains searches the first 64 KiB of a body`(shift: Int, isFound: Bool) async throws {
        let text = String(repeating: " ", count: (64 << 10) - 10 + shift) + "on display"
        let kind = await failureKind(of: {
            try await firstPage({ $0.responseActions = [Self.gone] }) { _ in .response(status: 404, body: text) }
        })
        #expect(kind == (isFound ? nil : .status(404, retryAfter: nil)))
    }

    @Test func `body_contains stops reading an endless body after 64 KiB`() async throws {
        let piece = LoopbackReply.Step.bytes(
            Array("10000\r\n".utf8) + Array(repeating: 0x20, count: 65536) + Array("\r\n".utf8))
        let head = LoopbackReply.Step.bytes(
            LoopbackReply.head(status: 404, headers: [("Transfer-Encoding", "chunked")]))
        try await LoopbackServer.serve({ _ in
            LoopbackReply(steps: [head] + Array(repeating: piece, count: 10_000))
        }) { server in
            try await withFetcher(stream(at: server.url) { $0.responseActions = [Self.gone] }) { fetcher in
                let kind = await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
                #expect(kind == .status(404, retryAfter: nil))
                await server.connectionsEnded()
            }
        }
    }

    @Test func `what was looked at is read all the same`() async throws {
        let actions = [ResponseAction(bodyContains: "nope", action: .fail)]
        let long = "[" + String(repeating: "1,", count: 100_000) + "1]"
        for body in ["[1,2]", long] {
            #expect(
                try await firstPage({ $0.responseActions = actions }) { _ in .json(body) }.request.bytes
                    == body.utf8.count)
        }
        #expect(
            try await firstPage({ $0.responseActions = actions }) { _ in .chunked(["[1,", "2]"]) }.texts == ["1", "2"])
        let html = LoopbackReply.response(headers: [("Content-Type", "text/html")], body: "<p>Log in")
        #expect(
            try await firstPageFailure({ $0.responseActions = actions }) { _ in html }
                == .mediaType("text/html", excerpt: "<p>Log in"))
    }

    @Test func `a body cut short fails as it would without an action`() async throws {
        let actions = [ResponseAction(bodyContains: "nope", action: .fail)]
        let head = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n[1]"
        #expect(
            try await firstPageFailure({ $0.responseActions = actions }) { _ in
                .raw("HTTP/1.1 200 OK\r\n" + head, then: .close)
            } == .incompleteBody)
        #expect(
            try await firstPageFailure({ $0.responseActions = actions }) { _ in
                .raw("HTTP/1.1 500 Error\r\n" + head, then: .close)
            } == .status(500, retryAfter: nil))
    }
}
