import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import TestSupport
import Testing

/// The awaited value.
@Suite(.timeLimit(.minutes(5)))
struct DocumentFetcherTests {
    @Test func `a document comes in checked, with its head and where it came from`() async throws {
        try await LoopbackServer.serve({ request in
            request.number == 0
                ? .response(status: 302, headers: [("Location", "/v2/zoo")])
                : .json(#"{"name":"Zoo"}"#, headers: [("X-Zoo", "yes")])
        }) { server in
            try await withDocument(stream(at: server.url, path: "zoo?lang=en")) { fetcher in
                let fetched = try await fetcher.document()
                #expect(fetched.url == "\(server.url)/v2/zoo")
                #expect(fetched.head.status == 200)
                #expect(fetched.head.headers["x-zoo"] == "yes")
                #expect(fetched.request.attempts == 2)
                #expect(fetched.request.bytes == 14)
                let document = try #require(fetched.document)
                #expect(document.withRoot { CanonicalText($0) } == #"{"name":"Zoo"}"#)
            }
            #expect(server.requests.map(\.target) == ["/zoo?lang=en", "/v2/zoo"])
        }
    }

    @Test func `what the configuration ignores is no document, and no error`() async throws {
        try await LoopbackServer.serve({ _ in .status(404) }) { server in
            let stream = stream(at: server.url) { $0.responseActions = [.init(status: 404, action: .ignore)] }
            try await withDocument(stream) { fetcher in
                let fetched = try await fetcher.document()
                #expect(fetched.head.status == 404)
                #expect(fetched.document == nil)
                let delegate = RecordingDelegate()
                await fetcher.deliver(to: delegate)
                #expect(delegate.events.value == [.complete])
            }
        }
    }

    @Test func `a placeholder that nothing fills is an error, and told to the delegate too`() async throws {
        let fetcher = try DocumentFetcher(
            stream: stream(at: "http://zoo.example/", path: "{parent.id}"),
            transport: ScriptedTransport { _ in scripted("[]") }, timing: timing(clock: ManualClock()))
        let kind = await failureKind(of: { try await fetcher.document() })
        #expect(kind?.category == .misconfigured)
        let delegate = RecordingDelegate()
        await fetcher.deliver(to: delegate)
        #expect(delegate.events.value == [.failed(kind)])
    }
}

private func CanonicalText(_ node: Node) -> String {
    var text = GarnerJSON.CanonicalText()
    text.append(node)
    return String(decoding: text.bytes, as: UTF8.self)
}
