import GarnerCatalog
import Foundation
import Testing

struct ConfigurationSchemaTests {
    private let schema: [String: Any]
    private let definitions: [String: Any]

    init() throws {
        let object = try JSONSerialization.jsonObject(with: Data(ConfigurationSchema.json().utf8))
        schema = try #require(object as? [String: Any])
        definitions = try #require(schema["$defs"] as? [String: Any])
    }

    @Test func `in the JSON schema every mapping refuses unknown keys, and every key has a description`() throws {
        #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(schema["required"] as? [String] == ["version"])
        #expect(ConfigurationSchema.json().hasSuffix("}\n"))
        var mappings = 0
        try walk(schema) { object in
            guard let properties = object["properties"] as? [String: Any], object["type"] as? String == "object" else {
                return
            }
            mappings += 1
            #expect(object["additionalProperties"] as? Bool == false)
            for (name, property) in properties {
                let property = try #require(property as? [String: Any])
                if property["const"] == nil {
                    #expect((property["description"] as? String)?.isEmpty == false, "\(name)")
                }
            }
            for name in object["required"] as? [String] ?? [] { #expect(properties[name] != nil, "\(name)") }
        }
        #expect(mappings > 20)
    }

    @Test func `in the JSON schema every reference has a definition, and every definition is used`() throws {
        var references: Set<String> = []
        try walk(schema) { object in
            if let reference = object["$ref"] as? String {
                references.insert(reference.replacing("#/$defs/", with: ""))
            }
        }
        #expect(references == Set(definitions.keys))
    }

    @Test func `the JSON schema allows the levels and words that the reader allows`() throws {
        func keys(_ path: String...) throws -> Set<String> {
            var object = schema
            for name in path {
                let next = object[name] ?? (object["anyOf"] as? [[String: Any]])?.first?[name]
                object = try #require(next as? [String: Any], "\(name)")
            }
            return Set(object.keys)
        }
        let defaults = try keys("properties", "defaults", "properties")
        let source = try keys("properties", "sources", "additionalProperties", "properties")
        let stream = try keys(
            "properties", "sources", "additionalProperties", "properties", "streams", "additionalProperties",
            "properties")
        #expect(source.subtracting(defaults) == ["base_url", "auth", "streams"])
        #expect(defaults.subtracting(stream) == ["rate_limit", "max_concurrency", "proxy", "ca", "client_certificate"])
        #expect(
            stream.subtracting(source) == [
                "path", "table", "method", "json", "form", "body", "parent", "include_from_parent", "partitions",
                "incremental",
                "attachments", "search", "fields", "optional_fields", "record_filter", "deleted_when",
            ])
        for (key, schema) in definitions {
            guard let words = (schema as? [String: Any])?["enum"] as? [String] else { continue }
            for word in words {
                let messages = Fixture.issues(Fixture.streamText("\(key): \(word)")).map(\.message)
                #expect(!messages.contains { $0.contains("cannot be") }, "\(key): \(word)")
            }
        }
    }

    private func walk(_ value: Any, _ visit: ([String: Any]) throws -> Void) throws {
        if let list = value as? [Any] { for element in list { try walk(element, visit) } }
        guard let object = value as? [String: Any] else { return }
        try visit(object)
        for member in object.values { try walk(member, visit) }
    }
}
