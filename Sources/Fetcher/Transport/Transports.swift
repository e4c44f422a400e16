package import GarnerCatalog
package import GarnerModel
import Synchronization
import GarnerTasks

/// The connections of a process. Equal connection settings share one transport, and one source's requests its limits.
package final class Transports: Sendable {
    private let userAgent: String
    private let environment: [String: String]
    private let lookup: HostLookup
    /// The open transports by their settings; nil after `shutdown()`.
    private let made = Mutex<[ConnectionSettings: HTTPTransport]?>([:])
    private let traffic = Mutex<[String: SourceTraffic]>([:])
    private let tokens: TokenSources
    private static let longestShutdown = Duration.seconds(1)

    /// Creates the object without opening a connection.
    ///
    /// - Parameters:
    ///   - environment: variables that may name proxies, and a folder for temporary files.
    ///   - storage: stores refresh tokens and refused logins. If nil, they are lost with the process, even if a server has invalidated the
    ///     old ones.
    ///   - programs: starts the programs that print tokens; nil if none may be started.
    ///   - heedsRefusedLogins: False if logins are made although the storage has them as refused.
    ///   - lookup: resolves host names for requests that may not reach private networks.
    package init(
        userAgent: String, environment: [String: String] = [:], storage: (any TokenStorage)? = nil,
        programs: (any ProgramRunner)? = nil, heedsRefusedLogins: Bool = true, lookup: HostLookup = .system
    ) {
        self.userAgent = userAgent
        self.environment = environment
        self.lookup = lookup
        tokens = TokenSources(storage: storage, programs: programs, heedsRefusedLogins: heedsRefusedLogins)
    }

    /// Returns the transport for a stream's connection settings. It is shared, and stays open until `shutdown()`.
    ///
    /// Throws `FetchError` after `shutdown()`, or if the stream's certificates cannot be read. The certificate file is
    /// read on every call, so that a new file takes effect at the next run.
    package func transport(for stream: StreamConfiguration) throws -> any Transport {
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

    /// Returns the limits and retry budgets that requests to the stream's source share.
    package func traffic(of stream: StreamConfiguration, clock: any Clock<Duration>) -> SourceTraffic {
        traffic.withLock { traffic in
            // A reloaded configuration may have other limits.
            if let known = traffic[stream.name.source], known.fits(stream) { return known }
            let new = SourceTraffic(of: stream, clock: clock)
            traffic[stream.name.source] = new
            return new
        }
    }

    /// Returns the source of access tokens that all streams with the same credentials share; nil if none are needed.
    package func tokens(of stream: StreamConfiguration, clock: any Clock<Duration>) -> TokenSource? {
        switch stream.request.authentication {
        case .oauth2, .command, .session: tokens.source(of: stream.request, clock: clock)
        case .none, .bearer, .apiKey, .basic: nil
        }
    }

    /// Returns the error with which a run of the stream would fail now, since its login was refused; nil if it would log in.
    ///
    /// Throws the storage's errors.
    package func restOfLogin(of stream: StreamConfiguration, timing: Timing) throws -> FetchError? {
        guard let login = SessionLogin(of: stream, transport: try transport(for: stream), timing: timing),
            let rest = try tokens.refusedLogins?.rest(of: login.identity, at: timing.now())
        else { return nil }
        let problem = TokenError.loginRests(since: rest.at, until: rest.end)
        return FetchError(stream: stream.name, kind: login.error(problem), url: nil)
    }

    /// Waits for tokens that are being fetched, then ends all requests and connections. A connection that is being opened
    /// ends after `limits.connect` only, and is waited for no longer than a second.
    ///
    /// Call it before releasing the last reference, and send nothing after it.
    package func shutdown() async throws {
        await tokens.settled()
        let all = made.withLock { made in
            defer { made = nil }
            return Array((made ?? [:]).values)
        }
        try await result(
            of: { for transport in all { try await transport.shutdown() } }, within: Self.longestShutdown,
            on: TransportClock())
    }
}

extension FetchError {
    /// Returns the error for a request after `shutdown()`.
    package static func shutDown(_ stream: StreamName) -> FetchError {
        FetchError(stream: stream, kind: .connection(reason: "the connections were shut down"), url: nil)
    }
}
