/// The reason why a request failed at its proxy.
package enum ProxyError: Error, Sendable, Equatable {
    case unknownHost
    case refused
    case unreachable(reason: String)
    /// The proxy demands other credentials (407).
    case unauthorized
    /// The proxy did not open a tunnel to the server.
    case noTunnel
    /// The configured text is not the URL of an HTTP proxy.
    case unusable
    /// The URL names an IP address, and the certificate could be compared only with the proxy's own.
    case numericHost
}
