import Catalog

extension FetchError.Kind {
    init(_ failure: TransportFailure, limits: Limits) {
        self =
            switch failure {
            case .unknownHost: .unknownHost
            case .refused: .refused
            case .unreachable(let reason): .unreachable(reason: reason)
            case .connectDeadline: .deadline(.connect, limit: limits.connect)
            case .tls(let reason): .tls(reason: reason)
            case .proxy(let proxy, let problem): .proxy(proxy, problem)
            case .closed: .closed
            case .incompleteBody: .incompleteBody
            case .decompression(let reason): .decompression(reason: reason)
            case .malformed(let reason): .malformedResponse(reason: reason)
            case .headTooLarge: .headTooLarge(limit: limits.head)
            case .bodyTooLarge: .bodyTooLarge(limit: limits.body)
            case .excessiveRatio: .excessiveRatio(limit: limits.ratio ?? Limits.standardRatio)
            case .privateNetwork(let address): .privateNetwork(host: address)
            case .unverifiable(let host):
                .misconfigured(
                    reason: "the transport cannot tell whether \(host) leads into a private network; "
                        + "it needs allow_private_network: true")
            case .other(let reason): .connection(reason: reason)
            }
    }
}
