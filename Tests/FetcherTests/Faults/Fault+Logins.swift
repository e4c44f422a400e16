import Catalog
import JSON
import TestSupport

extension Fault {
    /// The server does not open the session that a page needs, or does not know it afterwards.
    static let logins: [Fault] = [
        login("opens a session", .page) { .json(#"{"token":"s1"}"#) },
        login("refuses a login", .error("login_refused")) {
            .response(status: 401, body: #"{"message":"bad password"}"#)
        },
        login("knows no such login", .error("login_refused")) { .response(status: 404, body: "") },
        login("answers a login without a token", .error("no_session")) { .json(#"{"user":"zoo"}"#) },
        login("answers a login with HTML", .error("no_session")) {
            .response(headers: [("Content-Type", "text/html")], body: "<html><title>Log in</title>")
        },
        login("redirects a login", .error("no_session")) {
            .response(status: 302, headers: [("Location", "/welcome")])
        },
        login("does not answer a login", .error("token_unavailable")) { .raw("") }
            .with { fault in
                let change = fault.change
                fault.change = {
                    change(&$0)
                    $0.limits.firstByte = .milliseconds(100)
                }
            },
        login("has no time for a login", .error("token_unavailable")) { .response(status: 429, body: "{}") },
        login("opens a session, and refuses it", .error("unauthorized"), page: .response(status: 401, body: "{}")) {
            .json(#"{"token":"s1"}"#)
        },
    ]

    private static func login(
        _ name: String, _ outcome: Outcome, page: LoopbackReply? = nil, answer: @escaping @Sendable () -> LoopbackReply
    ) -> Fault {
        Fault(name, outcome, retried: false) { $0.isForPage ? page : answer() }.with {
            $0.change = { stream in
                guard let place = try? Selector(parsing: "$.token") else { return }
                let login = SessionToken.Login(path: "login", body: .object([]))
                stream.request.authentication = .session(SessionToken(login: login, take: .token(place)))
            }
        }
    }
}
