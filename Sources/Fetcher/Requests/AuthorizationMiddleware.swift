import GarnerCatalog
import GarnerJSON
import GarnerModel

/// Adds credentials and all other secrets to requests inside the secret boundary.
///
/// If the server refuses an access token, the request is sent once more with another token.
struct AuthorizationMiddleware: Middleware {
    private let boundary: SecretBoundary
    private let headers: [RequestTemplate.Parameter]
    private let parameters: [RequestTemplate.Parameter]
    private let urlSecrets: [Secret]
    private let tokens: StreamTokens?

    /// Creates the middleware. `tokens` is needed if the template uses OAuth 2 or a command.
    init(_ template: RequestTemplate, boundary: SecretBoundary, tokens: StreamTokens? = nil) {
        self.boundary = boundary
        self.tokens = tokens
        headers = template.headers.filter(\.value.isSecret) + template.authentication.headers
        parameters = template.secretParameters
        urlSecrets = template.urlSecrets
    }

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        guard boundary.isInside(request.address) else { return try await next(request) }
        var request = request
        request.headers += headers
        request.secretParameters += parameters
        request.urlSecrets = urlSecrets
        guard let tokens else { return try await next(request) }
        let token = try await tokens.token()
        do {
            return try await accepted(request, with: token, tokens, next)
        } catch FetchError.Kind.unauthorized(status: 401) {
            let another = try await tokens.token(insteadOf: token)
            do {
                return try await accepted(request, with: another, tokens, next)
            } catch FetchError.Kind.unauthorized(status: 401) {
                tokens.noteRefusalOfNewToken()
                throw FetchError.Kind.unauthorized(status: 401)
            }
        }
    }

    private func accepted<Answer: Sendable>(
        _ request: Request, with token: AccessToken, _ tokens: StreamTokens, _ next: Next<Answer>
    ) async throws -> Answer {
        let answer = try await next(request.bearing(token))
        await tokens.noteAccepted(token)
        return answer
    }
}

extension Request {
    fileprivate func bearing(_ token: AccessToken) -> Request {
        var request = self
        request.secretParameters += token.parameters
        for field in token.headers + [token.cookies?.field(for: address.revealing(urlSecrets))].compactMap(\.self) {
            // "The user agent MUST NOT attach more than one Cookie header field" (RFC 6265, 5.4).
            let isCookie = field.name == "Cookie"
            if isCookie, let index = request.headers.firstIndex(where: { $0.name.lowercased() == "cookie" }) {
                let both = "\(request.headers[index].value.reveal()); \(field.value.reveal())"
                request.headers[index].value = .secret(Secret(both))
            } else {
                request.headers.append(field)
            }
        }
        return request
    }
}

extension RequestTemplate {
    /// Query parameters that hold secrets, and therefore never appear in a stored position.
    var secretParameters: [Parameter] {
        let own = authentication.parameters
        return params.filter { param in param.value.isSecret && !own.contains { $0.name == param.name } } + own
    }
}

extension Authentication {
    var headers: [RequestTemplate.Parameter] {
        switch self {
        case .none, .apiKey(_, .query, _), .oauth2, .command, .session: []
        case .bearer(let token): [.authorization("Bearer \(token.reveal())")]
        case .basic(let username, let password):
            [.authorization("Basic \(BasicCredentials(username: username, password: password).encoded.reveal())")]
        case .apiKey(let name, .header, let value): [.init(name: name, value: .secret(value))]
        }
    }

    var parameters: [RequestTemplate.Parameter] {
        if case .apiKey(let name, .query, let value) = self { [.init(name: name, value: .secret(value))] } else { [] }
    }
}

extension RequestTemplate.Parameter {
    static func authorization(_ value: String) -> Self {
        Self(name: "Authorization", value: .secret(Secret(value)))
    }
}

extension ConfiguredText {
    var isSecret: Bool {
        if case .secret = self { true } else { false }
    }
}

extension RequestTemplate {
    /// A short hash of credentials, so that a page's stored state is used only with those that fetched it.
    ///
    /// The tag is stored, so it has only 16 bits: too few to recover a secret by trial.
    var credentialTag: String {
        var hash = StableHash()
        for parameter in (params + headers).filter(\.value.isSecret) + authentication.parts
            + urlSecrets.map({ RequestTemplate.Parameter(name: "url", value: .secret($0)) })
        {
            hash.add(parameter.name.utf8)
            hash.add(0)
            hash.add(parameter.value.reveal().utf8)
            hash.add(0)
        }
        let bits = hash.value
        return String((bits ^ bits >> 16 ^ bits >> 32 ^ bits >> 48) & 0xFFFF, radix: 16)
    }
}

extension Authentication {
    /// The parts that distinguish one account from another.
    fileprivate var parts: [RequestTemplate.Parameter] {
        switch self {
        case .none: []
        case .oauth2(let client): client.parts
        case .session(let session): session.parts
        case .command(let command): command.words.map { .init(name: "command", value: .literal($0)) }
        case .bearer(let token): [.init(name: "bearer", value: .secret(token))]
        case .apiKey(let name, _, let value): [.init(name: name, value: .secret(value))]
        case .basic(let username, let password):
            [.init(name: "username", value: username), .init(name: "password", value: .secret(password))]
        }
    }
}

extension SessionToken {
    fileprivate var parts: [RequestTemplate.Parameter] {
        let body = login.body.map { body -> RequestTemplate.Parameter in
            .init(name: "json", value: .secret(body.withoutSecrets.revealed(as: .json, withSecretsOf: body)))
        }
        let address = login.url.map { "\($0)" } ?? login.path
        var parts = [RequestTemplate.Parameter(name: "login", value: .literal(address))]
        parts += login.form + login.headers + [body].compactMap(\.self)
        parts += login.params + login.authentication.parts
        return parts + login.urlSecrets.map { .init(name: "url", value: .secret($0)) }
    }
}

extension OAuth2 {
    /// The configured parts, without the tokens, which change, and the client's secret, which may be renewed.
    fileprivate var parts: [RequestTemplate.Parameter] {
        var parts = [RequestTemplate.Parameter(name: "\(tokenURL)", value: clientID)]
        parts += scopes.map { .init(name: "scope", value: .literal($0)) } + params
        if case .refreshToken(let first) = grant { parts.append(.init(name: "refresh_token", value: .secret(first))) }
        return parts
    }
}
