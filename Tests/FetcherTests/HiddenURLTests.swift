import GarnerCatalog
import GarnerModel
import TestSupport
import Testing

@testable import GarnerFetcher

/// Secrets in URLs, from the position of a page to what is sent.
@Suite(.timeLimit(.minutes(5)))
struct HiddenURLTests {
    private static let token = "12345:AB/cdef"
    private static let sent = "https://zoo.example/bot12345:AB%2Fcdef/pages"

    /// A fetcher of `https://zoo.example/bot***/pages`, and the URLs that it asks for.
    private static func fetcher(
        secret: String = token, asked: Watched<[String]>, _ answer: @escaping @Sendable (String) -> Response
    ) throws -> PageFetcher {
        try PageFetcher(
            stream: stream(at: "https://zoo.example/", path: "bot***/pages") {
                $0.request.urlSecrets = [Secret(secret)]
            },
            transport: ScriptedTransport { request in
                let url = request.revealedURL()
                asked.change { $0.append(url) }
                return answer(url)
            }, timing: timing(clock: ManualClock()))
    }

    @Test(arguments: [
        ("?page=2", "\(sent)?page=2"), ("/bot12345:AB%2Fcdef/pages?page=2", "\(sent)?page=2"),
        ("https://zoo.example/bot12345%3aAB%2Fcdef/pages?page=2", "\(sent)?page=2"),
        ("/other?token=12345:AB%2Fcdef", "https://zoo.example/other?token=12345:AB%2Fcdef"),
    ])
    func `a link with the secret is stored without it, and a later run puts its own in`(
        link: String, next: String
    ) async throws {
        let asked = Watched<[String]>([])
        let fetcher = try Self.fetcher(asked: asked) { _ in scripted(#"{"data":[{"id":1}],"next":"\#(link)"}"#) }
        let page = try await fetcher.page(at: fetcher.firstPosition)
        #expect(page.position.url == "https://zoo.example/bot***/pages")
        let checkpoint = try #require(page.next?.checkpoint)
        #expect(checkpoint.contains("***") && !checkpoint.contains("cdef"))
        #expect(!page.request.url.contains("cdef"))
        let position = try #require(PagePosition(checkpoint: checkpoint))
        _ = try? await fetcher.page(at: position)
        #expect(asked.value == [Self.sent, next])

        let later = Watched<[String]>([])
        let renewed = try Self.fetcher(secret: "other-secret", asked: later) { _ in scripted(#"{"data":[]}"#) }
        _ = try? await renewed.page(at: position)
        #expect(later.value == [next.replacing("12345:AB%2Fcdef", with: "other-secret")])
    }

    @Test func `a short secret is hidden where the path has it`() async throws {
        let asked = Watched<[String]>([])
        let fetcher = try Self.fetcher(secret: "12", asked: asked) { _ in
            scripted(#"{"data":[{"id":1}],"next":"/bot12/pages?after=12"}"#)
        }
        let page = try await fetcher.page(at: fetcher.firstPosition)
        #expect(page.next?.url == "https://zoo.example/bot***/pages?after=12")
    }

    @Test func `a link to another origin gets no secret`() async throws {
        let asked = Watched<[String]>([])
        let fetcher = try Self.fetcher(asked: asked) { _ in
            scripted(#"{"data":[{"id":1}],"next":"https://other.example/bot12345:AB%2Fcdef/pages"}"#)
        }
        let kind = await failureKind { try await fetcher.page(at: fetcher.firstPosition) }
        #expect(kind != nil)
        #expect(asked.value == [Self.sent])
    }

    @Test func `a redirect and a file within the origin get the secret again`() async throws {
        let asked = Watched<[String]>([])
        let fetcher = try Self.fetcher(asked: asked) { url in
            url.hasSuffix("/pages")
                ? Response(
                    head: ResponseHead(status: 302, headers: ["Location": "\(url)/?all=1"]),
                    body: AsyncThrowingStream { $0.finish() })
                : url.hasSuffix(".txt") ? scripted("ab", type: "text/plain") : scripted("[1]")
        }
        let page = try await fetcher.page(at: fetcher.firstPosition)
        #expect(page.position.url == "https://zoo.example/bot***/pages")
        _ = try await fetcher.file(at: "/file/bot\(Self.token)/1.txt", mediaTypes: ["text/plain"])
        #expect(
            asked.value == [
                Self.sent, "\(Self.sent)/?all=1", "https://zoo.example/file/bot12345:AB%2Fcdef/1.txt",
            ])
    }
}
