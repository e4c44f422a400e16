import Catalog

/// The second check: which statuses come with a page.
struct StatusCheck: Sendable {
    /// For a `Retry-After` date of a response that tells no date of its own.
    let now: @Sendable () -> Timestamp

    func check(_ head: ResponseHead, from address: WebAddress) throws(FetchError.Kind) {
        switch head.status {
        case 204, 205: throw .emptyBody(status: head.status)
        // No range was asked for, so that a part (206) is no answer.
        case 200..<300 where head.status != 206: return
        case 300, 301, 302, 303, 307, 308: throw .redirect(status: head.status, target: target(of: head, from: address))
        case 401, 403: throw .unauthorized(status: head.status)
        default:
            let wait = RetryAfter(head.headers, now: now)?.delay
            throw .status(head.status, retryAfter: wait)
        }
    }

    private func target(of head: ResponseHead, from address: WebAddress) -> String? {
        guard let location = head.headers["Location"] else { return nil }
        guard let target = address.resolving(location) else { return "another scheme" }
        return target.origin == address.origin ? "the same host" : target.origin.description
    }
}
