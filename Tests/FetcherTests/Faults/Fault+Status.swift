import TestSupport

extension Fault {
    /// The status is not that of a page.
    static let statuses: [Fault] = [
        // What a status without a body sends behind its head is no part of it (RFC 9112, 6.3).
        status("answers 204", "204 No Content", .error("empty_body")) { $0.body = [] },
        Fault("answers 204 with a body", .error("empty_body"), in: .all) {
            $0.answer.with { $0.status = "204 No Content" }.reply
        },
        status("answers 205 with a body", "205 Reset Content", .error("empty_body")),
        status("answers 206", "206 Partial Content", .error("status")) {
            $0.fields.append(("Content-Range", "bytes 0-9/100"))
        },
        status("answers 206 with a part of a list", "206 Partial Content", .page) {
            $0.fields.append(("Content-Range", "items 0-9/*"))
        },
        status("answers 202 without records", "202 Accepted", .error("status"), retried: true) {
            $0.body = Array("{}".utf8)
        },
        status("answers 201", "201 Created", .page),
        status("answers 299", "299 Odd", .page),
        status("answers 300", "300 Multiple Choices", .error("status")) { $0.fields.append(("Location", "/x")) },
        status("answers 304 unasked", "304 Not Modified", .error("status")) { $0.body = [] },
        Fault("answers 304 unasked, with a body", .error("status"), in: .all) {
            $0.answer.with { $0.status = "304 Not Modified" }.reply
        },
        status("answers 305", "305 Use Proxy", .error("status")) {
            $0.fields.append(("Location", "http://127.0.0.1:1/"))
        },
        status("answers 400", "400 Bad Request", .error("status")),
        status("answers 401 and asks for Basic", "401 Unauthorized", .error("unauthorized")) {
            $0.fields.append(("WWW-Authenticate", "Basic realm=\"zoo\""))
        },
        status("answers 401 and asks for Bearer", "401 Unauthorized", .error("unauthorized")) {
            $0.fields.append(("WWW-Authenticate", "Bearer error=\"invalid_token\""))
        },
        status("answers 401 and asks for Digest", "401 Unauthorized", .error("unauthorized")) {
            $0.fields.append(("WWW-Authenticate", "Digest realm=\"zoo\", qop=\"auth\", nonce=\"dcd98b7102dd\""))
        },
        status("answers 401 and asks for nothing", "401 Unauthorized", .error("unauthorized")),
        status("answers 403", "403 Forbidden", .error("unauthorized")),
        status("answers 403 with Retry-After: 0, once", "403 Forbidden", .page, retried: true, once: true) {
            $0.fields.append(("Retry-After", "0"))
        },
        status("answers 404", "404 Not Found", .error("status")),
        status("answers 407", "407 Proxy Authentication Required", .error("status")) {
            $0.fields.append(("Proxy-Authenticate", "Basic"))
        },
        status("answers 408", "408 Request Timeout", .error("status"), retried: true),
        status("answers 410", "410 Gone", .error("status")),
        status("answers 421", "421 Misdirected Request", .error("status")),
        status("answers 425", "425 Too Early", .error("status"), retried: true),
        status("answers 429", "429 Too Many Requests", .error("status"), retried: true),
        status("answers 451", "451 Unavailable For Legal Reasons", .error("status")),
        status("answers 500", "500 Internal Server Error", .error("status"), retried: true),
        status("answers 501", "501 Not Implemented", .error("status")),
        status("answers 502", "502 Bad Gateway", .error("status"), retried: true),
        status("answers 503", "503 Service Unavailable", .error("status"), retried: true),
        status("answers 504", "504 Gateway Timeout", .error("status"), retried: true),
        status("answers 509", "509 Bandwidth Limit Exceeded", .error("status")),
        status(
            "answers 509 with Retry-After: 0, once", "509 Bandwidth Limit Exceeded", .page, retried: true, once: true
        ) {
            $0.fields.append(("Retry-After", "0"))
        },
        status("answers 520", "520 Odd", .error("status"), retried: true),
        status("answers 529", "529 Odd", .error("status"), retried: true),
        status("answers 999", "999 Odd", .error("status")),
        status("answers 503 once", "503 Service Unavailable", .page, retried: true, once: true),
        Fault("answers 500 with a body for ever", .error("status"), retried: true) {
            LoopbackReply(.bytes($0.answer.with { $0.status = "500 Odd" }.head(framing: [])), .endless(spaces))
        },
    ]

    static func status(
        _ name: String, _ status: String, _ outcome: Outcome, retried: Bool = false, once: Bool = false,
        _ change: @escaping @Sendable (inout GoodAnswer) -> Void = { _ in }
    ) -> Fault {
        Fault(name, outcome, retried: retried, in: .all) { occasion in
            guard !once || occasion.asked == 0 else { return nil }
            return occasion.answer.with {
                $0.status = status
                change(&$0)
            }.reply
        }
    }
}
