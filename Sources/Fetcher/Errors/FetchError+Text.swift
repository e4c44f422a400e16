import GarnerCatalog
import GarnerJSON
package import GarnerModel

extension FetchError: CustomStringConvertible {
    /// The stream's name and the message. It holds no secrets.
    public var description: String { "\(stream): \(message)" }

    /// A sentence that says what failed, why and where, without the stream's name and without secrets.
    public var message: String {
        var reason = kind.reason
        if let words = request?.words { reason += ": \"\(words)\"" }
        if let body = request?.hiddenBody {
            reason += "; its body (\(body)) is not quoted, since fields leaves values out"
        }
        guard let url else { return reason }
        var place = [url]
        if let origin = request?.redirectedTo { place.append("redirected to \(origin)") }
        if let attempts = request?.attempts, attempts > 1 { place.append("\(attempts) attempts") }
        if request?.lacksRetries == true { place.append("the retries for this host are used up") }
        return "\(reason) (\(place.joined(separator: ", ")))"
    }
}

extension FetchError.Kind {
    /// The media type of a response that begins as JSON does; `*/*` if it names none. Nil for any other error.
    package var undeclaredJSON: String? {
        guard case .mediaType(let type, let excerpt) = self, excerpt.hasPrefix("{") || excerpt.hasPrefix("["),
            let type = MediaType(type ?? "*/*")
        else { return nil }
        return type.name
    }

