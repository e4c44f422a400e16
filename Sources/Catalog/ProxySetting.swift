/// The way that requests take to their host.
package enum ProxySetting: Sendable, Equatable {
    /// As the environment's `https_proxy`, `http_proxy` and `no_proxy` say.
    case environment
    /// Straight.
    case none
    /// Through an HTTP proxy.
    case server(address: WebAddress, username: ConfiguredText?, password: Secret?)
}
