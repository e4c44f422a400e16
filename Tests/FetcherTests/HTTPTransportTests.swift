import GarnerCatalog
import GarnerFetcher
import GarnerModel
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPTransportTests {
    @Test func `a request tells who asks, and for what`() async throws {
        let requests = try await LoopbackServer.serve({ _ in .json("[]") }) { server in
            try await withFetcher(
                stream(at: server.url, path: "/animals?kind=big%20cat") {
                    $0.request.params = [.init(name: "q", value: .literal("ä&b"))]
                }
            ) { _ = try await $0.page(at: $0.firstPosition) }
            return server.requests
        }
        let request = try #require(requests.first)
        #expect(request.method == "GET")
        #expect(request.target == "/animals?kind=big%20cat&q=%C3%A4%26b")
        #expect(request["User-Agent"] == "garner/test")
        #expect(request["Accept-Encoding"] == "gzip, deflate")
        #expect(request["Accept"] == "application/json, */*;q=0.1")
        #expect(request["Authorization"] == nil)
    }

    @Test func `several pages at once do not disturb one another`() async throws {
        try await LoopbackServer.serve({ .json(#"[{"n":"\#($0.target)"}]"#) }) { server in
            try await withFetcher(stream(at: server.url)) { fetcher in
                let texts = try await withThrowingTaskGroup(of: (String, [String]).self) { group in
                    for number in 0..<50 {
                        let position = PagePosition(url: "\(server.url)/\(number)", number: number)
                        group.addTask { (position.url, try await fetcher.page(at: position).texts) }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                #expect(texts.count == 50)
                #expect((0..<50).allSatisfy { texts["\(server.url)/\($0)"] == [#"{"n":"/\#($0)"}"#] })
            }
        }
    }
}
