import Catalog

/// Adds what proves who sends the request, and all else that is secret, to requests inside the secrets' boundary.
struct Authorizing: Layer {
    private let boundary: SecretBoundary
    private let headers: [RequestTemplate.Parameter]
    private let parameters: [RequestTemplate.Parameter]

    init(_ template: RequestTemplate, boundary: SecretBoundary) {
        self.boundary = boundary
        headers = template.headers.filter(\.value.isSecret) + template.authentication.headers
        parameters = template.secretParameters
    }

    func send(_ request: Request, next: Next) async throws -> Reply {
        guard boundary.isInside(request.address) else { return try await next(request) }
        var request = request
        request.headers += headers
        request.secretParameters += parameters
        return try await next(request)
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
