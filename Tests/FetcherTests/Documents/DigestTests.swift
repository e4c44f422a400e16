import GarnerCatalog
import GarnerDigest
import TestSupport
import Testing

@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct DigestTests {
    /// The test suite of RFC 1321, A.5, and texts around the length of a block.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
        (String(repeating: "a", count: 55), "ef1772b6dff9a122358552954ad0df65"),
        (String(repeating: "a", count: 56), "3b0c8ac703f828b04c6c197006d17218"),
        (String(repeating: "a", count: 64), "014842d480b571495a4a0363793f7367"),
    ])
    func `MD5 has the digests of its RFC`(text: String, digest: String) {
        #expect(MD5.hexDigest(of: text.utf8) == digest)
    }

    /// The examples of RFC 7616, 3.9.1, and of RFC 2617, 3.5.
    private static let examples: [(challenge: String, password: String, clientNonce: String, response: String)] = [
        (
            #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
            "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "8ca523f5e9506fed4657c9700eebdbec"
        ),
        (
            #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
            "Circle of Life", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
        ),
        (
            #"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41""#,
            "Circle Of Life", "0a4f113b", "6629fae49393a05397450978507c4ef1"
        ),
    ]

    @Test(arguments: examples.indices)
    func `a challenge is answered as in the examples of the RFCs`(index: Int) throws {
        let example = Self.examples[index]
        let head = ResponseHead(status: 401, headers: ["WWW-Authenticate": example.challenge])
        let digest = try #require(AuthenticationChallenge(head, at: "").digest)
        let field = digest.authorization(
            username: "Mufasa", password: Secret(example.password), method: "GET", target: "/dir/index.html", count: 1,
            clientNonce: example.clientNonce)
        #expect(field.contains("response=\"\(example.response)\""))
        #expect(field.contains("nc=00000001") && field.contains("qop=auth") && field.contains("opaque=\""))
        #expect(field.contains("uri=\"/dir/index.html\"") && field.contains("username=\"Mufasa\""))
    }

    @Test(arguments: [
        #"Digest realm="a", nonce="b", algorithm=SHA-512-256"#, #"Digest realm="a", nonce="b", qop="auth-int""#,
        #"Digest realm="a""#, "Digest", #"Basic realm="a""#,
    ])
    func `a challenge that asks for more is not answered`(field: String) {
        let head = ResponseHead(status: 401, headers: ["WWW-Authenticate": field])
        #expect(AuthenticationChallenge(head, at: "").digest == nil)
    }

    @Test func `the better hash function is taken`() {
        let head = ResponseHead(
            status: 401,
            headers: [
                "WWW-Authenticate": #"Digest realm="a", nonce="b", algorithm=MD5"#,
                "WWW-Authenticate": #"Digest realm="a", nonce="c", algorithm=SHA-256, Digest realm="a", nonce="d""#,
            ])
        #expect(AuthenticationChallenge(head, at: "").digest?.nonce == "c")
    }

    /// A server that checks the answers, and changes its nonce after two requests.
    private static func reply(to request: LoopbackRequest, body: LoopbackReply = .json("[1]")) -> LoopbackReply {
        let nonce = "nonce\(request.number / 3)"
        let stale = request["Authorization"] == nil ? "" : ", stale=true"
        let challenge = LoopbackReply.response(
            status: 401,
            headers: [
                ("WWW-Authenticate", #"Digest realm="zoo", nonce="\#(nonce)", qop="auth", algorithm=SHA-256\#(stale)"#)
            ])
        guard let sent = request["Authorization"] else { return challenge }
        func value(_ name: String) -> String {
            sent.split { $0 == "," || $0 == " " }.first { $0.hasPrefix("\(name)=") }
                .map { $0.dropFirst(name.count + 1).filter { $0 != "\"" } } ?? ""
        }
        guard value("nonce") == nonce else { return challenge }
        let account = SHA256.hexDigest(of: "keeper:zoo:s3cret-of-the-zoo".utf8)
        let target = SHA256.hexDigest(of: "GET:\(request.target)".utf8)
        let expected = SHA256.hexDigest(
            of: "\(account):\(nonce):\(value("nc")):\(value("cnonce")):auth:\(target)".utf8)
        return value("response") == expected && value("uri") == request.target ? body : .status(403)
    }

    private static func document(
        at url: String, password: String = "s3cret-of-the-zoo", _ change: (inout DocumentRequest) -> Void = { _ in }
    ) async throws -> FetchedDocument {
        var request = DocumentRequest(url: url)
        request.credentials = .digest(username: "keeper", password: password)
        request.maximumAttempts = 1
        change(&request)
        let connections = Connections(userAgent: "garner/test")
        do {
            let document = try await DocumentFetcher(request, over: connections).document()
            try await connections.shutdown()
            return document
        } catch {
            try await connections.shutdown()
            throw error
        }
    }

    @Test func `credentials for a digest answer the challenge, also after a redirect, and never go without one`()
        async throws
    {
        try await LoopbackServer.serve({ request in
            Self.reply(
                to: request,
                body: request.target == "/a?b=%20c"
                    ? .response(status: 302, headers: [("Location", "/d")]) : .json("[1]"))
        }) { server in
            let document = try await Self.document(at: "\(server.url)/a?b=%20c")
            #expect(document.bytes == Array("[1]".utf8))
            #expect(server.requests.map { $0["Authorization"] == nil } == [true, false, false])
            // Each request with the same nonce has a number of its own.
            #expect(server.requests[1]["Authorization"]?.contains("nc=00000001") == true)
            #expect(server.requests[2]["Authorization"]?.contains("nc=00000002") == true)
            #expect(!server.requests.contains { $0["Authorization"]?.contains("s3cret") ?? false })
        }
    }

    @Test func `a nonce that is too old is replaced by the server's next one`() async throws {
        try await LoopbackServer.serve({ request in
            Self.reply(
                to: request,
                body: request.target == "/c"
                    ? .json("[1]")
                    : .response(
                        status: 302, headers: [("Location", request.target == "/a" ? "/b" : "/c")]))
        }) { server in
            let document = try await Self.document(at: "\(server.url)/a")
            #expect(document.url == "\(server.url)/c")
            #expect(server.requests.map(\.target) == ["/a", "/a", "/b", "/c", "/c"])
        }
    }

    @Test func `a wrong password is sent once, and is no endless conversation`() async throws {
        try await LoopbackServer.serve({ _ in
            .response(
                status: 401,
                headers: [("WWW-Authenticate", #"Digest realm="s3cret-of-the-zoo", nonce="a", qop="auth""#)],
                body: "s3cret-of-the-zoo is wrong")
        }) { server in
            let error = await #expect(throws: FetchError.self) { try await Self.document(at: server.url) }
            #expect(error?.kind == .unauthorized(status: 401))
            #expect(error?.message.contains("*** is wrong") == true)
            #expect(server.requests.count == 2)
        }
    }

    @Test func `a server that says stale for ever is given up`() async throws {
        try await LoopbackServer.serve({ request in
            .response(
                status: 401,
                headers: [("WWW-Authenticate", #"Digest realm="a", nonce="\#(request.number)", stale=true"#)])
        }) { server in
            await #expect(throws: FetchError.self) { try await Self.document(at: server.url) }
            #expect(server.requests.count == 4)
        }
    }
}
