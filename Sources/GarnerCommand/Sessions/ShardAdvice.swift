import GarnerCatalog
import GarnerModel
import GarnerPresentation
import GarnerShards

/// What a person should know of the shards of a configuration's sources, with what to do about it.
struct ShardAdvice {
    let message: String
    let hint: String

    /// Returns what is to be told; nothing of a file.
    static func all(of configuration: Configuration, in layout: ShardLayout, _ place: ShardPlace) -> [ShardAdvice] {
        let separated = configuration.ties.compactMap { ShardAdvice($0, layout) }
        guard let wanted = place.wantedShards, wanted < layout.shards.count else { return separated }
        return separated + [
            ShardAdvice(
                message: "'database' asks for \(wanted.counted("shard")), and the database has \(layout.shards.count)",
                hint: "leave ?shards= out, or write ?shards=\(layout.shards.count): their number does not shrink")
        ]
    }

    private init(message: String, hint: String) { (self.message, self.hint) = (message, hint) }

    /// Fails if the sources are in one shard, as far as they have a place.
    private init?(_ tie: SourceTie, _ layout: ShardLayout) {
        let placed = tie.sources.filter { layout.shard(of: $0) != nil }
        let shards = Set(placed.compactMap(layout.shard))
        guard shards.count > 1, let first = placed.first, let shard = layout.shard(of: first) else { return nil }
        let places = placed.map { "\($0) in shard \(layout.shard(of: $0) ?? 1)" }.joined(separator: ", ")
        let others = placed.filter { layout.shard(of: $0) != shard }.joined(separator: " ")
        hint = "garner workers move \(others) \(shard)"
        switch tie.reason {
        case .rows(let needed, let stream):
            message = "\(stream) needs rows of \(needed), and their sources are apart: \(places)"
        case .login:
            message = "sources with one login are apart, so that each shard logs in by itself: \(places)"
        case .host(let host):
            message =
                "sources of the host \(host) are apart, so that each shard has a limit of its own for it: \(places)"
        }
    }
}

extension Setup {
    /// Warns of sources that belong together and are in different shards.
    func warnOfSeparateSources(in configuration: Configuration) async {
        guard !isQuiet, let place = try? shard(of: configuration.place, placed: configuration.file),
            let layout = try? await place.layout()
        else { return }
        for advice in ShardAdvice.all(of: configuration, in: layout, place) {
            StandardError.warn("\(advice.message)", try: advice.hint)
        }
    }
}
