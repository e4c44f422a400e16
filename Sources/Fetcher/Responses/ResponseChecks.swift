import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The second check: the status.
struct StatusCheck: Sendable {
    /// The current time, for a `Retry-After` date in a response without a `Date`.
    let now: @Sendable () -> Timestamp

    enum Verdict {
        case page
        /// The server has accepted the request, and may still be making the answer.
        case promise
        case notModified
        /// The condition that the configuration sends says that there is nothing new.
        case nothingNew
        case redirection(RedirectResponseError)
    }

    /// Judges the status of the answer to a request. Throws `FetchError.Kind` if it is an error.
    func verdict(
        on head: ResponseHead, to request: Request, _ limit: RateLimitReport
    ) throws(FetchError.Kind) -> Verdict {
        switch head.status {
        case 304 where request.validator != nil: return .notModified
        case 304 where request.isConditional && request.hasRecords != nil: return .nothingNew
        case 202 where request.hasRecords != nil: return .promise
        case 204, 205: throw FetchError.Kind.emptyBody(status: head.status)
        // No range was requested, so a part (206) is no answer, unless it is a part of a list: a page.
        case 206 where head.headers.rangeOfUnits == nil: break
        case 200..<300: return .page
        case _ where RedirectResponseError.statuses.contains(head.status):
            return .redirection(RedirectResponseError(status: head.status, location: head.headers["Location"]))
        case 401: throw FetchError.Kind.unauthorized(status: 401)
        case 403:
            // Some servers, such as GitHub, answer 403 if too many requests come. Then the head names a wait, or a
            // limit that is used up. Otherwise, the account is refused.
            guard let wait = self.wait(head) ?? (limit.remaining == 0 ? limit.reset : nil) else {
                throw FetchError.Kind.unauthorized(status: 403)
            }
            throw FetchError.Kind.status(403, retryAfter: wait)
        default: break
        }
        throw FetchError.Kind.status(head.status, retryAfter: wait(head))
    }

    /// Returns the wait that the head asks for; nil if it asks for none.
    func wait(_ head: ResponseHead) -> Duration? { RetryAfter(head.headers, now: now)?.delay }
}

extension HeaderFields {
    /// The value of `Content-Range`, if it counts other units than bytes, as `items 0-9/23` or `0-9/23` does.
    var rangeOfUnits: String? {
        // RFC 9110, 14.4: Content-Range = range-unit SP ( range-resp / unsatisfied-range )
        guard let range = self["Content-Range"], range.contains("/"), !range.lowercased().hasPrefix("bytes") else {
            return nil
        }
        return range
    }
}

/// Applies the configured `response_actions`, which count more than the status. The first action that matches counts.
struct ResponseActionCheck: Sendable {
    /// The number of bytes of a body that are searched for a text.
    private static let inspectedBytes = 64 << 10
    /// The longest body that is asked whether it meets a condition, in bytes.
    private static let longestBody = 1 << 20

    let actions: [ResponseAction]

    /// Returns the first action that matches, or nil. Reads only as much of the body as an action needs.
    ///
    /// An action without a status does not apply to 304 and redirects.
    func action(on head: ResponseHead, _ body: inout IncomingBody) async throws -> ResponseAction.Action? {
        let keepsMeaning = head.status == 304 || RedirectResponseError.statuses.contains(head.status)
        for action in actions where action.status == head.status || (action.status == nil && !keepsMeaning) {
            if let text = action.bodyContains {
                let start = try await body.start(atLeast: Self.inspectedBytes).prefix(Self.inspectedBytes)
                guard start.contains(text.utf8) else { continue }
            }
            if let condition = action.condition {
                let whole = try await body.start(atLeast: Self.longestBody + 1)
                guard whole.count <= Self.longestBody, try Self.isMet(condition, by: whole) else { continue }
            }
            return action.action
        }
        return nil
    }

    /// Returns true if a body meets a condition. One that is no JSON never does.
    private static func isMet(
        _ condition: FilterExpression, by body: [UInt8]
    ) throws(FetchError.Kind) -> Bool {
        guard let document = try? Document(parsing: Bytes(body)) else { return false }
        do throws(FilterLimitError) {
            return try document.withRoot { root throws(FilterLimitError) in try condition.matches(root, root: root) }
        } catch {
            throw .filterLimit(steps: error.steps, key: "when")
        }
    }
}

