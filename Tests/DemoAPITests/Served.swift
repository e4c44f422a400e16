import Foundation
import Hummingbird
import HummingbirdTesting

@testable import DemoAPI

/// An animal as a client decodes it from an answer.
struct ServedAnimal: Decodable, Equatable {
    let id: Int
    let name: String
    let image_link: String
    let lifespan: Double
}

struct ServedPage: Decodable {
    let data: [ServedAnimal]
    let page: Int
    let per_page: Int
    let total: Int
    let total_pages: Int
    let next: String?
}

struct ServedError: Decodable {
    let error: String
}

extension TestResponse {
    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(String(buffer: body).utf8))
    }

    func header(_ name: String) -> String? {
        head.headerFields.first { $0.name.canonicalName == name.lowercased() }?.value
    }
}

/// Runs `body` with a client of the routes; no socket is opened.
func withRoutes(
    of zoo: ServerState = ServerState(edition: .first, seed: 1),
    _ body: @Sendable (any TestClientProtocol) async throws -> Void
) async throws {
    try await Application(router: AnimalRoutes(zoo: zoo).router()).test(.router) { try await body($0) }
}
