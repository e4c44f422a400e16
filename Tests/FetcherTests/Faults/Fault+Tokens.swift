import GarnerCatalog
import GarnerJSON
import TestSupport

extension Fault {
    /// The endpoint does not give the access token that a page needs, or the server does not know it afterwards.
    static let tokens: [Fault] = [
        token("gives a token", .page) { _ in .json(granted) },
        token("refuses the client", .error("token_refused")) { _ in
            .response(status: 401, body: #"{"error":"invalid_client","error_description":"no such client"}"#)
        },
        token("refuses a token without a reason", .error("token_refused")) { _ in .response(status: 400, body: "no") },
        token("says in a good answer that it gives no token", .error("token_refused")) { _ in
            .json(#"{"error":"invalid_scope"}"#)
        },
        token("answers a request for a token with HTML", .error("no_token")) { _ in
            .response(headers: [("Content-Type", "text/html")], body: "<html><title>Log in</title>")
        },
        token("answers a request for a token with an empty body", .error("no_token")) { _ in .json("") },
        token("answers a request for a token without one", .error("no_token")) { _ in .json(#"{"user":"zoo"}"#) },
        token("gives a token that is a number", .error("no_token")) { _ in .json(#"{"access_token":7}"#) },
        token("gives an empty token", .error("no_token")) { _ in .json(#"{"access_token":""}"#) },
        token("gives a token with a line break", .error("no_token")) { _ in .json(#"{"access_token":"t\nX-Admin: 1"}"#)
        },
        token("gives a token of another type", .error("token_type")) { _ in
            .json(#"{"access_token":"t0ken","token_type":"mac"}"#)
        },
        token("has nothing at token_path", .error("no_token"), at: "$.data.token") { _ in .json(granted) },
        token("has an object at token_path", .error("no_token"), at: "$.data") { _ in
            .json(#"{"data":{"token":"t0ken"}}"#)
        },
        token("has the token at token_path", .page, at: "$.data.token") { _ in .json(#"{"data":{"token":"t0ken"}}"#) },
        token("gives a token for less than no time", .page) { _ in lasting("-3600") },
        token("gives a token for no time", .page) { _ in lasting("0") },
        token("gives a token for longer than there is time", .page) { _ in lasting("1e300") },
        token("gives a token for more seconds than 64 bits count", .page) { _ in lasting("99999999999999999999") },
        token("gives a token for a time that is no number", .page) { _ in lasting("\"soon\"") },
        token("has nothing at expires_path", .page, lifetimeAt: "$.data.seconds") { _ in .json(granted) },
        token("redirects a request for a token", .error("token_redirect")) { _ in
            .response(status: 307, headers: [("Location", "http://127.0.0.1:1/token")])
        },
        token("does not answer a request for a token", .error("token_unavailable"), retried: true) { _ in .raw("") }
            .alsoLimited { $0.firstByte = .milliseconds(100) },
        token("stalls inside a token", .error("token_unavailable"), retried: true) { _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 80\r\n\r\n{", then: .stall)
        }.alsoLimited { $0.idle = .milliseconds(150) },
        token("closes the connection of a request for a token", .error("token_unavailable"), retried: true) { _ in
            .raw("", then: .close)
        },
        token("cuts a token short", .error("token_unavailable"), retried: true) { _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 80\r\n\r\n{", then: .close)
        },
        token("sends a token without an end", .error("token_unavailable")) { _ in
            LoopbackReply(
                .bytes(LoopbackReply.head(headers: [("Content-Type", "application/json")])),
                .endless(Array(repeating: UInt8(ascii: " "), count: 16 << 10)))
        },
        token("answers a request for a token with 500", .error("token_unavailable"), retried: true) { _ in
            .response(status: 500, body: "{}")
        },
        token("answers a request for a token with 503 once", .page, retried: true) {
            $0 == 1 ? .response(status: 503, body: "{}") : .json(granted)
        },
        token("gives a token, and refuses it", .error("unauthorized"), retried: true, page: .status(401)) {
            .json(#"{"access_token":"t\#($0)"}"#)
        },
    ]

    private static let granted = #"{"access_token":"t0ken","token_type":"Bearer","expires_in":3600}"#

    private static func lasting(_ seconds: String) -> LoopbackReply {
        .json(#"{"access_token":"t0ken","expires_in":\#(seconds)}"#)
    }

    /// - Parameters:
    ///   - path: the JSONPath of the token; nil for the usual member.
    ///   - lifetime: the JSONPath of its lifetime; nil for the usual member.
    ///   - answer: makes the reply to a request for a token; they are counted from 1.
    private static func token(
        _ name: String, _ outcome: Outcome, retried: Bool = false, at path: String? = nil,
        lifetimeAt lifetime: String? = nil, page: LoopbackReply? = nil,
        answer: @escaping @Sendable (_ number: Int) -> LoopbackReply
    ) -> Fault {
        Fault(name, outcome, retried: retried) { $0.isForPage ? page : answer($0.sessionRequests) }.with {
            $0.change = { stream in
                stream.request.authentication = .oauth2(
                    .client(at: stream.request.baseURL + "token") {
                        $0.tokenPath = path.flatMap { try? Selector(parsing: $0) }
                        $0.expiresPath = lifetime.flatMap { try? Selector(parsing: $0) }
                    })
            }
        }
    }
}
