package import Catalog

/// Why a page did not come in.
package struct FetchError: Error, Sendable, Equatable {
    package let stream: StreamName
    package let kind: Kind
    /// Without secrets; nil where no request was due.
    package let url: String?
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

        /// No access token was had from the token endpoint, which is given without its query.
        case token(endpoint: String, TokenProblem)

        // Transport
        case unknownHost
        case refused
        case unreachable(reason: String)
        case tls(reason: String)
        /// The connection ended before the response head.
        case closed
        case incompleteBody
        case decompression(reason: String)
        case malformedResponse(reason: String)
        case deadline(Deadline, limit: Duration)
        case headTooLarge(limit: Int)
        case bodyTooLarge(limit: Int)
        case connection(reason: String)

        // Status
        /// 401 or 403.
        case unauthorized(status: Int)
        case redirect(status: Int, RedirectProblem)
        case status(Int, retryAfter: Duration?)
        /// The request was not sent: the source's rate limit allows it only after a longer wait than a run may take.
        case rateLimited(wait: Duration)

        // MIME type
        case mediaType(String?, excerpt: String)
        case charset(String)

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

        // Paging
        case linkToOtherOrigin(String)
        /// A value of the parent's record or of a partition.
        case unusableValue(of: String, value: String, reason: String)
        /// What stands where the next URL should.
        case invalidLink(String)
        case repeatedPage(url: String)
        /// Byte for byte the one before, although another one was asked for.
        case unchangedPage
        /// More pages are announced, but not where.
        case unclearPaging(member: String)
    }

    /// The time limits of an attempt.
    package enum Deadline: String, Sendable, CaseIterable {
        case connect
        case firstByte = "first_byte"
        case idle
        case total
    }
}

extension FetchError.Kind {
    /// What a kind means to who started the fetch; each is an exit code of its own.
    package enum Category: Sendable, CaseIterable {
        case misconfigured
        /// The wrong MIME type, no JSON, or not of the expected shape.
        case badContent
        /// The server cannot be reached, or refuses.
        case unavailable
        /// 401 and 403.
        case unauthorized
    }

    package var category: Category {
        switch self {
        case .misconfigured, .privateNetwork: .misconfigured
        case .unauthorized: .unauthorized
        case .token(_, let problem): problem.category
        case .mediaType, .charset, .emptyBody, .json, .openEnd, .missingPath, .noArray, .severalArrays, .scalar,
            .invalidLink, .unclearPaging, .unchangedPage,
            .unusableValue:
            .badContent
        case .unknownHost, .refused, .unreachable, .tls, .closed, .incompleteBody, .decompression, .malformedResponse,
            .deadline, .headTooLarge, .bodyTooLarge, .connection, .redirect, .status, .rateLimited, .linkToOtherOrigin,
            .repeatedPage, .graphQL:
            .unavailable
        }
    }

    /// How long the server asks to be left alone.
    package var retryAfter: Duration? {
        if case .status(_, let retryAfter) = self { retryAfter } else { nil }
    }

    /// Whether the same request may succeed a little later.
    package var isRetryable: Bool {
        switch self {
        case .unknownHost, .refused, .unreachable, .closed, .incompleteBody, .deadline, .connection: true
        case .status(let status, _): [408, 425, 429, 500, 502, 503, 504].contains(status)
        default: false
        }
    }
}
