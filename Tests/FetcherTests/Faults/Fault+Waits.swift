import TestSupport

extension Fault {
    /// The server wants to be left alone for a while.
    static let waits: [Fault] = retryAfter + rates

    private static let retryAfter: [Fault] = ["429 Too Many Requests", "503 Service Unavailable"].flatMap { status in
        let number = status.prefix(3)
        return [
            wait("answers \(number) with Retry-After: 0", status, "0", isRetried: true),
            wait("answers \(number) with Retry-After: -1", status, "-1", isRetried: true),
            wait("answers \(number) with Retry-After: 10¹⁸", status, "1000000000000000000", isRetried: false),
            wait(
                "answers \(number) with Retry-After in the past", status, "Sun, 06 Nov 1994 08:49:37 GMT",
                isRetried: true),
            wait(
                "answers \(number) with Retry-After in 2099", status, "Thu, 31 Dec 2099 23:59:59 GMT", isRetried: false),
            wait("answers \(number) with Retry-After of asctime", status, "Sun Nov  6 08:49:37 1994", isRetried: true),
            wait("answers \(number) with a Retry-After that is none", status, "soon", isRetried: true),
            // An hour from its own Date, which is a year behind.
            wait(
                "answers \(number) with Retry-After and a Date a year off", status, "Thu, 15 Jan 2026 09:00:00 GMT",
                date: "Thu, 15 Jan 2026 08:00:00 GMT", isRetried: false),
        ]
    }

    /// Faults in what a page says about the remaining requests, which applies to the next page.
    private static let rates: [Fault] = [
        rate(
            "says in X-RateLimit that nothing remains for a day",
            [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "86400")]),
        rate("says in RateLimit that nothing remains for a day", [("RateLimit", "\"default\";r=0;t=86400")]),
        rate(
            "says that nothing remains until an instant in a day",
            [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1800086400")]),
        rate("says that nothing remains, and not until when", [("X-RateLimit-Remaining", "0")], .page),
        rate(
            "says of its limit what makes no sense",
            [
                ("X-RateLimit-Remaining", "-1"), ("X-RateLimit-Reset", "soon"), ("RateLimit", "\"a\";r=\"0\";t"),
                ("RateLimit-Policy", ";;;"), ("X-Poll-Interval", "-60"),
            ], .page),
    ]

    private static func rate(
        _ name: String, _ fields: [(String, String)], _ outcome: Outcome = .pageThenError("rate_limited")
    ) -> Fault {
        status(name, "200 OK", outcome) { $0.fields += fields }
    }

    private static func wait(
        _ name: String, _ status: String, _ wait: String, date: String? = nil, isRetried: Bool
    ) -> Fault {
        // It is asked for again as soon as it may be, but not within this test where that is later.
        Fault(name, isRetried ? .page : .error("status"), retried: isRetried) { occasion in
            guard occasion.asked == 0 else { return nil }
            return occasion.answer.with {
                $0.status = status
                $0.fields.append(("Retry-After", wait))
                if let date { $0.fields.append(("Date", date)) }
            }.reply
        }
    }
}
