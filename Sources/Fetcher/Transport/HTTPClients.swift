import AsyncHTTPClient
import Catalog
import NIOCore
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import Synchronization

/// The HTTP clients of a transport, one for each way to a server, made when they are first needed.
///
/// Connections that may lead into private networks are kept apart from those that may not, so that the latter are never
/// used for a request that must not be answered from there. What a proxy connects to cannot be seen: there its own
/// address counts for nothing, and only the host that the URL names is checked, by `AddressGuard`. Why the others have a
/// client for each host: docs/decisions/0036-checked-addresses.md.
final class HTTPClients: Sendable {
    enum Way: Hashable, Sendable {
        case straight
        /// To an address that was judged before anything connects to it.
        case guarded(GuardedPlace)
        /// TLS with the server, inside a connection that the proxy passes on (`CONNECT`).
        case tunnel(Proxy)
        /// In the open to the proxy, which sends the request on.
        case relay(Proxy)

        var proxy: Proxy? {
            switch self {
            case .straight, .guarded: nil
            case .tunnel(let proxy), .relay(let proxy): proxy
            }
        }
    }

    /// What a connection goes through before its first request.
    typealias Step = @Sendable (any Channel) -> EventLoopFuture<Void>

    /// More than the sources of a configuration have under way at one host, which `max_concurrency` decides.
    private static let connectionsPerHost = 1024

    private let settings: ConnectionSettings
    private let guarded: GuardedClients
    /// nil after `shutdown()`.
    private let made = Mutex<[Way: HTTPClient]?>([:])

    init(_ settings: ConnectionSettings, lookup: HostLookup) {
        self.settings = settings
        let choice = AddressChoice(lookup: lookup, limit: .nanoseconds(settings.connect.wholeNanoseconds))
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
        guard let client else { throw TransportFailure.shutDown }
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
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .nanoseconds(settings.connect.wholeNanoseconds)
        configuration.decompression = .enabled(limit: .size(settings.body))
        // A failed connection is reported at once, since retries have their own schedule.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
        var steps = first + [CertificateNames.require, PromptAcknowledgement.add]
        switch way {
        case .straight, .guarded: break
        case .tunnel(let proxy):
            let credentials = proxy.credentials.map { HTTPClient.Authorization.basic(credentials: $0.encoded.reveal()) }
            configuration.proxy = .server(
                host: proxy.address.origin.host, port: proxy.address.origin.port, authorization: credentials)
        case .relay(let proxy): steps.append { RelayHandler.add(to: $0, for: proxy) }
        }
        steps.append { [ratio = settings.ratio] in InflationLimit.add(to: $0, ratio: ratio) }
        configuration.http1_1ConnectionDebugInitializer = { [steps] channel in
            let done = steps.reduce(channel.eventLoop.makeSucceededVoidFuture()) { previous, step in
                previous.flatMap { step(channel) }
            }
            done.whenFailure { _ in channel.close(promise: nil) }
            return done
        }
        return configuration
    }

    /// Fails where the HTTP client went its own way, before any byte of a request was sent.
    private static func refuseOthers(than address: IPAddress, on channel: any Channel) -> EventLoopFuture<Void> {
        let other = channel.remoteAddress?.ipAddress ?? ""
        if IPAddress(other) == address { return channel.eventLoop.makeSucceededVoidFuture() }
        return channel.eventLoop.makeFailedFuture(TransportFailure.privateNetwork(address: other))
    }
}

extension Duration {
    /// Saturates at the ends of Int64.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000
    }
}