/// The third check: the media type, which must be JSON or JSON Lines in UTF-8, unless the stream says otherwise.
struct MediaTypeCheck: Sendable {
    let format: ResponseFormat

    enum Verdict: Equatable {
        case json
        /// The body has one JSON value on each line.
        case jsonLines
        case refused(FetchError.Kind)
        /// The media type is another one or missing. The beginning of the body may explain it.
        case other(String?)
    }

    func verdict(on head: ResponseHead) -> Verdict {
        guard let type = head.headers["Content-Type"].flatMap(MediaType.init) else {
            return format.mediaTypes.contains("*/*")
                ? format.form == .jsonLines ? .jsonLines : .json : .other(head.headers["Content-Type"])
        }
        let isAccepted =
            format.mediaTypes.isEmpty
            ? type.isJSON || type.isJSONLines : format.mediaTypes.contains(where: type.matches)
        guard isAccepted else { return .other(type.name) }
        if format.charset == nil, let charset = type.charset, !["utf-8", "utf8", "us-ascii", "ascii"].contains(charset)
        {
            return .refused(.charset(charset))
        }
        return (format.form.map { $0 == .jsonLines } ?? type.isJSONLines) ? .jsonLines : .json
    }
}

/// The media type in a `Content-Type` field (RFC 9110, 8.3.1).
struct MediaType: Equatable {
    /// The name `type/subtype` in lower case.
    let name: String
    /// The charset in lower case, without quotes.
    let charset: String?

    /// Parses a field; fails if it does not have the form `type/subtype`.
    init?(_ text: String) {
        // Most pages have this type, and to split a text takes a while.
        if text == "application/json" {
            (name, charset) = (text, nil)
            return
        }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
        let name = (parts.first ?? "").lowercased()
        let halves = name.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isTokenByte) }) else {
            return nil
        }
        self.name = name
        charset = parts.dropFirst().lazy.compactMap(Self.charset).first
    }

    /// Returns true if the type is in `range`, such as `image/png`, `image/*` or `*/*`.
    func matches(_ range: String) -> Bool {
        range == "*/*" || range == name || (range.hasSuffix("/*") && name.hasPrefix(range.dropLast()))
    }

    var isJSON: Bool { name == "application/json" || name == "text/json" || name.hasSuffix("+json") }

    var isJSONLines: Bool {
        // Most types are JSON, and to split a text takes a while.
        guard !isJSON, let subtype = name.split(separator: "/").last,
            name.hasPrefix("application/") || name.hasPrefix("text/")
        else { return false }
        return ["ndjson", "jsonl", "jsonlines", "json-lines"].contains(
            subtype.hasPrefix("x-") ? subtype.dropFirst(2) : subtype)
    }

    private static func charset(of parameter: Substring) -> String? {
        let pair = parameter.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, trimmed(pair[0]).lowercased() == "charset" else { return nil }
        let value = trimmed(pair[1])
        return (value.hasPrefix("\"") ? value.dropFirst().prefix { $0 != "\"" } : value).lowercased()
    }

    private static func trimmed(_ text: Substring) -> Substring {
        text.trimming { $0 == " " || $0 == "\t" }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        PercentEncoding.isLetter(byte) || PercentEncoding.isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// Detects errors in a GraphQL response. A server reports them in the body, with status 200 and next to the data that
/// did not fail (spec.graphql.org, 7.1.2).
enum GraphQLErrors {
    /// Throws if the body reports errors, since its data is then incomplete.
    static func check(_ document: Document) throws(FetchError.Kind) {
        let message = document.withRoot { root -> String? in
            guard let errors = root["errors"], errors.kind == .array,
                let first = errors.elements.first(where: { _ in true })
            else { return nil }
            return first["message"]?.string ?? first.string ?? "no message"
        }
        if let message { throw .graphQL(message: message) }
    }
}

extension RequestTemplate {
    /// True if the body is a GraphQL request, with a document in its member `query`.
    var isGraphQL: Bool {
        guard method != .put, bodyFormat == .json, case .text(.literal(let query))? = body?.member("query") else {
            return false
        }
        return query.contains("{")
    }
}
