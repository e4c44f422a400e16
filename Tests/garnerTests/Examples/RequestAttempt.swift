import TestSupport

/// A request that is to come, and its answer.
struct RequestAttempt: Sendable {
    /// Method and URL, without a scheme; a `*` stands for any text.
    let request: String
    /// The headers that the request must have; nil: it has none of that name.
    let headers: [String: String?]
    /// A `*` stands for any text.
    let body: String
    let reply: LoopbackReply
    /// True if the request may come more than once.
    private(set) var isRepeated = false

    static func get(
        _ url: String, _ headers: [String: String?] = [:], body: String = "", gives reply: LoopbackReply
    ) -> RequestAttempt {
        RequestAttempt(request: "GET \(url)", headers: headers, body: body, reply: reply)
    }

    static func post(
        _ url: String, _ headers: [String: String?] = [:], body: String, gives reply: LoopbackReply
    ) -> RequestAttempt {
        RequestAttempt(request: "POST \(url)", headers: headers, body: body, reply: reply)
    }

    static func put(
        _ url: String, _ headers: [String: String?] = [:], body: String, gives reply: LoopbackReply
    ) -> RequestAttempt {
        RequestAttempt(request: "PUT \(url)", headers: headers, body: body, reply: reply)
    }

    func repeated() -> RequestAttempt {
        var exchange = self
        exchange.isRepeated = true
        return exchange
    }

    func isMeant(by line: String) -> Bool { Self.matches(request, line) }

    private static func matches(_ pattern: String, _ line: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count > 1, line.hasPrefix(first) else { return line == pattern }
        var rest = line.dropFirst(first.count)
        for part in parts.dropFirst() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }

    /// Returns the differences between the request and what it should be.
    func objections(to request: LoopbackRequest) -> [String] {
        let wrong = headers.filter { name, value in request[name] != value }
        let shown = wrong.map { "\($0) is '\(request[$0] ?? "")' instead of '\($1 ?? "")'" }
        return shown
            + (request.body == body || Self.matches(body, request.body)
                ? [] : ["the body is '\(request.body)' instead of '\(body)'"])
    }
}

extension LoopbackReply {
    /// A file of that type, with an `ETag`.
    static func file(_ type: String, _ text: String) -> LoopbackReply {
        .response(headers: [("Content-Type", type), ("ETag", "\"\(text)\"")], body: text)
    }
}
