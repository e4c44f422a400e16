import Catalog

/// Which proxy a request takes, if any.
struct ProxyRules: Hashable, Sendable {
    private let http: Choice
    private let https: Choice
    private let exceptions: ProxyExceptions

    private enum Choice: Hashable {
        case straight
        case proxy(Proxy)
        /// The environment's variable names no proxy that can be used.
        case unusable(variable: String)
    }

    /// - Parameter environment: read are `http_proxy`, `https_proxy` and `no_proxy`, in lower case only: what a web
    ///   server calls `HTTP_PROXY` is a header of a request to it.
    init(_ setting: ProxySetting, environment: [String: String]) {
        switch setting {
        case .none: (http, https, exceptions) = (.straight, .straight, ProxyExceptions(""))
        case .server(let address, let username, let password):
            let credentials = username.map { BasicCredentials(username: $0, password: password ?? Secret("")) }
            let proxy = Choice.proxy(Proxy(address: address, credentials: credentials))
            (http, https, exceptions) = (proxy, proxy, ProxyExceptions(""))
        case .environment:
            http = Self.choice("http_proxy", environment)
            https = Self.choice("https_proxy", environment)
            exceptions = ProxyExceptions(environment["no_proxy"] ?? "")
        }
    }

    /// Throws where the environment names what is no HTTP proxy.
    func proxy(to address: WebAddress) throws(TransportFailure) -> Proxy? {
        let choice = address.scheme == "https" ? https : http
        if choice == .straight || exceptions.contains(address.origin) { return nil }
        switch choice {
        case .straight: return nil
        case .proxy(let proxy): return proxy
        case .unusable(let variable): throw .proxy(variable, .unusable)
        }
    }

    /// What a server may repeat of the proxies' credentials.
    var secrets: [Secret] {
        [http, https].flatMap { choice -> [Secret] in
            if case .proxy(let proxy) = choice { proxy.secrets } else { [] }
        }
    }

    private static func choice(_ variable: String, _ environment: [String: String]) -> Choice {
        guard let value = environment[variable], !value.isEmpty else { return .straight }
        return Proxy(environmentValue: value).map { .proxy($0) } ?? .unusable(variable: variable)
    }
}
