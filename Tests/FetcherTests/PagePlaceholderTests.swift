import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

private func parameter(_ name: String, _ text: String) -> RequestTemplate.Parameter {
    .init(name: name, value: .literal(text))
}

private func member(_ name: String, _ text: String) -> BodyValue {
    .object([.init(name: name, value: .text(.literal(text)))])
}

/// Pages whose place in the request a placeholder names.
@Suite(.timeLimit(.minutes(5)))
struct PagePlaceholderTests {
    /// A stream's paginator and request, the answers of its pages, and the requests that ask for them.
    struct Example: Sendable, CustomTestStringConvertible {
        let kind: Paginator.Kind
        let change: @Sendable (inout RequestTemplate) -> Void
        let answers: [String]
        let sent: [String]

        var testDescription: String { sent.last ?? "" }
    }

    private static let cursors = [
        #"{"data":[{"id":1}],"next":"b/c"}"#, #"{"data":[{"id":2}],"next":17}"#, #"{"data":[{"id":3}],"next":null}"#,
    ]
    private static let counted = [
        #"{"data":[{"id":1},{"id":2}],"n":3}"#, #"{"data":[{"id":3}],"n":3}"#,
    ]

    private static let examples = [
        Example(
            kind: .offset(.init(limit: 2, totalPath: "$.n")),
            change: { $0.params = [parameter("limit", "{page.offset},2")] },
            answers: counted, sent: ["/animals?limit=0%2C2", "/animals?limit=2%2C2"]),
        Example(
            kind: .offset(.init(baseOffset: 1, limit: 2, totalPath: "$.n")),
            change: { $0.params = [parameter("limit", "{page.offset},2")] },
            answers: counted, sent: ["/animals?limit=1%2C2", "/animals?limit=3%2C2"]),
        Example(
            kind: .offset(.init(limitParam: "never", limit: 2, totalPath: "$.n")),
            change: { $0.headers = [parameter("X-Range", "items={page.offset}-")] },
            answers: counted, sent: ["/animals items=0-", "/animals items=2-"]),
        Example(
            kind: .offset(.init(limit: 2, totalPath: "$.n")),
            change: {
                ($0.method, $0.body) = (.post, member("from", "{page.offset}"))
            },
            answers: counted, sent: [#"/animals {"from":0}"#, #"/animals {"from":2}"#]),
        Example(
            kind: .pageNumber(.init(pageSizeParam: "never", pageSize: 2, totalPath: "$.n")),
            change: { $0.path = "animals/{partition.zoo}/{page.number}" },
            answers: counted, sent: ["/animals/a%2Fb/1", "/animals/a%2Fb/2"]),
        Example(
            kind: .cursor(.init(cursorPath: "$.next")),
            change: { $0.params = [parameter("after", "{page.cursor}"), parameter("zoo", "{partition.zoo}")] },
            answers: cursors,
            sent: ["/animals?zoo=a%2Fb", "/animals?after=b%2Fc&zoo=a%2Fb", "/animals?after=17&zoo=a%2Fb"]),
        Example(
            kind: .cursor(.init(cursorPath: "$.next", firstCursor: "*")),
            change: { $0.path = "animals/{page.cursor}" },
            answers: cursors, sent: ["/animals/%2A", "/animals/b%2Fc", "/animals/17"]),
        Example(
            kind: .cursor(.init(cursorPath: "$.next", cursorParam: "c", firstCursor: "*")), change: { _ in },
            answers: cursors, sent: ["/animals?c=%2A", "/animals?c=b%2Fc", "/animals?c=17"]),
        Example(
            kind: .cursor(.init(cursorPath: "$.next")),
            change: {
                ($0.method, $0.body) = (.post, member("after", "{page.cursor}"))
            },
            answers: cursors, sent: ["/animals {}", #"/animals {"after":"b/c"}"#, #"/animals {"after":17}"#]),
        Example(
            kind: .cursor(.init(cursorPath: "$.data[-1].sort")),
            change: {
                ($0.method, $0.body) = (.post, member("search_after", "{page.cursor}"))
            },
            answers: [#"{"data":[{"sort":[5,"e"]}]}"#, #"{"data":[]}"#],
            sent: ["/animals {}", #"/animals {"search_after":[5,"e"]}"#]),
        Example(
            kind: .cursor(.init(cursorPath: "$.next")),
            change: { $0.headers = [parameter("X-Range", "{page.cursor}")] },
            answers: cursors, sent: ["/animals", "/animals b/c", "/animals 17"]),
    ]

    @Test(arguments: examples)
    func `a page goes where its placeholder stands, also where a read goes on later`(example: Example) async throws {
        try await LoopbackServer.serve({ .json(example.answers[min($0.number, example.answers.count - 1)]) }) {
            server in
            let filled = stream(at: server.url, path: "animals", paginator: Paginator(example.kind)) {
                example.change(&$0.request)
            }
            try await withFetcher(filled) { fetcher in
                var next: PagePosition? = try fetcher.firstPosition(filling: [.partition("zoo"): "a/b"])
                var keys: Set<String> = []
                while let position = next {
                    #expect(keys.insert(position.key).inserted)
                    let stored = try #require(PagePosition(checkpoint: position.checkpoint))
                    #expect(stored == position)
                    next = try await fetcher.page(at: stored).next
                }
            }
            let sent = server.requests.map { request in
                [request.target, request["X-Range"] ?? request.body].filter { !$0.isEmpty }.joined(separator: " ")
            }
            #expect(sent == example.sent)
        }
    }

    @Test func `the page after a page that has not changed is known`() async throws {
        let fetcher = try scriptedFetcher(
            Paginator(.offset(.init(limit: 2))), body: records(2)
        ) { $0.request.params = [parameter("limit", "{page.offset},2")] }
        let page = try await fetcher.page(at: fetcher.firstPosition)
        let memory = try #require(page.memory.flatMap(ParsedCachedPage.init))
        guard case .page(let next) = try fetcher.plannedRequest(at: fetcher.firstPosition, remembered: memory).following
        else {
            Issue.record("the next page is not known")
            return
        }
        #expect(next.key == page.next?.key && next.filling == page.next?.filling)
    }

    @Test func `a total tells the page behind the next one`() async throws {
        let fetcher = try scriptedFetcher(
            Paginator(.offset(.init(limit: 2, totalPath: "$.n"))), body: records(2, #""n":9"#)
        ) { $0.request.params = [parameter("limit", "{page.offset},2")] }
        let first = try fetcher.firstPosition
        let second = try #require(try await fetcher.page(at: first).next)
        let third = try #require(
            fetcher.expectedPosition(after: second, behind: first, remembered: nil, ReadContext()))
        #expect(third.url.hasSuffix("limit=4%2C2"), "\(third.url)")
        #expect(PagePosition(checkpoint: third.checkpoint) == third)
    }

    @Test func `a cursor that repeats a secret goes into no header`() async throws {
        let fetcher = try scriptedFetcher(
            Paginator(.cursor(.init(cursorPath: "$.next"))), body: records(1, #""next":"s3cret-value""#)
        ) {
            $0.request.headers = [parameter("X-After", "{page.cursor}")]
            $0.request.params = [.init(name: "key", value: .secret(Secret("s3cret-value")))]
        }
        let kind = await failureKind { try await fetcher.page(at: fetcher.firstPosition) }
        guard case .secretInLink(let text)? = kind else {
            Issue.record("\(String(describing: kind))")
            return
        }
        #expect(!text.contains("s3cret"))
    }

    @Test func `an array goes into no parameter`() async throws {
        let page = try await scriptedPage(
            Paginator(.cursor(.init(cursorPath: "$.next"))), body: records(1, #""next":[1]"#)
        ) { $0.request.params = [parameter("after", "{page.cursor}")] }
        #expect(page.next == nil && page.verdict?.kind == .contradicted)
    }
}
