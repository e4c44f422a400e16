extension StreamKey {
    /// When a stream is fetched, how often again, and where it ends.
    static let timing: [StreamKey] = [
        StreamKey(
            Field("schedule", .mapping(ConfigurationReader.scheduleFields), "When 'garner serve' fetches."),
            toOptional: \.stream.schedule, show: { .members($0.effectiveValues) }, read: { $0.schedule($1) }),
        StreamKey(
            Field(
                "hooks", .mapping(ConfigurationReader.hookFields), "Who is told how runs end; the nearest one counts."),
            to: \.stream.hooks, show: { .members($0.effectiveValues) }, read: { $0.hooks($1) }),
        .group(
            "retry", "How failed requests are tried again.", hint: "write retry: { max_attempts: 5 }",
            [
                StreamKey(
                    Field(
                        "max_attempts", .integer(1...1000), "How often one request is sent, the first time included."),
                    to: \.stream.retry.maxAttempts, show: { .value(.integer($0)) }, read: { $1.integer(in: 1...1000) }),
                duration("base_delay", "The delay that doubles from attempt to attempt.", to: \.stream.retry.baseDelay),
                duration("max_delay", "The longest delay.", to: \.stream.retry.maxDelay),
                StreamKey(
                    Field("respect_retry_after", .flag, "Whether a response's Retry-After counts."),
                    to: \.stream.retry.respectsRetryAfter, show: { .value(.flag($0)) }, read: { $1.flag() }),
            ]),
        .group(
            "limits", "What one response may take.", hint: "write limits: { total: 5m }",
            [
                size("body", "The largest body, decompressed.", to: \.stream.limits.body),
                size("head", "The largest head.", to: \.stream.limits.head),
                duration(
                    "connect", "The longest wait for a connection.", atLeast: instant, to: \.stream.limits.connect),
                duration(
                    "first_byte", "The longest wait for a response to begin.", atLeast: instant,
                    to: \.stream.limits.firstByte),
                duration(
                    "idle", "The longest pause within a response.", atLeast: instant, to: \.stream.limits.idle),
                duration("total", "The longest time for one attempt.", atLeast: instant, to: \.stream.limits.total),
                StreamKey(
                    Field("ratio", .integer(1...Int.max), "The most bytes that one compressed byte may become."),
                    toOptional: \.stream.limits.ratio, show: { .value(.integer($0)) },
                    read: { $1.integer(in: 1...Int.max) }),
            ]),
    ]

    static func duration(
        _ name: String, _ summary: String, on levels: Set<Level> = Set(Level.allCases),
        atLeast minimum: Duration = .zero, to target: Target<Duration>
    ) -> StreamKey {
        StreamKey(
            Field(name, .duration, summary), on: levels, to: target, show: { .value(.duration($0)) },
            read: { $1.duration(atLeast: minimum) })
    }

    private static let instant = Duration.milliseconds(1)

    private static func size(
        _ name: String, _ summary: String, to target: Target<Int>
    ) -> StreamKey {
        StreamKey(
            Field(name, .size, summary), to: target, show: { .value(.size($0)) }, read: { $1.byteSize() })
    }
}
