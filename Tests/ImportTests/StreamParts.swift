import GarnerModel
import Testing

@testable import GarnerImport

/// A stream that is put together of parts of a manifest, and what becomes of it.
struct StreamParts: CustomTestStringConvertible {
    /// Members of the requester, in YAML.
    var requester = "{}"
    /// Members of the retriever, in YAML.
    var retriever = "{}"
    /// Members of the stream, in YAML.
    var stream = "{}"
    /// The keys that are written, in YAML; those that nobody asks for are not compared.
    var keys = "{}"
    /// The losses, with the effect of those that have not the usual one of their code: `key: a is computed (differs)`.
    var losses: [String] = []

    var testDescription: String { [requester, retriever, stream].filter { $0 != "{}" }.joined(separator: " ") }

    /// Some settings: a secret, and values that a user gives.
    static let settings: JinjaValue = .mapping([
        .init("key", .secret("API_KEY")), .init("name", .text("garner")), .init("size", .integer(50)),
        .init("active", .bool(true)), .init("regions", .list([.text("eu"), .text("us")])), .init("empty", .text("")),
        .init("login", .mapping([.init("kind", .text("token")), .init("password", .secret("LOGIN_PASSWORD"))])),
    ])

    /// A cursor, for requests that ask for a window.
    static let window = """
        incremental_sync: { type: DatetimeBasedCursor, cursor_field: updated, datetime_format: "%Y-%m-%dT%H:%M:%SZ",
          start_datetime: "2024-01-01T00:00:00Z" }
        """
    static let regions = """
        partition_router: { type: ListPartitionRouter, cursor_field: region, values: [eu, us] }
        """

    func translated() throws -> StreamTranslation {
        let requester = "type: HttpRequester, url_base: https://zoo.example/v1, path: /animals"
        var node = try Self.node("{ type: DeclarativeStream, name: animals, primary_key: id }", adding: stream)
        var retriever = try Self.node("{ type: SimpleRetriever, record_selector: {} }", adding: retriever)
        retriever = Self.setting("requester", try Self.node("{ \(requester) }", adding: self.requester), in: retriever)
        node = try Manifest.spread(Self.setting("retriever", retriever, in: node))
        let streams = StreamsByName(settings: Self.settings, streams: [node])
        return streams.translated(node)
    }

    func check(_ names: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let translation = try translated()
        var written: [String: FileValue] = [:]
        for entry in translation.stream.entries where names.contains(entry.key) {
            written[entry.key] = entry.value.sorted
        }
        let expected = try Self.node("{}", adding: keys).members.map { ($0.name, FileValue($0.value).sorted) }
        #expect(
            written == Dictionary(expected) { $1 }, "\(translation.stream)", sourceLocation: sourceLocation)
        let losses = translation.losses.map { loss in
            loss.code.rawValue + (loss.detail.map { ": \($0)" } ?? "")
                + (loss.effect == loss.code.effect ? "" : " (\(loss.effect))")
        }
        #expect(losses == self.losses, sourceLocation: sourceLocation)
    }

    private static func node(_ text: String, adding more: String) throws -> ManifestNode {
        try ManifestReader.node(of: more).members.reduce(try ManifestReader.node(of: text)) {
            setting($1.name, $1.value, in: $0)
        }
    }

    private static func setting(_ name: String, _ value: ManifestNode, in node: ManifestNode) -> ManifestNode {
        let others = node.members.filter { $0.name != name }
        return ManifestNode(
            .mapping(value.isNull ? others : others + [.init(name: name, value: value)]), line: node.line)
    }
}

extension FileValue {
    init(_ node: ManifestNode) {
        switch node.content {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .integer(let integer): self = .int(integer)
        case .number(let number): self = .plain(number)
        case .text(let text): self = .text(text)
        case .list(let nodes): self = .list(nodes.map { FileValue($0) })
        case .mapping(let members):
            var mapping = FileMapping()
            for member in members { mapping[member.name] = FileValue(member.value) }
            self = .mapping(mapping)
        }
    }

    /// The value with the keys of mappings in the order of the alphabet, and with durations as texts.
    var sorted: FileValue {
        switch self {
        case .list(let values): return .list(values.map(\.sorted))
        case .plain(let text) where text.wholeMatch(of: /[0-9]+[a-z][0-9a-z]*/) != nil: return .text(text)
        case .mapping(let mapping):
            var sorted = FileMapping()
            for entry in mapping.entries.sorted(by: { $0.key < $1.key }) { sorted[entry.key] = entry.value.sorted }
            return .mapping(sorted)
        default: return self
        }
    }
}
