/// The configuration that translated streams make: one source for each base URL.
struct FileDocument {
    struct Source {
        let name: String
        let base: String
        var streams: [StreamTranslation] = []
    }

    private(set) var sources: [Source] = []
    /// The index of each stream's source.
    private var places: [ObjectIdentifier: Int] = [:]
    /// Keys that all sources have, such as `max_concurrency`.
    var common = FileMapping()
    /// The name of the file that the sources are made of, as a sentence begins.
    var origin = "The connector's file"

    /// The keys that stand at the source if all of its streams have them alike.
    private static let shared = ["auth", "headers", "params", "paginator", "response_actions", "retry"]

    /// - Parameters:
    ///   - streams: the streams that are written, parents first.
    ///   - name: what the connector is called; nil if only its URLs tell.
    ///   - taken: names of sources that the configuration has already.
    init(_ streams: [StreamTranslation], name: String?, taken: Set<String> = []) {
        var taken = taken
        for stream in streams {
            let base = stream.base ?? ""
            if let index = sources.firstIndex(where: { $0.base == base }) {
                sources[index].streams.append(stream)
                places[ObjectIdentifier(stream)] = index
                continue
            }
            places[ObjectIdentifier(stream)] = sources.count
            let wanted = name ?? FileNames.provider(of: base) ?? "api"
            sources.append(Source(name: FileNames.free(wanted, among: &taken), base: base, streams: [stream]))
        }
    }

    /// Returns a source and its streams as they stand under `sources:`.
    func mapping(of source: Source) -> FileMapping {
        var streams = source.streams.map { keys(of: $0, in: source) }
        var mapping = FileMapping(["base_url": .text(source.base)])
        if FileNames.isPrivate(source.base) {
            mapping.comment(
                "\(origin) leads to this address of a private network: is it yours?", on: "base_url")
        }
        for entry in common.entries { mapping[entry.key] = entry.value }
        for key in Self.shared {
            guard let value = streams.first?[key], streams.allSatisfy({ $0[key] == value }),
                !streams.contains(where: { $0.entries.contains { $0.key == key && !$0.comments.isEmpty } })
            else { continue }
            mapping[key] = value
            for index in streams.indices { streams[index][key] = nil }
        }
        var named = FileMapping()
        for (stream, keys) in zip(source.streams, streams) {
            named.entries.append(
                FileMapping.Entry(key: stream.streamName, value: .mapping(keys), comments: comments(of: stream, keys)))
        }
        mapping["streams"] = .mapping(named)
        return mapping
    }

    /// Returns the keys of a stream, with the names that parents have by now, and what is lost at its place.
    private func keys(of stream: StreamTranslation, in source: Source) -> FileMapping {
        var keys = stream.stream
        if let parent = stream.parents.first, keys["parent"] != nil {
            let other = places[ObjectIdentifier(parent)].map { sources[$0] }
            let isNear = other?.base == source.base
            let name = isNear ? parent.streamName : "\(other?.name ?? source.name).\(parent.streamName)"
            if var mapping = keys["parent"]?.mapping {
                mapping["stream"] = .text(name)
                keys["parent"] = .mapping(mapping)
            } else {
                keys["parent"] = .text(name)
            }
        }
        for loss in stream.losses where loss.effect > .none {
            if let key = loss.code.places.first(where: { keys[$0] != nil }) { keys.comment(loss.comment, on: key) }
        }
        return keys
    }

    /// Returns what stands before a stream: what is lost of it and has no place in it.
    private func comments(of stream: StreamTranslation, _ keys: FileMapping) -> [String] {
        let name = stream.name == stream.streamName ? [] : ["'\(ImportReport.shown(stream.name))' of the connector"]
        let lost = stream.losses.filter { loss in
            loss.effect > .none && !loss.code.places.contains { keys[$0] != nil }
        }
        return name + lost.map(\.comment)
    }
}

extension Loss {
    /// The line before the place in the file.
    var comment: String { "\(effect.words): \(sentence)" }
}

extension LossCode {
    /// The keys of a stream beside which the loss is told, the best one first.
    var places: [String] {
        switch self {
        case .firstReadDiffers, .cursor, .timeFormat, .window: ["incremental"]
        case .recordFilter: ["record_filter", "record_selector"]
        case .expandedRecords, .selector: ["record_selector"]
        case .fieldAdded, .fieldRemoved, .fieldNames, .transformation: ["fields"]
        case .endOfRead, .paginator, .pageToken, .stopCondition, .pageSize: ["paginator"]
        case .responseFilter: ["response_actions"]
        case .key: ["primary_key", "write_disposition"]
        case .partitions, .groupedParents: ["partitions", "parent"]
        default: []
        }
    }
}
