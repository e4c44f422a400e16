package import GarnerCatalog
package import GarnerModel

/// The error of a page, file or document that could not be fetched.
///
///     do {
///         let fetched = try await fetcher.document()
///     } catch let error as FetchError {
///         print(error.message)  // HTTP 404 (https://api.example.com/users)
///         if error.category == .unauthorized { signIn() }
///     }
public struct FetchError: Error, Sendable, Equatable {
    package let stream: StreamName
    package let kind: Kind
    /// The requested URL without secrets; nil if no request was due.
    public let url: String?
    /// The network activity of the request; nil if none was sent.
    package let request: RequestEntry?
    /// The credentials that the request carried, in words and without secrets; nil if there were none, or if they are not known.
    package internal(set) var credentials: String?
    /// The advice of who knows more than the kind of failure; nil for the usual one.
    var advice: String?

    package init(stream: StreamName, kind: Kind, url: String?, request: RequestEntry? = nil) {
        self.stream = stream
        self.kind = kind
        self.url = url
        self.request = request
    }

    /// The kind of failure. Code that knows neither stream nor URL throws it, and the caller adds them.
    package enum Kind: Error, Sendable, Equatable {
        /// The stream cannot be fetched as configured.
        case misconfigured(reason: String)
        /// The host is private, and the stream may not reach private hosts.
        case privateNetwork(host: String)
        /// The file that `ca` names cannot be used.
        case certificates(file: String, reason: String)
        /// A file that `client_certificate` names cannot be used.
        case clientCertificate(file: String, reason: String)

        /// The token endpoint gave no access token. `endpoint` is its URL without the query.
        case token(endpoint: String, TokenError)

        // Transport
        case unknownHost
        case refused
        case unreachable(reason: String)
        case tls(reason: String)
        /// The connection to the proxy failed. The text is its address without credentials, or the variable that names it.
        case proxy(String, ProxyError)
        /// The connection closed before the response head was complete.
        case closed
        case incompleteBody
        /// The body is not the one whose digest the field of the head states.
        case wrongDigest(field: String)
        case decompression(reason: String)
        case malformedResponse(reason: String)
        case deadline(Deadline, limit: Duration)
        case headTooLarge(limit: Int)
        case bodyTooLarge(limit: Int)
        /// The body's compression ratio exceeds `limit`.
        case excessiveRatio(limit: Int)
        case connection(reason: String)

        // Status
        /// The status is 401 or 403.
        case unauthorized(status: Int)
        case redirect(status: Int, RedirectError)
        case status(Int, retryAfter: Duration?)
        /// The stream's `response_actions` apply to a response with this status.
        case response(Int, ResponseAction.Action, retryAfter: Duration?)
        /// The request was not sent, because the source's rate limit demands a longer wait than a run may take.
        case rateLimited(wait: Duration)

        // MIME type
        case mediaType(String?, excerpt: String)
        case charset(String)
        /// The file's media type is not one of the expected ones.
        case fileType(String?, expected: [String])
        /// The document's media type is not one of the accepted ones.
        case documentType(String?, expected: [String], excerpt: String)
        /// The document's bytes are no text in this charset.
        case noText(charset: String)
        /// The downloaded document cannot be written to its file.
        case unwritable(file: String, reason: String)

        // Body
        case emptyBody(status: Int)
        /// The GraphQL response reports errors, for the whole query or a part of it.
        case graphQL(message: String)
        case json(reason: String, offset: Int)
        /// The response holds JSON Lines and ends with the connection, so that a truncated body looks complete.
        case openEnd
        case missingPath(selector: String, found: [String])
        case noArray(selector: String, found: String)
        case severalArrays([String])
        case scalar(found: String)
        /// The only array stands in an object that looks like one record.
        case arrayInRecord(name: String)
        /// The status is good, but the body says that the server refuses, in these words.
        case refusal(words: String)

        // Files
        /// The value in the place of a file's URL is not a URL.
        case invalidFileURL(String)

        // Paging
        case linkToOtherOrigin(String)
        /// The value comes from the parent's record or a partition, and cannot be part of a request.
        case unusableValue(of: String, value: String, reason: String)
        /// The value in the place of the next URL is not a URL.
        case invalidLink(String)
        /// The address or the body of the next page has a secret inside a longer text, and would have to be stored.
        case secretInLink(String)
        /// The records do not have the form that `record_shape` and `fields` say. The reason names fields, but no values.
        ///
        /// `withoutNames` is the reason without fields of the body; nil if it names none.
        case shape(reason: String, withoutNames: String? = nil)
        /// The stream's `record_filter` would take more than these steps for the body.
        case filterLimit(steps: Int, key: String = "record_filter")
        case repeatedPage(url: String)
        /// So many pages in a row had the records of earlier ones, each with another link to the next.
        case repeatedRecords(pages: Int)
        /// So many pages in a row had no record, each with another link to the next.
        case endlessEmptyPages(count: Int)
        /// The page equals the one before byte for byte, although another one was requested.
        case unchangedPage
        /// The page equals the one before, though earlier pages differed: so many, with these records of those that the server counts.
        case lastPageAgain(pages: Int, records: Int, total: Int?)
        /// Page 1 equals page 0, with which the configuration begins.
        case pageZeroAgain
        /// The page announces more records by `sign`, without saying where, and one of the settings would help.
        case unclearPaging(sign: String, [Advice])
    }

