import GarnerCatalog
import GarnerModel
import TestSupport
import Testing

@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct RequestBodyTests {
    @Test(arguments: ["a=b&c=%20", "", "{\"näme\":\"\u{1F40E}\"}", String(repeating: "long ", count: 100_000)])
    func `a request carries its body`(text: String) async throws {
        let body = RequestBody(mediaType: "application/x-test", content: Secret(text))
        let request = try #require(try await sent(.post, body))
        #expect(request.method == "POST")
        #expect(request.body == text)
        #expect(
            request.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value) == ["application/x-test"])
        #expect(request["Content-Length"] == "\(text.utf8.count)")
    }

    @Test func `without a body there is no content`() async throws {
        let request = try #require(try await sent(.get, nil))
        #expect(request.method == "GET")
        #expect(request["Content-Type"] == nil && request["Content-Length"] == nil && request.body.isEmpty)
    }

    @Test func `a configured media type wins`() async throws {
        let body = RequestBody(mediaType: "application/json", content: Secret("{}"))
        let headers = [RequestTemplate.Parameter(name: "content-type", value: .literal("application/zoo+json"))]
        let request = try #require(try await sent(.post, body, headers: headers))
        #expect(
            request.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value) == ["application/zoo+json"])
    }

    @Test func `a request's description hides its body`() throws {
        let body = RequestBody(mediaType: "text/plain", content: Secret("c4nary"))
        let request = try Self.request(to: "https://zoo.example/a", .post, body)
        var dumped = ""
        dump(request, to: &dumped)
        for text in [dumped, "\(request)", String(reflecting: request), "\(body)", String(reflecting: body)] {
            #expect(!text.contains("c4nary"))
        }
        #expect("\(request)" == "POST https://zoo.example/a")
    }

    /// The request as the server saw it.
    private func sent(
        _ method: RequestTemplate.Method, _ body: RequestBody?, headers: [RequestTemplate.Parameter] = []
    ) async throws -> LoopbackRequest? {
        try await LoopbackServer.serve({ _ in .json("[]") }) { server in
            let transports = Transports(userAgent: "garner/test")
            do {
                let transport = try transports.transport(for: stream(at: server.url))
                let request = try Self.request(to: server.url, method, body, headers: headers)
                for try await _ in try await transport.send(request).body {}
            } catch {
                try await transports.shutdown()
                throw error
            }
            try await transports.shutdown()
            return server.requests.first
        }
    }

    private static func request(
        to url: String, _ method: RequestTemplate.Method, _ body: RequestBody?,
        headers: [RequestTemplate.Parameter] = []
    ) throws -> Request {
        let sentAt = Timestamp(millisecondsSince1970: 0)
        var request = Request(
            address: try #require(WebAddress(url)), headers: headers,
            trace: RequestTrace(RequestEntry(sentAt: sentAt, url: url)))
        request.method = method
        request.body = body
        request.range = .any
        return request
    }
}
