/// One concern of sending a request, wrapped around the inner middlewares.
///
/// A middleware may change the request, refuse it, repeat it and inspect the error. It does not look into the answer.
protocol Middleware: Sendable {
    /// Handles the request, calling `next` any number of times.
    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer
}

/// Sends a request through the inner middlewares.
typealias Next<Answer> = @Sendable (Request) async throws -> Answer

/// A chain of middlewares, the first outermost, that ends with the attempt to send the request.
struct MiddlewareChain<Answer: Sendable>: Sendable {
    private let entry: Next<Answer>

    init(middleware: [any Middleware], attempt: @escaping Next<Answer>) {
        entry = middleware.reversed().reduce(attempt) { next, outer in Self.joined(outer, next) }
    }

    private static func joined(_ outer: any Middleware, _ next: @escaping Next<Answer>) -> Next<Answer> {
        { try await outer.send($0, next: next) }
    }

    func send(_ request: Request) async throws -> Answer { try await entry(request) }
}
