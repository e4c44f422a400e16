import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

/// Pages that are asked for with what is remembered of them.
@Suite(.timeLimit(.minutes(5)))
struct ConditionalTests {
    private static let validators: [([(String, String)], (String, String)?)] = [
        ([("ETag", #""a""#)], ("If-None-Match", #""a""#)), ([("etag", #"W/"a b""#)], nil),
        ([("ETag", #"W/"é""#)], ("If-None-Match", #"W/"é""#)), ([("ETag", #""""#)], ("If-None-Match", #""""#)),
        ([("ETag", "a")], nil), ([("ETag", #"w/"a""#)], nil), ([("ETag", "\"a\u{1}\"")], nil),
        (
            [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:50:37 GMT")],
            ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")
        ),
        // It may have changed once more in that second, or nobody knows.
        ([("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:50:36 GMT")], nil),
        ([("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")], nil),
        ([("Last-Modified", "yesterday")], nil),
        ([("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("ETag", #""a""#)], ("If-None-Match", #""a""#)),
        ([], nil),
    ]

    @Test(arguments: validators)
    func `a page is asked for with its validator as it came`(headers: [(String, String)], condition: (String, String)?)
        async throws
    {
        let page = try await scriptedPage(Paginator(), body: records(2, #""next":"?page=2""#), headers: headers)
        #expect((page.memory?.validator != nil) == (condition != nil))
        guard condition != nil, let memory = page.memory else { return }
        let seen = Watched<Request?>(nil)
        let fetcher = try Self.fetcher { request in
            seen.value = request
            return Self.notModified
        }
        let again = try await fetcher.page(at: page.position, remembered: ParsedCachedPage(memory))
        #expect(again.texts == ["unchanged"])
        #expect(again.next == page.next)
        #expect(again.memory == memory)
        #expect(again.request.isNotModified)
        #expect(again.request.bytes == 0)
        let sent = seen.value?.headers.filter { $0.name.hasPrefix("If-") }.map { ($0.name, $0.value.reveal()) }
        #expect(sent?.map(\.0) == condition.map { [$0.0] })
        #expect(sent?.map(\.1) == condition.map { [$0.1] })
    }

    @Test func `a page that has changed is read as any other`() async throws {
        let memory = try await Self.remembered()
        let fetcher = try Self.fetcher { _ in scripted(records(1, #""next":null"#), headers: [("ETag", #""new""#)]) }
        let page = try await fetcher.page(at: fetcher.firstPosition, remembered: ParsedCachedPage(memory))
        #expect(page.texts == [#"{"id":0}"#])
        #expect(page.next == nil)
        #expect(page.memory?.validator?.contains("new") == true)
    }

    private static let linked = [("Link", "<?page=2>; rel=next")]

    /// The page, its head, and whether it is remembered by a validator and by its body.
    private static let followed: [(Paginator, String, [(String, String)], Bool, Bool)] = [
        (Paginator(), #"{"data":[{}],"next":null}"#, [], true, true), (Paginator(), #"{"id":1}"#, [], true, true),
        (Paginator(), "[{}]", [], false, true), (Paginator(), #"{"data":[{}]}"#, [], false, true),
        (Paginator(), #"{"data":[{}],"next":null}"#, linked, true, true), (Paginator(), "[{}]", linked, true, true),
        (Paginator(), "[{}]", [("X-Total", "1")], false, true),
        (Paginator(.singlePage), "[{}]", [("X-Total", "1")], false, true),
        (Paginator(.headerLink(.init())), "[{}]", linked + [("X-Total-Count", "2")], false, true),
        (Paginator(.singlePage), "[{}]", [("X-Next-Cursor", "7")], false, true),
        (Paginator(.singlePage), "[{}]", [("X-Truncated", "true")], false, true),
        (Paginator(.singlePage), "[{}]", [], true, true), (Paginator(.headerLink(.init())), "[{}]", [], false, true),
        (Paginator(.headerLink(.init())), "[{}]", linked, true, true),
        (Paginator(.headerCursor(.init(cursorHeader: "X-Next"))), "[{}]", [("X-Next", "7")], false, false),
        (Paginator(.jsonLink(.init(nextURLPath: "$.next"))), #"{"data":[{}]}"#, [], true, true),
    ]

    @Test(arguments: followed)
    func `a page is cached if it shows that its successor cannot change while it does not`(
        page: (Paginator, String, [(String, String)], Bool, Bool)
    ) async throws {
        let (paginator, body, headers, hasValidator, isRemembered) = page
        let read = try await scriptedPage(paginator, body: body, headers: headers + [("ETag", #""a""#)])
        #expect((read.memory != nil) == isRemembered)
        #expect((read.memory?.validator != nil) == hasValidator)
    }

    @Test func `a page from behind a redirect is not remembered`() async throws {
        let fetcher = try Self.fetcher { request in
            request.revealedURL().hasSuffix("/v1/animals")
                ? Response(
                    head: ResponseHead(status: 302, headers: ["Location": "/v2"]),
                    body: AsyncThrowingStream { $0.finish() })
                : scripted(#"{"id":1}"#, headers: [("ETag", #""a""#)])
        }
        #expect(try await fetcher.page(at: fetcher.firstPosition).memory == nil)
    }

    @Test func `a validator with a secret in it is not kept`() async throws {
        let page = try await scriptedPage(
            Paginator(.singlePage), body: "[{}]", headers: [("ETag", #""x-t0ken-of-zoo""#)]
        ) { $0.request.authentication = .bearer(token: Secret("t0ken-of-zoo")) }
        #expect(page.memory != nil)
        #expect(page.memory?.validator == nil)
    }

    @Test(arguments: ["/v2", "https://other.example/"])
    func `a validator goes to the resource that gave it, and to no other`(location: String) async throws {
        let memory = try await Self.remembered()
        let asked = Watched<[Bool]>([])
        let fetcher = try Self.fetcher { request in
            asked.change { $0.append(request.headers.contains { $0.name == "If-None-Match" }) }
            return asked.value.count == 1
                ? Response(
                    head: ResponseHead(status: 302, headers: ["Location": location]),
                    body: AsyncThrowingStream { $0.finish() }) : scripted("[{}]")
        }
        _ = try await fetcher.page(at: fetcher.firstPosition, remembered: ParsedCachedPage(memory))
        #expect(asked.value == [true, false])
    }

    @Test func `a 304 is an error unless the request had a validator`() async throws {
        let fetcher = try Self.fetcher { _ in Self.notModified }
        #expect(
            await failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
                == .status(304, retryAfter: nil))
        let unusable = [
            CachedPage(validator: "", fingerprint: "", summary: ""),
            CachedPage(validator: #"ETag: "a""#, fingerprint: nil, summary: "{}"),
            CachedPage(validator: #"ETag: "a""#, fingerprint: nil, summary: #"{"count":-1,"before":0}"#),
            CachedPage(
                validator: #"ETag: "a""#, fingerprint: nil, summary: #"{"count":1,"before":0,"next":"ftp://x/"}"#),
        ]
        for memory in unusable {
            #expect(
                await failureKind(of: {
                    try await fetcher.page(at: fetcher.firstPosition, remembered: ParsedCachedPage(memory))
                })
                    == .status(304, retryAfter: nil))
        }
    }

    @Test func `what follows a page is remembered for the same number of records before it`() async throws {
        let memory = try await Self.remembered()
        let asked = Watched<[Bool]>([])
        let fetcher = try Self.fetcher { request in
            asked.change { $0.append(request.headers.contains { $0.name == "If-None-Match" }) }
            return scripted(records(0))
        }
        for before in [0, 1] {
            let position = PagePosition(
                url: try fetcher.firstPosition.url, number: before, history: ReadHistory(records: before))
            _ = try await fetcher.page(at: position, remembered: ParsedCachedPage(memory))
        }
        #expect(asked.value == [true, false])
    }

    @Test func `the credential tag differs between credentials and does not reveal them`() throws {
        let templates: [(inout RequestTemplate) -> Void] = [
            { _ in }, { $0.authentication = .bearer(token: Secret("canary-1")) },
            { $0.authentication = .bearer(token: Secret("canary-2")) },
            { $0.authentication = .basic(username: .literal("canary-1"), password: Secret("")) },
            { $0.authentication = .apiKey(name: "k", location: .query, value: Secret("canary-1")) },
            { $0.headers = [.init(name: "X-Key", value: .secret(Secret("canary-1")))] },
            { $0.params = [.init(name: "x-key", value: .secret(Secret("canary-1")))] },
            { ($0.path, $0.urlSecrets) = ("bot***", [Secret("canary-1")]) },
            { ($0.path, $0.urlSecrets) = ("bot***", [Secret("canary-2")]) },
        ]
        let tags = try templates.map { change in
            try scriptedFetcher(Paginator(.singlePage), body: "") { change(&$0.request) }.credentialTag
        }
        #expect(Set(tags).count == tags.count)
        #expect(tags.allSatisfy { $0.count <= 4 })
    }

    private static func remembered() async throws -> CachedPage {
        let page = try await scriptedPage(
            Paginator(), body: records(2, #""next":"?page=2""#), headers: [("ETag", #""a""#)])
        return try #require(page.memory)
    }

    private static func fetcher(_ respond: @escaping @Sendable (Request) -> Response) throws -> PageFetcher {
        try PageFetcher(
            stream: stream(at: "https://zoo.example/v1/", path: "animals"),
            transport: ScriptedTransport { respond($0) }, timing: timing(clock: ManualClock()))
    }

    private static var notModified: Response {
        Response(head: ResponseHead(status: 304, headers: [:]), body: AsyncThrowingStream { $0.finish() })
    }
}
