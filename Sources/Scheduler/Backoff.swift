import Catalog

/// How long a stream that fails again and again waits beyond its regular instants.
enum Backoff {
    static let maximum = Duration.seconds(6 * 3600)
    static let maximumIntervals: Int64 = 16

    /// Full jitter (a stable hash of stream and failures) in up to interval × 2^(failures − 1), at most 16 intervals or
    /// 6 h, whichever is shorter; zero after the first failure in a row.
    static func delay(of stream: StreamName, failures: Int, interval: Duration) -> Duration {
        guard failures > 1 else { return .zero }
        let interval = max(1, interval.wholeMilliseconds)
        let factor = min(maximumIntervals, 1 << Int64(min(failures - 1, 62)))
        let (product, overflows) = interval.multipliedReportingOverflow(by: factor)
        let longest = overflows ? maximum.wholeMilliseconds : min(product, maximum.wholeMilliseconds)
        var hash = StableHash()
        hash.combine(stream.description.utf8)
        hash.combine(Int64(failures))
        return .milliseconds(Int64(hash.value % UInt64(longest + 1)))
    }
}