    /// The timeouts of one attempt.
    package enum Deadline: String, Sendable, CaseIterable {
        case connect
        case firstByte = "first_byte"
        case idle
        case total
    }
}

extension FetchError {
    /// The meaning of an error for the caller. The command line has one exit code for each.
    public enum Category: Sendable, CaseIterable {
        /// The request cannot be sent as configured.
        case misconfigured
        /// The response has the wrong media type, is not JSON, or has an unexpected shape.
        case badContent
        /// The server cannot be reached, or refuses.
        case unavailable
        /// The server answered 401 or 403, or the proxy answered 407.
        case unauthorized
    }

    /// The meaning of the error for the caller.
    public var category: Category { kind.category }

    /// The status of the last response; nil if there was none.
    public var status: Int? { request?.status }
}

extension FetchError: FailureConvertible {
    package var failure: RunFailure {
        RunFailure(
            isRateLimited ? .unavailable : kind.isOfFile ? .cannotCreate : ErrorCategory(category),
            kind: isRateLimited ? "rate_limited" : kind.name,
            message: message, url: url, hint: .text(hint), isPermanent: kind.isPermanent && !isRateLimited)
    }
}

extension ErrorCategory {
    fileprivate init(_ category: FetchError.Category) {
        self =
            switch category {
            case .misconfigured: .misconfigured
            case .badContent: .badContent
            case .unavailable: .unavailable
            case .unauthorized: .noPermission
            }
    }
}

extension FetchError.Kind {
    package typealias Category = FetchError.Category

    package var category: Category {
        switch self {
        case .misconfigured, .privateNetwork, .certificates, .clientCertificate, .proxy(_, .unusable),
            .proxy(_, .numericHost), .unwritable:
            .misconfigured
        case .unauthorized, .proxy(_, .unauthorized): .unauthorized
        case .token(_, let problem): problem.category
        case .mediaType, .charset, .emptyBody, .json, .openEnd, .missingPath, .noArray, .severalArrays, .scalar,
            .arrayInRecord,
            .invalidLink, .secretInLink, .shape, .filterLimit, .unclearPaging, .unchangedPage, .lastPageAgain,
            .pageZeroAgain,
            .unusableValue, .fileType, .documentType, .noText, .invalidFileURL:
            .badContent
        case .unknownHost, .refused, .unreachable, .tls, .proxy, .closed, .incompleteBody, .wrongDigest, .decompression,
            .malformedResponse,
            .deadline, .headTooLarge, .bodyTooLarge, .excessiveRatio, .connection, .redirect, .status, .response,
            .rateLimited, .linkToOtherOrigin,
            .repeatedPage, .repeatedRecords, .endlessEmptyPages, .graphQL, .refusal:
            .unavailable
        }
    }

    /// True if the request did not fail, but the file that was to hold its answer.
    fileprivate var isOfFile: Bool { if case .unwritable = self { true } else { false } }

    /// The delay that the server asked for; nil if it asked for none.
    package var retryAfter: Duration? {
        switch self {
        case .status(_, let retryAfter), .response(_, _, let retryAfter): retryAfter
        default: nil
        }
    }

