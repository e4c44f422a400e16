extension FetchError.Kind {
    /// The same with what it quotes of a server made fit to be shown: one line, not endless, and without secrets.
    func quoted(with redaction: Redaction) -> Self {
        switch self {
        case .misconfigured(let reason): .misconfigured(reason: redaction.redacted(reason))
        case .token(let endpoint, let problem):
            .token(endpoint: redaction.redacted(endpoint), problem.quoted(with: redaction))
        case .unreachable(let reason): .unreachable(reason: redaction.quoted(reason))
        case .tls(let reason): .tls(reason: redaction.quoted(reason))
        case .certificates(let file, let reason): .certificates(file: redaction.redacted(file), reason: reason)
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
        case .fileType(let type, let expected):
            .fileType(type.map { redaction.quoted($0, limit: 100) }, expected: expected)
        case .invalidFileURL(let text): .invalidFileURL(redaction.quoted(text))
        case .repeatedPage(let url): .repeatedPage(url: redaction.redacted(url))
        case .arrayInRecord(let name): .arrayInRecord(name: redaction.quoted(name, limit: 60))
        case .refusal(let words): .refusal(words: redaction.quoted(words))
        case .unclearPaging(let sign, let lines):
            .unclearPaging(sign: redaction.quoted(sign), lines: lines.map { redaction.quoted($0) })
        case .graphQL(let message): .graphQL(message: redaction.quoted(message))
        case .unusableValue(let placeholder, let value, let reason):
            .unusableValue(of: placeholder, value: redaction.quoted(value, limit: 60), reason: reason)
        case .privateNetwork(let host): .privateNetwork(host: redaction.redacted(host))
        case .unknownHost, .refused, .closed, .incompleteBody, .deadline, .headTooLarge, .bodyTooLarge,
            .excessiveRatio,
            .unauthorized, .status, .response, .rateLimited, .openEnd, .emptyBody, .noArray, .scalar, .unchangedPage:
            self
        }
    }
}

extension RedirectProblem {
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
