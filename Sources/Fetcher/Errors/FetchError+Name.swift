extension FetchError.Kind {
    /// The word that scripts can rely on.
    package var name: String {
        switch self {
        case .misconfigured, .certificates, .proxy(_, .unusable), .proxy(_, .numericHost): "misconfigured"
        case .token(_, let problem): problem.name
        case .privateNetwork: "private_network"
        case .unknownHost: "unknown_host"
        case .refused: "connection_refused"
        case .unreachable: "unreachable"
        case .tls: "tls"
        case .proxy: "proxy"
        case .closed: "connection_closed"
        case .incompleteBody: "incomplete_body"
        case .decompression: "decompression"
        case .malformedResponse: "malformed_response"
        case .deadline(let deadline, _): "\(deadline.rawValue)_deadline"
        case .headTooLarge: "head_too_large"
        case .bodyTooLarge: "body_too_large"
        case .excessiveRatio: "compression_ratio"
        case .connection: "connection"
        case .unauthorized: "unauthorized"
        case .redirect: "redirect"
        case .status: "status"
        case .response: "response_action"
        case .rateLimited: "rate_limited"
        case .mediaType, .fileType: "media_type"
        case .charset: "charset"
        case .emptyBody: "empty_body"
        case .json: "json"
        case .openEnd: "open_end"
        case .missingPath: "missing_path"
        case .noArray: "no_array"
        case .severalArrays: "several_arrays"
        case .scalar: "scalar"
        case .arrayInRecord: "array_in_record"
        case .refusal: "refusal"
        case .linkToOtherOrigin: "link_to_other_origin"
        case .invalidLink: "invalid_link"
        case .invalidFileURL: "invalid_file_url"
        case .repeatedPage: "repeated_page"
        case .unclearPaging: "unclear_paging"
        case .graphQL: "graphql"
        case .unusableValue: "unusable_value"
        case .unchangedPage: "unchanged_page"
        }
    }
}

extension TokenProblem {
    fileprivate var name: String {
        switch self {
        case .refused: "token_refused"
        case .failed: "token_unavailable"
        case .redirect: "token_redirect"
        case .noJSON, .noToken: "no_token"
        case .tokenType: "token_type"
        }
    }
}
