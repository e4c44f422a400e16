import GarnerCatalog
import GarnerDigest
import Synchronization

/// A challenge of the digest scheme (RFC 7616) that can be answered: its quality of protection is `auth`, or none.
struct DigestChallenge: Sendable, Equatable {
    /// The hash functions, the best last.
    enum Algorithm: Int, Sendable {
        case md5, sha256
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: Algorithm
    /// The algorithm's name as the server wrote it; nil if it wrote none.
    let algorithmName: String?
    /// True if the hash of the account also covers both nonces, the server's and the client's (`-sess`).
    let isOfSession: Bool
    /// True if the server names qualities of protection, `auth` among them.
    let hasQuality: Bool
    /// True if the server wants the user's name hashed.
    let hashesName: Bool
    /// True if the credentials were right and only the nonce is too old.
    let isStale: Bool

    /// Reads the parameters of a challenge, whose names are in lower case. Fails if the challenge cannot be answered.
    init?(_ parameters: [(name: String, value: String)]) {
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        guard let realm = value("realm"), let nonce = value("nonce") else { return nil }
        let name = value("algorithm")?.lowercased() ?? "md5"
        switch name {
        case "md5", "md5-sess": algorithm = .md5
        case "sha-256", "sha-256-sess": algorithm = .sha256
        default: return nil
        }
        let qualities = value("qop")?.lowercased().split { $0 == "," || $0.isWhitespace }
        guard qualities?.contains("auth") ?? true else { return nil }
        self.realm = realm
        self.nonce = nonce
        opaque = value("opaque")
        algorithmName = value("algorithm")
        isOfSession = name.hasSuffix("-sess")
        hasQuality = qualities != nil
        hashesName = value("userhash")?.lowercased() == "true"
        isStale = value("stale")?.lowercased() == "true"
    }

    /// Returns the value of `Authorization` for a request.
    ///
    /// - Parameters:
    ///   - count: The number of requests with this nonce, this one included.
    ///   - clientNonce: A random text without quotes.
    func authorization(
        username: String, password: Secret, method: String, target: String, count: Int, clientNonce: String
    ) -> String {
        var account = hash("\(username):\(realm):\(password.reveal())")
        if isOfSession { account = hash("\(account):\(nonce):\(clientNonce)") }
        let digits = String(count, radix: 16)
        let number = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        let request = hash("\(method):\(target)")
        let response = hash(
            hasQuality
                ? "\(account):\(nonce):\(number):\(clientNonce):auth:\(request)" : "\(account):\(nonce):\(request)")
        var fields = [
            name(username), "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))", "uri=\(Self.quoted(target))",
            "response=\"\(response)\"",
        ]
        if let algorithmName { fields.append("algorithm=\(algorithmName)") }
        if hasQuality { fields += ["qop=auth", "nc=\(number)"] }
        if hasQuality || isOfSession { fields.append("cnonce=\"\(clientNonce)\"") }
        if let opaque { fields.append("opaque=\(Self.quoted(opaque))") }
        if hashesName { fields.append("userhash=true") }
        return "Digest " + fields.joined(separator: ", ")
    }

    private func name(_ username: String) -> String {
        if hashesName { return "username=\"\(hash("\(username):\(realm)"))\"" }
        // “the username* parameter can be used” for other characters (RFC 7616, 3.4).
        guard username.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "username*=UTF-8''\(PercentEncoding.encoded(username))"
        }
        return "username=\(Self.quoted(username))"
    }

    private func hash(_ text: String) -> String {
        switch algorithm {
        case .md5: MD5.hexDigest(of: text.utf8)
        case .sha256: SHA256.hexDigest(of: text.utf8)
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }
}

/// The challenges of one fetch, and the credentials that answer them. These come from the request or from a delegate.
final class Challenges: Sendable {
    private struct State {
        /// The challenge of the last 401.
        var challenge: AuthenticationChallenge?
        var answer: Credentials?
        /// The challenge that the digest answers; nil for other credentials.
        var digest: DigestChallenge?
        /// The number of requests with the nonce of that challenge.
        var count = 0
        /// The number of times that a new nonce has replaced a stale one.
        var renewals = 0
    }

