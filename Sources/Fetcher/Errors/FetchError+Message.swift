import Catalog

extension FetchError: CustomStringConvertible {
    public var description: String { "\(stream): \(message)" }

    /// One sentence, without the stream's name: what failed, why, and where; no secrets.
    public var message: String {
        let reason = request?.words.map { "\(kind.reason): \"\($0)\"" } ?? kind.reason
        guard let url else { return reason }
        var place = [url]
        if let origin = request?.redirectedTo { place.append("redirected to \(origin)") }
        if let attempts = request?.attempts, attempts > 1 { place.append("\(attempts) attempts") }
        return "\(reason) (\(place.joined(separator: ", ")))"
    }
}

extension FetchError.Kind {
    var reason: String {
        switch self {
        case .misconfigured(let reason): reason
        case .token(let endpoint, let problem): "no access token from \(endpoint): \(problem.reason)"
        case .privateNetwork(let host): "\(host) is a loopback, private or reserved address"
        case .certificates(let file, let reason): "the certificates of \(file) cannot be used: \(reason)"
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
            "HTTP \(status)" + (retryAfter.map { ", with the request to wait for \(DurationText.format($0))" } ?? "")
        case .response(let status, let action, _):
            "HTTP \(status), with which response_actions says to \(action == .retry ? "try again" : action.rawValue)"
        case .rateLimited(let wait):
            "the rate limit allows no request for \(DurationText.format(.seconds(wait.components.seconds)))"
        case .mediaType(let type, let excerpt):
            (type.map { "the answer is \($0) instead of JSON" } ?? "the answer does not say that it is JSON")
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
        case .fileType(let type, let expected):
            "the file \(type.map { "is \($0)" } ?? "has no type") instead of \(expected.joined(separator: ", "))"
        case .invalidFileURL(let text): "the field holds no URL that can be fetched: \(text)"
        case .repeatedPage(let url): "the pages go round in a circle, back to \(url)"
        case .unchangedPage:
            "the page is the same as the one before, so the server does not know the paginator's parameter"
        case .graphQL(let message): "the server answered with errors: \(message)"
        case .unusableValue(let placeholder, let value, let reason):
            "the value '\(value)' of \(placeholder) cannot be part of the request: \(reason)"
        case .unclearPaging(let sign, _): "\(sign), but nothing says where the next page is"
        }
    }
}

extension RedirectProblem {
    /// What stands behind "the redirect".
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

extension ProxyProblem {
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
