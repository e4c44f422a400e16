import Catalog
import JSON

extension RequestTemplate {
    /// Tells one credential from another, so that what is remembered of a page is of the credential that it was shown to.
    ///
    /// It is stored. Therefore it has 16 bits only: too few to find a secret by trying.
    var credentialTag: String {
        var hash = StableHash()
        for parameter in (params + headers).filter(\.value.isSecret) + authentication.parts {
            hash.add(parameter.name.utf8)
            hash.add(0)
            hash.add(parameter.value.reveal().utf8)
            hash.add(0)
        }
        let bits = UInt64(bitPattern: hash.value)
        return String((bits ^ bits >> 16 ^ bits >> 32 ^ bits >> 48) & 0xFFFF, radix: 16)
    }
}

extension Authentication {
    /// What distinguishes one account from another.
    fileprivate var parts: [RequestTemplate.Parameter] {
        switch self {
        case .none: []
        case .oauth2(let client): client.parts
        case .bearer(let token): [.init(name: "bearer", value: .secret(token))]
        case .apiKey(let name, _, let value): [.init(name: name, value: .secret(value))]
        case .basic(let username, let password):
            [.init(name: "username", value: username), .init(name: "password", value: .secret(password))]
        }
    }
}

extension OAuth2 {
    /// What is configured: tokens come and go, and the client's secret may be renewed.
    fileprivate var parts: [RequestTemplate.Parameter] {
        var parts = [RequestTemplate.Parameter(name: "\(tokenURL)", value: clientID)]
        parts += scopes.map { .init(name: "scope", value: .literal($0)) }
        if case .refreshToken(let first) = grant { parts.append(.init(name: "refresh_token", value: .secret(first))) }
        return parts
    }
}
