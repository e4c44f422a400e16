import Catalog

extension FetchError {
    /// What to do about it.
    package var hint: String {
        guard isRateLimited else { return kind.hint }
        let end = request?.rateLimit?.reset.map {
            " for another \(DurationText.format(.seconds($0.components.seconds)))"
        }
        return "the rate limit of this API is used up\(end ?? ""); wait, ask less often, or set rate_limit"
    }

    /// The server refuses since its rate limit is used up, whatever its status says.
    package var isRateLimited: Bool {
        switch kind {
        case .unauthorized(403), .status(429, _): request?.rateLimit?.remaining == 0
        default: false
        }
    }
}

extension FetchError.Kind {
    var hint: String {
        switch self {
        case .misconfigured: "correct the stream's configuration"
        case .token(_, let problem): problem.hint
        case .privateNetwork: "set allow_private_network: true if this host is meant"
        case .certificates: "set ca to a PEM file with the certificates to trust, or remove it to trust the system's"
        case .unknownHost: "check the host name in base_url, and the network"
        case .refused, .unreachable, .closed, .connection:
            "check that the server is running and that base_url names its port"
        case .tls:
            "check the server's certificate, and whether base_url should begin with http:// or https://; ca names the roots to trust"
        case .proxy(_, let problem): problem.hint
        case .incompleteBody, .malformedResponse:
            "try again later; if it stays, the server or a proxy before it is at fault"
        case .decompression: "try again later; if it stays, the server's compression is at fault"
        case .deadline(let deadline, _): "try again later, or raise limits: \(deadline.rawValue)"
        case .headTooLarge: "raise limits: head"
        case .bodyTooLarge: "ask for smaller pages, or raise limits: body"
        case .excessiveRatio: "raise limits: ratio if the server is to be trusted"
        case .unauthorized(401): "check the stream's auth"
        case .unauthorized: "check that the account of the stream's auth may read this"
        case .redirect: "set base_url and path to the address that is meant"
        case .status(404, _), .status(410, _): "check base_url and path"
        case .response(_, .retry, _): "try again later, or correct response_actions"
        case .response: "see what the server says of it; correct response_actions if it is none to fail on"
        case .status(429, _), .rateLimited: "wait, ask less often, or set rate_limit"
        case .status(let status, _) where status >= 500: "try again later"
        case .status: "check path, params and headers"
        case .mediaType:
            "check that path names a JSON API and not a page for people; some servers need headers: { Accept: application/json }"
        case .charset: "ask the server for UTF-8"
        case .emptyBody: "check path and params"
        case .json: "try again later; if it stays, the server sends broken JSON"
        case .openEnd: "ask the server for application/json, or for HTTP/1.1 with Content-Length or chunks"
        case .missingPath, .noArray: "correct record_selector"
        case .severalArrays(let names): "set record_selector, such as $.\(names.first ?? "data")[*]"
        case .scalar: "check path, or set record_selector"
        case .linkToOtherOrigin: "set base_url to that origin if it is meant; nothing was sent to it"
        case .invalidLink, .unchangedPage: "set paginator, such as { type: single_page }"
        case .unclearPaging(_, let lines): "add one of these lines to the stream: \(lines.joined(separator: "; or "))"
        case .arrayInRecord(let name):
            "set record_selector: $ for the one record, or record_selector: $\(JSONPath.segment(name))[*] for the array"
        case .refusal: "see what the server says; record_selector: $ takes the body as a record all the same"
        case .graphQL: "correct the stream's json, or the permissions of its auth"
        case .unusableValue: "correct the parent's record or the stream's path"
        case .fileType: "add the type to media_types of the attachment if it is meant"
        case .invalidFileURL: "remove the field from attachments, or have its records corrected"
        case .repeatedPage: "set paginator, or max_pages"
        }
    }
}

extension ProxyProblem {
    fileprivate var hint: String {
        switch self {
        case .unknownHost, .refused, .unreachable: "check the proxy, or set proxy: none to go without"
        case .unauthorized: "set proxy: { url: …, username: …, password: … }"
        case .noTunnel: "check base_url, and whether the proxy allows its host and port; proxy: none goes without"
        case .unusable: "write http://host:port into the variable, or set proxy"
        case .numericHost: "write the host's name into base_url, or set proxy: none"
        }
    }
}
