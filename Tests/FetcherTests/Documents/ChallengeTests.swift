import GarnerCatalog
import TestSupport
import Testing
@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct ChallengeTests {
    private static let token = "canary-of-the-delegate"
    private static let refusal = LoopbackReply.response(
        status: 401, headers: [("WWW-Authenticate", #"Bearer realm="zoo""#)], body: "{}")

    private static let answers: [(Credentials, String)] = [
        (.bearer("abc"), "Bearer abc"),
        (.basic(username: "keeper", password: "zoo"), "Basic a2VlcGVyOnpvbw=="),
    ]

    @Test(arguments: answers.indices)
    func `a challenge is answered, and the answer kept for the rest of the fetch`(index: Int) async throws {
        let (answer, field) = Self.answers[index]
        try await LoopbackServer.serve({ request in
            guard request["Authorization"] == field else { return Self.refusal }
            return request.target == "/a" ? .response(status: 302, headers: [("Location", "/b")]) : .json("[]")
        }) { server in
            let delegate = RecordingDelegate(answer: answer)
            try await withDocument(stream(at: server.url, path: "a")) { await $0.deliver(to: delegate) }
            #expect(server.requests.map(\.target) == ["/a", "/a", "/b"])
            #expect(delegate.events.value.first == .challenge(Self.challenge(at: "\(server.url)/a")))
            #expect(delegate.events.value.last == .complete)
            #expect(delegate.milestones.count == 4)
        }
    }

    @Test func `the second 401 is the error`() async throws {
        try await LoopbackServer.serve({ _ in Self.refusal }) { server in
            let delegate = RecordingDelegate(answer: .bearer(Self.token))
            let stream = stream(at: server.url, path: "a") {
                $0.request.authentication = .bearer(token: Secret("configured"))
                $0.retry.maxAttempts = 3
            }
            try await withDocument(stream) { await $0.deliver(to: delegate) }
            #expect(
                delegate.events.value == [
                    .challenge(Self.challenge(at: "\(server.url)/a")), .failed(.unauthorized(status: 401)),
                ])
            #expect(server.requests.map { $0["Authorization"] } == ["Bearer configured", "Bearer \(Self.token)"])
        }
    }

    @Test(arguments: [
        Credentials.bearer("a\r\nX-Zoo: b"), .basic(username: "a:b", password: "c"),
        .basic(username: "a:\u{301}", password: "c"),
    ])
    func `an answer that cannot be sent as it is ends the fetch`(answer: Credentials) async throws {
        try await LoopbackServer.serve({ _ in Self.refusal }) { server in
            let delegate = RecordingDelegate(answer: answer)
            try await withDocument(stream(at: server.url, path: "a")) { await $0.deliver(to: delegate) }
            guard case .failed(.misconfigured) = delegate.events.value.last else {
                Issue.record("\(delegate.events.value)")
                return
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `another origin is neither asked about nor told the answer`() async throws {
        try await LoopbackServer.serve({ request in
            request["Authorization"] == nil ? Self.refusal : .json("[]")
        }) { other in
            try await LoopbackServer.serve({ request in
                request["Authorization"] == nil
                    ? Self.refusal : .response(status: 302, headers: [("Location", "\(other.url)/b")])
            }) { server in
                let delegate = RecordingDelegate(answer: .bearer(Self.token))
                try await withDocument(stream(at: server.url, path: "a")) { await $0.deliver(to: delegate) }
                #expect(
                    delegate.events.value == [
                        .challenge(Self.challenge(at: "\(server.url)/a")),
                        .redirect(from: "\(server.url)/a", to: "\(other.url)/b"),
                        .failed(.unauthorized(status: 401)),
                    ])
                #expect(other.requests.map { $0["Authorization"] } == [nil])
            }
        }
    }

    @Test func `an answer is a secret from then on`() async throws {
        try await LoopbackServer.serve({ request in
            request["Authorization"] == nil
                ? Self.refusal : .response(status: 302, headers: [("Location", "ftp://zoo/\(Self.token)")])
        }) { server in
            let delegate = RecordingDelegate(answer: .bearer(Self.token))
            try await withDocument(stream(at: server.url, path: "a")) { await $0.deliver(to: delegate) }
            #expect(delegate.events.value.last == .failed(.redirect(status: 302, .notFollowable("ftp://zoo/***"))))
        }
    }

    private static let fields: [(String, [AuthenticationChallenge.Scheme])] = [
        ("Basic", [.init(name: "basic")]), (#"Basic realm="the zoo""#, [.init(name: "basic", realm: "the zoo")]),
        (#"BEARER  realm = zoo , scope="a, b""#, [.init(name: "bearer", realm: "zoo")]),
        (
            #"Newauth realm="apps", type=1, title="Log in to \"apps\"", Basic realm="simple""#,
            [.init(name: "newauth", realm: "apps"), .init(name: "basic", realm: "simple")]
        ),
        (
            #"Digest nonce="x", REALM="a\\\"b", Negotiate abc=="#,
            [.init(name: "digest", realm: #"a\"b"#), .init(name: "negotiate")]
        ),
        (#"Basic realm="open"#, [.init(name: "basic", realm: "open")]), (", ,", []), ("", []), (#"realm="x""#, []),
        ("Basic realm=", [.init(name: "basic")]),
        (
            "Basic realm=\"\u{301}, no\", Digest realm=\u{301}x",
            [.init(name: "basic", realm: "\u{301}, no"), .init(name: "digest", realm: "\u{301}x")]
        ),
    ]

    @Test(arguments: fields.indices)
    func `what a challenge asks for is read as far as it can be`(index: Int) {
        let (field, schemes) = Self.fields[index]
        let head = ResponseHead(status: 401, headers: ["WWW-Authenticate": field])
        #expect(AuthenticationChallenge(head, at: "http://zoo.example/").schemes == schemes)
    }

    private static func challenge(at url: String) -> AuthenticationChallenge {
        AuthenticationChallenge(
            ResponseHead(status: 401, headers: ["WWW-Authenticate": #"Bearer realm="zoo""#]), at: url)
    }
}
