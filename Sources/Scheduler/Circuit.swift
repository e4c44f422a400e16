import Catalog

/// When a stream whose source refuses it is left alone, but for a probe from time to time.
enum Circuit {
    /// So many permanent failures in a row open it; a success closes it.
    static let threshold = 5
    static let firstProbe = Duration.seconds(3600)
    static let longestProbe = Duration.seconds(24 * 3600)

    /// After 1 h, 2 h, 4 h … at most 24 h.
    static func probe(afterFailures permanentFailures: Int) -> Duration {
        let doublings = min(max(0, permanentFailures - threshold), 5)
        return min(longestProbe, firstProbe * (1 << doublings))
    }
}