    var reason: String {
        switch self {
        case .misconfigured(let reason): reason
        case .token(let endpoint, let problem): "no \(problem.missing) from \(endpoint): \(problem.reason)"
        case .privateNetwork(let host): "\(host) is a loopback, private or reserved address"
        case .certificates(let file, let reason): "the certificates of \(file) cannot be used: \(reason)"
        case .clientCertificate(let file, let reason): "\(file) cannot be used as client certificate: \(reason)"
        case .unknownHost: "the host name could not be resolved"
        case .refused: "the connection was refused"
        case .unreachable(let reason): "the host could not be reached: \(reason)"
        case .tls(let reason): "no secure connection: \(reason)"
        case .proxy(let proxy, let problem): problem.reason(of: proxy)
        case .closed: "the server closed the connection without an answer"
        case .incompleteBody: "the connection ended before the body was complete"
        case .wrongDigest(let field): "the body is not the one whose SHA-256 \(field) states"
        case .decompression(let reason): "the body could not be decompressed: \(reason)"
        case .malformedResponse(let reason): "the server did not answer in HTTP: \(reason)"
        case .deadline(.connect, let limit): "no connection within \(DurationText.format(limit))"
        case .deadline(.firstByte, let limit): "no answer within \(DurationText.format(limit))"
        case .deadline(.idle, let limit): "nothing more of the body for \(DurationText.format(limit))"
        case .deadline(.total, let limit): "not complete within \(DurationText.format(limit))"
        case .headTooLarge(let limit): "the response head is larger than \(limit) bytes"
        case .bodyTooLarge(let limit): "the body is larger than \(limit) bytes"
        case .excessiveRatio(let limit): "one compressed byte of the body becomes more than \(limit) bytes"
        case .connection(let reason): "the request failed: \(reason)"
        case .unauthorized(let status): "HTTP \(status)"
        case .redirect(let status, let problem): "HTTP \(status): the redirect \(problem.reason)"
        case .status(let status, let retryAfter):
            "HTTP \(status)" + (isPromise ? ", so the answer is still being made" : "")
                + (retryAfter.map { ", with the request to wait for \(DurationText.format($0))" } ?? "")
        case .response(let status, let action, _):
            "HTTP \(status), with which response_actions says to \(action == .retry ? "try again" : action.rawValue)"
        case .rateLimited(let wait):
            "the rate limit allows no request for \(DurationText.format(.seconds(wait.components.seconds)))"
        case .mediaType(let type, let excerpt):
            (type.map(Self.refusal) ?? "the answer does not say that it is JSON")
                + (excerpt == Self.gzipFile
                    ? ", and is \(excerpt)" : excerpt.isEmpty ? "" : ", and begins with “\(excerpt)”")
        case .charset(let charset): "the answer is in \(charset), but JSON is UTF-8"
        case .emptyBody(let status): "the answer has no body (HTTP \(status))"
        case .json(let reason, let offset): "the answer is no valid JSON: \(reason) at byte \(offset)"
        case .openEnd: "the answer does not tell its length, so that a part of it could not be told from all"
        case .missingPath(let selector, let found):
            "\(selector) selects nothing; "
                + (found.isEmpty
                    ? "there are no keys at the top" : "the keys at the top are \(found.joined(separator: ", "))")
        case .noArray(let selector, let found): "\(selector) looks for values in an array or object, but found \(found)"
        case .severalArrays(let names): "several members are arrays of objects: \(names.joined(separator: ", "))"
        case .arrayInRecord(let name):
            "the body looks like one record, and '\(name)' like a part of it, so that it is not clear which is meant"
        case .refusal(let words):
            "the server answered with HTTP 200, but says that it refuses" + (words.isEmpty ? "" : ": “\(words)”")
        case .scalar(let found): "the answer is \(found), which holds no records"
        case .linkToOtherOrigin(let origin): "the link leads to another origin: \(origin)"
        case .invalidLink(let text): "the link to the next page is not a URL that can be fetched: \(text)"
        case .secretInLink(let text):
            "the next page's address or body has a secret of the configuration inside a longer text, and is not stored: \(text)"
        case .fileType(let type, let expected):
            "the file \(type.map { "is \($0)" } ?? "has no type") instead of \(expected.joined(separator: ", "))"
        case .documentType(let type, let expected, let excerpt):
            "the answer \(type.map { "is \($0)" } ?? "has no media type") instead of \(expected.joined(separator: ", "))"
                + (excerpt.isEmpty ? "" : ", and begins with “\(excerpt)”")
        case .noText(let charset): "the answer is no text in \(charset)"
        case .unwritable(let file, let reason): "cannot write \(file): \(reason)"
        case .invalidFileURL(let text): "the field holds no URL that can be fetched: \(text)"
        case .repeatedPage(let url): "the pages go round in a circle, back to \(url)"
        case .repeatedRecords(let pages): "\(pages) pages in a row had records of earlier pages, and led on to others"
        case .endlessEmptyPages(let count): "\(count) pages in a row had no record, and led on to others"
        case .shape(let reason, _): "the records do not have the configured form: \(reason)"
        case .filterLimit(let steps, let key): "\(key) takes more than \(steps) steps for this body"
        case .pageZeroAgain: "page 1 has the same records as page 0"
        case .unchangedPage:
            "the page is the same as the one before, so the server does not know the paginator's parameter"
        case .lastPageAgain(_, let records, let total):
            "the page is the same as the one before, though the earlier ones differed: \(records) records have come"
                + (total.map { $0 == records ? "" : " of the \($0) that the server counts" } ?? "")
        case .graphQL(let message): "the server answered with errors: \(message)"
        case .unusableValue(let placeholder, let value, let reason):
            "the value '\(value)' of \(placeholder) cannot be part of the request: \(reason)"
        case .unclearPaging(let sign, _): "\(sign), but nothing says where the next page is"
        }
    }
}

extension FetchError.Kind {
    /// The words about a media type that is refused. JSON is refused only where the stream accepts other types alone.
    private static func refusal(of type: String) -> String {
        MediaType(type)?.isJSON == true
            ? "the answer is \(type), which media_types does not have" : "the answer is \(type) instead of JSON"
    }
}

extension FetchError.Kind {
    /// The error without texts of the body and names of members, which may be data, such as e-mail addresses.
    fileprivate var withoutNames: Self {
        switch self {
        case .missingPath(let selector, let found) where !found.isEmpty:
            return .missingPath(selector: selector, found: ["…"])
        case .shape(let reason, let withoutNames): return .shape(reason: withoutNames ?? reason)
        case .refusal(let words): return .refusal(words: words.isEmpty ? "" : "…")
        case .graphQL: return .graphQL(message: "…")
        case .invalidLink: return .invalidLink("…")
        case .secretInLink: return .secretInLink("…")
        default: return self
        }
    }
}

