/// A manifest of Airbyte: streams whose references are replaced and whose components have types and parameters.
package struct Manifest: Sendable {
    /// The streams, among them `ConditionalStreams` and `StateDelegatingStream`.
    package let streams: [ManifestNode]
    /// The templates of streams that a list names. Their parameters are not spread yet, as the list changes their fields.
    package let dynamicStreams: [ManifestNode]
    /// `spec.connection_specification`: the settings of the connector, as a JSON schema.
    package let spec: ManifestNode?
    /// `spec.config_normalization_rules`: what becomes of the settings before anything uses them.
    package let rules: ManifestNode?
    /// The version of Airbyte's program that it is written for.
    package let version: String?
    package let concurrency: ManifestNode?
    package let budget: ManifestNode?

    /// Reads a document.
    ///
    /// - Parameter spec: A document that holds the settings, where they stand in a file beside the manifest.
    package init(_ document: ManifestNode, spec: ManifestNode? = nil) throws(ManifestError) {
        guard document.isMapping else { throw ForeignFormat.unknown(document) }
        let all = (document["streams"]?.list ?? []) + (document["dynamic_streams"]?.list ?? [])
        guard all.count <= ManifestLimit.streams else {
            throw ManifestError(
                "the manifest has more than \(ManifestLimit.streams) streams", line: document["streams"]?.line,
                advice: "make a smaller file of the streams that you need")
        }
        var references = ManifestReferences(document)
        var parameters = ComponentParameters()
        var streams: [ManifestNode] = []
        for stream in document["streams"]?.list ?? [] {
            let stream = try references.resolve(stream).typed("DeclarativeStream")
            guard stream.isMapping else {
                throw ManifestError("a stream is no mapping", line: stream.line, advice: "mend the list 'streams'")
            }
            streams.append(try parameters.spread(stream))
        }
        self.streams = streams
        var dynamicStreams: [ManifestNode] = []
        for stream in document["dynamic_streams"]?.list ?? [] {
            dynamicStreams.append(try references.resolve(stream).typed("DynamicDeclarativeStream"))
        }
        self.dynamicStreams = dynamicStreams
        if let written = Self.settings(document) {
            self.spec = try references.resolve(written)
        } else {
            self.spec = spec.flatMap { Self.settings($0) }
        }
        rules = try document["spec"]?["config_normalization_rules"].map { node throws(ManifestError) in
            try references.resolve(node)
        }
        version = document["version"]?.text
        concurrency = try document["concurrency_level"].map { node throws(ManifestError) in
            try references.resolve(node)
        }
        budget = try document["api_budget"].map { node throws(ManifestError) in try references.resolve(node) }
        guard !streams.isEmpty || !dynamicStreams.isEmpty else {
            throw ManifestError(
                "the manifest has no streams", line: document.line,
                advice: "take the whole file of the connector, or the one that it is made with")
        }
    }

    private static func settings(_ document: ManifestNode) -> ManifestNode? {
        for place in [document["spec"], document] {
            for name in ["connection_specification", "connectionSpecification"] {
                if let settings = place?[name], settings.isMapping { return settings }
            }
        }
        return nil
    }

    /// Returns a stream that was made of a template, with the types and parameters of its components.
    package static func spread(_ stream: ManifestNode) throws(ManifestError) -> ManifestNode {
        var parameters = ComponentParameters()
        return try parameters.spread(stream.typed("DeclarativeStream"))
    }
}

extension ManifestNode {
    /// Returns the mapping with a type, where none is written.
    fileprivate func typed(_ type: String) -> ManifestNode {
        guard case .mapping(let members) = content, self["type"] == nil else { return self }
        let member = Member(name: "type", value: ManifestNode(.text(type)))
        return ManifestNode(.mapping([member] + members), line: line)
    }
}
