package import Catalog
import Synchronization

/// What all requests to one source share for as long as the program runs: whose turn it is, and what is left for retries.
package final class SourceTraffic: Sendable {
    let gate: ThrottleGate
    private let rateLimit: RateLimit?
    private let maximumConcurrency: Int
    private let budgets = Mutex<[Origin: RetryBudget]>([:])

    /// The limits are those of any stream of the source, which all have the same.
    package init(of stream: Stream, clock: any Clock<Duration>) {
        (rateLimit, maximumConcurrency) = (stream.rateLimit, stream.maxConcurrency)
        // Who configures a slow pace waits for it.
        let longestWait = max(stream.retry.maxDelay, stream.rateLimit?.per ?? .zero)
        gate = ThrottleGate(
            rateLimit: stream.rateLimit, maximumConcurrency: stream.maxConcurrency, maximumWait: longestWait,
            clock: clock)
    }

    /// Whether the stream's source is still limited so.
    func fits(_ stream: Stream) -> Bool {
        rateLimit == stream.rateLimit && maximumConcurrency == stream.maxConcurrency
    }

    /// A request is sent for the first time.
    func noteFirstAttempt(to origin: Origin) { budgets.withLock { $0[origin, default: RetryBudget()].deposit() } }

    /// Whether a request may be sent again; if so, the retry is paid for.
    func mayRetry(_ origin: Origin) -> Bool { budgets.withLock { $0[origin, default: RetryBudget()].withdraw() } }
}
