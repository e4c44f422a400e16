/// The reason why a transport could not deliver a complete response.
package enum TransportError: Error, Sendable, Equatable {
    case unknownHost
    case refused
    /// The connection failed for another reason, such as a missing route.
    case unreachable(reason: String)
    /// The connection was not established within the connect timeout.
    case connectDeadline
    case tls(reason: String)
    /// The connection closed before the response head was complete.
    case closed
    /// A connection that has brought another response ended before this one's head was complete.
    ///
    /// - Parameter answerBegan: true if a byte had come since the request was sent.
    case lostConnection(answerBegan: Bool)
    /// The connection closed before the body was complete.
    case incompleteBody
    case decompression(reason: String)
    /// The server sent something other than an HTTP response.
    case malformed(reason: String)
    case headTooLarge
    /// The decompressed body is larger than the limit.
    case bodyTooLarge
    /// The body's compression ratio exceeds the limit.
    case excessiveRatio
    /// The host has this address, and the request may not reach private networks.
    case privateNetwork(address: String)
    /// The transport cannot check the address of this host, and the request may not reach private networks.
    case unverifiable(host: String)
    /// The connection to the proxy failed. The text is its address without credentials, or the variable that names it.
    case proxy(String, ProxyError)
    case other(reason: String)

    static let shutDown = TransportError.other(reason: "the connections were shut down")
}

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
