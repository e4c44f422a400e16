/// How often and how long a failed request is tried again.
package struct RetryPolicy: Sendable, Equatable {
    /// The first attempt included.
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
