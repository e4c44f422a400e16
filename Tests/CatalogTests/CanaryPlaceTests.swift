import Foundation
import TestSupport
import Testing

@testable import GarnerCatalog

/// The table of places that hold a canary, against what the reader itself takes as a secret.
struct CanaryPlaceTests {
    /// A text of the configuration that may hold anything.
    private struct Leaf {
        var name: String
        /// The value of its outermost key, in all ways in which its neighbours can be chosen.
        var values: [Any]

        func inside(_ name: String, _ wrap: (Any) -> [Any]) -> Leaf {
            Leaf(name: name + self.name, values: values.flatMap(wrap))
        }
    }

    @Test func `every key that takes a secret has its place in the table, and no other`() throws {
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(ConfigurationSchema.json().utf8)) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: Any])
        for (written, complaint) in [
            ("${UNSET}", "environment variable 'UNSET' is not set"), (["file": "/no/such/file"], "does not exist"),
        ] as [(Any, String)] {
            let leaves = definitions.flatMap { key, schema in
                Self.leaves(schema, written).map { $0.inside(key) { [[key: $0]] } }
            }
            #expect(leaves.count > 60)
            let takers = try leaves.filter { leaf in
                try leaf.values.contains { value in
                    let document = Self.document(with: value as? [String: Any] ?? [:])
                    let data = try JSONSerialization.data(withJSONObject: document, options: .withoutEscapingSlashes)
                    return Fixture.issues(String(decoding: data, as: UTF8.self)).contains {
                        $0.message.contains(complaint)
                    }
                }
            }
            // A file cannot be a part of a body or of a URL.
            let isFile = written is [String: String]
            let keys = Set(CanaryPlace.all.compactMap(\.key)).filter { key in
                !isFile || !["json", "path", "_url", ".url"].contains { key.hasSuffix($0) }
            }
            // A variable may also be part of what everybody may see, but no file.
            let open: Set<String> = isFile ? [] : ["table"]
            #expect(Set(takers.map(\.name)) == keys.union(open), "\(written)")
        }
    }

    @Test(arguments: CanaryPlace.all)
    func `each place holds the secret, and shows it nowhere`(place: CanaryPlace) throws {
        let folder = try TemporaryFolder()
        try Canary.text.write(toFile: folder.path(CanaryPlace.file), atomically: false, encoding: .utf8)
        let text =
            "version: 1\nsources:\n"
            + place.source(
                at: "https://zoo.example/", tokens: "https://login.example", hooks: "https://hooks.example",
                proxy: "http://proxy.example:3128")
        let environment = CanaryPlace.environment.merging(["OTHER": "another password"]) { $1 }
        let configuration = try Fixture.parse(text, environment: environment, file: folder.path("garner.yaml"))
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in [
            "\(configuration)", String(reflecting: configuration), dumped, "\(configuration.effective)",
            "\(configuration.warnings)",
        ] {
            #expect(Canary.trace(in: text) == nil)
        }
    }

    /// A file with the key on each level; that it may not stand on all of them is another issue.
    private static func document(with members: [String: Any]) -> [String: Any] {
        let stream: [String: Any] = ["path": "animals"]
        let source: [String: Any] = [
            "base_url": "https://zoo.example/", "streams": ["animals": stream.merging(members) { $1 }],
        ]
        return ["version": 1, "defaults": members, "sources": ["zoo": source.merging(members) { old, _ in old }]]
    }

    private static func leaves(_ schema: Any, _ written: Any) -> [Leaf] {
        guard let schema = schema as? [String: Any] else { return [] }
        let alternatives = (schema["anyOf"] as? [Any] ?? []).flatMap { leaves($0, written) }
        let variants = (schema["oneOf"] as? [Any] ?? []).flatMap { leaves($0, written) }
        let elements = schema["items"].map { leaves($0, written).map { $0.inside("") { [[$0]] } } } ?? []
        let named = schema["additionalProperties"].map { leaves($0, written).map { $0.inside(".*") { [["x": $0]] } } }
        let isStructure = ["anyOf", "oneOf", "items", "additionalProperties", "properties"].contains {
            schema[$0] != nil
        }
        let own = isStructure ? [] : [Leaf(name: "", values: [written, ["x": written]])]
        let all = own + alternatives + variants + elements + (named ?? []) + members(of: schema, written)
        // The mapping of a file is the secret's own, and its text no other one.
        var seen: Set<String> = []
        return all.filter { !$0.name.hasSuffix(".file") && seen.insert($0.name).inserted }
    }

    private static func members(of schema: [String: Any], _ written: Any) -> [Leaf] {
        guard let properties = schema["properties"] as? [String: Any] else { return [] }
        let type = (properties["type"] as? [String: Any])?["const"] as? String
        return properties.filter { $0.key != "type" }.flatMap { key, value in
            leaves(value, written).map { leaf in
                leaf.inside((type.map { "(\($0))" } ?? "") + ".\(key)") { value in
                    neighbours(of: key, in: properties).map { $0.merging([key: value]) { $1 } }
                }
            }
        }
    }

    /// The other members, with each of the words that they may be.
    private static func neighbours(of key: String, in properties: [String: Any]) -> [[String: Any]] {
        properties.filter { $0.key != key }.reduce([[:]]) { all, property in
            let schema = property.value as? [String: Any] ?? [:]
            let words = (schema["const"] as? String).map { [$0] } ?? schema["enum"] as? [String] ?? []
            return words.isEmpty ? all : all.flatMap { one in words.map { one.merging([property.key: $0]) { $1 } } }
        }
    }
}