extension RedirectError {
    /// The words after "the redirect".
    fileprivate var reason: String {
        switch self {
        case .noLocation: "does not say where it leads"
        case .notFollowable(let location): "leads to what is no http or https URL: \(location)"
        case .insecure(let origin): "leads from https to \(origin), where anyone could read along"
        case .repeatsSecret(let origin): "leads to a URL at \(origin) with a secret of the configuration in it"
        case .declined(let origin): "leads to \(origin), which was declined"
        case .carriesBody(let origin): "leads to \(origin), which would get the request's json"
        case .circle(let url): "goes round in a circle, back to \(url)"
        case .tooMany(let limit): "is one more than the \(limit) that are followed"
        }
    }
}

extension ProxyError {
    fileprivate func reason(of proxy: String) -> String {
        switch self {
        case .unknownHost: "the host name of the proxy \(proxy) could not be resolved"
        case .refused: "the proxy \(proxy) refused the connection"
        case .unreachable(let reason): "the proxy \(proxy) could not be reached: \(reason)"
        case .unauthorized: "the proxy \(proxy) asks for other credentials (HTTP 407)"
        case .noTunnel: "the proxy \(proxy) did not open a way to the server"
        case .unusable: "\(proxy) of the environment is not the URL of an HTTP proxy"
        case .numericHost: "the certificate of an IP address cannot be checked through the proxy \(proxy)"
        }
    }
}

extension FetchError.Kind {
    /// Returns the error with all quoted server text made safe to show: on one line, shortened and without secrets.
    func quoted(with redaction: Redaction) -> Self {
        switch self {
        case .misconfigured(let reason): .misconfigured(reason: redaction.redacted(reason))
        case .token(let endpoint, let problem):
            .token(endpoint: redaction.redacted(endpoint), problem.quoted(with: redaction))
        case .unreachable(let reason): .unreachable(reason: redaction.quoted(reason))
        case .tls(let reason): .tls(reason: redaction.quoted(reason))
        case .certificates(let file, let reason): .certificates(file: redaction.redacted(file), reason: reason)
        case .clientCertificate(let file, let reason):
            .clientCertificate(file: redaction.redacted(file), reason: redaction.redacted(reason))
        case .proxy(let proxy, .unreachable(let reason)):
            .proxy(redaction.redacted(proxy), .unreachable(reason: redaction.quoted(reason)))
        case .proxy(let proxy, let problem): .proxy(redaction.redacted(proxy), problem)
        case .decompression(let reason): .decompression(reason: redaction.quoted(reason))
        case .malformedResponse(let reason): .malformedResponse(reason: redaction.quoted(reason))
        case .connection(let reason): .connection(reason: redaction.quoted(reason))
        case .redirect(let status, let problem): .redirect(status: status, problem.quoted(with: redaction))
        case .mediaType(let type, let excerpt):
            .mediaType(type.map { redaction.quoted($0, limit: 100) }, excerpt: redaction.quoted(excerpt))
        case .charset(let charset): .charset(redaction.quoted(charset, limit: 40))
        case .json(let reason, let offset): .json(reason: redaction.quoted(reason), offset: offset)
        case .missingPath(let selector, let found):
            .missingPath(selector: selector, found: found.prefix(20).map { redaction.quoted($0, limit: 60) })
        case .severalArrays(let names): .severalArrays(names.prefix(20).map { redaction.quoted($0, limit: 60) })
        case .linkToOtherOrigin(let origin): .linkToOtherOrigin(redaction.quoted(origin))
        case .invalidLink(let text): .invalidLink(redaction.quoted(text))
        case .secretInLink(let text): .secretInLink(redaction.quoted(text))
        case .fileType(let type, let expected):
            .fileType(type.map { redaction.quoted($0, limit: 100) }, expected: expected)
        case .documentType(let type, let expected, let excerpt):
            .documentType(
                type.map { redaction.quoted($0, limit: 100) }, expected: expected, excerpt: redaction.quoted(excerpt))
        case .noText(let charset): .noText(charset: redaction.quoted(charset, limit: 40))
        case .invalidFileURL(let text): .invalidFileURL(redaction.quoted(text))
        case .repeatedPage(let url): .repeatedPage(url: redaction.redacted(url))
        case .arrayInRecord(let name): .arrayInRecord(name: redaction.quoted(name, limit: 60))
        case .refusal(let words): .refusal(words: redaction.quoted(words))
        case .unclearPaging(let sign, let settings):
            .unclearPaging(
                sign: redaction.quoted(sign),
                // A setting that is cut could not be pasted.
                settings.map { Advice(redaction.redacted($0.setting), $0.condition.map { redaction.quoted($0) }) })
        case .graphQL(let message): .graphQL(message: redaction.quoted(message))
        case .shape(let reason, let withoutNames):
            .shape(reason: redaction.quoted(reason), withoutNames: withoutNames)
        case .unusableValue(let placeholder, let value, let reason):
            .unusableValue(of: placeholder, value: redaction.quoted(value, limit: 60), reason: reason)
        case .privateNetwork(let host): .privateNetwork(host: redaction.redacted(host))
        case .unknownHost, .refused, .closed, .incompleteBody, .wrongDigest, .deadline, .headTooLarge, .bodyTooLarge,
            .excessiveRatio,
            .unauthorized, .status, .response, .rateLimited, .openEnd, .emptyBody, .noArray, .scalar, .unchangedPage,
            .lastPageAgain, .pageZeroAgain, .filterLimit, .unwritable, .repeatedRecords, .endlessEmptyPages:
            self
        }
    }
}

