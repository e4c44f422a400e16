/// The formats of connectors' files that can be read.
package enum ForeignFormat: String, CaseIterable, Sendable {
    case airbyte, openapi

    /// Finds the format by the members of a document. Fails if they are the signs of none.
    package init?(of document: ManifestNode) {
        if document["openapi"] != nil || document["swagger"] != nil {
            self = .openapi
        } else if document.type == "DeclarativeSource"
            || document["streams"]?.isList == true && (document["definitions"] ?? document["version"]) != nil
            || document["dynamic_streams"]?.isList == true && document["version"] != nil
        {
            self = .airbyte
        } else {
            return nil
        }
    }

    /// The error on a document that has the signs of no format.
    package static let unknown = ManifestError(
        "the file is neither an Airbyte manifest nor an OpenAPI document", line: 1,
        advice: "name a file that has 'type: DeclarativeSource' or 'openapi:', or say which it is with --from-format")
}
