package import Catalog
import Synchronization

/// The connections of a process: one transport for all streams whose connections are configured alike, and what the
/// requests to one source share.
package final class Transports: Sendable {
    private let userAgent: String
    private let made = Mutex<[Configuration: HTTPTransport]>([:])
    private let traffic = Mutex<[String: SourceTraffic]>([:])
    private let tokens: TokenSources

    /// `userAgent` is the value of the `User-Agent` header, such as `garner/1.0`.
    ///
    /// - Parameter keeper: keeps refresh tokens; nil: they are gone with the process, even if a server took the old ones.
    package init(userAgent: String, keeper: (any TokenKeeper)? = nil) {
        self.userAgent = userAgent
        tokens = TokenSources(keeper: keeper)
    }

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

    /// What the requests of the stream's source share.
    package func traffic(of stream: Stream, clock: any Clock<Duration>) -> SourceTraffic {
        traffic.withLock { traffic in
            if let known = traffic[stream.name.source] { return known }
            let new = SourceTraffic(of: stream, clock: clock)
            traffic[stream.name.source] = new
            return new
        }
    }

    /// Where the stream's access tokens come from, shared by all streams with the same credentials; nil where it needs
    /// none.
    package func tokens(of stream: Stream, clock: any Clock<Duration>) -> TokenSource? {
        guard case .oauth2(let client) = stream.request.authentication else { return nil }
        return tokens.source(for: client, clock: clock)
    }

    /// Ends all requests and connections. Must be called before the last reference goes, and nothing may be sent after it.
    ///
    /// Tokens that are being fetched are waited for.
    package func shutdown() async throws {
        await tokens.settled()
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
