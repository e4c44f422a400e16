import Catalog

/// Sends a request again while its failure may pass, as the policy allows, and beyond that while its host cannot be
/// reached, for as long as such a host is waited for.
struct Retrying: Layer {
    let policy: RetryPolicy
    var waitForConnectivity: Duration = .zero
    let timing: Timing
    let traffic: SourceTraffic

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        let schedule = RetrySchedule(policy: policy)
        var outage = Outage(limit: waitForConnectivity, clock: timing.clock)
        var attempts = 0
        traffic.noteFirstAttempt(to: request.address.origin)
        while true {
            attempts += 1
            do {
                return try await next(request)
            } catch let kind as FetchError.Kind {
                try Task.checkCancellation()
                guard request.method == .get || kind.wasNeverSent else { throw kind }
                // A host that was waited for has its attempts still before it.
                if outage.ended(with: kind) { attempts = 1 }
                let delay = schedule.delay(after: kind, attempts: attempts, random: timing.random())
                if let delay, traffic.mayRetry(request.address.origin) {
                    try await timing.clock.sleep(for: delay)
                } else if let delay = outage.delay(after: kind, schedule.ceiling(after: attempts)) {
                    try await timing.clock.sleep(for: delay)
                } else {
                    throw kind
                }
            }
        }
    }
}

extension FetchError.Kind {
    /// Whether a request that may change something can be sent again: it never was, or the configuration says so.
    fileprivate var wasNeverSent: Bool {
        if case .response(_, .retry, _) = self { true } else { isUnreachable }
    }
}
