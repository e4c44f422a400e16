/// One concern of sending a request, around those behind it.
///
/// A layer may change the request, refuse it, send it again, and look at the error. What a good answer becomes is not
/// its concern.
protocol Layer: Sendable {
    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer
}

/// The layers behind a layer.
typealias Next<Answer> = @Sendable (Request) async throws -> Answer
