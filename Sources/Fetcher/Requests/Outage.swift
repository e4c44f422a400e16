/// How long a request waits for a host that cannot be reached: from its first failure on, once for each request.
struct Outage {
    private static let shortestDelay = Duration.seconds(1)
    private static let longestDelay = Duration.seconds(30)

    private let limit: Duration
    private let clock: any Clock<Duration>
    private var stopwatch: Stopwatch?
    private var isWaitedFor = false

    init(limit: Duration, clock: any Clock<Duration>) {
        self.limit = limit
        self.clock = clock
    }

    /// Whether the host, which was waited for, can now be reached.
    mutating func ended(with kind: FetchError.Kind) -> Bool {
        if kind.isUnreachable {
            if stopwatch == nil { stopwatch = Stopwatch(clock) }
            return false
        }
        defer { isWaitedFor = false }
        return isWaitedFor
    }

    /// How long to wait until the next try, the last of which is at the limit; nil where it is over, or of another kind.
    mutating func delay(after kind: FetchError.Kind, _ wanted: Duration) -> Duration? {
        guard kind.isUnreachable, let stopwatch else { return nil }
        let remaining = limit - stopwatch.elapsed
        guard remaining > .zero else { return nil }
        isWaitedFor = true
        return min(max(wanted, Self.shortestDelay), Self.longestDelay, remaining)
    }
}
