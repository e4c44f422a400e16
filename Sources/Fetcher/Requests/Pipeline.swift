/// The way of a request through its layers, the first outermost, to the exchange with the server.
struct Pipeline<Answer: Sendable>: Sendable {
    private let entry: Next<Answer>

    init(layers: [any Layer], exchange: @escaping Next<Answer>) {
        entry = layers.reversed().reduce(exchange) { next, layer in Self.joined(layer, next) }
    }

    private static func joined(_ layer: any Layer, _ next: @escaping Next<Answer>) -> Next<Answer> {
        { try await layer.send($0, next: next) }
    }

    func send(_ request: Request) async throws -> Answer { try await entry(request) }
}
