import AsyncHTTPClient
import GarnerCatalog
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The HTTP clients of a transport, one for each route to a server, created on demand.
///
/// Connections that may lead into private networks are separate from those that may not, so that a restricted request
/// never uses one of them. A proxy hides the address that it connects to. There, the proxy's own address does not
/// matter, and `AddressGuardMiddleware` checks only the host in the URL. docs/decisions/0036-checked-addresses.md says
/// why the other connections have one client per host.
final class HTTPClients: Sendable {
    enum Way: Hashable, Sendable {
        /// A direct connection: a plain one to any host, or one with TLS to this host.
        case straight(tlsHost: String?)
        /// A direct connection to an address judged before connecting.
        case guarded(GuardedPlace)
        /// A TLS connection to this host inside a connection that the proxy forwards (`CONNECT`).
        case tunnel(Proxy, tlsHost: String)
        /// A plain connection to the proxy, which forwards the request.
        case relay(Proxy)

        var proxy: Proxy? {
            switch self {
            case .straight, .guarded: nil
            case .tunnel(let proxy, _), .relay(let proxy): proxy
            }
        }

        /// The host that a certificate must name; nil if the connection has no TLS.
        var tlsHost: String? {
            switch self {
            case .straight(let host): host
            case .guarded(let place): place.host
            case .tunnel(_, let host): host
            case .relay(let proxy): proxy.address.host
            }
        }
    }

    /// A step in the set-up of a connection, before its first request.
    typealias Step = @Sendable (any Channel) -> EventLoopFuture<Void>

    /// The most connections per host: more than a configuration's sources open, which `max_concurrency` limits.
    private static let connectionsPerHost = 1024

    private let settings: ConnectionSettings
    private let guarded: GuardedClients
    /// The open clients; nil after `shutdown()`.
    private let made = Mutex<[Way: HTTPClient]?>([:])

    init(_ settings: ConnectionSettings, lookup: HostLookup) {
        self.settings = settings
        let choice = AddressChoice(lookup: lookup, limit: TimeAmount(settings.connect))
        guarded = GuardedClients(choice) { place, address, count in
            var configuration = Self.configuration(
                settings, [count, { Self.refuseOthers(than: address, on: $0) }], on: .guarded(place))
            configuration.dnsOverride = [place.host: "\(address)"]
            return Self.client(configuration)
        }
    }

    func lease(for way: Way) async throws -> ClientLease {
        if case .guarded(let place) = way { return try await guarded.lease(for: place) }
        let client = made.withLock { made -> HTTPClient? in
            if made == nil { return nil }
            if let client = made?[way] { return client }
            let client = Self.client(Self.configuration(settings, on: way))
            made?[way] = client
            return client
        }
        guard let client else { throw TransportError.shutDown }
        return ClientLease(client: client)
    }

    func shutdown() async throws {
        let all = made.withLock { made in
            defer { made = nil }
            return Array((made ?? [:]).values) + guarded.end()
        }
        var failure: (any Error)?
        for client in all {
            do { try await client.shutdown() } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private static func client(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }

    private static func configuration(
        _ settings: ConnectionSettings, _ first: [Step] = [], on way: Way
    ) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let roots = settings.trustRoots { tls.trustRoots = .certificates(roots) }
        settings.identity?.show(in: &tls)
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        // Nothing in Garner receives traces, and describing a request for them parses its URL twice.
        configuration.tracing.tracer = nil
        configuration.timeout.connect = TimeAmount(settings.connect)
        // `BodyDecompressor` does that.
        configuration.decompression = .disabled
        // The HTTP client does not repeat a failed connection, because retries have their own schedule.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
        var steps: [Step] = first + [{ ServerCertificate.check(on: $0, for: way.tlsHost) }, ExchangeHandler.add]
        switch way {
        case .straight, .guarded: break
        case .tunnel(let proxy, _):
            let credentials = proxy.credentials.map { HTTPClient.Authorization.basic(credentials: $0.encoded.reveal()) }
            configuration.proxy = .server(
                host: proxy.address.origin.host, port: proxy.address.origin.port, authorization: credentials)
        case .relay(let proxy): steps.append { RelayHandler.add(to: $0, for: proxy) }
        }
        steps.append { BodyDecompressor.add(to: $0, largest: settings.body, ratio: settings.ratio) }
        configuration.http1_1ConnectionDebugInitializer = { [steps] channel in
            let done = steps.reduce(channel.eventLoop.makeSucceededVoidFuture()) { previous, step in
                previous.flatMap { step(channel) }
            }
            done.whenFailure { _ in channel.close(promise: nil) }
            return done
        }
        return configuration
    }

    /// Fails if the HTTP client connected to another address. No byte of a request has been sent then.
    private static func refuseOthers(than address: IPAddress, on channel: any Channel) -> EventLoopFuture<Void> {
        let other = channel.remoteAddress?.ipAddress ?? ""
        if IPAddress(other) == address { return channel.eventLoop.makeSucceededVoidFuture() }
        return channel.eventLoop.makeFailedFuture(TransportError.privateNetwork(address: other))
    }
}

/// Keeps an HTTP client open as long as it exists.
struct ClientLease: Sendable {
    let client: HTTPClient
    /// Returns the client when released; nil for a client that stays open anyway.
    private let use: Use?

    init(client: HTTPClient, use: Use? = nil) {
        self.client = client
        self.use = use
    }

    /// Reports that the client could not execute a request.
    func failed() { use?.forget() }

    /// The right to a client, which ends with the last reference to this object.
    final class Use: Sendable {
        private let end: @Sendable () -> Void
        fileprivate let forget: @Sendable () -> Void

        init(end: @escaping @Sendable () -> Void, forget: @escaping @Sendable () -> Void) {
            self.end = end
            self.forget = forget
        }

        deinit { end() }
    }
}

/// The settings that determine a connection. Streams with equal settings may share connections.
struct ConnectionSettings: Hashable, Sendable {
    let connect: Duration
    /// The largest body after decompression, in bytes.
    let body: Int
    /// The largest compression ratio of a body; nil for the built-in one.
    let ratio: Int?
    let proxies: ProxyRules
    /// The trusted root certificates; nil for the system's.
    let trustRoots: [NIOSSLCertificate]?
    /// The client's certificate; nil if it has none.
    private(set) var identity: ClientIdentity?

    /// The same settings without the client's certificate.
    var withoutIdentity: ConnectionSettings {
        var settings = self
        settings.identity = nil
        return settings
    }

    /// Reads the settings of a stream. Throws `FetchError.Kind` if a certificate file cannot be used.
    init(of stream: StreamConfiguration, environment: [String: String]) throws(FetchError.Kind) {
        connect = stream.limits.connect
        body = stream.limits.body
        ratio = stream.limits.ratio
        proxies = ProxyRules(stream.proxy, environment: environment)
        trustRoots =
            if let file = stream.certificateAuthority { try Self.certificates(in: file) } else { nil }
        identity = if let files = stream.clientCertificate { try ClientIdentity(files) } else { nil }
    }

    private static func certificates(in file: String) throws(FetchError.Kind) -> [NIOSSLCertificate] {
        let bytes: [UInt8]
        do throws(PEMFile.ReadError) {
            bytes = try PEMFile(path: file).bytes
        } catch {
            throw .certificates(file: file, reason: error.reason)
        }
        do {
            return try NIOSSLCertificate.fromPEMBytes(bytes)
        } catch {
            throw .certificates(file: file, reason: "it holds what is no certificate in PEM, or none at all")
        }
    }
}
