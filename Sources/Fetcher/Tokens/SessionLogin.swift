import GarnerCatalog
import GarnerJSON
import GarnerModel

/// A login as one stream makes it, with the stream's connections and limits.
///
/// A login that a server may have received is not repeated: some servers lock an account after a few of them.
struct SessionLogin: TokenProvider {
    /// The time after a refused login in which no other one is made.
    static let rest = Duration.seconds(300)
    /// The largest answer accepted, in bytes.
    private static let maximumBody = 1 << 20
    /// The number of bytes in which the words of a refusal are looked for.
    private static let inspectedBytes = 64 << 10
    /// The lifetime of a session that ends only when the server says so.
    private static let unlimited = Duration.seconds(365 * 24 * 3600)

    let session: SessionToken
    let address: WebAddress
    let urlSecrets: [Secret]
    let transport: any Transport
    let limits: Limits
    let policy: RetryPolicy
    let timing: Timing
    private let guardian: AddressGuardMiddleware

    /// Creates the login; fails if the stream has none, or if its URL is none.
    init?(of stream: StreamConfiguration, transport: any Transport, timing: Timing) {
        guard case .session(let session) = stream.request.authentication, let address = stream.request.loginAddress
        else { return nil }
        self.session = session
        self.address = address
        urlSecrets = stream.request.loginSecrets
        self.transport = transport
        limits = stream.limits
        policy = stream.retry
        self.timing = timing
        guardian = AddressGuardMiddleware(stream, start: address)
    }

    func grant(for source: TokenSource) async throws -> TokenGrant {
        do {
            try source.refusedLogins?.admit(identity, at: timing.now())
            let grant = try await grant(learning: source.runtimeSecrets)
            try source.refusedLogins?.forget(identity)
            return grant
        } catch let problem as TokenError {
            if problem.isRefusedLogin { source.refusedLogins?.note(identity, at: timing.now()) }
            throw error(problem)
        }
    }

    private func grant(learning secrets: RuntimeSecrets) async throws -> TokenGrant {
        let schedule = RetrySchedule(policy: policy)
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try await attempt(learning: secrets)
            } catch let kind as FetchError.Kind {
                try Task.checkCancellation()
                let delay = schedule.delay(after: kind, attempts: attempts, random: timing.random())
                guard kind.leavesLoginUndone, let delay else { throw TokenError.failed(kind) }
                try await timing.clock.sleep(for: delay)
            }
        }
    }

    /// Returns the error for a problem of this login. The query is left out, since it may hold a key.
    func error(_ problem: TokenError) -> FetchError.Kind {
        .token(endpoint: "\(address.origin)\(address.path)", problem)
    }

    private func attempt(learning secrets: RuntimeSecrets) async throws -> TokenGrant {
        var request = try guardian.admitted(session.request(to: address, at: timing.now()))
        request.urlSecrets = urlSecrets
        return try await Timeouts(limits: limits, clock: timing.clock).sending(request, over: transport) {
            try await receive($0, $1, learning: secrets)
        }
    }

    private func receive(
        _ response: Response, _ activity: ActivityTracker, learning secrets: RuntimeSecrets
    ) async throws -> TokenGrant {
        let head = response.head
        let cookies = SessionCookies(head.headers, from: address, now: timing.now())
        // Whatever an answer sets may be repeated by a later one.
        for secret in cookies.secrets { secrets.learn(secret) }
        guard head.headers.byteCount <= limits.head else { throw FetchError.Kind.headTooLarge(limit: limits.head) }
        var incoming = IncomingBody(response.body, activity: activity)
        let isRedirect = RedirectResponseError.statuses.contains(head.status)
        switch head.status {
        case 200..<300: break
        // Forms are often answered with a redirect that sets the cookies. It is not followed.
        case _ where isRedirect && session.take == .cookies && !cookies.isEmpty: break
        case _ where isRedirect:
            throw TokenError.noSession(reason: "is HTTP \(head.status), a redirect without a session")
        case 408, 425, 429, 500...:
            throw FetchError.Kind.status(head.status, retryAfter: RetryAfter(head.headers, now: timing.now)?.delay)
        default:
            let bytes = try await incoming.excerpt(atMost: Self.inspectedBytes, clock: timing.clock)
            throw TokenError.loginRefused(status: head.status, words: ServerErrorMessage(bytes)?.text)
        }
        let lifetime = session.expires ?? Self.unlimited
        switch session.take {
        case .cookies:
            let type = head.headers["Content-Type"].flatMap(MediaType.init)?.name
            guard isRedirect || type != "text/html" else {
                throw TokenError.noSession(reason: "is an HTML page, as a login form is that is shown again")
            }
            try await incoming.drain(clock: timing.clock)
            guard !cookies.isEmpty else {
                throw TokenError.noSession(
                    reason: cookies.haveSecureOnly ? "sets cookies for https only" : "sets no cookie")
            }
            return TokenGrant(headers: [], cookies: cookies, lifetime: lifetime)
        case .token(let place):
            let body = try BodyReader(head: head, limit: min(limits.body, Self.maximumBody))
            let token = try Self.token(at: place, in: try await body.read(&incoming))
            secrets.learn(token)
            let field = session.field(with: token)
            return session.header?.location == .query
                ? TokenGrant(headers: [], parameters: [field], lifetime: lifetime)
                : TokenGrant(headers: [field], lifetime: lifetime)
        }
    }

    private static func token(at place: Selector, in bytes: consuming Bytes) throws(TokenError) -> Secret {
        guard let document = try? Document(parsing: bytes) else { throw .noSession(reason: "is no JSON") }
        return try document.withRoot { root throws(TokenError) in
            guard let node = place.first(in: root) else {
                let texts = texts(in: root)
                throw .noSession(reason: "has no \(place)", texts: texts, near: likelySession(among: texts))
            }
            guard let token = TokenAnswer.token(node) else {
                throw .noSession(reason: "has no text at \(place) that a header can carry")
            }
            return token
        }
    }

    /// Returns the places of an object's texts that a header can carry. A name with digits may be a secret itself, and is left out.
    static func texts(in node: Node, at place: String = "$", depth: Int = 4) -> [String] {
        guard node.isObject else { return place == "$" || TokenAnswer.token(node) == nil ? [] : [place] }
        guard depth > 0 else { return [] }
        return node.members.flatMap { key, value in
            key.text.wholeMatch(of: /[A-Za-z_-]{1,40}/) == nil
                ? [] : texts(in: value, at: place + Selector.shortSegment(named: key.text), depth: depth - 1)
        }
    }

    /// Returns the one of the places of texts whose name is that of a token or a session; nil if there is none.
    static func likelySession(among texts: [String]) -> String? {
        let names = [
            "accesstoken", "sessiontoken", "authtoken", "token", "sessionid", "sessionkey", "jwt", "session", "sid",
        ]
        let letters = texts.map { text in (text, text.lowercased().filter(\.isLetter)) }
        return names.lazy.compactMap { name in
            letters.first { _, words in
                words.hasSuffix(name) && !["refresh", "csrf", "xsrf"].contains(where: words.contains)
            }?.0
        }.first
    }
}

