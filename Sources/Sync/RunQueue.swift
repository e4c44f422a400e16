package import Catalog
package import Model

/// The order in which several streams are synced: as in the file, but children after their parents, and streams with a
/// query for values of partitions after the streams whose tables it names.
package struct RunQueue: Sendable {
    private var waiting: [Stream]
    package private(set) var running: Set<StreamName> = []
    /// The streams whose tables the queries of a stream name, for streams with such queries.
    private let queried: [StreamName: Set<StreamName>]

    package init(_ streams: [Stream]) {
        waiting = streams
        var queried: [StreamName: Set<StreamName>] = [:]
        for stream in streams {
            let words = stream.wordsOfQueries
            guard !words.isEmpty else { continue }
            queried[stream.name] = Set(
                streams.lazy.filter { $0.name != stream.name && words.contains($0.table.lowercased()) }.map(\.name))
        }
        self.queried = queried
    }

    /// Starts and returns the next stream that need not wait for another one, or nil if none can start now.
    package mutating func startNext() -> Stream? {
        let pending = running.union(waiting.map(\.name))
        func hasParent(_ stream: Stream) -> Bool { stream.parent.map { !pending.contains($0.stream) } ?? true }
        // Streams that query each other would wait forever.
        let index =
            waiting.firstIndex { hasParent($0) && queried[$0.name]?.isDisjoint(with: pending) ?? true }
            ?? (running.isEmpty ? waiting.firstIndex(where: hasParent) : nil)
        guard let index else { return nil }
        let stream = waiting.remove(at: index)
        running.insert(stream.name)
        return stream
    }

    /// Returns the order in which the streams would start, one at a time.
    package static func order(of streams: [Stream]) -> [Stream] {
        var queue = RunQueue(streams)
        var order: [Stream] = []
        while let stream = queue.startNext() {
            order.append(stream)
            queue.finish(stream.name)
        }
        return order
    }

    package mutating func finish(_ stream: StreamName) { running.remove(stream) }
}

extension Stream {
    /// The words of the queries for values of partitions, in lower case. Names of tables are among them.
    fileprivate var wordsOfQueries: Set<String> {
        var words: Set<String> = []
        for case .query(let sql) in partitions.map(\.origin) {
            words.formUnion(sql.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        }
        return words
    }
}
