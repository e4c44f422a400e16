package import Catalog
package import Model

/// The order in which several streams are synced: as in the file, but children after their parents.
package struct RunQueue: Sendable {
    private var waiting: [Stream]
    package private(set) var running: Set<StreamName> = []

    package init(_ streams: [Stream]) { waiting = streams }

    /// Starts and returns the next stream that need not wait for another one, or nil if none can start now.
    package mutating func startNext() -> Stream? {
        let pending = running.union(waiting.map(\.name))
        let index = waiting.firstIndex { stream in stream.parent.map { !pending.contains($0.stream) } ?? true }
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
