import Hummingbird
import HummingbirdTesting
import Testing

@testable import DemoAPI

struct AnimalRoutesTests {
    @Test func `the index lists the routes`() async throws {
        try await withRoutes { client in
            let response = try await client.execute(uri: "/", method: .get)
            #expect(response.status == .ok)
            #expect(response.header("content-type") == "application/json; charset=utf-8")
            #expect(String(buffer: response.body).contains(#""http://127.0.0.1/animals/rand":"#))
        }
    }

    @Test func `an animal has an address`() async throws {
        try await withRoutes { client in
            let response = try await client.execute(uri: "/animals/21", method: .get)
            #expect(response.status == .ok)
            #expect(response.header("content-type") == "application/json; charset=utf-8")
            let animal: ServedAnimal = try response.decoded()
            #expect(animal.name == "Père David's Deer")
            #expect(animal.image_link == "http://127.0.0.1/images/21")
            #expect(String(buffer: response.body).hasPrefix(#"{"name":"Père David's Deer","latin_name":"#))
        }
    }

    @Test func `a page tells where it stands`() async throws {
        try await withRoutes { client in
            let response = try await client.execute(uri: "/animals?page=2&per_page=30", method: .get)
            let page: ServedPage = try response.decoded()
            #expect(page.data.map(\.id) == Array(31...60))
            #expect((page.page, page.per_page, page.total, page.total_pages) == (2, 30, 78, 3))
            #expect(page.next == "http://127.0.0.1/animals?page=3&per_page=30")
            #expect(response.header("link") == #"<http://127.0.0.1/animals?page=3&per_page=30>; rel="next""#)
        }
    }

    @Test func `the last page has no next`() async throws {
        try await withRoutes { client in
            let response = try await client.execute(uri: "/animals?per_page=100", method: .get)
            #expect(String(buffer: response.body).hasSuffix(#","next":null}"#))
            #expect(response.header("link") == nil)
        }
    }

    @Test func `a random animal is one of the animals`() async throws {
        try await withRoutes { client in
            let animal: ServedAnimal = try await client.execute(uri: "/animals/rand", method: .get).decoded()
            #expect(DataVersion.first.animals.contains { $0.id == animal.id && $0.name == animal.name })
        }
    }

    @Test(arguments: 1...10)
    func `several random animals are distinct`(count: Int) async throws {
        try await withRoutes { client in
            let animals: [ServedAnimal] = try await client.execute(uri: "/animals/rand/\(count)", method: .get)
                .decoded()
            #expect(Set(animals.map(\.id)).count == count)
        }
    }

    @Test func `the same seed draws the same animals`() {
        let draws = [draw(seed: 5), draw(seed: 5), draw(seed: 6)]
        #expect(draws[0] == draws[1])
        #expect(draws[0] != draws[2])
        #expect(Set(draws[0]).count > 1)
    }

    @Test(arguments: [
        "/animals/rand/0", "/animals/rand/11", "/animals/rand/ten", "/animals/rand/-1", "/animals?page=0",
        "/animals?per_page=101", "/animals?page=", "/animals?page=x",
    ])
    func `a count that is not one to ten, and a page that cannot be, are malformed`(uri: String) async throws {
        try await expectRefusal(.badRequest, uri: uri)
    }

    @Test(arguments: [
        "/animals/0", "/animals/79", "/animals/lion", "/animals/1/2", "/images/79", "/images/", "/favicon.ico",
    ])
    func `what is not there is missing`(uri: String) async throws {
        try await expectRefusal(.notFound, uri: uri)
    }

    @Test func `nothing can be written`() async throws {
        try await withRoutes { client in
            let writes: KeyValuePairs<String, HTTPRequest.Method> = [
                "/animals": .post, "/animals/1": .delete, "/nowhere": .put,
            ]
            for (uri, method) in writes {
                let response = try await client.execute(uri: uri, method: method)
                #expect(response.status == .methodNotAllowed)
                #expect(response.header("allow") == "GET, HEAD")
                #expect(!(try response.decoded(as: ServedError.self).error.isEmpty))
            }
        }
    }

    @Test func `a picture is SVG`() async throws {
        try await withRoutes { client in
            let response = try await client.execute(uri: "/images/38", method: .get)
            #expect(response.status == .ok)
            #expect(response.header("content-type") == "image/svg+xml")
            #expect(String(buffer: response.body).contains(">Kākāpō</text>"))
        }
    }

    @Test func `what is on show follows the edition`() async throws {
        let zoo = ServerState(edition: .first, seed: 1)
        try await withRoutes(of: zoo) { client in
            let (before, newcomer) = try await (total(client), status(of: "/animals/79", client))
            #expect(before == 78)
            #expect(newcomer == .notFound)

            zoo.show(.second)
            let (after, arrived, left) = try await (
                total(client), status(of: "/animals/79", client), status(of: "/animals/67", client)
            )
            #expect(after == 79)
            #expect(arrived == .ok)
            #expect(left == .notFound)

            zoo.show(.first)
            let picture = try await status(of: "/images/79", client)
            #expect(picture == .notFound)
        }
    }

    @Test func `every request counts, answered or refused`() async throws {
        let zoo = ServerState(edition: .first, seed: 1)
        try await withRoutes(of: zoo) { client in
            let requests: KeyValuePairs<String, HTTPRequest.Method> = [
                "/": .get, "/animals": .head, "/nowhere": .get, "/animals/1": .put,
            ]
            for (uri, method) in requests {
                _ = try await client.execute(uri: uri, method: method)
            }
        }
        #expect(zoo.requestCount == 4)
    }

    private func total(_ client: any TestClientProtocol) async throws -> Int {
        try await client.execute(uri: "/animals", method: .get).decoded(as: ServedPage.self).total
    }

    private func status(of uri: String, _ client: any TestClientProtocol) async throws -> HTTPResponse.Status {
        try await client.execute(uri: uri, method: .get).status
    }

    private func draw(seed: UInt64) -> [Int] {
        let zoo = ServerState(edition: .first, seed: seed)
        return (0..<8).flatMap { _ in zoo.randomAnimals(1).map(\.id) }
    }

    private func expectRefusal(_ status: HTTPResponse.Status, uri: String) async throws {
        try await withRoutes { client in
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == status)
            #expect(response.header("content-type") == "application/json; charset=utf-8")
            #expect(!(try response.decoded(as: ServedError.self).error.isEmpty))
        }
    }
}
