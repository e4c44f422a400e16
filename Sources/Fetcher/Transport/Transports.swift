package import Catalog
import Synchronization

/// The transports of a process: one for all streams whose connections are configured alike.
package final class Transports: Sendable {
    private let userAgent: String
    private let made = Mutex<[Configuration: HTTPTransport]>([:])

    /// `userAgent` is the value of the `User-Agent` header, such as `garner/1.0`.
    package init(userAgent: String) { self.userAgent = userAgent }

    /// The transport for these limits. It is shared, and stays open until `shutdown()`.
    package func transport(for limits: Limits) -> any Transport {
        made.withLock { made in
            let key = Configuration(connect: limits.connect, body: limits.body)
            if let transport = made[key] { return transport }
            let transport = HTTPTransport(limits: limits, userAgent: userAgent)
            made[key] = transport
            return transport
        }
    }

    /// Ends all requests and connections. Must be called before the last reference goes, and nothing may be sent after it.
    package func shutdown() async throws {
        let all = made.withLock { made in
            defer { made.removeAll() }
            return Array(made.values)
        }
        for transport in all { try await transport.shutdown() }
    }

    private struct Configuration: Hashable {
        let connect: Duration
        let body: Int
    }
}
