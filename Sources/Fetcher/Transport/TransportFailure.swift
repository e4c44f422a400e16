/// Why a transport could not carry a request and its whole answer.
package enum TransportFailure: Error, Sendable, Equatable {
    case unknownHost
    case refused
    /// No connection for another reason, such as no route.
    case unreachable(reason: String)
    /// No connection within the limit for connecting.
    case connectDeadline
    case tls(reason: String)
    /// The connection ended before the response head was complete.
    case closed
    /// The connection ended before the body was complete.
    case incompleteBody
    case decompression(reason: String)
    /// What came is no HTTP response.
    case malformed(reason: String)
    case headTooLarge
    /// More came out of the decompression than the limit allows.
    case bodyTooLarge
    /// One compressed byte became more than the limit allows.
    case excessiveRatio
    /// The host's address, which the request may not reach.
    case privateNetwork(address: String)
    /// The transport cannot tell where this name leads, and the request may not reach private networks.
    case unverifiable(host: String)
    /// The proxy's address without credentials, or the variable of the environment that names it.
    case proxy(String, ProxyProblem)
    case other(reason: String)

    static let shutDown = TransportFailure.other(reason: "the connections were shut down")
}
