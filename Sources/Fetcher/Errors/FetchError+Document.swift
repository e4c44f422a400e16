extension FetchError {
    /// The advice for one who fetched a document without a configuration, which has no keys to set.
    package var documentHint: String? {
        switch kind {
        case .misconfigured, .redirect, .status(404, _), .status(410, _), .emptyBody, .scalar: "check the URL"
        case .unknownHost: "check the host name in the URL, and the network"
        case .refused, .unreachable, .closed, .connection, .malformedResponse:
            "check that the server is running and that the URL names its port"
        case .tls: "check the server's certificate, and whether the URL should begin with http:// or https://"
        case .privateNetwork, .linkToOtherOrigin: "write the address that is meant into the URL"
        case .deadline(.total, _), .bodyTooLarge: "write to a file of any size, and for any time, with -o FILE"
        case .deadline: "try again later"
        case .headTooLarge, .excessiveRatio:
            "use --auth with a stream whose limits are higher, if the server is to be trusted"
        case .unauthorized: "send credentials with -H 'Authorization: …', or those of a stream with --auth"
        case .status(429, _), .rateLimited: "wait, and ask less often"
        case .status(let status, _) where status < 500: "check the URL and the headers"
        case .documentType(let type, _, _): "add --accept \(type ?? "'*/*'") if it is meant"
        default: kind.hint
        }
    }
}
