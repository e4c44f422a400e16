package import Catalog

/// The connections of a program: one client for all documents whose connections are configured alike, which those are not that
/// differ in `maximumBodyBytes` or `connectTimeout`.
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
    ///   - environment: may name proxies, by `https_proxy`, `http_proxy` and `no_proxy`, and a folder for long bodies by `TMPDIR`.
    public init(userAgent: String, environment: [String: String] = [:]) {
        let transports = Transports(userAgent: userAgent, environment: environment)
        self.init(transport: { try transports.transport(for: $0) }, end: { try await transports.shutdown() })
    }

    /// Ends all requests and connections. Must be called before the last copy goes; what is to be sent after it fails.
    ///
    /// Throws what AsyncHTTPClient does where its connections do not end.
    public func shutdown() async throws { try await end() }

    /// The transport of a stream that is configured so.
    func transport(for stream: Stream) throws -> any Transport { try transport(stream) }
}
