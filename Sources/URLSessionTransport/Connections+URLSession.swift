import Catalog
public import Fetcher
import Synchronization

extension Connections {
    /// Over Foundation's URLSession, with the limits that docs/decisions/0014-transports.md lists; on Linux, for servers that
    /// are trusted.
    ///
    /// - Parameter userAgent: the value of the `User-Agent` header, such as `zoo/1.0`.
    public static func urlSession(userAgent: String) -> Connections {
        let sessions = Sessions(userAgent: userAgent)
        return Connections(transport: { try sessions.transport(for: $0) }, end: { sessions.shutdown() })
    }
}

/// One session for all streams whose bodies have the same limit: nothing else of a stream is told to a session.
private final class Sessions: Sendable {
    private let userAgent: String
    /// nil after `shutdown()`.
    private let made = Mutex<[Int: URLSessionTransport]?>([:])

    init(userAgent: String) { self.userAgent = userAgent }

    func transport(for stream: Stream) throws -> any Transport {
        try made.withLock { made in
            guard made != nil else { throw FetchError.shutDown(stream.name) }
            if let transport = made?[stream.limits.body] { return transport }
            let transport = URLSessionTransport(userAgent: userAgent, maximumBody: stream.limits.body)
            made?[stream.limits.body] = transport
            return transport
        }
    }

    func shutdown() {
        let all = made.withLock { made in
            defer { made = nil }
            return Array((made ?? [:]).values)
        }
        for transport in all { transport.shutdown() }
    }
}
