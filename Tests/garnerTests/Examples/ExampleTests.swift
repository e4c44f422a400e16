import GarnerCatalog
import Foundation
import TestSupport
import Testing

/// The examples of the documentation, synchronised as they stand there.
@Suite(.timeLimit(.minutes(5)))
struct ExampleTests {
    private static let page = DocumentationPage("docs/configuration.md")
    private static let readme = DocumentationPage("README.md")

    @Test func `every example has a script, and every script an example`() {
        #expect(Set(Self.page.blocks(in: "yaml").map(\.name)) == Set(ConfigurationExamples.all.keys))
        #expect(Set(Self.readme.blocks(in: "yaml").map(\.name)) == Set(ReadmeExamples.all.keys))
    }

    @Test func `every key, and every word that may stand for a value, is in an example`() throws {
        let schema = try JSONSerialization.jsonObject(with: Data(ConfigurationSchema.json().utf8))
        let examples = Self.page.blocks(in: "yaml").map(\.text) + VocabularyExamples.all.map(\.text)
        let text = examples.joined(separator: "\n")
        for key in Self.names("properties", in: schema) { #expect(text.contains("\(key):"), "\(key)") }
        for word in Self.names("enum", in: schema) + Self.names("const", in: schema) {
            #expect(text.contains(": \(word)"), "\(word)")
        }
    }

    @Test(arguments: page.blocks(in: "yaml"))
    func `an example of the configuration asks for and stores what it says`(
        block: DocumentationPage.Block
    ) async throws {
        let example = try #require(ConfigurationExamples.all[block.name], "'\(block.name)' has no script")
        try await example.run(block.text)
    }

    @Test(arguments: readme.blocks(in: "yaml"))
    func `an example of the README asks for and stores what it says`(block: DocumentationPage.Block) async throws {
        let example = try #require(ReadmeExamples.all[block.name], "'\(block.name)' has no script")
        try await example.run(block.text)
    }

    @Test(arguments: VocabularyExamples.all)
    func `a value of a key asks for and stores what it says`(value: VocabularyExample) async throws {
        try await value.example.run(value.text)
    }

    @Test func `the commands about files work on what their example stores`() async throws {
        let commands = Self.page.blocks(in: "sh")
        #expect(commands.map(\.name) == ["Responses"])
        let block = try #require(Self.page.blocks(in: "yaml").first { $0.name == "Responses" })
        let example = try #require(ConfigurationExamples.all[block.name], "'\(block.name)' has no script")
        try await example.run(block.text) { place, environment in
            for command in commands {
                let ending = try await place.shell(command.text, environment: environment)
                #expect(ending.code == 0, "\(ending.errors)")
                #expect(ending.output.contains("/7.jpg"))
            }
            #expect(try place.text(of: "photo.jpg") == "photo-7")
            let pictures = try FileManager.default.contentsOfDirectory(atPath: place.folder.path("pictures"))
            #expect(pictures.map { ($0 as NSString).pathExtension }.sorted() == ["jpg", "jpg", "pdf"])
        }
    }

    /// The names that the schema lists under `keyword`, at any depth.
    private static func names(_ keyword: String, in schema: Any) -> [String] {
        if let list = schema as? [Any] { return list.flatMap { names(keyword, in: $0) } }
        guard let object = schema as? [String: Any] else { return [] }
        let inner = object.values.flatMap { names(keyword, in: $0) }
        return switch object[keyword] {
        case let members as [String: Any]: inner + members.keys
        case let words as [String]: inner + words
        case let word as String: inner + [word]
        default: inner
        }
    }
}
