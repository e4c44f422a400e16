import Catalog

/// When a failed request is sent again: `random(0, min(cap, base·2ⁿ))`, and not before the server allows it.
struct RetrySchedule: Sendable {
    let policy: RetryPolicy

    /// nil where nothing is to be tried again; `random` is in 0..<1.
    func delay(after error: FetchError, random: Double) -> Duration? {
        guard error.isRetryable, error.requests < policy.maxAttempts else { return nil }
        let backoff = ceiling(after: error.requests) * random
        guard policy.respectsRetryAfter, let wanted = error.retryAfter else { return backoff }
        return wanted > policy.maxDelay ? nil : max(backoff, wanted)
    }

    /// The longest delay after that many attempts.
    func ceiling(after attempts: Int) -> Duration {
        var delay = policy.baseDelay
        for _ in 1..<max(1, attempts) where delay < policy.maxDelay { delay *= 2 }
        return min(delay, policy.maxDelay)
    }
}
