import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PostTests {
    private static func graph(_ query: String = "{ animals { id } }", _ variables: [BodyValue.Member] = []) -> BodyValue
    {
        .object([
            .init(name: "query", value: .text(.literal(query))), .init(name: "variables", value: .object(variables)),
        ])
    }

    private static func posting(_ body: BodyValue, _ paginator: Paginator = Paginator(.singlePage))
        -> @Sendable (inout StreamConfiguration) -> Void
    {
        { stream in
            stream.request.method = .post
            stream.request.body = body
            stream.paginator = paginator
        }
    }

    @Test func `a body is sent as JSON`() async throws {
        let body = BodyValue.object([
            .init(name: "q", value: .text(.literal("\"é\"\n"))), .init(name: "n", value: .number("1.50")),
            .init(name: "all", value: .array([.null, .flag(true), .text(.secret(Secret("s3cret-value")))])),
        ])
        try await LoopbackServer.serve({ _ in .json("[1]") }) { server in
            let page = try await withFetcher(stream(at: server.url, path: "animals", Self.posting(body))) {
                try await $0.page(at: $0.firstPosition)
            }
            let request = try #require(server.requests.first)
            #expect(request.method == "POST")
            #expect(request["Content-Type"] == "application/json")
            #expect(request.body == #"{"q":"\"é\"\n","n":1.50,"all":[null,true,"s3cret-value"]}"#)
            #expect(!page.position.checkpoint.contains("s3cret"))
            #expect(PagePosition(checkpoint: page.position.checkpoint) == page.position)
            #expect(page.memory?.validator == nil)
        }
    }

    @Test func `a GET sends its body again, and no validator, since another body may have it`() async throws {
        try await LoopbackServer.serve({ request in
            request.number == 0
                ? .response(status: 503, headers: [])
                : .response(headers: [("Content-Type", "application/json"), ("ETag", "\"1\"")], body: "[1]")
        }) { server in
            let getting = stream(at: server.url) {
                $0.retry.maxAttempts = 2
                Self.posting(.object([.init(name: "a", value: .number("1"))]))(&$0)
                $0.request.method = .get
            }
            let page = try await withFetcher(getting) { try await $0.page(at: $0.firstPosition) }
            #expect(page.memory?.validator == nil && page.memory != nil && !page.facts.mayNotComeAgain)
            #expect(server.requests.map(\.method) == ["GET", "GET"])
            #expect(server.requests.map(\.body) == [#"{"a":1}"#, #"{"a":1}"#])
        }
    }

    @Test func `a secret that comes back as a cursor goes into no position`() async throws {
        let paginator = Paginator(.cursor(.init(cursorPath: "$.page.after", cursorParam: "$.variables.after")))
        let token = BodyValue.Member(name: "token", value: .text(.secret(Secret("s3cret-value"))))
        try await LoopbackServer.serve({ _ in .json(#"{"data":[{"id":1}],"page":{"after":"s3cret-value"}}"#) }) {
            server in
            try await withFetcher(
                stream(at: server.url, path: "graphql", Self.posting(Self.graph("{ a }", [token]), paginator))
            ) { fetcher in
                let error = await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
                guard case .secretInLink(let text) = error?.kind else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(!text.contains("s3cret"))
            }
        }
    }

    @Test func `a cursor goes into the body, as the server spells it`() async throws {
        let paginator = Paginator(
            .cursor(.init(cursorPath: "$.page.after", cursorParam: "$.variables.after")))
        try await LoopbackServer.serve({ request in
            switch request.number {
            case 0: .json(#"{"data":[{"id":1}],"page":{"after":"a\"b"}}"#)
            case 1: .json(#"{"data":[{"id":2}],"page":{"after":17}}"#)
            default: .json(#"{"data":[{"id":3}],"page":{"after":null}}"#)
            }
        }) { server in
            let token = BodyValue.Member(name: "token", value: .text(.secret(Secret("s3cret-value"))))
            try await withFetcher(
                stream(at: server.url, path: "graphql", Self.posting(Self.graph("{ a }", [token]), paginator))
            ) {
                fetcher in
                var next: PagePosition? = try fetcher.firstPosition
                while let position = next {
                    // As if another run went on with it.
                    let stored = try #require(PagePosition(checkpoint: position.checkpoint))
                    next = try await fetcher.page(at: stored).next
                }
            }
            #expect(
                server.requests.map(\.body) == [
                    #"{"query":"{ a }","variables":{"token":"s3cret-value"}}"#,
                    #"{"query":"{ a }","variables":{"token":"s3cret-value","after":"a\"b"}}"#,
                    #"{"query":"{ a }","variables":{"token":"s3cret-value","after":17}}"#,
                ])
        }
    }

    @Test func `pages are counted in the body as numbers`() async throws {
        let paginator = Paginator(
            .offset(.init(offsetParam: "$.page.from", limitParam: "$.page.size", limit: 2, totalPath: "$.total")))
        try await LoopbackServer.serve({ _ in .json(#"{"data":[{"id":1},{"id":2}],"total":3}"#) }) { server in
            try await withFetcher(stream(at: server.url, Self.posting(.object([]), paginator))) { fetcher in
                let first = try await fetcher.page(at: fetcher.firstPosition)
                let next = try #require(first.next)
                #expect(first.position.key != next.key)
                #expect(first.position.url == next.url)
                _ = try? await fetcher.page(at: next)
            }
            #expect(
                server.requests.map(\.body) == [#"{"page":{"from":0,"size":2}}"#, #"{"page":{"from":2,"size":2}}"#])
        }
    }

    @Test func `a form counts pages in its fields, and keeps its secrets out of positions`() async throws {
        let form = BodyValue.object([
            .init(name: "q", value: .text(.literal("a b"))),
            .init(name: "key", value: .array([.text(.secret(Secret("s3cret-value"))), .text(.secret(Secret("t&t")))])),
        ])
        let paginator = Paginator(.cursor(.init(cursorPath: "$.after", cursorParam: "$.after")))
        try await LoopbackServer.serve({ request in
            .json(#"{"data":[{"id":1}],"after":\#(request.number == 0 ? #""x=y""# : "null")}"#)
        }) { server in
            let posting = stream(at: server.url) {
                Self.posting(form, paginator)(&$0)
                $0.request.bodyFormat = .form
            }
            try await withFetcher(posting) { fetcher in
                var next: PagePosition? = try fetcher.firstPosition
                while let position = next {
                    #expect(!position.checkpoint.contains("s3cret"))
                    next = try await fetcher.page(at: #require(PagePosition(checkpoint: position.checkpoint))).next
                }
            }
            #expect(
                server.requests.map(\.body) == [
                    "q=a+b&key=s3cret-value&key=t%26t", "q=a+b&key=s3cret-value&key=t%26t&after=x%3Dy",
                ])
        }
    }

    @Test(arguments: [[], ["text/csv"]])
    func `a raw body stays as it is on every page, and a configured media type wins`(types: [String]) async throws {
        let text = String(repeating: "all of them ", count: 50_000)
        try await LoopbackServer.serve({ request in
            .json(#"{"data":[{"id":1}],"next_cursor":\#(request.number == 0 ? #""x""# : "null")}"#)
        }) { server in
            let posting = stream(at: server.url) {
                Self.posting(.text(.literal(text)), Paginator())(&$0)
                $0.request.bodyFormat = .text
                $0.request.headers = types.map { .init(name: "content-type", value: .literal($0)) }
            }
            try await withFetcher(posting) { fetcher in
                let next = try #require(try await fetcher.page(at: fetcher.firstPosition).next)
                _ = try await fetcher.page(at: #require(PagePosition(checkpoint: next.checkpoint)))
            }
            #expect(server.requests.map(\.body) == [text, text])
            #expect(server.requests.map(\.target) == ["/", "/?cursor=x"])
            let sent = server.requests.first?.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value)
            #expect(sent == (types.isEmpty ? ["text/plain; charset=utf-8"] : types))
            #expect(server.requests.first?["Content-Length"] == "\(text.utf8.count)")
        }
    }

    @Test func `filled headers are sent with every page, and distinguish pages with the same URL`() async throws {
        try await LoopbackServer.serve({ request in
            .json(#"{"data":[{"id":\#(request.number)}],"next":\#(request.number == 0 ? #""/?page=2""# : "null")}"#)
        }) { server in
            let filled = stream(at: server.url) {
                $0.request.headers = [
                    .init(name: "X-Zoo", value: .literal("of {partition.zoo}")),
                    .init(name: "X-Since", value: .literal("{incremental.start_value}")),
                ]
            }
            try await withFetcher(filled) { fetcher in
                let berlin = try fetcher.firstPosition(filling: [.partition("zoo"): "Berlin"])
                #expect(try fetcher.firstPosition(filling: [.partition("zoo"): "Bern"]).key != berlin.key)
                let stored = try #require(PagePosition(checkpoint: berlin.checkpoint))
                #expect(stored == berlin)
                let next = try #require(try await fetcher.page(at: stored).next)
                _ = try await fetcher.page(at: #require(PagePosition(checkpoint: next.checkpoint)))
                #expect(throws: FetchError.self) {
                    try fetcher.firstPosition(filling: [.partition("zoo"): "a\r\nX: b"])
                }
            }
            #expect(server.requests.map { $0["X-Zoo"] } == ["of Berlin", "of Berlin"])
            #expect(server.requests.allSatisfy { $0["X-Since"] == nil })
        }
    }

    @Test(arguments: [
        (#"{"errors":[{"message":"no such field"}],"data":null}"#, "no such field"),
        (#"{"data":{"animals":[{"id":1}]},"errors":[{"message":"half of it"}]}"#, "half of it"),
        (#"{"errors":["plain"]}"#, "plain"), (#"{"errors":[{}]}"#, "no message"),
    ])
    func `errors of GraphQL are errors`(body: String, message: String) async {
        let kind = await failureKind(of: { try await firstPage(Self.posting(Self.graph()), from: { _ in .json(body) }) }
        )
        #expect(kind == .graphQL(message: message))
    }

    @Test(arguments: [#"{"errors":[],"data":[{"id":1}]}"#, #"{"errors":null,"data":[{"id":1}]}"#])
    func `no errors are none`(body: String) async throws {
        let page = try await firstPage(Self.posting(Self.graph()), from: { _ in .json(body) })
        #expect(page.texts == [#"{"id":1}"#])
    }

    @Test func `other APIs may have a member of that name`() async throws {
        let body = #"{"data":[{"id":1}],"errors":[{"message":"x"}]}"#
        let page = try await firstPage(from: { _ in .json(body) })
        #expect(page.texts == [#"{"id":1}"#])
        #expect(page.verdict?.kind == .missed)
    }

    @Test(
        arguments: [
            (301, .post, "GET", ""), (302, .post, "GET", ""), (303, .post, "GET", ""),
            (307, .post, "POST", #"{"a":1}"#), (308, .post, "POST", #"{"a":1}"#),
            (302, .put, "PUT", #"{"a":1}"#), (303, .put, "GET", ""), (308, .put, "PUT", #"{"a":1}"#),
            (301, .get, "GET", #"{"a":1}"#), (303, .get, "GET", ""), (307, .get, "GET", #"{"a":1}"#),
        ] as [(Int, RequestTemplate.Method, String, String)])
    func `a redirect on the spot is followed as HTTP says`(
        status: Int, used: RequestTemplate.Method, method: String, body: String
    ) async throws {
        try await LoopbackServer.serve({ request in
            request.target == "/there" ? .json("[1]") : .response(status: status, headers: [("Location", "/there")])
        }) { server in
            let body1 = BodyValue.object([.init(name: "a", value: .number("1"))])
            let sending = stream(at: server.url) {
                Self.posting(body1)(&$0)
                $0.request.method = used
            }
            _ = try await withFetcher(sending) { try await $0.page(at: $0.firstPosition) }
            #expect(server.requests.last?.method == method)
            #expect(server.requests.last?.body == body)
        }
    }

    @Test(arguments: [307, 308]) func `a body goes to no other origin`(status: Int) async throws {
        try await LoopbackServer.serve({ _ in .json("[1]") }) { other in
            let kind = try await LoopbackServer.serve({ _ in
                .response(status: status, headers: [("Location", "\(other.url)/x")])
            }) { server in
                await failureKind(of: {
                    try await withFetcher(stream(at: server.url, Self.posting(Self.graph()))) {
                        try await $0.page(at: $0.firstPosition)
                    }
                })
            }
            #expect(kind == .redirect(status: status, .carriesBody(other.url)))
            #expect(other.requests.isEmpty)
        }
    }
}
