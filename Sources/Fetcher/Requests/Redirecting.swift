import Catalog

/// Follows redirects: a few, to `http` and `https` only, never from `https` to `http`, and without secrets elsewhere.
struct Redirecting: Layer {
    static let maximumCount = 5

    let boundary: SecretBoundary
    /// nil: nobody is asked about a redirect that may be followed.
    var conversation: Conversation?

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        var request = request
        var visited: Set<WebAddress> = [request.address]
        while true {
            do {
                return try await next(request)
            } catch let redirection as Redirection {
                do throws(RedirectProblem) {
                    guard visited.count <= Self.maximumCount else { throw .tooMany(limit: Self.maximumCount) }
                    let following = try following(redirection, from: request)
                    if let conversation, !(await conversation.allowsRedirect(from: request, to: following)) {
                        throw .declined(following.address.origin.description)
                    }
                    request = following
                    request.trace.note { $0.redirectedTo = request.address.origin.description }
                    guard visited.insert(request.address).inserted else { throw .circle(url: "\(request.address)") }
                } catch {
                    throw FetchError.Kind.redirect(status: redirection.status, error)
                }
            }
        }
    }

    private func following(_ redirection: Redirection, from request: Request) throws(RedirectProblem) -> Request {
        guard let location = redirection.location else { throw .noLocation }
        guard let target = request.address.resolving(location) else { throw .notFollowable(location) }
        if request.address.scheme == "https", target.scheme == "http" { throw .insecure(target.origin.description) }
        guard let address = boundary.withoutSecrets(target) else { throw .repeatsSecret(target.origin.description) }
        var following = request
        following.address = address
        if request.method == .post, redirection.status != 307, redirection.status != 308 {
            // What was posted has been done with; the answer is elsewhere (RFC 9110, 15.4.2 to 15.4.4).
            following.method = .get
            following.body = nil
        }
        if address.origin != request.address.origin {
            guard following.body == nil else { throw .carriesBody(address.origin.description) }
            // What a configuration sends to one server is nobody else's business.
            following.headers.removeAll { $0.name.lowercased() != "accept" }
        }
        // It is of the resource that gave it, and means nothing to another one.
        if let condition = following.validator?.condition {
            following.headers.removeAll { $0.name == condition.name }
            following.validator = nil
        }
        following.fingerprint = nil
        return following
    }
}

/// What a response with a redirect says.
struct Redirection: Error {
    let status: Int
    let location: String?

    /// 300 offers a choice, and 304 is none.
    static let statuses: Set<Int> = [301, 302, 303, 307, 308]
}

/// Why a redirect was not followed. Texts are what the server wrote.
package enum RedirectProblem: Error, Sendable, Equatable {
    case noLocation
    /// No URL, or one of another scheme.
    case notFollowable(String)
    case insecure(String)
    case repeatsSecret(String)
    /// The request's body would go to another origin.
    case carriesBody(String)
    /// The delegate does not want it to be followed to that origin.
    case declined(String)
    case circle(url: String)
    case tooMany(limit: Int)
}
