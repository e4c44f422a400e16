/// How many retries a host is still good for: one for five first attempts, so that a host in trouble gets little more
/// than its usual load.
///
/// A share of the requests and a reserve, as in Finagle's `RetryBudget` (20 %), and a bounded count of tokens, as in
/// gRPC's retry throttling (proposal A6). Like the latter it knows no time.
struct RetryBudget: Equatable, Sendable {
    /// In fifths of a retry.
    private var balance = 10 * Self.retry

    private static let retry = 5
    private static let maximum = 100 * retry

    /// A first attempt was made.
    mutating func deposit() { balance = min(balance + 1, Self.maximum) }

    /// Whether a retry may be made; if so, it is paid for.
    mutating func withdraw() -> Bool {
        guard balance >= Self.retry else { return false }
        balance -= Self.retry
        return true
    }
}
