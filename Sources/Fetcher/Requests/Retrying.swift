import Catalog

/// Sends a request again while its failure may pass, as the policy allows.
struct Retrying: Layer {
    let policy: RetryPolicy
    let timing: Timing
    let report: FetchErrorReport

    func send(_ request: Request, next: Next) async throws -> Reply {
        let schedule = RetrySchedule(policy: policy)
        var requests = 0
        while true {
            requests += 1
            do {
                var reply = try await next(request)
                reply.requests = requests
                return reply
            } catch let kind as FetchError.Kind {
                try Task.checkCancellation()
                let error = report.error(kind, at: "\(request.address)", requests: requests)
                let delay = schedule.delay(after: error, random: timing.random())
                guard let delay else { throw error }
                try await timing.clock.sleep(for: delay)
            }
        }
    }
}