    /// The most times that a new nonce replaces a stale one in a fetch.
    private static let maximumRenewals = 2

    private let ask: @Sendable (AuthenticationChallenge) async -> Credentials?
    private let redaction: Redaction
    private let runtimeSecrets: RuntimeSecrets
    private let state = Mutex(State())

    /// Creates the object.
    ///
    /// - Parameter ask: returns the credentials for a challenge. It is called at most once.
    init(
        redaction: Redaction, runtimeSecrets: RuntimeSecrets,
        ask: @escaping @Sendable (AuthenticationChallenge) async -> Credentials?
    ) {
        self.ask = ask
        self.redaction = redaction
        self.runtimeSecrets = runtimeSecrets
    }

    /// Notes the challenge of a response, if it has one.
    func note(_ head: ResponseHead, of request: Request) {
        guard head.status == 401 else { return }
        let challenge = AuthenticationChallenge(head, at: redaction.redacted("\(request.address)"))
        state.withLock { $0.challenge = challenge }
    }

    /// Returns the header field with the credentials; nil before the first answer.
    func authorization(for request: Request) -> RequestTemplate.Parameter? {
        state.withLock { state in
            guard let answer = state.answer else { return nil }
            guard let digest = state.digest, case .digest(let username, let password) = answer.kind else {
                return answer.value.map { .authorization($0) }
            }
            state.count += 1
            let sent = WebAddress(request.revealedURL()) ?? request.address
            return .authorization(
                digest.authorization(
                    username: username, password: password, method: request.method.rawValue,
                    target: (sent.path.isEmpty ? "/" : sent.path) + (sent.query.map { "?\($0)" } ?? ""),
                    count: state.count, clientNonce: Self.clientNonce()))
        }
    }

    /// Finds an answer to the last challenge. Returns false if there is none, or if the server has refused it.
    ///
    /// Throws `FetchError.Kind` if the credentials cannot be sent.
    func findAnswer() async throws -> Bool {
        let (challenge, known) = state.withLock { ($0.challenge, $0.answer) }
        guard let challenge else { return false }
        guard known == nil else { return renew(challenge) }
        guard let credentials = await ask(challenge) else { return false }
        try credentials.check()
        credentials.secrets.forEach(runtimeSecrets.learn)
        return state.withLock { state in
            if case .digest = credentials.kind {
                guard let digest = challenge.digest else { return false }
                state.digest = digest
            }
            state.answer = credentials
            return true
        }
    }

    /// Takes the new nonce if the server calls the old one stale. Returns false if it does not, or has done so too often.
    private func renew(_ challenge: AuthenticationChallenge) -> Bool {
        state.withLock { state in
            guard state.digest != nil, let digest = challenge.digest, digest.isStale,
                state.renewals < Self.maximumRenewals
            else { return false }
            state.digest = digest
            state.count = 0
            state.renewals += 1
            return true
        }
    }

    private static func clientNonce() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return digits + String(UInt64.random(in: .min ... .max), radix: 16)
    }
}

/// Answers challenges for credentials, only for the origin of the base URL. The credentials go nowhere else.
struct ChallengeMiddleware: Middleware {
    let boundary: SecretBoundary
    let challenges: Challenges

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        guard boundary.isInside(request.address) else { return try await next(request) }
        while true {
            do {
                return try await next(answered(request))
            } catch FetchError.Kind.unauthorized(status: 401) {
                guard try await challenges.findAnswer() else { throw FetchError.Kind.unauthorized(status: 401) }
                try Task.checkCancellation()
            }
        }
    }

    private func answered(_ request: Request) -> Request {
        guard let answer = challenges.authorization(for: request) else { return request }
        var request = request
        request.headers.removeAll { $0.name.lowercased() == "authorization" }
        request.headers.append(answer)
        return request
    }
}
