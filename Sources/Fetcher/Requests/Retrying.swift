import Catalog

/// Sends a request again while its failure may pass, as the policy allows.
struct Retrying: Layer {
    let policy: RetryPolicy
    let timing: Timing
    let traffic: SourceTraffic

    func send(_ request: Request, next: Next) async throws -> Reply {
        let schedule = RetrySchedule(policy: policy)
        var attempts = 0
        traffic.noteFirstAttempt(to: request.address.origin)
        while true {
            attempts += 1
            do {
                return try await next(request)
            } catch let kind as FetchError.Kind {
                try Task.checkCancellation()
                let delay = schedule.delay(after: kind, attempts: attempts, random: timing.random())
                guard let delay, traffic.mayRetry(request.address.origin) else { throw kind }
                try await timing.clock.sleep(for: delay)
            }
        }
    }
}
