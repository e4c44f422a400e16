import Catalog

/// The second check: which statuses come with a page.
struct StatusCheck: Sendable {
    /// For a `Retry-After` date of a response that tells no date of its own.
    let now: @Sendable () -> Timestamp

    enum Verdict {
        case page
        case notModified
        case redirection(Redirection)
    }

    /// Throws `FetchError.Kind`.
    ///
    /// - Parameter isConditional: whether the request brought a validator.
    func verdict(on head: ResponseHead, isConditional: Bool) throws(FetchError.Kind) -> Verdict {
        switch head.status {
        case 304 where isConditional: return .notModified
        case 204, 205: throw FetchError.Kind.emptyBody(status: head.status)
        // No range was asked for, so that a part (206) is no answer.
        case 200..<300 where head.status != 206: return .page
        case _ where Redirection.statuses.contains(head.status):
            return .redirection(Redirection(status: head.status, location: head.headers["Location"]))
        case 401, 403: throw FetchError.Kind.unauthorized(status: head.status)
        default:
            let wait = RetryAfter(head.headers, now: now)?.delay
            throw FetchError.Kind.status(head.status, retryAfter: wait)
        }
    }
}
