/// The way of a request through its layers, the first outermost, to the exchange with the server.
struct Pipeline: Sendable {
    private let entry: Next

    init(layers: [any Layer], exchange: Exchange) {
        let last: Next = { try await exchange.perform($0) }
        entry = layers.reversed().reduce(last) { next, layer in Self.joined(layer, next) }
    }

    private static func joined(_ layer: any Layer, _ next: @escaping Next) -> Next {
        { try await layer.send($0, next: next) }
    }

    func send(_ request: Request) async throws -> Reply { try await entry(request) }
}
