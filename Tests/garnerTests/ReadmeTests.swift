import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ReadmeTests {
    private static let page = DocumentationPage("README.md")

    /// The reasons why blocks of commands lack the mark `<!-- runs -->`, which makes script/check-docs run them.
    private static let notRunByScript = [
        "Install": "it is what script/package-test does in a fresh system",
        "Build it": "it installs and builds, with the scripts that CI itself uses",
        "Your own API, in three commands": "it needs an API, and is run below",
        "Your own API, in three commands 2": "it needs an API that wants to know who asks, and is run below",
        "See it in a browser": "its commands run until they are stopped, and are tested as commands",
    ]

    @Test func `every command that the README names exists`() throws {
        let commands = Set(Self.page.text.matches(of: /garner ([a-z]+)/).map { String($0.1) })
        let sources = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appending(path: "Sources/GarnerCommand/Commands").path)
        let known = Set(sources.map { $0.replacing("Command.swift", with: "").lowercased() })
        #expect(commands.count > 8)
        #expect(commands.subtracting(known).isEmpty)
    }

    @Test func `every block of commands is run, or it is said why not`() {
        let blocks = Self.page.blocks(in: "sh")
        let unmarked = blocks.filter { $0.lineBefore != "<!-- runs -->" }.map(\.name)
        #expect(blocks.count > unmarked.count)
        #expect(unmarked.sorted() == Self.notRunByScript.keys.sorted())
    }

    @Test func `the three commands bring in an API`() async throws {
        let commands = Self.page.blocks(in: "sh").first { $0.name == "Your own API, in three commands" }
        let text = try #require(commands).text
        let script = ScriptedServer()
        let items = #"{"data":[{"id":1},{"id":2}],"next":null}"#
        script.expect([.get("api.example.org/v1/items", gives: .json(items)).repeated()])
        try await LoopbackServer.serve({ script.answer($0) }) { server in
            let ending = try await Workplace().shell(
                text.replacing("https://", with: "http://"), environment: ["http_proxy": server.url])
            #expect(ending.code == 0, "\(ending.errors)")
            #expect(script.troubles == [])
            #expect(server.requests.count == 2)
            #expect(ending.output.split(whereSeparator: \.isNewline).last?.contains("2") == true, "\(ending.output)")
        }
    }

    @Test func `what an API wants besides its URL is sent and written`() async throws {
        let commands = Self.page.blocks(in: "sh").first { $0.name == "Your own API, in three commands 2" }
        // Each of the first three makes a file of its own.
        let text = try #require(commands).text.replacing("garner init", with: "rm -f garner.yaml; garner init")
        let items = #"{"data":[{"id":1},{"id":2}],"next":null}"#
        try await LoopbackServer.serve({ _ in .json(items) }) { server in
            let place = try Workplace()
            let ending = try await place.shell(
                text.replacing("https://", with: "http://"),
                environment: ["http_proxy": server.url, "EXAMPLE_TOKEN": "t0ken"])
            #expect(ending.code == 0, "\(ending.errors)")
            let told = server.requests.map {
                "\($0.method) \($0["authorization"] ?? "-") \($0["api-version"] ?? "-") \($0.body)"
            }
            #expect(
                told == ["GET Bearer t0ken - ", #"POST - 2 {"page_size":100}"#, "GET - 2 ", "GET Bearer t0ken 2 "])
            #expect(try place.text(of: "garner.yaml").contains("orders:"))
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
