import GarnerCatalog
import GarnerModel

/// Follows a few redirects: only to `http` and `https`, never back to `http`, and without secrets to another origin.
struct RedirectMiddleware: Middleware {
    static let maximumCount = 5

    let boundary: SecretBoundary
    /// The delegate's session, which may decline a redirect; nil if there is no delegate.
    var delegateSession: DelegateSession?

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        let asked = request.address
        var request = request
        var visited: Set<WebAddress> = [asked]
        while true {
            do {
                return try await next(request)
            } catch let redirection as RedirectResponseError {
                do throws(RedirectError) {
                    guard visited.count <= Self.maximumCount else { throw .tooMany(limit: Self.maximumCount) }
                    let following = try following(redirection, from: request)
                    if let delegateSession, !(await delegateSession.allowsRedirect(from: request, to: following)) {
                        throw .declined(following.address.origin.description)
                    }
                    let address = following.address
                    let endOfPost: String? =
                        if request.method == .post, following.method == .get {
                            address.path == request.address.path + "/"
                                ? (address.path.split(separator: "/").last.map { "\($0)/" } ?? "") : ""
                        } else {
                            nil
                        }
                    request = following
                    request.trace.note {
                        $0.redirectedTo = address.origin.description
                        $0.redirect = address.redirect(from: asked)
                        $0.endOfPost = endOfPost ?? $0.endOfPost
                    }
                    guard visited.insert(request.address).inserted else { throw .circle(url: "\(request.address)") }
                } catch {
                    throw FetchError.Kind.redirect(status: redirection.status, error)
                }
            }
        }
    }

    private func following(_ redirection: RedirectResponseError, from request: Request) throws(RedirectError) -> Request
    {
        guard let location = redirection.location else { throw .noLocation }
        guard let target = request.address.resolving(location) else { throw .notFollowable(location) }
        if request.address.scheme == "https", target.scheme == "http" { throw .insecure(target.origin.description) }
        guard let address = boundary.withoutSecrets(target) else { throw .repeatsSecret(target.origin.description) }
        var following = request
        following.address = address
        // RFC 9110, 15.4.2 to 15.4.4: the server has processed the body, and the result is elsewhere. With 301 and 302,
        // this holds for POST only.
        if redirection.status == 303 || request.method == .post && redirection.status < 303 {
            following.method = .get
            following.body = nil
        }
        if !address.hasOrigin(of: request.address) {
            guard following.body == nil else { throw .carriesBody(address.origin.description) }
            // Header fields configured for one server are not sent to another.
            following.headers.removeAll { $0.name.lowercased() != "accept" }
        }
        // A validator applies only to the resource that issued it.
        if let condition = following.validator?.condition {
            following.headers.removeAll { $0.name == condition.name }
            following.validator = nil
        }
        following.fingerprint = nil
        return following
    }
}

extension WebAddress {
    /// Returns a digest of the path to which redirects led; nil if that is the one that was asked for.
    func redirect(from asked: WebAddress) -> String? {
        func place(_ address: WebAddress) -> Substring {
            address.path.hasSuffix("/") ? address.path.dropLast() : address.path[...]
        }
        guard place(self) != place(asked) else { return nil }
        var hash = StableHash()
        hash.add(place(self).utf8)
        return String(hash.value)
    }

    /// Returns a digest of the names of parameters to which redirects led beside those that were asked for, such as `limit`; nil without
    /// any. Their values may be other ones each time.
    func namesAdded(to asked: WebAddress) -> String? {
        let added = Set(parameters.map(\.name)).subtracting(asked.parameters.map(\.name))
        guard !added.isEmpty else { return nil }
        var hash = StableHash()
        for name in added.sorted() { hash.add("\(name)\n".utf8) }
        return String(hash.value)
    }
}

struct RedirectResponseError: Error {
    let status: Int
    let location: String?

    /// The statuses of redirects that are followed. 300 offers a choice, and 304 is not a redirect.
    static let statuses: Set<Int> = [301, 302, 303, 307, 308]
}

