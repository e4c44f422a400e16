import GarnerModel

@testable import GarnerImport

/// One stream of a small manifest, translated.
struct TranslatedStream {
    let translation: StreamTranslation

    /// Translates the first stream of a manifest of one or more parts.
    ///
    /// - Parameters:
    ///   - parts: parts of the retriever by their names, in YAML; `stream`, `requester` and `selector` hold members.
    ///   - settings: the settings of the connector, in YAML.
    init(_ parts: [String: String], settings: String = "{}") throws {
        let retriever = parts.filter { !["stream", "requester", "selector", "extractor"].contains($0.key) }
        let manifest = """
            version: 6.0.0
            type: DeclarativeSource
            definitions:
              zoos: { type: DeclarativeStream, name: zoos, primary_key: id, retriever: { type: SimpleRetriever,
                requester: { type: HttpRequester, url_base: "https://zoo.example/v1", path: /zoos },
                record_selector: { extractor: { field_path: [] } } } }
            streams:
              - { type: DeclarativeStream, name: animals, \(parts["stream"] ?? "primary_key: id"),
                  retriever: { type: SimpleRetriever,
                    requester: { type: HttpRequester, url_base: "https://zoo.example/v1", path: /animals,
                      \(parts["requester"] ?? "http_method: GET") },
                    record_selector: { \(parts["selector"].map { $0 + "," } ?? "")
                      extractor: { \(parts["extractor"] ?? "field_path: [data]") } },
                    \(retriever.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")) } }
            """
        let nodes = try Manifest(try ManifestReader.node(of: manifest)).streams
        let streams = StreamsByName(
            settings: StreamTranslation.plain(try ManifestReader.node(of: settings)), streams: nodes,
            now: Timestamp(millisecondsSince1970: 1_800_000_000_000))
        translation = streams.translated(nodes[0])
    }

    /// The value of a key, as YAML in one line; an empty text if there is none.
    subscript(key: String) -> String { translation.stream[key].map(Self.line) ?? "" }

    /// The losses, such as `page_token notWritten: cut out of a header`.
    var losses: [String] {
        translation.losses.map { "\($0.code.rawValue) \($0.effect)" + ($0.detail.map { ": \($0)" } ?? "") }
    }

    static func line(_ value: FileValue) -> String {
        switch value {
        case .text(let text): text
        case .plain(let text): text
        case .null: "null"
        case .list(let values): "[\(values.map(line).joined(separator: ", "))]"
        case .mapping(let mapping):
            "{\(mapping.entries.map { "\($0.key): \(line($0.value))" }.joined(separator: ", "))}"
        }
    }
}
