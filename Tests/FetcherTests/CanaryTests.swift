import GarnerCatalog
import GarnerFetcher
import Foundation
import TestSupport
import Testing

/// One secret in each place of a request, and a server that repeats it in each place of an answer.
@Suite(.timeLimit(.minutes(5)))
struct CanaryTests {
    /// A long secret that is written differently in URLs and in HTML.
    private static let canary = "Canary~7&Q='+x"
    private static let encoded = canary.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    /// Traces that no text may hold: the secret's beginning as it is, in Base64, and in Base64 after `zoo:`.
    private static let traces = ["canary", "Q2FuYXJ5", "OkNhbmFy"]

    enum Place: String, CaseIterable {
        case header, authorizationHeader, parameter, bearer, basic, basicUsername, keyInHeader, keyInQuery, accessToken
    }

    enum Echo: String, CaseIterable {
        case html, escapedHTML, encodedHTML, lowerCaseHTML, cutHTML, chunkedHTML, headerHTML, wrongType, wrongCharset,
            location, relativeLocation,
            statusText, json, brokenJSON, keys, arrays, otherOrigin, invalidLink, linkHeader, contentEncoding, noHTTP
    }

    @Test(arguments: Place.allCases, Echo.allCases)
    func `no error tells a secret that the server repeats`(place: Place, echo: Echo) async throws {
        try await LoopbackServer.serve({ $0.isForToken ? Self.token : Self.answer(echo, to: $0) }) { server in
            let stream = stream(at: server.url, path: "animals", paginator: Paginator()) {
                Self.put(&$0, into: place)
                $0.recordSelector = echo == .keys ? "$.data[*]" : nil
            }
            try await withFetcher(stream) { fetcher in
                let error = await #expect(throws: FetchError.self) {
                    let page = try await fetcher.page(at: fetcher.firstPosition)
                    Issue.record("no error, but \(page.texts)")
                }
                let thrown = try #require(error)
                Self.expectNoTrace(in: thrown)
                Self.expectNoTrace(in: [
                    thrown.message, thrown.description, thrown.hint, thrown.url ?? "", "\(thrown.kind)",
                ])
                Self.expectNoTrace(in: fetcher)
            }
            // Otherwise there was nothing to be repeated.
            #expect(server.requests.filter { !$0.isForToken }.allSatisfy(Self.holdsSecret))
        }
    }

    /// The next link repeats the secret in a parameter, and is followed without that parameter.
    @Test(arguments: Place.allCases, ["key", "access_token", "sig"])
    func `no position holds a secret that a next link repeats`(place: Place, name: String) async throws {
        for value in [Self.encoded, Self.encoded.replacing("%3D", with: "%3d").replacing("%2B", with: "%2b")] {
            let fetcher = try scriptedFetcher(
                Paginator(), body: records(1, #""next":"?\#(name)=\#(value)&page=2""#), grant: Self.tokenText
            ) { Self.put(&$0, into: place) }
            let page = try await fetcher.page(at: fetcher.firstPosition)
            #expect(page.next?.url == "https://zoo.example/v1/animals?page=2")
            #expect(page.next?.number == 1)
            Self.expectNoTrace(in: page.position)
            Self.expectNoTrace(in: try [page.position.checkpoint, fetcher.firstPosition.url])
        }
    }

    @Test(arguments: Place.allCases)
    func `a next link that holds a secret elsewhere is refused`(place: Place) async throws {
        for link in ["/v1/\(Self.encoded)/animals", "?page=2&q=x:\(Self.encoded)"] {
            let fetcher = try scriptedFetcher(
                Paginator(), body: records(1, #""next":"\#(link)""#), grant: Self.tokenText
            ) {
                Self.put(&$0, into: place)
            }
            let error = await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
            guard case .secretInLink = error?.kind else { Issue.record("\(String(describing: error))"); return }
            Self.expectNoTrace(in: [error?.description ?? ""])
        }
    }

    @Test(arguments: Place.allCases)
    func `no request prints its secret`(place: Place) async throws {
        let stream = stream(at: "https://zoo.example/") { Self.put(&$0, into: place) }
        let seen = Watched<[Request]>([])
        let transport = ScriptedTransport { request in
            if request.method == .post { return scripted(Self.tokenText) }
            seen.change { $0.append(request) }
            throw TransportError.other(reason: "\(request.headers.map { "\($0)" }) \(Self.canary)")
        }
        let fetcher = try PageFetcher(stream: stream, transport: transport, timing: timing())
        let error = await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
        Self.expectNoTrace(in: try #require(error))
        let request = try #require(seen.value.first)
        Self.expectNoTrace(in: request)
        Self.expectNoTrace(in: [request.description, "\(request.headers)"])
    }

    @Test func `what the configuration itself holds in the open is no secret`() async throws {
        let fetcher = try scriptedFetcher(
            Paginator(), body: records(1, #""next":"?tenant=zoological-society&page=2""#)
        ) {
            $0.request.headers = [.init(name: "X-Tenant", value: .secret(Secret("zoological-society")))]
            $0.request.params = [.init(name: "tenant", value: .literal("zoological-society"))]
        }
        let page = try await fetcher.page(at: fetcher.firstPosition)
        #expect(page.next?.url == "https://zoo.example/v1/animals?tenant=zoological-society&page=2")
    }

    @Test func `a short secret is not taken for every value that is the same`() async throws {
        let fetcher = try scriptedFetcher(Paginator(), body: records(1, #""next":"?page=100&limit=100""#)) {
            $0.request.headers = [.init(name: "X-Size", value: .secret(Secret("100")))]
        }
        #expect(
            try await fetcher.page(at: fetcher.firstPosition).next?.url
                == "https://zoo.example/v1/animals?page=100&limit=100")
    }

    private static func put(_ stream: inout StreamConfiguration, into place: Place) {
        let secret = Secret(canary)
        switch place {
        case .header: stream.request.headers = [.init(name: "X-Trace", value: .secret(secret))]
        case .authorizationHeader:
            stream.request.headers = [.init(name: "Authorization", value: .secret(Secret("Bearer \(canary)")))]
        case .parameter: stream.request.params = [.init(name: "key", value: .secret(secret))]
        case .bearer: stream.request.authentication = .bearer(token: secret)
        case .basic: stream.request.authentication = .basic(username: .literal("zoo"), password: secret)
        case .basicUsername:
            stream.request.authentication = .basic(username: .secret(secret), password: Secret("another password"))
        case .keyInHeader: stream.request.authentication = .apiKey(name: "X-Key", location: .header, value: secret)
        case .keyInQuery: stream.request.authentication = .apiKey(name: "key", location: .query, value: secret)
        case .accessToken:
            stream.request.authentication = .oauth2(.client(at: stream.request.baseURL + "/token"))
        }
    }

    private static func expectNoTrace(in value: some Any, sourceLocation: SourceLocation = #_sourceLocation) {
        var dumped = ""
        dump(value, to: &dumped)
        for text in ["\(value)", String(reflecting: value), dumped] {
            for trace in traces {
                #expect(!text.lowercased().contains(trace.lowercased()), "\(text)", sourceLocation: sourceLocation)
            }
        }
    }

    private static func holdsSecret(_ request: LoopbackRequest) -> Bool {
        let inBase64 = [Data("zoo:\(canary)".utf8), Data("\(canary):another password".utf8)].map {
            $0.base64EncodedString()
        }
        return request.target.contains("key=Canary")
            || request.headers.contains { header in ([canary] + inBase64).contains { header.value.contains($0) } }
    }

    /// The secret as an access token.
    private static let tokenText = #"{"access_token":"\#(canary)","token_type":"bearer"}"#
    private static let token = LoopbackReply.json(tokenText)

    private static func answer(_ echo: Echo, to request: LoopbackRequest) -> LoopbackReply {
        switch echo {
        case .html: html("wrong key \(canary).")
        case .escapedHTML: html(canary.replacing("&", with: "&amp;").replacing("'", with: "&#39;"))
        case .encodedHTML: html("/login?key=\(encoded)&key=\(encoded.lowercased())")
        case .lowerCaseHTML: html("wrong key \(canary.lowercased()).")
        case .cutHTML: html(String(repeating: " ", count: 4096 - 7) + canary)
        case .chunkedHTML: chunkedHTML("key: " + canary.prefix(8), canary.dropFirst(8) + " is wrong")
        case .headerHTML:
            html(([request.target] + request.headers.map { "\($0.name): \($0.value)" }).joined(separator: "\n"))
        case .wrongType: .response(headers: [("Content-Type", canary)], body: "[1]")
        case .wrongCharset: .response(headers: [("Content-Type", "application/json; charset=\(canary)")], body: "[1]")
        case .location: .response(status: 302, headers: [("Location", "https://\(canary).example/?key=\(encoded)")])
        case .relativeLocation: .response(status: 302, headers: [("Location", "/login?key=\(encoded)")])
        case .statusText: .raw("HTTP/1.1 500 \(canary)\r\nContent-Length: 0\r\n\r\n")
        case .json: .json(#""\#(canary)""#)
        case .brokenJSON: .json(#"{"\#(canary)":"\#(canary)",\#(canary)}"#)
        case .keys: .json(#"{"\#(canary)":1,"x\#(canary)":2}"#)
        case .arrays: .json(#"{"\#(canary)":[{}],"x\#(canary)":[{}]}"#)
        case .otherOrigin: .json(#"{"data":[{}],"next":"https://\#(canary).example/?key=\#(encoded)"}"#)
        case .invalidLink: .json(#"{"data":[{}],"links":{"next":"mailto:\#(canary)"}}"#)
        case .linkHeader: .json("[{}]", headers: [("Link", "<ftp://\(encoded)/\(canary)>; rel=next")])
        case .contentEncoding:
            .response(headers: [("Content-Type", "application/json"), ("Content-Encoding", canary)], body: "[1]")
        case .noHTTP: .raw("\(canary)\r\n\r\n", then: .close)
        }
    }

    private static func html(_ text: String) -> LoopbackReply {
        .response(headers: [("Content-Type", "text/html")], body: "<p>\(text)</p>")
    }

    /// The reader sees the first part before there is a second one.
    private static func chunkedHTML(_ first: String, _ second: String) -> LoopbackReply {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunks = [first, second].map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }
        return LoopbackReply(
            .bytes(Array((head + chunks[0]).utf8)), .pause(.milliseconds(50)),
            .bytes(Array((chunks[1] + "0\r\n\r\n").utf8)))
    }
}

extension LoopbackRequest {
    /// True if the request is for an access token and not for a page.
    fileprivate var isForToken: Bool { method == "POST" }
}
