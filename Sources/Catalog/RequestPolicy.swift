package import GarnerJSON

/// The limits of one response, in bytes and time.
package struct Limits: Sendable, Equatable {
    /// The size of a body after decompression, in bytes.
    package var body: Int
    /// The size of a response head, in bytes.
    package var head: Int
    package var connect: Duration
    /// The time from the end of the request to the response head.
    package var firstByte: Duration
    /// The time between two chunks of a body.
    package var idle: Duration
    /// The time of one attempt, head and body.
    package var total: Duration
    /// The largest number of bytes that one compressed byte may become; nil for `standardRatio`, which applies to
    /// bodies longer than `lengthOfAnyRatio`.
    package var ratio: Int?

    package static let standardRatio = 200
    /// The length of a decompressed body, in bytes, up to which any ratio is allowed by default.
    package static let lengthOfAnyRatio = 4 << 20

    package init(
        body: Int = 64 << 20, head: Int = 64 << 10, connect: Duration = .seconds(10),
        firstByte: Duration = .seconds(30), idle: Duration = .seconds(30), total: Duration = .seconds(300),
        ratio: Int? = nil
    ) {
        self.body = body
        self.head = head
        self.connect = connect
        self.firstByte = firstByte
        self.idle = idle
        self.total = total
        self.ratio = ratio
    }
}

/// The number of requests that a source may send in a time.
package struct RateLimit: Sendable, Equatable {
    /// The number of requests, at least 1.
    package var requests: Int
    /// The time, at least a millisecond.
    package var per: Duration

    package init(requests: Int, per: Duration) {
        self.requests = requests
        self.per = per
    }
}

extension RateLimit {
    private static let example = "write rate_limit: { requests: 10, per: 1s }"

    static let keys = Keys(
        RateLimit(requests: 1, per: .seconds(1)),
        Key(
            "requests", .integer(1...Int(Int32.max)), to: \.requests, required: example,
            "The maximum number of requests in that time."),
        Key("per", .duration(), to: \.per, required: example, "The time."))

    static let format = keys.format(hint: example)
}

/// The number of attempts at a failed request, and the delays between them.
package struct RetryPolicy: Sendable, Equatable {
    /// The number of attempts, the first one included.
    package var maxAttempts: Int
    package var baseDelay: Duration
    package var maxDelay: Duration
    package var respectsRetryAfter: Bool

    package init(
        maxAttempts: Int = 5, baseDelay: Duration = .milliseconds(500), maxDelay: Duration = .seconds(300),
        respectsRetryAfter: Bool = true
    ) {
        self.maxAttempts = maxAttempts
        self.baseDelay = baseDelay
        self.maxDelay = maxDelay
        self.respectsRetryAfter = respectsRetryAfter
    }
}

/// The treatment of the responses that match, in place of the usual treatment of their status.
package struct ResponseAction: Sendable, Equatable {
    /// The status, 100...599; nil for any.
    package var status: Int?
    /// A text in the body; nil for any body.
    package var bodyContains: String?
    /// The condition on the body, which is no JSON if it is not met; nil for any body.
    package var condition: FilterExpression?
    package var action: Action

    package init(
        status: Int? = nil, bodyContains: String? = nil, when condition: FilterExpression? = nil, action: Action
    ) {
        self.status = status
        self.bodyContains = bodyContains
        self.condition = condition
        self.action = action
    }

    package enum Action: String, Sendable, CaseIterable {
        /// The response counts as an empty page, and as the last one.
        case ignore
        case retry, fail
        /// The response counts as if its status were 200.
        case accept
        /// The response says that the page before was the last one.
        case end
    }
}

extension ResponseAction {
    static let listFormat = keys.format(hint: "write { status: 404, action: ignore }").list(
        hint: "write response_actions: [ { status: 404, action: ignore } ]"
    ) { .members($0.enumerated().map { (String($0), .text($1.effectiveText)) }) }

    private static let keys = Keys(
        ResponseAction(action: .ignore),
        Key("status", .optional(.integer(100...599)), to: \.status, "The status that a response must have."),
        Key("body_contains", .optional(.name), to: \.bodyContains, "A text that its body must hold."),
        Key(
            "when",
            .optional(
                .text {
                    $0.conditionOnAnswer(
                        $1, example: "$.code == 40100",
                        otherwise: ", or body_contains with a text that the body must hold")
                }), to: \.condition,
            "A condition on their JSON, such as $.code == 40100."),
        Key(
            "action", .choice, to: \.action, required: "add 'action: ignore', 'retry', 'fail', 'accept' or 'end'",
            "ignore: as if there were no records; retry: try again; fail: end the run; accept: as if the status were 200; end: the list has ended."
        )
    ) { _, mapping, _ in
        guard ["status", "body_contains", "when"].allSatisfy({ mapping[$0] == nil }) else { return }
        mapping.issues.fail(
            at: mapping.place, "'\(mapping.name)' says not which responses",
            hint: "add 'status: 404', 'body_contains: …' or 'when: $.code == 40100'")
    }

    /// `{"status":404,"action":"ignore"}`
    var effectiveText: String {
        var members: [BodyValue.Member] = []
        if let status { members.append(.init(name: "status", value: .number(String(status)))) }
        if let bodyContains { members.append(.init(name: "body_contains", value: .text(.literal(bodyContains)))) }
        if let condition { members.append(.init(name: "when", value: .text(.literal("\(condition)")))) }
        members.append(.init(name: "action", value: .text(.literal(action.rawValue))))
        return BodyValue.object(members).description
    }
}

package enum ProxySetting: Sendable, Equatable {
    /// The proxy of the environment: `https_proxy`, `http_proxy` and `no_proxy`.
    case environment
    /// No proxy.
    case none
    /// An HTTP proxy.
    case server(address: WebAddress, username: ConfiguredText?, password: Secret?)
}

/// Sizes as people write them: `64MiB`, `10MB`, `1024` (bytes).
package enum ByteSize {
    package enum ParseError: Error, Equatable, Sendable {
        case negative
        case unknownUnit(String)
        /// Beyond 2⁶³ bytes.
        case outOfRange
        case malformed
    }

    package static func parse(_ text: String) throws(ParseError) -> Int {
        if text.hasPrefix("-") { throw .negative }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { throw .malformed }
        let name = text.dropFirst(digits.count).drop { $0 == " " }
        guard name.allSatisfy(\.isLetter) else { throw .malformed }
        guard let unit = units.first(where: { $0.name == name })?.bytes else { throw .unknownUnit(String(name)) }
        guard let number = Int(digits) else { throw .outOfRange }
        let product = number.multipliedReportingOverflow(by: unit)
        if product.overflow { throw .outOfRange }
        return product.partialValue
    }

    /// Returns the spelling with the largest unit that divides `bytes` exactly.
    package static func format(_ bytes: Int) -> String {
        let unit = units.first { $0.bytes > 1 && bytes != 0 && bytes % $0.bytes == 0 }
        guard let unit else { return String(bytes) }
        return "\(bytes / unit.bytes)\(unit.name)"
    }

    static let unitNames = units.map(\.name).filter { !$0.isEmpty }

    private static let units: [(name: String, bytes: Int)] = [
        ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20),
        ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1_000), ("KB", 1_000), ("B", 1), ("", 1),
    ]
}
