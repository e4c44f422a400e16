import Catalog

/// The manual requests whose run has not ended, so that the same one twice is one.
struct Requests: Sendable {
    /// The same name may stand for requests of several streams.
    private struct Key: Hashable {
        let stream: StreamName
        let request: String
    }

    private var known: Set<Key> = []

    /// False if it came before and is not over.
    mutating func admit(_ request: String, of stream: StreamName) -> Bool {
        known.insert(Key(stream: stream, request: request)).inserted
    }

    /// Those that were refused, or whose run has ended, may be asked for again.
    mutating func forget(_ requests: [String], of stream: StreamName) {
        for request in requests { known.remove(Key(stream: stream, request: request)) }
    }
}