    /// True if no connection was established.
    package var isUnreachable: Bool {
        switch self {
        case .unknownHost, .refused, .unreachable, .deadline(.connect, _), .proxy(_, .unknownHost),
            .proxy(_, .refused), .proxy(_, .unreachable):
            true
        case .token(_, .failed(let kind)): kind.isUnreachable
        default: false
        }
    }

    /// True if the error recurs until somebody changes the configuration, the credentials or the API.
    fileprivate var isPermanent: Bool {
        switch self {
        case .status(403, _?): false
        case .status(let status, _), .response(let status, .fail, _): [401, 403, 404, 410].contains(status)
        default: category == .misconfigured || category == .unauthorized
        }
    }

    /// True if the same request may succeed a little later.
    package var isRetryable: Bool {
        switch self {
        case .unknownHost, .refused, .unreachable, .closed, .incompleteBody, .wrongDigest, .deadline, .connection: true
        case .proxy(_, let problem): problem.mayPass
        case .response(_, let action, _): action == .retry
        // A server that says when to come again expects that. Cloudflare has codes of its own for 502 and 504.
        case .status(403, _?), .status(500..., _?): true
        case .status(let status, _):
            [202, 408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529].contains(status)
        default: false
        }
    }

    /// True if the server has accepted the request and is still making the answer.
    var isPromise: Bool { if case .status(202, _) = self { true } else { false } }

    /// True if the server refuses because too much is asked of it.
    var asksForFewerRequests: Bool {
        switch self {
        case .status(403, _?), .status(429, _), .status(503, _), .status(529, _): true
        default: false
        }
    }
}

extension ProxyError {
    fileprivate var mayPass: Bool {
        switch self {
        // If the proxy opened no tunnel, it may have been unable to reach the server.
        case .unknownHost, .refused, .unreachable, .noTunnel: true
        case .unauthorized, .unusable, .numericHost: false
        }
    }
}

extension FetchError.Kind {
    init(_ failure: TransportError, limits: Limits) {
        self =
            switch failure {
            case .unknownHost: .unknownHost
            case .refused: .refused
            case .unreachable(let reason): .unreachable(reason: reason)
            case .connectDeadline: .deadline(.connect, limit: limits.connect)
            case .tls(let reason): .tls(reason: reason)
            case .proxy(let proxy, let problem): .proxy(proxy, problem)
            case .closed, .lostConnection: .closed
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

extension FetchError.Kind {
    /// A stable word for scripts.
    package var name: String {
        switch self {
        case .misconfigured, .certificates, .clientCertificate, .proxy(_, .unusable), .proxy(_, .numericHost):
            "misconfigured"
        case .token(_, let problem): problem.name
        case .privateNetwork: "private_network"
        case .unknownHost: "unknown_host"
        case .refused: "connection_refused"
        case .unreachable: "unreachable"
        case .tls: "tls"
        case .proxy: "proxy"
        case .closed: "connection_closed"
        case .incompleteBody: "incomplete_body"
        case .wrongDigest: "wrong_digest"
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
        case .mediaType, .fileType, .documentType: "media_type"
        case .charset, .noText: "charset"
        case .unwritable: "output"
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
        case .secretInLink: "secret_in_link"
        case .invalidFileURL: "invalid_file_url"
        case .repeatedPage, .repeatedRecords, .endlessEmptyPages: "repeated_page"
        case .unclearPaging: "unclear_paging"
        case .graphQL: "graphql"
        case .unusableValue: "unusable_value"
        case .shape: "record_shape"
        case .filterLimit(_, let key): key
        case .unchangedPage, .lastPageAgain, .pageZeroAgain: "unchanged_page"
        }
    }
}

extension TokenError {
    fileprivate var name: String {
        switch self {
        case .refused: "token_refused"
        case .failed: "token_unavailable"
        case .redirect: "token_redirect"
        case .noJSON, .noToken: "no_token"
        case .tokenType: "token_type"
        case .notStarted, .programFailed, .programTimedOut, .badOutput: "token_command"
        case .loginRefused, .loginRests: "login_refused"
        case .noSession: "no_session"
        }
    }
}
