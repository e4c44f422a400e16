import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SecretTests {
    private static let text = "s3cr+t/& ünd %41"
    private static let secret = Secret(text)

    private static let authentications: [(Authentication, String, String)] = [
        (.bearer(token: Secret("t0ken")), "Authorization", "Bearer t0ken"),
        (.basic(username: .literal("me"), password: Secret("pass:word")), "Authorization", "Basic bWU6cGFzczp3b3Jk"),
        (.apiKey(name: "X-Key", location: .header, value: Secret("k3y")), "X-Key", "k3y"),
    ]

    @Test(arguments: authentications)
    func `a request proves who sends it`(authentication: Authentication, header: String, value: String) async throws {
        try await LoopbackServer.serve({ _ in .json("[]") }) { server in
            try await withFetcher(stream(at: server.url) { $0.request.authentication = authentication }) {
                _ = try await $0.page(at: $0.firstPosition)
            }
            #expect(server.requests.map { $0[header] } == [value])
        }
    }

    @Test func `a secret parameter reaches each request and no position`() async throws {
        try await LoopbackServer.serve({ request in
            // The server repeats what it was asked, as many do.
            request.number == 0 ? .json(#"{"data":[{}],"next":"\#(request.target)&page=2"}"#) : .json(#"{"data":[{}]}"#)
        }) { server in
            let stream = stream(at: server.url, path: "a") {
                $0.request.params = [
                    .init(name: "q", value: .literal("1")), .init(name: "sig", value: .secret(Self.secret)),
                ]
                $0.request.authentication = .apiKey(name: "api_key", location: .query, value: Secret("k3y"))
            }
            let positions = try await withFetcher(stream) { fetcher in
                let first = try await fetcher.page(at: fetcher.firstPosition)
                let next = try #require(first.next)
                _ = try await fetcher.page(at: next)
                return [first.position, next]
            }
            #expect(positions.map(\.url) == ["\(server.url)/a?q=1", "\(server.url)/a?q=1&page=2"])
            let encoded = "sig=s3cr%2Bt%2F%26%20%C3%BCnd%20%2541&api_key=k3y"
            #expect(server.requests.map(\.target) == ["/a?q=1&\(encoded)", "/a?q=1&page=2&\(encoded)"])
        }
    }

    @Test func `a header that cannot be sent is an error without its value`() async throws {
        let stream = stream(at: "http://127.0.0.1:9/") {
            $0.request.headers = [.init(name: "X-Key", value: .secret(Secret("s3cr\r\nt")))]
        }
        let error = try await withFetcher(stream) { fetcher in
            await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
        }
        #expect(error.map { "\($0)".contains("s3cr") } == false)
    }

    @Test func `no secret goes to another origin`() async throws {
        try await LoopbackServer.serve({ _ in .json("[]") }) { other in
            let answer = #"{"data":[{}],"next":"\#(other.url)/a?page=2"}"#
            let kind = try await firstPageFailure({ $0.request.authentication = .bearer(token: Secret("t0ken")) }) {
                _ in .json(answer)
            }
            #expect(kind == .linkToOtherOrigin(other.url))
            let stored = PagePosition(url: "\(other.url)/a", number: 3)
            let error = try await withFetcher(stream(at: "http://127.0.0.1:9/")) { fetcher in
                await #expect(throws: FetchError.self) { try await fetcher.page(at: stored) }
            }
            #expect(error?.kind == .linkToOtherOrigin(other.url))
            #expect(other.requests.isEmpty)
        }
    }

    /// Texts about the secret "key", and what is shown of them.
    private static let words: [(String, String)] = [
        ("key", "***"), ("the KEY.", "the ***."), ("keys", "keys"), ("monkey", "monkey"), ("ükey", "ükey"),
        ("key2", "key2"),
        ("x=key&y", "x=***&y"), ("“key”", "“***”"), ("key_id", "***_id"), ("%22key%22", "%22***%22"),
        (#"\"key\""#, #"\"***\""#), (#"x\nkey"#, #"x\n***"#), (#"\u0022key"#, #"\u0022***"#), ("a k%65y b", "a *** b"),
        ("xk%65y", "x***"),
    ]

    @Test(arguments: words)
    func `a short secret is masked where it is a word of its own`(text: String, shown: String) {
        let stream = stream(at: "https://zoo.example") {
            $0.request.authentication = .apiKey(name: "X-Key", location: .header, value: Secret("key"))
        }
        #expect(Redaction(of: stream).redacted(text) == shown)
    }

    @Test func `a long secret is masked wherever it stands`() {
        let stream = stream(at: "https://zoo.example") {
            $0.request.authentication = .apiKey(name: "X-Key", location: .header, value: Secret("longer-1"))
        }
        #expect(Redaction(of: stream).redacted("xlonger-1y") == "x***y")
    }
}
