import GarnerModel

/// A file of another program in the place of a configuration, known by its keys.
package struct ForeignFile {
    let problem: String
    let hint: String

    /// Returns what a mapping is that has none of a configuration's sources; nil if that is unknown.
    init?(_ top: YAMLMapping, named file: String) {
        guard top["sources"] == nil else { return nil }
        let signs = top["type"]?.plainOrQuotedText == "DeclarativeSource" ? ["DeclarativeSource"] : []
        let keys = Set(top.entries.map(\.key) + signs)
        guard let kind = Self.kind(of: keys) else { return nil }
        problem = "the file is \(kind.name)"
        hint =
            kind.option.map { "write one of Garner from it: garner init \($0) \(file) --config api.yaml" }
            ?? "'garner init URL --config api.yaml' writes a file of Garner"
    }

    /// Returns what a document with these keys is that nothing can be written from, such as `a collection of Postman`; nil if that is
    /// unknown.
    package static func name(of keys: Set<String>) -> String? {
        kind(of: keys).flatMap { $0.option == nil ? $0.name : nil }
    }

    private static func kind(of keys: Set<String>) -> (keys: [String], name: String, option: String?)? {
        kinds.first { keys.isSuperset(of: $0.keys) }
    }

    private static let kinds: [(keys: [String], name: String, option: String?)] = [
        (["DeclarativeSource"], "a connector of Airbyte", "--from"),
        (["definitions", "streams"], "a connector of Airbyte", "--from"),
        (["openapi", "paths"], "an OpenAPI document", "--openapi"),
        (["swagger", "paths"], "a Swagger document", "--openapi"),
        (["plugins", "default_environment"], "a project of Meltano", nil),
        (["services", "volumes"], "one of Docker Compose", nil),
        (["services", "networks"], "one of Docker Compose", nil), (["on", "jobs"], "a workflow of GitHub", nil),
        (["apiVersion", "kind"], "an object of Kubernetes", nil), (["info", "item"], "a collection of Postman", nil),
        (["scrape_configs"], "one of Prometheus", nil), (["input", "output"], "a pipeline of another program", nil),
        (["stages", "image"], "a pipeline of GitLab", nil), (["models", "profile"], "a project of dbt", nil),
        (["name", "dependencies"], "a package of another program", nil),
    ]
}
