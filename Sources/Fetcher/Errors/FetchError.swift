package import Catalog

/// Why a page, file or document did not come in.
public struct FetchError: Error, Sendable, Equatable {
    package let stream: StreamName
    package let kind: Kind
    /// Without secrets; nil where no request was due.
    public let url: String?
    /// What the request did on the network; nil where none was made.
    package let request: RequestEntry?

    package init(stream: StreamName, kind: Kind, url: String?, request: RequestEntry? = nil) {
        self.stream = stream
        self.kind = kind
        self.url = url
        self.request = request
    }

    /// What failed; throwable by the parts that know neither stream nor URL.
    package enum Kind: Error, Sendable, Equatable {
        /// The stream cannot be fetched as it is configured.
        case misconfigured(reason: String)
        /// `host` is private, and the stream may not reach private hosts.
        case privateNetwork(host: String)
        /// The file that `ca` names cannot be used.
        case certificates(file: String, reason: String)

        /// No access token was had from the token endpoint, which is given without its query.
        case token(endpoint: String, TokenProblem)

        // Transport
        case unknownHost
        case refused
        case unreachable(reason: String)
        case tls(reason: String)
        /// The proxy's address without credentials, or the variable of the environment that names it.
        case proxy(String, ProxyProblem)
        /// The connection ended before the response head.
        case closed
        case incompleteBody
        case decompression(reason: String)
        case malformedResponse(reason: String)
        case deadline(Deadline, limit: Duration)
        case headTooLarge(limit: Int)
        case bodyTooLarge(limit: Int)
        /// One compressed byte of the body became more than `limit`.
        case excessiveRatio(limit: Int)
        case connection(reason: String)

        // Status
        /// 401 or 403.
        case unauthorized(status: Int)
        case redirect(status: Int, RedirectProblem)
        case status(Int, retryAfter: Duration?)
        /// What `response_actions` says of a response with that status.
        case response(Int, ResponseAction.Action, retryAfter: Duration?)
        /// The request was not sent: the source's rate limit allows it only after a longer wait than a run may take.
        case rateLimited(wait: Duration)

        // MIME type
        case mediaType(String?, excerpt: String)
        case charset(String)
        /// A file of a type that is not kept.
        case fileType(String?, expected: [String])

        // Body
        case emptyBody(status: Int)
        /// A GraphQL answer with errors, whole or in part.
        case graphQL(message: String)
        case json(reason: String, offset: Int)
        /// JSON lines that only the end of the connection ends: a part of them looks like the whole.
        case openEnd
        case missingPath(selector: String, found: [String])
        case noArray(selector: String, found: String)
        case severalArrays([String])
        case scalar(found: String)
        /// The only array stands in what looks like one record.
        case arrayInRecord(name: String)
        /// The body of a good status says that the server refuses, in these words.
        case refusal(words: String)

        // Files
        /// What stands where the URL of a file should.
        case invalidFileURL(String)

        // Paging
        case linkToOtherOrigin(String)
        /// A value of the parent's record or of a partition.
        case unusableValue(of: String, value: String, reason: String)
        /// What stands where the next URL should.
        case invalidLink(String)
        case repeatedPage(url: String)
        /// Byte for byte the one before, although another one was asked for.
        case unchangedPage
        /// More records are announced, but not where: `sign` says so, and `lines` of the configuration would say where.
        case unclearPaging(sign: String, lines: [String])
    }

    /// The time limits of an attempt.
    package enum Deadline: String, Sendable, CaseIterable {
        case connect
        case firstByte = "first_byte"
        case idle
        case total
    }
}

extension FetchError {
    /// What an error means to who started the fetch; each is an exit code of its own.
    public enum Category: Sendable, CaseIterable {
        case misconfigured
        /// The wrong MIME type, no JSON, or not of the expected shape.
        case badContent
        /// The server cannot be reached, or refuses.
        case unavailable
        /// 401 and 403, and 407 of a proxy.
        case unauthorized
    }

    public var category: Category { kind.category }

    /// Of the last response; nil where none came.
    public var status: Int? { request?.status }
}

extension FetchError.Kind {
    package typealias Category = FetchError.Category

    package var category: Category {
        switch self {
        case .misconfigured, .privateNetwork, .certificates, .proxy(_, .unusable), .proxy(_, .numericHost):
            .misconfigured
        case .unauthorized, .proxy(_, .unauthorized): .unauthorized
        case .token(_, let problem): problem.category
        case .mediaType, .charset, .emptyBody, .json, .openEnd, .missingPath, .noArray, .severalArrays, .scalar,
            .arrayInRecord,
            .invalidLink, .unclearPaging, .unchangedPage,
            .unusableValue, .fileType, .invalidFileURL:
            .badContent
        case .unknownHost, .refused, .unreachable, .tls, .proxy, .closed, .incompleteBody, .decompression,
            .malformedResponse,
            .deadline, .headTooLarge, .bodyTooLarge, .excessiveRatio, .connection, .redirect, .status, .response,
            .rateLimited, .linkToOtherOrigin,
            .repeatedPage, .graphQL, .refusal:
            .unavailable
        }
    }

    /// How long the server asks to be left alone.
    package var retryAfter: Duration? {
        switch self {
        case .status(_, let retryAfter), .response(_, _, let retryAfter): retryAfter
        default: nil
        }
    }

    /// Whether no connection came about.
    package var isUnreachable: Bool {
        switch self {
        case .unknownHost, .refused, .unreachable, .deadline(.connect, _), .proxy(_, .unknownHost),
            .proxy(_, .refused), .proxy(_, .unreachable):
            true
        case .token(_, .failed(let kind)): kind.isUnreachable
        default: false
        }
    }

    /// Whether the same request may succeed a little later.
    package var isRetryable: Bool {
        switch self {
        case .unknownHost, .refused, .unreachable, .closed, .incompleteBody, .deadline, .connection: true
        case .proxy(_, let problem): problem.mayPass
        case .response(_, let action, _): action == .retry
        case .status(let status, _): [408, 425, 429, 500, 502, 503, 504].contains(status)
        default: false
        }
    }
}

extension ProxyProblem {
    fileprivate var mayPass: Bool {
        switch self {
        // Where no tunnel was made, the server may have been unreachable for the proxy.
        case .unknownHost, .refused, .unreachable, .noTunnel: true
        case .unauthorized, .unusable, .numericHost: false
        }
    }
}
