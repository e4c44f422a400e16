import Catalog
import Testing

struct StarterFileTests {
    @Test func `the starter file of the demo is valid as written`() throws {
        let configuration = try Fixture.parse(StarterFile.text())
        let stream = try #require(configuration.streams.first)
        #expect(stream.name.description == "zoo.animals")
        #expect(stream.request.baseURL == "http://127.0.0.1:8080/" && stream.request.path == "/animals")
        #expect(stream.schedule == Schedule(every: .seconds(900), jitter: .seconds(30)))
        #expect(stream.allowsPrivateNetwork == nil)
        #expect(configuration.warnings.isEmpty)
    }

    @Test(arguments: [
        ("https://api.example.com/v1/items?limit=5", "example.items", "https://api.example.com/v1/", "items?limit=5"),
        ("https://api.example.com", "example.records", "https://api.example.com/", ""),
        ("https://api.example.com?x=1", "example.records", "https://api.example.com/", "?x=1"),
        ("http://localhost:8080/", "localhost.records", "http://localhost:8080/", ""),
        ("http://127.0.0.1:8080/a.json", "api.a_json", "http://127.0.0.1:8080/", "a.json"),
        ("https://x.org/2024", "x.records", "https://x.org/", "2024"),
        ("https://x.org/null", "x.records", "https://x.org/", "null"),
        ("https://x.org/sqlite_a", "x.records", "https://x.org/", "sqlite_a"),
        ("https://x.org/a\"b", "x.a_b", "https://x.org/", "a\"b"),
        ("http://[::1]:80/a#b", "api.a", "http://[::1]:80/", "a"),
    ])
    func `the starter file of an API is valid as written`(url: String, name: String, base: String, path: String) throws
    {
        let stream = try #require(try Fixture.parse(StarterFile.text(baseURL: url)).streams.first)
        #expect(stream.name.description == name)
        #expect(stream.request.baseURL == base)
        #expect(stream.request.path == path)
    }

    @Test func `every line that is commented out is valid when it is not`() throws {
        let lines = StarterFile.text().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.firstMatch(of: /^ +# [a-z_]+:[ ]/) == nil ? line : line.replacing("# ", with: "", maxReplacements: 1)
        }
        let stream = try #require(
            try Fixture.parse(lines.joined(separator: "\n"), environment: ["API_TOKEN": "s3"]).streams.first)
        #expect(stream.request.authentication == .bearer(token: Secret("s3")))
        #expect(stream.recordSelector == "$.data[*]")
        #expect(stream.primaryKey == ["id"])
        #expect(stream.deleteMissing == .soft)
        #expect(stream.request.params.count == 1)
    }
}