extension FetchError.Kind {
    /// True if the server has not seen the login, or says that it could not deal with it.
    fileprivate var leavesLoginUndone: Bool {
        if case .status(let status, _) = self { [502, 503, 504].contains(status) } else { isUnreachable }
    }
}

extension RequestTemplate {
    /// The URL of the login, with asterisks for its secrets; nil if the requests need none.
    var loginAddress: WebAddress? {
        guard case .session(let session) = authentication else { return nil }
        if let url = session.login.url { return url }
        let path = HiddenURL(session.login.path, secrets: session.login.urlSecrets).text(behind: urlSecrets.count)
        return WebAddress(session.login.baseURL ?? baseURL)?.appending(path)
    }

    var loginSecrets: [Secret] {
        guard case .session(let session) = authentication else { return [] }
        return (session.login.url == nil ? urlSecrets : []) + session.login.urlSecrets
    }
}

extension SessionToken {
    func request(to address: WebAddress, at time: Timestamp) -> Request {
        let hasAccept = login.headers.contains { $0.name.lowercased() == "accept" }
        let accept = RequestTemplate.Parameter(name: "Accept", value: .literal("application/json, */*;q=0.1"))
        let trace = RequestTrace(RequestEntry(sentAt: time, url: "\(address)"))
        let target = login.params.reduce(address) { address, parameter in
            parameter.value.literal.map { address.appending(parameter: parameter.name, value: $0) } ?? address
        }
        let headers = login.headers + login.authentication.headers + (hasAccept ? [] : [accept])
        var request = Request(address: target, headers: headers, trace: trace)
        request.secretParameters = login.params.filter(\.value.isSecret) + login.authentication.parameters
        request.method = login.method
        request.isSentOnce = true
        if login.method == .get { return request }
        if let body = login.body {
            request.body = RequestBody(
                mediaType: "application/json", content: body.withoutSecrets.revealed(as: .json, withSecretsOf: body))
        } else {
            let fields = login.form.map {
                "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value.reveal()))"
            }
            request.body = RequestBody(
                mediaType: "application/x-www-form-urlencoded", content: Secret(fields.joined(separator: "&")))
        }
        return request
    }

    /// Returns the header field that carries a token.
    fileprivate func field(with token: Secret) -> RequestTemplate.Parameter {
        guard let header else { return .authorization("Bearer \(token.reveal())") }
        let value = header.value.replacing(Header.placeholder, with: token.reveal())
        return .init(name: header.name, value: .secret(Secret(value)))
    }
}

/// The cookies that an answer sets. They are sent to the origin of the API alone, if that is the login's host or one of
/// their `Domain`, for as long as the session is used, and only below their `Path`. One without a `Path` is sent to all of the origin: many servers mean the whole API.
struct SessionCookies: Sendable, Equatable {
    private struct Cookie: Equatable {
        let name: Substring
        let value: Substring
        /// The path below which the cookie is sent; nil for all paths.
        let path: Substring?
        /// The domain in lower case, without a dot before it; nil for the host of the login.
        let domain: String?
        let isSecure: Bool
    }

    /// The host of the login.
    private let host: String

