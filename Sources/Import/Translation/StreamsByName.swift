package import GarnerModel

/// The translations of a manifest's streams, each of which is made once.
///
/// A manifest repeats a parent in each of its children. Such a copy is the stream of that name, unless it asks for
/// other records.
package final class StreamsByName {
    private let settings: JinjaValue
    /// The time of the import. A date that is relative to the read is frozen at this time.
    private let now: Timestamp
    private let nodes: [String: ManifestNode]
    private var translations: [String: [StreamTranslation]] = [:]
    private var inProgress: Set<String> = []
    /// The names that are taken, in lower case. Columns and queries of other streams name a stream by its own.
    private var names: Set<String>

    /// - Parameters:
    ///   - streams: The streams of the manifest itself.
    ///   - taken: The names of streams that the configuration has already.
    package init(
        settings: JinjaValue, streams: [ManifestNode] = [], taken: Set<String> = [],
        now: Timestamp = Timestamp(millisecondsSince1970: 0)
    ) {
        (self.settings, self.now) = (settings, now)
        names = Set(taken.map { $0.lowercased() })
        nodes = Dictionary(streams.map { (Self.name(of: $0), $0) }) { first, _ in first }
    }

    package static func name(of node: ManifestNode) -> String {
        node["name"]?.text ?? node.parameters["name"]?.text ?? "stream"
    }

    /// Returns the one translation of a stream of that name which asks for the same.
    func translated(_ node: ManifestNode) -> StreamTranslation {
        let name = Self.name(of: node)
        // The manifest's own stream gets the name, even if a child with a copy of it comes first.
        if let own = nodes[name], translations[name] == nil, inProgress.insert(name).inserted {
            add(translation(of: own, name: name))
            inProgress.remove(name)
        }
        let made = translation(of: node, name: name)
        if let same = translations[name]?.first(where: { $0.asksForSame(as: made) }) { return same }
        add(made)
        return made
    }

    private func add(_ made: StreamTranslation) {
        made.streamName = FileNames.free(made.streamName, among: &names)
        translations[made.name, default: []].append(made)
    }

    private func translation(of node: ManifestNode, name: String) -> StreamTranslation {
        let translation = StreamTranslation(node, name: name, settings: settings)
        translation.now = now
        translation.translate(among: self)
        return translation
    }
}
