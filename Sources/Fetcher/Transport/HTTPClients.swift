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
/// address counts for nothing, and only the host that the URL names is checked, by `AddressGuard`.
final class HTTPClients: Sendable {
    enum Way: Hashable, Sendable {
        case straight(mayReachPrivateNetwork: Bool)
        /// TLS with the server, inside a connection that the proxy passes on (`CONNECT`).
        case tunnel(Proxy)
        /// In the open to the proxy, which sends the request on.
        case relay(Proxy)

        var proxy: Proxy? {
            switch self {
            case .straight: nil
            case .tunnel(let proxy), .relay(let proxy): proxy
            }
        }
    }

    /// What a connection goes through before its first request.
    private typealias Step = @Sendable (any Channel) -> EventLoopFuture<Void>

    /// More than the sources of a configuration have under way at one host, which `max_concurrency` decides.
    private static let connectionsPerHost = 1024

    private let settings: ConnectionSettings
    /// nil after `shutdown()`.
    private let made = Mutex<[Way: HTTPClient]?>([:])

    init(_ settings: ConnectionSettings) { self.settings = settings }

    func client(for way: Way) throws(TransportFailure) -> HTTPClient {
        let client = made.withLock { made -> HTTPClient? in
            if made == nil { return nil }
            if let client = made?[way] { return client }
            let client = HTTPClient(
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration(for: way))
            made?[way] = client
            return client
        }
        guard let client else { throw .other(reason: "the connections were shut down") }
        return client
    }

    func shutdown() async throws {
        let all = made.withLock { made in
            defer { made = nil }
            return Array((made ?? [:]).values)
        }
        var failure: (any Error)?
        for client in all {
            do { try await client.shutdown() } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func configuration(for way: Way) -> HTTPClient.Configuration {
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
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connectionsPerHost
        var steps: [Step] = [PromptAcknowledgement.add]
        switch way {
        case .straight(mayReachPrivateNetwork: true): break
        case .straight(mayReachPrivateNetwork: false): steps.append(Self.refusePrivateNetworks)
        case .tunnel(let proxy):
            let credentials = proxy.credentials.map { HTTPClient.Authorization.basic(credentials: $0.encoded.reveal()) }
            configuration.proxy = .server(
                host: proxy.address.origin.host, port: proxy.address.origin.port, authorization: credentials)
        case .relay(let proxy): steps.append { RelayHandler.add(to: $0, for: proxy) }
        }
        steps.append { [ratio = settings.ratio] in InflationLimit.add(to: $0, ratio: ratio) }
        configuration.http1_1ConnectionDebugInitializer = { [steps] channel in
            steps.reduce(channel.eventLoop.makeSucceededVoidFuture()) { previous, step in
                previous.flatMap { step(channel) }
            }
        }
        return configuration
    }

    /// Closes a connection whose other end is private, before any byte of a request was sent.
    private static let refusePrivateNetworks: Step = { channel in
        guard let address = channel.remoteAddress?.ipAddress, PrivateNetwork.contains(address) else {
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(TransportFailure.privateNetwork(address: address))
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
