package import Catalog

/// The order in which several streams are synchronised: as they stand in the file, but children after their parents.
package struct RunQueue: Sendable {
    private var waiting: [Stream]
    package private(set) var running: Set<StreamName> = []

    package init(_ streams: [Stream]) { waiting = streams }

    /// The next stream that needs not wait for another one; nil where none is left that may start now.
    package mutating func startNext() -> Stream? {
        let pending = running.union(waiting.map(\.name))
        let index = waiting.firstIndex { stream in stream.parent.map { !pending.contains($0.stream) } ?? true }
        guard let index else { return nil }
        let stream = waiting.remove(at: index)
        running.insert(stream.name)
        return stream
    }

    /// The order in which the streams would start, one at a time.
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
