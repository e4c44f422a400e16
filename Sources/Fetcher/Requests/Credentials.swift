import Catalog

/// Adds what proves who sends the request, and the parameters that hold secrets.
struct Credentials: Layer {
    private let header: RequestTemplate.Parameter?
    private let parameters: [RequestTemplate.Parameter]

    init(_ template: RequestTemplate) {
        let configured = template.params.filter(\.value.isSecret)
        switch template.authentication {
        case .none: (header, parameters) = (nil, configured)
        case .bearer(let token):
            (header, parameters) = (Self.authorization("Bearer \(token.reveal())"), configured)
        case .basic(let username, let password):
            let pair = BasicCredentials(username: username, password: password).encoded
            (header, parameters) = (Self.authorization("Basic \(pair.reveal())"), configured)
        case .apiKey(let name, .header, let value):
            (header, parameters) = (RequestTemplate.Parameter(name: name, value: .secret(value)), configured)
        case .apiKey(let name, .query, let value):
            (header, parameters) = (nil, configured + [RequestTemplate.Parameter(name: name, value: .secret(value))])
        }
    }

    /// The parameters that never stand in a position.
    var parameterNames: Set<String> { Set(parameters.map(\.name)) }

    func send(_ request: Request, next: Next) async throws -> Reply {
        var request = request
        if let header { request.headers.append(header) }
        request.secretParameters += parameters
        return try await next(request)
    }

    private static func authorization(_ value: String) -> RequestTemplate.Parameter {
        RequestTemplate.Parameter(name: "Authorization", value: .secret(Secret(value)))
    }
}

extension ConfiguredText {
    var isSecret: Bool {
        if case .secret = self { true } else { false }
    }
}
