import Catalog

/// Adds what proves who sends the request, and all else that is secret, to requests inside the secrets' boundary.
///
/// A request whose access token is refused is sent once more, with another one.
struct Authorizing: Layer {
    private let boundary: SecretBoundary
    private let headers: [RequestTemplate.Parameter]
    private let parameters: [RequestTemplate.Parameter]
    private let tokens: StreamTokens?

    /// `tokens` are those of a template with OAuth 2.
    init(_ template: RequestTemplate, boundary: SecretBoundary, tokens: StreamTokens? = nil) {
        self.boundary = boundary
        self.tokens = tokens
        headers = template.headers.filter(\.value.isSecret) + template.authentication.headers
        parameters = template.secretParameters
    }

    func send<Answer: Sendable>(_ request: Request, next: Next<Answer>) async throws -> Answer {
        guard boundary.isInside(request.address) else { return try await next(request) }
        var request = request
        request.headers += headers
        request.secretParameters += parameters
        guard let tokens else { return try await next(request) }
        let token = try await tokens.token()
        do {
            return try await next(request.bearing(token))
        } catch FetchError.Kind.unauthorized(status: 401) {
            let another = try await tokens.token(insteadOf: token)
            return try await next(request.bearing(another))
        }
    }
}

extension Request {
    fileprivate func bearing(_ token: AccessToken) -> Request {
        var request = self
        request.headers.append(.authorization("Bearer \(token.secret.reveal())"))
        return request
    }
}

extension RequestTemplate {
    /// Those that never stand in a position.
    var secretParameters: [Parameter] { params.filter(\.value.isSecret) + authentication.parameters }
}

extension Authentication {
    fileprivate var headers: [RequestTemplate.Parameter] {
        switch self {
        case .none, .apiKey(_, .query, _), .oauth2: []
        case .bearer(let token): [.authorization("Bearer \(token.reveal())")]
        case .basic(let username, let password):
            [.authorization("Basic \(BasicCredentials(username: username, password: password).encoded.reveal())")]
        case .apiKey(let name, .header, let value): [.init(name: name, value: .secret(value))]
        }
    }

    fileprivate var parameters: [RequestTemplate.Parameter] {
        if case .apiKey(let name, .query, let value) = self { [.init(name: name, value: .secret(value))] } else { [] }
    }
}

extension RequestTemplate.Parameter {
    fileprivate static func authorization(_ value: String) -> Self {
        Self(name: "Authorization", value: .secret(Secret(value)))
    }
}

extension ConfiguredText {
    var isSecret: Bool {
        if case .secret = self { true } else { false }
    }
}
