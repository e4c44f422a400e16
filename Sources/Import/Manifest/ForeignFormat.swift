import GarnerCatalog

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

    /// Returns the error on a document that has the signs of no format.
    package static func unknown(_ document: ManifestNode) -> ManifestError {
        let other = other(document)
        return ManifestError(
            "the file is \(other.map { "\($0.name), and " } ?? "")neither an Airbyte manifest nor an OpenAPI document",
            line: 1,
            advice: other?.advice
                ?? "name a file that has 'type: DeclarativeSource' or 'openapi:', or say which it is with --from-format"
        )
    }

    /// Returns what a document of another program is, and what makes a file of Garner; nil if it is none that is known.
    package static func other(_ document: ManifestNode) -> (name: String, advice: String)? {
        ForeignFile.name(of: Set(document.members.map(\.name))).map { name in
            (
                name,
                "'garner init URL' writes a file from an API, and 'garner init -- curl …' from a request, which many programs show "
                    + "as a curl command"
            )
        }
    }
}
