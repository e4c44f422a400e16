import Catalog

/// Asks the delegate who asks, once in a fetch and only for the origin of the base URL; its answer goes nowhere else.
struct Challenging: Layer {
    let boundary: SecretBoundary
    let conversation: Conversation
    let learned: LearnedSecrets

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        guard boundary.isInside(request.address) else { return try await next(request) }
        if conversation.answer != nil { return try await next(answered(request)) }
        do {
            return try await next(request)
        } catch FetchError.Kind.unauthorized(status: 401) {
            guard try await conversation.askForAnswer(learned: learned) != nil else {
                throw FetchError.Kind.unauthorized(status: 401)
            }
            try Task.checkCancellation()
            return try await next(answered(request))
        }
    }

    private func answered(_ request: Request) -> Request {
        guard let answer = conversation.answer else { return request }
        var request = request
        request.headers.removeAll { $0.name.lowercased() == "authorization" }
        request.headers.append(answer)
        return request
    }
}
