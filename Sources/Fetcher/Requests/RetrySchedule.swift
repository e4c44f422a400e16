import Catalog

/// When a failed request is sent again: `random(0, min(cap, base·2ⁿ))`, and not before the server allows it.
struct RetrySchedule: Sendable {
    let policy: RetryPolicy

    /// nil where nothing is to be tried again; `random` is in 0..<1.
    func delay(after kind: FetchError.Kind, attempts: Int, random: Double) -> Duration? {
        guard kind.isRetryable, attempts < policy.maxAttempts else { return nil }
        let backoff = ceiling(after: attempts) * random
        guard policy.respectsRetryAfter, let wanted = kind.retryAfter else { return backoff }
        return wanted > policy.maxDelay ? nil : max(backoff, wanted)
    }

    /// The longest delay after that many attempts.
    func ceiling(after attempts: Int) -> Duration {
        var delay = policy.baseDelay
        for _ in 1..<max(1, attempts) where delay < policy.maxDelay { delay *= 2 }
        return min(delay, policy.maxDelay)
    }
}
