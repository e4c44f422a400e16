package import Catalog

/// The connections of a program: one client for all documents whose connections are configured alike.
///
/// Each program has one, keeps it while it fetches, and ends it with `shutdown()`.
public struct Connections: Sendable {
    private let transport: @Sendable (Stream) throws -> any Transport
    private let end: @Sendable () async throws -> Void

    package init(
        transport: @escaping @Sendable (Stream) throws -> any Transport,
        end: @escaping @Sendable () async throws -> Void
    ) {
        self.transport = transport
        self.end = end
    }

    /// Over AsyncHTTPClient.
    ///
    /// - Parameters:
    ///   - userAgent: the value of the `User-Agent` header, such as `zoo/1.0`.
    ///   - environment: may name proxies, by `https_proxy`, `http_proxy` and `no_proxy`.
    public init(userAgent: String, environment: [String: String] = [:]) {
        let transports = Transports(userAgent: userAgent, environment: environment)
        self.init(transport: { try transports.transport(for: $0) }, end: { try await transports.shutdown() })
    }

    /// Ends all requests and connections. Must be called before the last copy goes, and nothing may be sent after it.
    public func shutdown() async throws { try await end() }

    /// The transport of a stream that is configured so.
    func transport(for stream: Stream) throws -> any Transport { try transport(stream) }
}