    private let cookies: [Cookie]
    /// True if a cookie was left out, since it is sent over https only.
    private let leavesOutSecure: Bool

    /// Reads all `Set-Cookie` fields (RFC 6265, 5.2). One that removes a cookie counts as none, as a `Secure` one over http.
    init(_ headers: HeaderFields, from address: WebAddress, now: Timestamp) {
        host = address.host
        var cookies: [Cookie] = []
        var leavesOutSecure = false
        for field in headers.values(of: "Set-Cookie") where HeaderSyntax.isValue(field) {
            let parts = field.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
            guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { continue }
            let name = Self.trimmed(pair[..<equals])
            let attributes = parts.dropFirst()
            // "If the attribute-value is empty or if the first character of the attribute-value is not '/'", the path is the
            // default (RFC 6265, 5.2.4).
            let path = Self.value(of: "path", in: attributes).flatMap { $0.hasPrefix("/") ? $0 : nil }
            cookies.removeAll { $0.name == name && ($0.path ?? "/") == (path ?? "/") }
            let value = Self.trimmed(pair[equals...].dropFirst())
            guard !name.isEmpty, !value.isEmpty, !Self.isOver(attributes, at: now) else { continue }
            let isSecure = attributes.contains { $0.prefix { $0 != "=" }.lowercased() == "secure" }
            if isSecure, address.scheme != "https" {
                leavesOutSecure = true
            } else {
                let domain = Self.value(of: "domain", in: attributes).map { $0.lowercased().drop { $0 == "." } }
                cookies.append(
                    Cookie(
                        name: name, value: value, path: path, domain: domain.map { String($0) }, isSecure: isSecure))
            }
        }
        self.cookies = cookies
        self.leavesOutSecure = leavesOutSecure
    }

    private static func value(of name: String, in attributes: ArraySlice<Substring>) -> Substring? {
        attributes.lazy.map { $0.split(separator: "=", maxSplits: 1).map(trimmed) }
            .last { $0.count == 2 && $0[0].lowercased() == name }?[1]
    }

    /// "If a cookie has both the Max-Age and the Expires attribute, the Max-Age attribute has precedence" (RFC 6265,
    /// 4.1.2.2).
    private static func isOver(_ attributes: ArraySlice<Substring>, at now: Timestamp) -> Bool {
        if let age = value(of: "max-age", in: attributes).flatMap({ Int($0) }) { return age <= 0 }
        // Many servers write the date with hyphens, as Netscape did: Thu, 01-Jan-1970 00:00:00 GMT.
        guard let text = value(of: "expires", in: attributes) else { return false }
        let date = HTTPDate(String(text), now: now) ?? HTTPDate(String(text).replacing("-", with: " "), now: now)
        return date.map { $0.timestamp <= now } ?? false
    }

    private static func trimmed(_ text: Substring) -> Substring {
        text.trimming { $0 == " " || $0 == "\t" }
    }

    var isEmpty: Bool { cookies.isEmpty }

    /// True if none is left, since all are sent over https only.
    var haveSecureOnly: Bool { cookies.isEmpty && leavesOutSecure }

    /// Returns the field for a request; nil if none of the cookies belongs there.
    func field(for address: WebAddress) -> RequestTemplate.Parameter? {
        let path = address.path.isEmpty ? "/" : address.path
        let sent = cookies.filter { cookie in
            (cookie.path.map { Self.covers($0, path) } ?? true) && isOf(address.host, cookie)
                && (!cookie.isSecure || address.scheme == "https")
        }
        guard !sent.isEmpty else { return nil }
        // "Cookies with longer paths are listed before cookies with shorter paths" (RFC 6265, 5.4).
        let sorted = sent.enumerated().sorted {
            ($1.element.path?.utf8.count ?? 1, $0.offset) < ($0.element.path?.utf8.count ?? 1, $1.offset)
        }
        let text = sorted.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
        return .init(name: "Cookie", value: .secret(Secret(text)))
    }

    /// Returns true if a host gets a cookie of the login's (RFC 6265, 5.1.3).
    private func isOf(_ other: String, _ cookie: Cookie) -> Bool {
        if other == host { return true }
        // A domain without a dot, such as "com", has no owner.
        guard let domain = cookie.domain, domain.utf8.contains(UInt8(ascii: ".")), IPAddress(other) == nil else {
            return false
        }
        return [host, other].allSatisfy { $0 == domain || $0.hasSuffix(".\(domain)") }
    }

    /// Returns true if the request's path is the cookie's or is below it (RFC 6265, 5.1.4).
    private static func covers(_ cookie: Substring, _ path: String) -> Bool {
        guard path.hasPrefix(cookie) else { return false }
        return cookie.hasSuffix("/") || path.utf8.count == cookie.utf8.count
            || path.utf8.dropFirst(cookie.utf8.count).first == UInt8(ascii: "/")
    }

    /// The values that are too long to occur elsewhere by coincidence, such as a language would.
    var secrets: [Secret] {
        cookies.map { String($0.value) }.filter { $0.utf8.count >= Redaction.unmistakableLength }.map { Secret($0) }
    }
}
