/// Why a request did not come past its proxy.
package enum ProxyProblem: Error, Sendable, Equatable {
    case unknownHost
    case refused
    case unreachable(reason: String)
    /// 407.
    case unauthorized
    /// It did not open a way to the server.
    case noTunnel
    /// What names it is no URL of an HTTP proxy.
    case unusable
    /// A certificate could be compared with the proxy's own address only.
    case numericHost
}
