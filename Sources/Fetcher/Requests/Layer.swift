/// One concern of sending a request, around those behind it.
///
/// A layer may change the request, refuse it, send it again, and look at the reply or the error.
protocol Layer: Sendable {
    func send(_ request: Request, next: Next) async throws -> Reply
}

/// The layers behind a layer.
typealias Next = @Sendable (Request) async throws -> Reply
