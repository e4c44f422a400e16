package import GarnerCatalog
package import GarnerModel

/// The order in which several streams are synced: as in the file, but children after their parents, and streams with a
/// query for values of partitions, or with a condition on their parent, after the streams whose tables it names, itself or by views.
package struct RunQueue: Sendable {
    private let streams: [StreamConfiguration]
    /// The places of the streams that have not started, in their order.
    private var waiting: [Int]
    package private(set) var running: Set<StreamName> = []
    /// The streams that have not ended. To collect them at each start would cost the square of the streams.
    private var pending: Set<StreamName>
    /// The streams whose tables the SQL of a stream names, for streams with such SQL.
    private let queried: [StreamName: Set<StreamName>]

    /// - Parameter views: The definitions of the database's views by their names.
    package init(_ streams: [StreamConfiguration], views: [String: String] = [:]) {
        self.streams = streams
        waiting = Array(streams.indices)
        pending = Set(streams.map(\.name))
        let words = QueryWords(views: views)
        var queried: [StreamName: Set<StreamName>] = [:]
        for stream in streams where stream.readsTables {
            let words = words.all(of: stream)
            queried[stream.name] = Set(
                streams.lazy.filter { $0.name != stream.name && $0.isNamed(among: words) }.map(\.name))
        }
        self.queried = queried
    }

    /// Starts and returns the next stream that need not wait for another one, or nil if none can start now.
    package mutating func startNext() -> StreamConfiguration? {
        func hasParent(_ place: Int) -> Bool {
            streams[place].parent.map { !pending.contains($0.stream) } ?? true
        }
        // Streams that query each other would wait forever.
        let index =
            waiting.firstIndex { hasParent($0) && queried[streams[$0].name]?.isDisjoint(with: pending) ?? true }
            ?? (running.isEmpty ? waiting.firstIndex(where: hasParent) : nil)
        guard let index else { return nil }
        let stream = streams[waiting.remove(at: index)]
        running.insert(stream.name)
        return stream
    }

    /// Returns the order in which the streams would start, one at a time.
    package static func order(of streams: [StreamConfiguration], views: [String: String] = [:]) -> [StreamConfiguration]
    {
        var queue = RunQueue(streams, views: views)
        var order: [StreamConfiguration] = []
        while let stream = queue.startNext() {
            order.append(stream)
            queue.finish(stream.name)
        }
        return order
    }

    package mutating func finish(_ stream: StreamName) {
        running.remove(stream)
        pending.remove(stream)
    }
}

/// The words of queries and of the views that they name. Names of tables are among them.
private struct QueryWords {
    /// The words of each view's definition, by its name in lower case.
    private let views: [String: Set<String>]

    init(views: [String: String]) {
        self.views = Dictionary(
            views.map { ($0.key.lowercased(), StreamConfiguration.words(of: $0.value)) },
            uniquingKeysWith: { $0.union($1) })
    }

    /// Returns the words of a stream's queries for values of partitions, and of the condition on its parent, in lower case.
    func all(of stream: StreamConfiguration) -> Set<String> {
        var words = stream.queryWords
        var unexplained = words
        while !unexplained.isEmpty {
            let inViews = unexplained.reduce(into: Set<String>()) { $0.formUnion(views[$1] ?? []) }
            unexplained = inViews.subtracting(words)
            words.formUnion(unexplained)
        }
        return words
    }
}
