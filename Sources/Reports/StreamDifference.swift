package import GarnerCatalog
package import GarnerModel
package import GarnerPersistence

/// The streams that the database has and the file does not, and those that may be the same under another name.
package struct StreamDifference: Sendable {
    /// The streams with a table that are gone from the file.
    package private(set) var gone: [KnownStream] = []
    /// The new names of streams that seem to be renamed, by their old ones.
    package private(set) var renamed: [StreamName: StreamName] = [:]
    /// Each stream whose table has what another one asks for, with that other stream, whose table has something else.
    package private(set) var swapped: [(StreamConfiguration, StreamConfiguration)] = []

    package init(of configuration: Configuration, in reader: ReadOnlyDatabase) throws {
        self.init(of: configuration.streams, knowing: try reader.knownStreams())
    }

    package init(of streams: [StreamConfiguration], knowing known: [KnownStream]) {
        let configured = Set(streams.map(\.name))
        let urls = Dictionary(
            known.map { ($0.name, $0.url.map(Self.withoutQuery)) }, uniquingKeysWith: { one, _ in one }
        )
        .compactMapValues(\.self)
        swapped = Self.swapped(streams, urls)
        gone = known.filter { $0.table != nil && !configured.contains($0.name) }
        guard !gone.isEmpty else { return }
        let stored = Set(known.filter { $0.table != nil }.map(\.name))
        var new = streams.filter { !stored.contains($0.name) }
        // A stream that asks for the same as before is the same, whatever its name is.
        for (url, old) in Dictionary(grouping: gone, by: { urls[$0.name] }) {
            let same = new.filter { $0.url != nil && $0.url == url }
            guard old.count == 1, same.count == 1 else { continue }
            renamed[old[0].name] = same[0].name
            new.removeAll { $0.name == same[0].name }
        }
        for old in gone where renamed[old.name] == nil {
            guard let index = new.firstIndex(where: { Self.isLike($0, old) }) else { continue }
            renamed[old.name] = new.remove(at: index).name
        }
        // The only new stream of a source is the only one that is gone from it, by another name.
        for (source, left) in Dictionary(grouping: gone.filter { renamed[$0.name] == nil }, by: \.name.source) {
            let newOnes = new.filter { $0.name.source == source }
            if left.count == 1, newOnes.count == 1 { renamed[left[0].name] = newOnes[0].name }
        }
    }

    /// Streams that ask for the same as others, with other parameters, are no pair.
    private static func swapped(_ streams: [StreamConfiguration], _ urls: [StreamName: String])
        -> [(StreamConfiguration, StreamConfiguration)]
    {
        let byURL = Dictionary(grouping: streams.filter { $0.url != nil }, by: \.url)
        return streams.compactMap { one in
            guard let url = one.url, let former = urls[one.name], former != url, byURL[url]?.count == 1,
                let others = byURL[former], others.count == 1, urls[others[0].name].map({ $0 != former }) == true
            else { return nil }
            return (one, others[0])
        }
    }

    private static func withoutQuery(_ url: String) -> String { String(url.prefix { $0 != "?" }) }

    /// Returns true for a stream of the same name in another source, of a similar name in the same source, or with the same table.
    private static func isLike(_ stream: StreamConfiguration, _ old: KnownStream) -> Bool {
        if stream.name.stream == old.name.stream || stream.table == old.table { return true }
        return stream.name.source == old.name.source
            && Suggestion.closest(to: stream.name.stream, among: [old.name.stream]) != nil
    }

    /// Returns what is to be told of a stream that is gone from the file, and what to try.
    package func words(on old: KnownStream) -> (text: String, remedy: String) {
        let table = old.table.map { "; its table '\($0)' stays as it is" } ?? ""
        guard let new = renamed[old.name] else {
            return (
                "\(old.name) is not in the file any more\(table)",
                "garner drop \(old.name), or garner rename \(old.name) and its new name, whose table, if it has one, goes first"
            )
        }
        return (
            "\(new) has no table yet, and \(old.name), which is gone from the file, has one like it",
            rename(old.name, to: new)
        )
    }

    /// Returns the command for all streams of a source if each of them is in the same other source now.
    private func rename(_ old: StreamName, to new: StreamName) -> String {
        let ofSource = gone.filter { $0.name.source == old.source }
        let isWhole =
            ofSource.count > 1
            && ofSource.allSatisfy { renamed[$0.name] == StreamName(source: new.source, stream: $0.name.stream) }
        return isWhole ? "garner rename \(old.source) \(new.source)" : "garner rename \(old) \(new)"
    }

    /// Returns the states of the streams that are gone from the file, with what to do about each.
    package func statuses(in reader: ReadOnlyDatabase, now: Timestamp) throws -> [StreamStatus] {
        try gone.flatMap { old in
            try StreamStatus.all(
                of: [StreamConfiguration(unconfigured: old.name)], in: reader, isWritten: false, now: now,
                goneWith: words(on: old).remedy)
        }
    }
}

extension StreamConfiguration {
    /// The URL of its requests without a query; nil if a placeholder is in it.
    fileprivate var url: String? {
        let path = request.path.prefix { $0 != "?" }.drop { $0 == "/" }
        guard !path.contains("{"), !request.baseURL.contains("?") else { return nil }
        guard !path.isEmpty else { return request.baseURL }
        return "\(request.baseURL)\(request.baseURL.hasSuffix("/") ? "" : "/")\(path)"
    }

    /// A stream of which only what the database has is known.
    package init(unconfigured name: StreamName) {
        self.init(
            name: name, table: name.stream, place: ConfigurationPlace(file: ""),
            request: RequestTemplate(baseURL: "", path: ""))
    }
}
