import GarnerCatalog
import GarnerModel
import GarnerPresentation
import GarnerShards

extension ShardLayout {
    /// Returns what a person should know of the shards of a configuration's sources, each with what to do about it.
    func advice(on configuration: Configuration, at place: ShardPlace) -> [(message: String, hint: String)] {
        let separated = configuration.ties.compactMap { advice(on: $0) }
        guard let wanted = place.wantedShards, wanted < shards.count else { return separated }
        let message = "'database' asks for \(wanted.counted("shard")), and the database has \(shards.count)"
        let hint = "leave ?shards= out, or write ?shards=\(shards.count): their number does not shrink"
        return separated + [(message: message, hint: hint)]
    }

    /// Returns nil if the sources are in one shard, as far as they have a place.
    private func advice(on tie: SourceTie) -> (message: String, hint: String)? {
        let placed = tie.sources.compactMap { source in shard(of: source).map { (source: source, shard: $0) } }
        guard let first = placed.first?.shard, placed.contains(where: { $0.shard != first }) else { return nil }
        let places = placed.map { "\($0.source) in shard \($0.shard)" }.joined(separator: ", ")
        let others = placed.filter { $0.shard != first }.map(\.source).joined(separator: " ")
        let message =
            switch tie.reason {
            case .rows(let needed, let stream):
                "\(stream) needs rows of \(needed), and their sources are apart: \(places)"
            case .login: "sources with one login are apart, so that each shard logs in by itself: \(places)"
            case .host(let host):
                "sources of the host \(host) are apart, so that each shard has a limit of its own for it: \(places)"
            }
        return (message, "garner workers move \(others) \(first)")
    }
}

extension Setup {
    /// Warns of sources that belong together and are in different shards.
    func warnOfSeparateSources(in configuration: Configuration) async {
        guard !isQuiet, let place = try? shard(of: configuration.place, placed: configuration.file),
            let layout = try? await place.layout()
        else { return }
        for advice in layout.advice(on: configuration, at: place) {
            StandardError.warn("\(advice.message)", try: advice.hint)
        }
    }
}
