import Hummingbird
import HummingbirdTesting
import Testing

@testable import DemoAPI

struct AnswerTests {
    @Test(arguments: ["/", "/animals", "/animals/1", "/images/1"])
    func `an unchanged answer has the same strong tag and is not sent again`(uri: String) async throws {
        try await withRoutes { client in
            let first = try await client.execute(uri: uri, method: .get)
            let tag = try #require(first.header("etag"))
            #expect(tag.wholeMatch(of: /"[0-9a-f]{64}"/) != nil)

            let again = try await client.execute(uri: uri, method: .get, headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
            #expect(again.body.readableBytes == 0)
            #expect(again.header("etag") == tag)
        }
    }

    @Test(arguments: ["*", "W/TAG", "\"other\", TAG", "\"other\",TAG , \"another\""])
    func `a tag is found in every form of the header`(template: String) async throws {
        try await withRoutes { client in
            let tag = try #require(try await client.execute(uri: "/animals/1", method: .get).header("etag"))
            let header = template.replacing("TAG", with: tag)
            let again = try await client.execute(uri: "/animals/1", method: .get, headers: [.ifNoneMatch: header])
            #expect(again.status == .notModified)
        }
    }

    @Test(arguments: ["", "\"other\"", "W/\"other\"", "TAGx"])
    func `another tag gets the whole answer`(header: String) async throws {
        try await withRoutes { client in
            let answer = try await client.execute(uri: "/animals/1", method: .get, headers: [.ifNoneMatch: header])
            #expect(answer.status == .ok)
            #expect(answer.body.readableBytes > 0)
        }
    }

    @Test func `a corrected animal has another tag, the others keep theirs`() async throws {
        let zoo = ServerState(edition: .first, seed: 1)
        try await withRoutes(of: zoo) { client in
            let corrected = try #require(DataVersionChanges.firstToSecond.updated.first)
            let before = try await tags(of: ["/animals/\(corrected)", "/animals/1"], client)
            zoo.show(.second)
            let after = try await tags(of: ["/animals/\(corrected)", "/animals/1"], client)
            #expect(before[0] != after[0])
            #expect(before[1] == after[1])
        }
    }

    @Test(arguments: ["/", "/animals?page=1", "/animals/1", "/animals/999", "/nowhere", "/images/1"])
    func `HEAD has the head of GET and no body`(uri: String) async throws {
        try await withRoutes { client in
            let get = try await client.execute(uri: uri, method: .get)
            let head = try await client.execute(uri: uri, method: .head)
            #expect(head.head == get.head)
            #expect(head.header("content-length") == "\(get.body.readableBytes)")
            #expect(head.body.readableBytes == 0)
        }
    }

    private func tags(of uris: [String], _ client: any TestClientProtocol) async throws -> [String?] {
        var tags: [String?] = []
        for uri in uris { tags.append(try await client.execute(uri: uri, method: .get).header("etag")) }
        return tags
    }
}
