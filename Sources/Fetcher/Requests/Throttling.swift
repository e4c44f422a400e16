import Catalog

/// Sends a request when its turn has come, and tells the source's gate what the server says of its limits.
struct Throttling: Layer {
    let gate: ThrottleGate
    /// Whether the server's `Retry-After` holds for all requests to the source.
    let respectsRetryAfter: Bool

    func send(_ request: Request, next: Next) async throws -> Reply {
        let ticket: ThrottleGate.Ticket
        do {
            ticket = try await gate.enter()
        } catch ThrottleError.waitTooLong(let wait) {
            throw FetchError.Kind.rateLimited(wait: wait)
        }
        do {
            let reply = try await next(request)
            await gate.leave(ticket, report: request.trace.entry.rateLimit)
            return reply
        } catch {
            let wait = respectsRetryAfter ? (error as? FetchError.Kind)?.retryAfter : nil
            await gate.leave(ticket, report: request.trace.entry.rateLimit, retryAfter: wait)
            throw error
        }
    }
}
