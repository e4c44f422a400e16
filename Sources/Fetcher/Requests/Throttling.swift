import Catalog

/// Sends a request when its turn has come, and tells the source's gate what the server says of its limits.
struct Throttling: Layer {
    let gate: ThrottleGate
    /// Whether the server's `Retry-After` holds for all requests to the source.
    let respectsRetryAfter: Bool
    /// What another server behind a redirect says does not hold for the source.
    let boundary: SecretBoundary

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        let ticket: ThrottleGate.Ticket
        do {
            ticket = try await gate.enter()
        } catch ThrottleError.waitTooLong(let wait) {
            throw FetchError.Kind.rateLimited(wait: wait)
        }
        let isOwn = boundary.isInside(request.address)
        do {
            let reply = try await next(request)
            await gate.leave(ticket, report: isOwn ? request.trace.entry.rateLimit : nil)
            return reply
        } catch {
            let wait = respectsRetryAfter && isOwn ? (error as? FetchError.Kind)?.retryAfter : nil
            await gate.leave(ticket, report: isOwn ? request.trace.entry.rateLimit : nil, retryAfter: wait)
            throw error
        }
    }
}
