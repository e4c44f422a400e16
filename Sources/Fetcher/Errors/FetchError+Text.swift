import Catalog
import JSON
package import Model

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
                + (excerpt.isEmpty ? "" : ", and begins with “\(excerpt)”")
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
        case .shape(let reason): "the records do not have the configured form: \(reason)"
        case .filterLimit(let steps, let key): "\(key) takes more than \(steps) steps for this body"
        case .unchangedPage:
            "the page is the same as the one before, so the server does not know the paginator's parameter"
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
    /// The error without texts of the body and without names of members. They may be data, as in an object of people by
    /// their e-mail addresses.
    fileprivate var withoutNames: Self {
        switch self {
        case .missingPath(let selector, let found) where !found.isEmpty:
            return .missingPath(selector: selector, found: ["…"])
        case .shape(let reason):
            guard let start = reason.firstIndex(of: "'"), let end = reason.lastIndex(of: "'"), start < end else {
                return self
            }
            return .shape(reason: "\(reason[..<start])'…\(reason[end...])")
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

extension FetchError {
    /// A sentence that tells the user how to fix the problem.
    package var hint: String {
        guard isRateLimited else { return kind.hint }
        let end = (request?.rateLimit?.reset ?? kind.retryAfter).map {
            " for another \(DurationText.format(.seconds($0.components.seconds)))"
        }
        return "the rate limit of this API is used up\(end ?? ""); wait, ask less often, or set rate_limit"
    }

    /// True if the server refused because its rate limit is exhausted, whatever the status.
    package var isRateLimited: Bool {
        switch kind {
        case .status(403, _?): true
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
        case .clientCertificate:
            "set client_certificate to the PEM files of a certificate and of its private key, without a passphrase"
        case .unknownHost: "check the host name in base_url, and the network"
        case .refused, .unreachable, .closed, .connection:
            "check that the server is running and that base_url names its port"
        case .tls:
            "check the server's certificate, and the host and port in base_url; ca names the roots to trust"
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
        case .redirect(_, .insecure): "ask the people who run the API to redirect to https"
        case .redirect: "set base_url and path to the address that is meant"
        case .status(202, _):
            "try again later, or raise retry: max_attempts; if this API answers always so, set response_actions: [ { status: 202, action: accept } ]"
        case .status(404, _), .status(410, _): "check base_url, path and the values that path takes"
        case .response(_, .retry, _): "try again later, or correct response_actions"
        case .response: "see what the server says of it; correct response_actions if it is none to fail on"
        case .status(405, _): "check path and method"
        case .status(415, _): "check json, form or body, and the Content-Type in headers"
        case .status(429, _), .rateLimited: "wait, ask less often, or set rate_limit"
        case .status(let status, _) where status >= 500:
            "try again later; if it stays, the server is at fault: ask the people who run it"
        case .status: "check path, params and headers"
        case .mediaType where undeclaredJSON == "*/*": "if this is the data, add \"*/*\" to media_types in response"
        case .mediaType where undeclaredJSON != nil:
            "if this is the data, add \(undeclaredJSON ?? "") to media_types in response"
        case .mediaType:
            "check that path names a JSON API and not a page for people; some servers need headers: { Accept: application/json }"
        case .charset(let charset):
            ResponseFormat.Charset(rawValue: charset) == nil
                ? "ask the server for UTF-8" : "set response: { charset: \(charset) }, or ask the server for UTF-8"
        case .emptyBody(204):
            "check path and params, or set response_actions: [{ status: 204, action: ignore }] if it means that there are no records"
        case .emptyBody: "check path and params"
        case .json(let reason, _) where reason == JSONError.textAfterValue:
            "if each line is a JSON value, set response: { format: json_lines }; else the server sends broken JSON"
        case .json(let reason, _) where reason.hasSuffix(JSONError.notUTF8):
            "if the text is in another encoding, name it: response: { charset: iso-8859-1 }, or windows-1252; else the server sends broken JSON"
        case .json: "try again later; if it stays, the server sends broken JSON"
        case .openEnd: "ask the server for application/json, or for HTTP/1.1 with Content-Length or chunks"
        case .missingPath, .noArray: "correct record_selector"
        case .severalArrays(let names):
            "set the one that is meant: "
                + names.prefix(5).map { "record_selector: $\(Selector.shortSegment(named: $0))[*]" }.joined(
                    separator: "; or ")
        case .scalar: "check path, or set record_selector"
        case .linkToOtherOrigin:
            "set allow_cross_origin: true in paginator if that origin is meant; it gets no credentials, and nothing was sent to it"
        case .secretInLink:
            "ask the server to leave credentials out of its links, or set a paginator that makes the addresses, such as page_number"
        case .invalidLink:
            "does the next page's URL stand elsewhere, or is this a cursor? Set the paginator that reads it"
        case .unchangedPage:
            "does another parameter select the page, or is this all? Set the paginator that asks as the API wants it"
        case .unclearPaging(_, let settings):
            "add one of these lines to the stream: \(settings.map(\.description).joined(separator: "; or "))"
        case .arrayInRecord(let name):
            "set record_selector: $ for the one record, or record_selector: $\(Selector.shortSegment(named: name))[*] for the array"
        case .refusal: "see what the server says; record_selector: $ takes the body as a record all the same"
        case .graphQL: "correct the stream's json, or the permissions of its auth"
        case .shape:
            "correct record_shape, fields or record_selector, which names the whole value that holds the records, without [*]"
        case .filterLimit(_, let key):
            "ask for smaller pages, or write \(key) without '..' and filters inside its queries"
        case .unusableValue: "correct the parent's record or the stream's path"
        case .fileType: "add the type to media_types of the attachment if it is meant"
        case .documentType(let type, _, _): "accept \(type ?? "*/*") too if it is meant"
        case .noText: "take its bytes, or ask the server for another charset"
        case .unwritable: "check that the folder exists, that you may write in it, and that the disk has space"
        case .invalidFileURL: "remove the field from attachments, or have its records corrected"
        case .repeatedPage, .repeatedRecords, .endlessEmptyPages:
            "how does the API say which page is the last? Set last_when in paginator to that, or max_pages"
        }
    }
}

extension ProxyError {
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
        case .shape(let reason): .shape(reason: redaction.quoted(reason))
        case .unusableValue(let placeholder, let value, let reason):
            .unusableValue(of: placeholder, value: redaction.quoted(value, limit: 60), reason: reason)
        case .privateNetwork(let host): .privateNetwork(host: redaction.redacted(host))
        case .unknownHost, .refused, .closed, .incompleteBody, .deadline, .headTooLarge, .bodyTooLarge,
            .excessiveRatio,
            .unauthorized, .status, .response, .rateLimited, .openEnd, .emptyBody, .noArray, .scalar, .unchangedPage,
            .filterLimit, .unwritable, .repeatedRecords, .endlessEmptyPages:
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

    func error(_ kind: FetchError.Kind, at url: String? = nil, request: RequestEntry? = nil) -> FetchError {
        var request = request
        let origin = request?.redirectedTo
        request?.redirectedTo = origin.map { redaction.quoted($0) }
        let kind = hidesRecords ? kind.withoutNames : kind
        return FetchError(
            stream: stream, kind: kind.quoted(with: redaction), url: url.map(redaction.redacted), request: request)
    }
}
