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
    /// Each stream whose rows come from another place than the next ones will, with the URL of that place.
    package private(set) var moved: [(stream: StreamConfiguration, former: String)] = []
    /// Each stream whose rows were read without the `record_filter` that it has now, and that deletes none of them.
    package private(set) var filtered: [StreamConfiguration] = []
    /// The former names of streams that ask for the very same as one that is gone, by their new ones.
    private var former: [StreamName: StreamName] = [:]
    /// The streams of the file that have no table.
    private var tableless: [StreamConfiguration] = []

    package init(of configuration: Configuration, in reader: ReadOnlyDatabase) throws {
        self.init(of: configuration.streams, knowing: try reader.knownStreams())
    }

    package init(of streams: [StreamConfiguration], knowing known: [KnownStream]) {
        let configured = Set(streams.map(\.name))
        let urls = Dictionary(
            known.map { ($0.name, $0.url.map(Self.withoutQuery)) }, uniquingKeysWith: { one, _ in one }
        )
        .compactMapValues(\.self)
        let asked = streams.map(\.url)
        swapped = Self.swapped(streams, asked, urls)
        let tables = known.filter { $0.table != nil }
        let identities = Dictionary(tables.map { ($0.name, $0.identities) }, uniquingKeysWith: { one, _ in one })
        moved = Self.moved(streams, asked, identities, urls)
        filtered = streams.filter { stream in
            guard stream.recordFilter != nil, !stream.deletesRows, let known = identities[stream.name] else {
                return false
            }
            var former = stream
            former.recordFilter = nil
            return known.contains(KnownStream.identity(of: former))
                && !known.contains(KnownStream.identity(of: stream))
        }
        gone = tables.filter { !configured.contains($0.name) }
        guard !gone.isEmpty else { return }
        let stored = Set(tables.map(\.name))
        tableless = streams.filter { !stored.contains($0.name) }
        let byIdentity = Dictionary(grouping: tableless, by: KnownStream.identity(of:))
        for (identity, alike) in byIdentity where alike.count == 1 {
            let old = gone.filter { $0.identities.contains(identity) }
            if old.count == 1 { former[alike[0].name] = old[0].name }
        }
        renamed = Dictionary(former.map { ($1, $0) }, uniquingKeysWith: { one, _ in one })
        var new = tableless.filter { former[$0.name] == nil }
        // A stream that asks for the same place as before is the same, whatever its name is.
        for (url, old) in Dictionary(grouping: gone.filter({ renamed[$0.name] == nil }), by: { urls[$0.name] }) {
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
    ///
    /// - Parameters:
    ///   - asked: The URL of each stream.
    ///   - urls: The URLs from which the tables were read.
    private static func swapped(
        _ streams: [StreamConfiguration], _ asked: [String?], _ urls: [StreamName: String]
    ) -> [(StreamConfiguration, StreamConfiguration)] {
        // Few streams ask for something else than before, if any.
        let changed = zip(streams, asked).filter { one, url in urls[one.name].map { $0 != url } ?? false }
        guard changed.count > 1 else { return [] }
        let byURL = Dictionary(grouping: streams.indices.filter { asked[$0] != nil }) { asked[$0] }
        return changed.compactMap { one, url in
            guard let url, let former = urls[one.name], byURL[url]?.count == 1,
                let others = byURL[former], others.count == 1, case let other = streams[others[0]],
                urls[other.name].map({ $0 != former }) == true
            else { return nil }
            return (one, other)
        }
    }

    /// A stream that asks for the same as before has followed links to other places. A URL with a secret in it is not known.
    private static func moved(
        _ streams: [StreamConfiguration], _ asked: [String?], _ identities: [StreamName: Set<String>],
        _ urls: [StreamName: String]
    ) -> [(stream: StreamConfiguration, former: String)] {
        zip(streams, asked).compactMap { stream, url in
            guard let url, let former = urls[stream.name], former != url, !former.contains("***"),
                let known = identities[stream.name], !known.isEmpty,
                !known.contains(KnownStream.identity(of: stream))
            else { return nil }
            return (stream, former)
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
            let taken = Set(renamed.values)
            let others = tableless.map(\.name).filter { !taken.contains($0) }
            let nearest =
                others.filter { $0.source == old.name.source } + others.filter { $0.source != old.name.source }
            let renames = nearest.prefix(3).map { "'garner rename \(old.name) \($0)'" }.joined(separator: " or ")
            return (
                "\(old.name) is not in the file any more\(table)",
                (renames.isEmpty ? "" : "if it has another name now, run \(renames); ")
                    + "if its rows are to stay, or another file reads it, do nothing; "
                    + "if they may go, run 'garner drop \(old.name)'"
            )
        }
        return (
            "\(new) has no table yet, and \(old.name), which is gone from the file, has one like it",
            "run '\(rename(old.name, to: new))' to go on with its rows; \(besideOtherFile(old, new))"
        )
    }

    /// Returns what to do about a stream that is in another file, and a new one of this file that is like it.
    private func besideOtherFile(_ old: KnownStream, _ new: StreamName) -> String {
        if rename(old.name, to: new) == "garner rename \(old.name.source) \(new.source)" {
            return
                "if another file reads the streams of \(old.name.source), give those of \(new.source) 'table' names of "
                + "their own, and write both into this file until both have tables"
        }
        let hasTable = tableless.contains { $0.name == new && $0.table.lowercased() == old.table?.lowercased() }
        let ways = [
            hasTable ? "write 'table: \(new.source)_\(new.stream)' in \(new)" : nil,
            former[new] == old.name ? "write \(old.name) into this file too until \(new) has a table" : nil,
        ].compactMap(\.self)
        return "if another file reads \(old.name), \(ways.isEmpty ? "do nothing" : ways.joined(separator: ", and "))"
    }

    /// Returns why nothing is read of a new stream: it asks for the very same as one that is gone from the file and has rows, so that it
    /// seems to be that one under another name. Returns nil for others.
    package func refusal(of stream: StreamName, in reader: ReadOnlyDatabase) throws -> PersistenceError? {
        guard let old = former[stream], let rows = try reader.history(of: old)?.count.all, rows > 0 else { return nil }
        return PersistenceError(
            .configuration,
            "\(stream) looks like \(old), which has \(rows.counted("row")) and is not in this file",
            hint: .text(
                "run '\(rename(old, to: stream))' to go on with its rows; to keep both, or if another file reads "
                    + "\(old), write \(old) into this file too until \(stream) has a table; to begin without its rows, "
                    + "run 'garner drop \(old)'"))
    }

    /// Returns what is to be told of a stream whose rows come from another place, and what to try.
    package static func words(on stream: StreamConfiguration, from former: String) -> (text: String, remedy: String) {
        let (old, new) = (WebAddress(former), stream.url.flatMap { WebAddress($0) })
        let isSameHost = old.flatMap { old in new.map(old.hasOrigin) } ?? false
        let place = isSameHost ? old.map(\.path) ?? former : former
        let effect =
            if stream.replacesTable {
                "replaces them if it is complete"
            } else if stream.deleteMissing != .ignore {
                "updates them and \(stream.deleteMissing == .soft ? "marks" : "deletes") those that it lacks if it is complete"
            } else {
                "goes on with them"
            }
        return (
            "\(stream.name) was read from \(place) until now, and has another address; its rows are kept, and the next "
                + "read \(effect)",
            "do nothing if it has the same records; if they are other ones, give the stream a new name, which keeps "
                + "these rows, or run 'garner drop \(stream.name)' to begin without them"
        )
    }

    /// Returns what is to be told of a stream whose rows were read without its `record_filter`, and what to try.
    package static func words(onFilterOf stream: StreamConfiguration) -> (text: String, remedy: String) {
        (
            "\(stream.name) was read without record_filter until now; its rows are kept, also those that record_filter leaves out",
            "do nothing if they are to stay; else run 'garner drop \(stream.name)', so that the next sync makes its table anew"
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

extension Configuration {
    /// Throws if a stream has no table yet, and seems to be one that is gone from the file. A database that cannot be read is no matter
    /// of this.
    package func refuseRenamed(_ stream: StreamConfiguration) throws {
        guard let reader = try? ReadOnlyDatabase(path: database), (try? reader.hasTable(of: stream.name)) == false,
            let refusal = try? StreamDifference(of: self, in: reader).refusal(of: stream.name, in: reader)
        else { return }
        throw refusal
    }
}

extension StreamConfiguration {
    /// The URL of its requests without a query; nil if a placeholder is in it.
    fileprivate var url: String? {
        let path = request.path.prefix { $0 != "?" }.drop { $0 == "/" }
        guard !path.contains("{"), !request.baseURL.contains("?") else { return nil }
        let base = request.baseURL
        let text = path.isEmpty ? base : "\(base)\(base.hasSuffix("/") ? "" : "/")\(path)"
        return WebAddress(text)?.description ?? text
    }

    /// A stream of which only what the database has is known.
    package init(unconfigured name: StreamName) {
        self.init(
            name: name, table: name.stream, place: ConfigurationPlace(file: ""),
            request: RequestTemplate(baseURL: "", path: ""))
    }
}
