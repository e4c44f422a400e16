import GarnerCatalog
import GarnerJSON
import TestSupport

extension Fault {
    /// The server does not open the session that a page needs, or does not know it afterwards.
    static let logins: [Fault] = loginsForTokens + loginsForCookies

    private static let loginsForTokens: [Fault] = [
        login("opens a session", .page) { _ in .json(#"{"token":"s1"}"#) },
        login("refuses a login", .error("login_refused")) { _ in
            .response(status: 401, body: #"{"message":"bad password"}"#)
        },
        login("knows no such login", .error("login_refused")) { _ in .response(status: 404, body: "") },
        login("answers a login without a token", .error("no_session")) { _ in .json(#"{"user":"zoo"}"#) },
        login("gives a number where the token of a login is", .error("no_session")) { _ in .json(#"{"token":7}"#) },
        login("gives an object where the token of a login is", .error("no_session")) { _ in .json(#"{"token":{}}"#) },
        login("gives an empty token for a login", .error("no_session")) { _ in .json(#"{"token":""}"#) },
        login("gives a token with a line break for a login", .error("no_session")) { _ in
            .json(#"{"token":"s1\r\nX-Admin: 1"}"#)
        },
        login("answers a login with HTML", .error("no_session")) { _ in
            .response(headers: [("Content-Type", "text/html")], body: "<html><title>Log in</title>")
        },
        login("answers a login with an empty body", .error("no_session")) { _ in .response(status: 204) },
        login("redirects a login", .error("no_session")) { _ in
            .response(status: 302, headers: [("Location", "/welcome")])
        },
        login("redirects a login to another host", .error("no_session")) { _ in
            .response(status: 307, headers: [("Location", "http://127.0.0.1:1/login")])
        },
        login("does not answer a login", .error("token_unavailable")) { _ in .raw("") }
            .alsoLimited { $0.firstByte = .milliseconds(100) },
        login("stalls inside the answer to a login", .error("token_unavailable")) { _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{", then: .stall)
        }.alsoLimited { $0.idle = .milliseconds(150) },
        login("closes the connection of a login", .error("token_unavailable")) { _ in .raw("", then: .close) },
        login("cuts the answer to a login short", .error("token_unavailable")) { _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{", then: .close)
        },
        login("answers a login with 500", .error("token_unavailable")) { _ in .response(status: 500, body: "{}") },
        login("answers a login with 503", .error("token_unavailable"), retried: true) { _ in
            .response(status: 503, body: "{}")
        },
        login("answers a login with 503 once", .page, retried: true) {
            $0 == 1 ? .response(status: 503, body: "{}") : .json(#"{"token":"s1"}"#)
        },
        login("has no time for a login", .error("token_unavailable")) { _ in .response(status: 429, body: "{}") },
        login("sends an answer to a login without an end", .error("token_unavailable")) { _ in
            LoopbackReply(
                .bytes(LoopbackReply.head(headers: [("Content-Type", "application/json")])),
                .endless(Array(repeating: UInt8(ascii: " "), count: 16 << 10)))
        },
        login("opens a session, and refuses it", .error("unauthorized"), page: .response(status: 401, body: "{}")) {
            _ in .json(#"{"token":"s1"}"#)
        },
    ]

    private static let loginsForCookies: [Fault] = [
        cookies("opens a session with a cookie", .page, ["sid=abcdefgh; Path=/; HttpOnly"]),
        cookies("opens a session with a cookie and a redirect", .page, status: 302, ["sid=abcdefgh; Path=/"]),
        cookies("sets cookies for another domain", .page, ["sid=abcdefgh; Domain=other.example; Path=/other"]),
        cookies("sets no cookie", .error("no_session"), []),
        cookies("sets cookies without a name or a value", .error("no_session"), ["sid", "=abc", "sid="]),
        cookies("sets a cookie that is over", .error("no_session"), ["sid=abcdefgh; Max-Age=0"]),
        cookies(
            "sets a cookie that ended in 1970", .error("no_session"),
            ["sid=deleted; expires=Thu, 01-Jan-1970 00:00:01 GMT", "lang=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]),
        cookies(
            "shows the form of a login again", .error("no_session"), type: "text/html; charset=utf-8",
            ["sid=anonymous; Path=/"]),
    ]

    /// - Parameter answer: makes the reply to a login; they are counted from 1.
    private static func login(
        _ name: String, _ outcome: Outcome, retried: Bool = false, take: SessionToken.Taking? = nil,
        page: LoopbackReply? = nil, answer: @escaping @Sendable (_ number: Int) -> LoopbackReply
    ) -> Fault {
        Fault(name, outcome, retried: retried) { $0.isForPage ? page : answer($0.sessionRequests) }.with {
            $0.change = { stream in
                guard let token = try? Selector(parsing: "$.token") else { return }
                let login = SessionToken.Login(path: "login", body: .object([]))
                stream.request.authentication = .session(SessionToken(login: login, take: take ?? .token(token)))
            }
        }
    }

    private static func cookies(
        _ name: String, _ outcome: Outcome, status: Int = 200, type: String = "text/plain", _ cookies: [String]
    ) -> Fault {
        login(name, outcome, take: .cookies) { _ in
            .response(
                status: status,
                headers: [("Content-Type", type), ("Location", "/welcome")] + cookies.map { ("Set-Cookie", $0) })
        }
    }
}
