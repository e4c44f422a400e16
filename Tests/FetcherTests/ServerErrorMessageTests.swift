import GarnerCatalog
import TestSupport
import Testing
@testable import GarnerFetcher

/// A server's own words about a refusal are shown as it wrote them, and nothing more.
@Suite(.timeLimit(.minutes(2)))
struct ServerErrorMessageTests {
    /// A body, and what it says.
    private static let bodies: [(String, String?)] = [
        (#"{"message":"page_size must be at most 100","error":"no"}"#, "page_size must be at most 100; no"),
        (
            #"{"error":"invalid_scope","error_description":"read:all is unknown","hint":"ask for read","detail":"x"}"#,
            "invalid_scope; read:all is unknown; x"
        ),
        (#"{"title":"Bad Request","status":400,"detail":"Bad Request: limit"}"#, "Bad Request: limit"),
        (#"{"error":"invalid_cursor"}"#, "invalid_cursor"),
        (#"{"error":{"code":7,"message":"Sorry, no such index"}}"#, "Sorry, no such index"),
        (
            #"{"detail":"Authentication credentials were not provided."}"#,
            "Authentication credentials were not provided."
        ),
        (#"{"errors":[{"title":"Not here","status":"404"},{"title":"Nor there"}]}"#, "Not here"),
        (#"{"errors":["limit is too large"]}"#, "limit is too large"),
        (#"[{"errorCode":"INVALID_FIELD","message":"No such column 'x'"}]"#, "No such column 'x'"),
        (#"{"message":"","title":"Bad Request"}"#, "Bad Request"),
        (#"{"errors":{"project":["is required"]}}"#, "project: is required"),
        (
            #"{"message":"The data was invalid.","errors":{"from":["is no date"]}}"#,
            "The data was invalid.; from: is no date"
        ),
        (#"{"errors":[{"field":"per_page","message":"must be at most 50"}]}"#, "per_page: must be at most 50"),
        (
            #"{"detail":[{"loc":["query","from"],"msg":"field required","type":"value_error.missing"}]}"#,
            "query.from: field required"
        ),
        (#"{"error":{"message":"'limit' is too large","param":"limit"}}"#, "'limit' is too large"),
        (
            #"{"fault":{"faultstring":"Invalid ApiKey","detail":{"errorcode":"oauth.v2"}}}"#,
            "fault: Invalid ApiKey; errorcode: oauth.v2"
        ),
        (#"{"errors":{"access_token":["canary5e1f0c77ab12"]}}"#, nil),
        (
            "<soap:Envelope><soap:Body><soap:Fault><faultstring>No such report</faultstring></soap:Fault></soap:Body>",
            "No such report"
        ),
        ("<?xml version=\"1.0\"?><Error><Code>E1</Code><Message>Access Denied</Message></Error>", "Access Denied"),
        (#"{"code":"E17","access_token":"canary5e1f0c77ab12"}"#, "code: E17"),
        (#""no""#, "no"), ("no", "no"), ("{}", nil), ("[]", nil), ("", nil), (" \n", nil), (#"{"message":" "}"#, nil),
        ("<html><head><title>502 Bad Gateway</title></head><body><h1>x</h1>", "502 Bad Gateway"),
        ("<html><body>x</body></html>", nil),
    ]

    @Test(arguments: bodies)
    func `up to three members that say what is wrong are taken`(body: String, words: String?) {
        #expect(ServerErrorMessage(Array(body.utf8))?.text == words)
    }

    @Test(arguments: [400, 401, 403, 404, 422, 500])
    func `an error says what the server says`(status: Int) async throws {
        let error = try await failure { _ in
            .response(status: status, body: #"{"message":"page_size must be at most 100"}"#)
        }
        #expect(error.message.contains(#": "page_size must be at most 100" (http://"#), "\(error.message)")
        #expect(error.request?.words == "page_size must be at most 100")
    }

    @Test(arguments: [
        "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
        "Client sent an HTTP request to an HTTPS server.\n",
        "You're speaking plain HTTP to an SSL-enabled server port.",
    ])
    func `a plain request to a port of TLS leads to https`(body: String) async throws {
        let error = try await failure { _ in .response(status: 400, body: body) }
        #expect(error.hint.hasPrefix("write https:// in place of http:// in base_url"))
        let other = try await failure { _ in .response(status: 400, body: "send an HTTP request with a key") }
        #expect(other.hint == "check path, params and headers")
    }

    @Test(arguments: [
        ("POST, OPTIONS", "write method: POST in the stream"), ("GET", "check path and method"), ("", "check"),
    ])
    func `a method that the server takes instead is told`(allowed: String, hint: String) async throws {
        let error = try await failure { _ in .response(status: 405, headers: [("Allow", allowed)], body: "") }
        #expect(error.hint.hasPrefix(hint), "\(error.hint)")
    }

    @Test func `the scheme that the server asks for is read`() async throws {
        let error = try await failure({ $0.request.authentication = .bearer(token: Secret("canary5e1f0c77ab12")) }) {
            _ in .response(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"zoo\"")], body: "{}")
        }
        #expect(
            error.request?.schemes == ["Basic"] && error.hint.contains("auth: { type: http_basic, "), "\(error.hint)")
    }

    @Test func `a header without a scheme, and the scope that a token lacks, are told of`() async throws {
        let bare = try await failure({
            $0.request.headers = [.init(name: "Authorization", value: .secret(Secret("canary5e1f0c77ab12")))]
        }) { _ in .response(status: 401, headers: [("WWW-Authenticate", "Bearer")], body: "{}") }
        #expect(bare.hint.hasSuffix("write headers: { Authorization: \"Bearer ${API_TOKEN}\" }"), "\(bare.hint)")
        let field = #"Bearer error="insufficient_scope", scope="read:items""#
        let scope = try await failure({ $0.request.authentication = .bearer(token: Secret("canary5e1f0c77ab12")) }) {
            _ in .response(status: 403, headers: [("WWW-Authenticate", field)], body: "{}")
        }
        #expect(scope.request?.scope == "read:items" && scope.hint.contains("the scope 'read:items'"))
    }

    @Test func `a POST that a redirect makes a GET leads to the other path`() async throws {
        let error = try await failure({ $0.request.method = .post }) { request in
            request.target.hasSuffix("/")
                ? .response(status: 405, headers: [("Allow", "POST")], body: "")
                : .response(status: 301, headers: [("Location", "animals/")], body: "")
        }
        #expect(error.hint.hasSuffix("as in path: animals/"), "\(error.hint)")
    }

    @Test func `a refusal of what is no JSON leads to the key for that`() async throws {
        let error = try await failure { _ in .response(status: 400, body: #"{"message":"body is not JSON"}"#) }
        #expect(error.hint == "check path, params and headers; a body in JSON is written below 'json:', not 'body:'")
    }

    @Test func `a secret that the server repeats is not told`() async throws {
        let error = try await failure({ $0.request.authentication = .bearer(token: Secret("canary5e1f0c77ab12")) }) {
            _ in .response(status: 401, body: #"{"message":"the token canary5e1f0c77ab12 has expired"}"#)
        }
        #expect(error.message.contains("the token ") && error.message.contains(" has expired"))
        #expect(!error.message.contains("canary"))
    }

    @Test func `words are one line of at most 300 characters that a terminal shows as they are`() async throws {
        let long = String(repeating: "far too long ", count: 1_000)
        let error = try await failure { _ in
            .response(status: 400, body: #"{"message":"\u001b[31mred\nand \#(long)"}"#)
        }
        let words = try #require(error.request?.words)
        #expect(!words.contains("\u{1B}") && !words.contains("\n"))
        #expect(words.count <= ServerErrorMessage.maximumLength + 1)
    }

    /// Refusals whose body never comes, breaks off or never ends.
    private static let slow: [LoopbackReply] = [
        .raw("HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n", then: .stall),
        .raw(
            "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"mess",
            then: .reset),
        .raw("HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", then: .close),
        .raw(
            "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 900000000\r\n\r\n",
            then: .endless(Array(repeating: 120, count: 65_536))),
    ]

    @Test(arguments: slow.indices)
    func `a refusal stays one when its body never comes, breaks off or never ends`(index: Int) async throws {
        let error = try await failure { _ in Self.slow[index] }
        #expect(error.kind == .status(400, retryAfter: nil))
    }

    /// Status and header fields of a server whose rate limit is used up.
    private static let used: [(Int, [(String, String)])] = [
        (403, [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1800000600")]),
        (429, [("RateLimit-Remaining", "0"), ("RateLimit-Reset", "600"), ("Retry-After", "99999")]),
    ]

    @Test(arguments: used)
    func `a rate limit that is used up is named with its end, whatever the status`(
        status: Int, headers: [(String, String)]
    ) async throws {
        let error = try await failure { _ in .response(status: status, headers: headers, body: "{}") }
        #expect(error.isRateLimited)
        #expect(error.hint.hasPrefix("the rate limit of this API is used up for another 10m;"), "\(error.hint)")
    }

    @Test func `a 403 with requests left is about permissions`() async throws {
        let error = try await failure { _ in
            .response(status: 403, headers: [("X-RateLimit-Remaining", "12")], body: "{}")
        }
        #expect(!error.isRateLimited && !error.hint.contains("rate limit"))
    }

    private func failure(
        _ change: @escaping @Sendable (inout StreamConfiguration) -> Void = { _ in },
        from handler: @escaping LoopbackServer.Handler
    ) async throws -> FetchError {
        try #require(await #expect(throws: FetchError.self) { try await firstPage(change, from: handler) })
    }
}
