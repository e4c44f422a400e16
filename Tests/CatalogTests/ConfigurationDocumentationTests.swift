import GarnerCatalog
import Foundation
import TestSupport
import Testing

struct ConfigurationDocumentationTests {
    private static let text: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.appendingPathComponent("docs/configuration.md")
        return (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    }()

    private static let examples = text.components(separatedBy: "```yaml\n").dropFirst().map { behind in
        behind.components(separatedBy: "```").first ?? ""
    }

    @Test func `configuration.md has at least ten examples`() {
        #expect(Self.examples.count >= 10)
    }

    @Test(arguments: examples.indices)
    func `an example is valid as written, without warnings`(index: Int) throws {
        let example = Self.examples[index]
        let names = example.matches(of: /\$\{([A-Z_]+)\}/).map { String($0.1) }
        let environment = Dictionary(names.map { ($0, "s3cret-s3cret-s3cret") }) { first, _ in first }
        let folder = try TemporaryFolder()
        if example.contains("include:") {
            try FileManager.default.createDirectory(
                atPath: folder.path("sources"), withIntermediateDirectories: true)
            try "sources: {}\n".write(toFile: folder.path("sources/shop.yaml"), atomically: true, encoding: .utf8)
        }
        let configuration = try Fixture.parse(
            example, environment: environment, file: folder.path("garner.yaml"))
        #expect(!configuration.streams.isEmpty && configuration.warnings.isEmpty)
    }

    @Test func `configuration.md lists every key of the schema`() throws {
        let schema = try JSONSerialization.jsonObject(with: Data(ConfigurationSchema.json().utf8))
        let keys = Self.keys(in: schema)
        #expect(keys.count > 80)
        let rows = Self.text.split(separator: "\n").filter { $0.hasPrefix("|") }.joined(separator: "\n")
        for key in keys where key != "type" && key != "file" {
            let spellings = ["`\(key)`", ".\(key)`", "`\(key):", "`{ \(key):"]
            let isTold = spellings.contains { spelling in rows.contains(spelling) }
            #expect(isTold, "\(key)")
        }
    }

    @Test func `configuration.md states the defaults that are in force`() throws {
        let effective = try Fixture.parse(Fixture.streamText("path: /")).effective
        let entries = try #require(effective.streams.first).entries.filter { $0.origin == .standard }
        let rows = Self.text.split(separator: "\n")
        let told = entries.map { ($0.path.joined(separator: "."), $0.value) }.filter { key, value in
            rows.contains { $0.hasPrefix("| `\(key)` |") && $0.hasSuffix("| `\(value)` |") }
        }
        let keys = [
            "merge_strategy", "dedupe", "schema_contract.tables", "schema_contract.columns",
            "schema_contract.data_types", "history", "keep_runs",
            "delete_missing", "flatten_depth", "retry.max_attempts", "retry.base_delay",
            "retry.max_delay", "retry.respect_retry_after", "limits.body", "limits.head", "limits.connect",
            "limits.first_byte", "limits.idle", "limits.total", "max_concurrency", "proxy", "wait_for_connectivity",
            "respect_cache_control",
        ]
        #expect(Set(keys).subtracting(told.map(\.0)) == [])
    }

    /// The names of all properties, however deep.
    private static func keys(in schema: Any) -> Set<String> {
        if let list = schema as? [Any] { return list.reduce(into: []) { $0.formUnion(keys(in: $1)) } }
        guard let object = schema as? [String: Any] else { return [] }
        let own = (object["properties"] as? [String: Any]).map { Set($0.keys) } ?? []
        return object.values.reduce(into: own) { $0.formUnion(keys(in: $1)) }
    }
}
