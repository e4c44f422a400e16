import GarnerCatalog
import GarnerFetcher
import GarnerModel
import TestSupport
import Testing

/// Pages whose body is the one that is remembered.
@Suite(.timeLimit(.minutes(5)))
struct FingerprintTests {
    private static let body = #"{"data":[{"id":1},{"id":2}],"next":"?page=2"}"#

    @Test func `a body with the fingerprint of the stored page counts as unchanged`() async throws {
        let first = try await Self.page(Self.body)
        #expect(first.memory?.validator == nil)
        let again = try await Self.page(Self.body, remembered: first.memory)
        #expect(again.texts == ["unchanged"])
        #expect(again.next == first.next)
        #expect(again.memory == first.memory)
        #expect(again.request.bytes == Self.body.utf8.count)
        #expect(!again.request.isNotModified)
    }

    @Test(arguments: [
        #"{"data":[{"id":1},{"id":3}],"next":"?page=2"}"#, #"{"data":[{"id":1},{"id":2}],"next":"?page=3"}"#,
        #"{"data":[{"id":1},{"id":2}],"next":"?page=2"} "#,
    ])
    func `another body is read`(body: String) async throws {
        let first = try await Self.page(Self.body)
        let again = try await Self.page(body, remembered: first.memory)
        #expect(again.texts != ["unchanged"])
        #expect(again.memory != first.memory)
    }

    @Test func `the same bytes read as JSON lines are another page`() async throws {
        let one = #"{"id":1,"next":null}"#
        let first = try await Self.page(one)
        let lines = try await Self.page(one, remembered: first.memory, type: "application/x-ndjson")
        #expect(lines.texts == [one])
    }

    @Test func `a body that came from elsewhere is read`() async throws {
        let first = try await Self.page(Self.body)
        let fetcher = try Self.fetcher { request in
            request.revealedURL().hasSuffix("/v1/animals")
                ? Response(
                    head: ResponseHead(status: 302, headers: ["Location": "/v2"]),
                    body: AsyncThrowingStream { $0.finish() }) : scripted(Self.body)
        }
        let page = try await fetcher.page(
            at: fetcher.firstPosition, remembered: first.memory.flatMap(ParsedCachedPage.init))
        #expect(page.texts != ["unchanged"])
    }

    @Test func `a validator that the server gives meanwhile is remembered`() async throws {
        let first = try await Self.page(Self.body)
        let again = try await Self.page(Self.body, remembered: first.memory, headers: [("ETag", #""a""#)])
        #expect(again.texts == ["unchanged"])
        #expect(again.memory?.validator == #"ETag: "a""#)
    }

    @Test func `what was posted has an answer that is told in the same way`() async throws {
        let first = try await Self.page(Self.body) { $0.request.method = .post }
        let again = try await Self.page(Self.body, remembered: first.memory, headers: [("ETag", #""a""#)]) {
            $0.request.method = .post
        }
        #expect(again.texts == ["unchanged"])
        #expect(again.memory?.validator == nil)
    }

    private static func page(
        _ body: String, remembered memory: CachedPage? = nil, headers: [(String, String)] = [],
        type: String = "application/json", _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) async throws -> Page {
        let fetcher = try fetcher(change) { _ in scripted(body, type: type, headers: headers) }
        return try await fetcher.page(at: fetcher.firstPosition, remembered: memory.flatMap(ParsedCachedPage.init))
    }

    private static func fetcher(
        _ change: (inout StreamConfiguration) -> Void = { _ in }, _ respond: @escaping @Sendable (Request) -> Response
    ) throws -> PageFetcher {
        var stream = stream(at: "https://zoo.example/v1/", path: "animals")
        change(&stream)
        return try PageFetcher(
            stream: stream, transport: ScriptedTransport { respond($0) }, timing: timing(clock: ManualClock()))
    }
}
