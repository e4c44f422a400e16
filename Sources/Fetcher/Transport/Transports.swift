package import Catalog
import Synchronization

/// The connections of a process: one transport for all streams whose connections are configured alike, and what the
/// requests to one source share.
package final class Transports: Sendable {
    private let userAgent: String
    private let environment: [String: String]
    private let lookup: HostLookup
    /// nil after `shutdown()`.
    private let made = Mutex<[ConnectionSettings: HTTPTransport]?>([:])
    private let traffic = Mutex<[String: SourceTraffic]>([:])
    private let tokens: TokenSources

    /// `userAgent` is the value of the `User-Agent` header, such as `garner/1.0`; the environment may name proxies, and a folder
    /// for temporary files.
    ///
    /// - Parameters:
    ///   - keeper: keeps refresh tokens; nil: they are gone with the process, even if a server took the old ones.
    ///   - lookup: finds the addresses of hosts where a request may not reach private networks.
    package init(
        userAgent: String, environment: [String: String] = [:], keeper: (any TokenKeeper)? = nil,
        lookup: HostLookup = .system
    ) {
        self.userAgent = userAgent
        self.environment = environment
        self.lookup = lookup
        tokens = TokenSources(keeper: keeper)
    }

    /// The transport for a stream that is configured so. It is shared, and stays open until `shutdown()`.
    ///
    /// Throws `FetchError` after `shutdown()`, and where the stream's certificates cannot be read. They are read each
    /// time, so that a new file counts from the next run on.
    package func transport(for stream: Stream) throws -> any Transport {
        let settings: ConnectionSettings
        do {
            settings = try ConnectionSettings(of: stream, environment: environment)
        } catch {
            throw FetchError(stream: stream.name, kind: error, url: nil)
        }
        return try made.withLock { made in
            guard made != nil else { throw FetchError.shutDown(stream.name) }
            if let transport = made?[settings] { return transport }
            let transport = HTTPTransport(
                settings, userAgent: userAgent, environment: environment, lookup: lookup)
            made?[settings] = transport
            return transport
        }
    }

    /// What the requests of the stream's source share.
    package func traffic(of stream: Stream, clock: any Clock<Duration>) -> SourceTraffic {
        traffic.withLock { traffic in
            // A configuration that was read again may have other limits.
            if let known = traffic[stream.name.source], known.fits(stream) { return known }
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
            defer { made = nil }
            return Array((made ?? [:]).values)
        }
        for transport in all { try await transport.shutdown() }
    }
}

extension FetchError {
    /// Its connections were shut down.
    package static func shutDown(_ stream: StreamName) -> FetchError {
        FetchError(stream: stream, kind: .connection(reason: "the connections were shut down"), url: nil)
    }
}