extension RedirectError {
    fileprivate func quoted(with redaction: Redaction) -> Self {
        switch self {
        case .notFollowable(let location): .notFollowable(redaction.quoted(location))
        case .insecure(let origin): .insecure(redaction.quoted(origin))
        case .repeatsSecret(let origin): .repeatsSecret(redaction.quoted(origin))
        case .declined(let origin): .declined(redaction.quoted(origin))
        case .carriesBody(let origin): .carriesBody(redaction.quoted(origin))
        case .circle(let url): .circle(url: redaction.redacted(url))
        case .noLocation, .tooMany: self
        }
    }
}

extension Redaction {
    /// Returns the failure that an error of a stream's run stands for, without secrets in its message, its URL and its
    /// advice. The error may be of the database: it quotes what the server sent, such as the names of members.
    package func failure(_ error: any Error) -> RunFailure {
        var failure = RunFailure(error)
        // An error of a fetch is already without secrets, and its own words are not to be taken for short ones.
        if error is FetchError { return failure }
        failure.message = redacted(failure.message)
        failure.url = failure.url.map(redacted)
        failure.hint = failure.hint.map(redacted)
        return failure
    }

    private func redacted(_ hint: Hint) -> Hint {
        switch hint {
        case .text(let text): .text(redacted(text))
        case .restoreColumn(let statement, let losesVersions):
            .restoreColumn(statement: redacted(statement), losesVersions: losesVersions)
        default: hint
        }
    }
}

extension PageFetcher {
    /// The redaction of the stream's secrets, including the tokens of this process.
    package var redaction: Redaction { requests.report.redaction }
}

/// Creates a stream's errors in one place, so that none contains a secret.
struct FetchErrorReport: Sendable {
    let stream: StreamName
    let redaction: Redaction
    /// True if nothing of a page may be quoted, since the stream leaves a part of it out.
    var hidesRecords = false
    /// The credentials that the requests carry, in words; nil if there are none.
    var credentials: String?

    func error(_ kind: FetchError.Kind, at url: String? = nil, request: RequestEntry? = nil) -> FetchError {
        var request = request
        let origin = request?.redirectedTo
        request?.redirectedTo = origin.map { redaction.quoted($0) }
        let kind = hidesRecords ? kind.withoutNames : kind
        var error = FetchError(
            stream: stream, kind: kind.quoted(with: redaction), url: url.map(redaction.redacted), request: request)
        error.credentials = credentials
        return error
    }
}
