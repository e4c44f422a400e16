/// How many requests a source may send in a time.
package struct RateLimit: Sendable, Equatable {
    /// At least 1.
    package var requests: Int
    /// At least a millisecond.
    package var per: Duration

    package init(requests: Int, per: Duration) {
        self.requests = requests
        self.per = per
    }
}