/// The boundary of a stream's secrets: the origin of its base URL. They never enter a URL that is stored or sent elsewhere.
struct SecretBoundary: Sendable {
    private let start: WebAddress
    private let parameterNames: Set<String>
    /// The body without its secrets, as the configuration shows it.
    private let openBody: String
    private let urlSecrets: [Secret]
    /// The beginning of the path as it is sent and as it is shown; nil if no secret is in it.
    private let beginning: (sent: String, shown: String)?
    private let redaction: Redaction

    init(_ template: RequestTemplate, start: WebAddress, redaction: Redaction) {
        self.start = start
        self.redaction = redaction
        openBody = template.body.map { "\($0.withoutSecrets)" } ?? ""
        urlSecrets = template.urlSecrets
        beginning = start.path.beginning(withSecrets: urlSecrets)
        parameterNames = Set(template.secretParameters.map(\.name) + template.authentication.tokenParameters)
    }

    func isInside(_ address: WebAddress) -> Bool { address.hasOrigin(of: start) }

    /// Returns the address without the secrets that a server repeats in it, under any name; nil if one remains.
    func withoutSecrets(_ target: WebAddress) -> WebAddress? {
        let address = hiding(target).removingParameters { name, value in
            parameterNames.contains(name) || (redaction.isSecret(value) && start.value(of: name) != value)
        }
        // The server may repeat what the configuration shows openly.
        return redaction.mentionsSecret("\(address)", except: "\(start)") ? nil : address
    }

    /// Returns the address with asterisks for the secrets of the configured URL, which are sent again to this origin.
    private func hiding(_ target: WebAddress) -> WebAddress {
        guard !urlSecrets.isEmpty, isInside(target) else { return target }
        var hidden = target
        // A short secret may stand elsewhere by coincidence.
        if let beginning, target.path.hasPrefix(beginning.sent) {
            hidden.path = beginning.shown + target.path.dropFirst(beginning.sent.count)
        }
        for (index, secret) in urlSecrets.enumerated() {
            let pattern = SecretPattern(secret)
            guard pattern.count >= Redaction.unmistakableLength else { continue }
            hidden.path = pattern.replaced(in: hidden.path, by: HiddenURL.standIn(index))
            hidden.query = hidden.query.map { pattern.replaced(in: $0, by: HiddenURL.standIn(index)) }
        }
        return hidden
    }

    /// Returns true if the server has repeated a secret in a value for the next request's body.
    func mentionsSecret(_ body: BodyValue) -> Bool { redaction.mentionsSecret("\(body)", except: openBody) }
}

extension Authentication {
    /// The query parameter that carries the token of a login.
    fileprivate var tokenParameters: [String] {
        guard case .session(let session) = self, let header = session.header, header.location == .query else {
            return []
        }
        return [header.name]
    }
}

extension String {
    /// Returns the part of this path that ends with its last secret, as it is sent and as it is shown.
    fileprivate func beginning(withSecrets secrets: [Secret]) -> (sent: String, shown: String)? {
        guard !secrets.isEmpty, let end = lastIndex(of: "*") else { return nil }
        let shown = String(self[...end])
        let sent = HiddenURL.revealed(shown, secrets)
        return sent == shown ? nil : (sent, shown)
    }
}

/// Refuses requests to private networks unless they are allowed. The transport checks the addresses of host names.
struct AddressGuardMiddleware: Middleware {
    private let isAllowed: Bool?
    private let start: WebAddress
    /// The addresses that are meant with the host of `start`.
    private let meant: AddressRange

    init(_ stream: StreamConfiguration, start: WebAddress) {
        isAllowed = stream.allowsPrivateNetwork
        self.start = start
        meant = isAllowed == nil ? PrivateNetwork.range(meantBy: start.host) : .public
    }

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        try await next(admitted(request))
    }

    /// Returns the request, marked with the addresses that it may reach.
    func admitted(_ request: Request) throws(FetchError.Kind) -> Request {
        let host = request.address.host
        // A private host in base_url is intended. One in a link or a redirect is not.
        let isMeant = request.address.hasOrigin(of: start)
        let range =
            isAllowed == true
            ? AddressRange.any : isAllowed == nil && isMeant ? meant : .public
        guard range != .public || !PrivateNetwork.contains(host) else { throw .privateNetwork(host: host) }
        var request = request
        request.range = range
        request.isForMeantServer = isMeant
        return request
    }
}
