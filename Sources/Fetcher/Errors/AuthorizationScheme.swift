/// The schemes of `Authorization` that a stream's settings can make.
enum AuthorizationScheme: String, CaseIterable {
    case bearer = "Bearer"
    case basic = "Basic"
    /// The Django REST framework asks for this scheme.
    case token = "Token"

    /// The lines of a stream that send it.
    var setting: String {
        switch self {
        case .bearer: #"auth: { type: bearer, token: "${API_TOKEN}" }"#
        case .basic: #"auth: { type: http_basic, username: "${API_USER}", password: "${API_PASSWORD}" }"#
        case .token: #"headers: { Authorization: "Token ${API_TOKEN}" }"#
        }
    }

    /// Returns the scope that the server says the token lacks (RFC 6750, 3); nil if it names none.
    static func scope(in head: ResponseHead) -> String? {
        guard [401, 403].contains(head.status) else { return nil }
        return head.headers.values(of: "WWW-Authenticate").lazy.compactMap { field in
            field.contains("insufficient_scope")
                ? field.firstMatch(of: /\bscope="([A-Za-z0-9 :.\/_*-]{1,100})"/).map { String($0.1) } : nil
        }.first
    }

    /// Returns the schemes that the answer to a request without the right credentials names.
    static func all(in head: ResponseHead) -> [AuthorizationScheme] {
        guard head.status == 401 else { return [] }
        let named = head.headers.values(of: "WWW-Authenticate").map { $0.prefix(while: \.isLetter).lowercased() }
        return allCases.filter { named.contains($0.rawValue.lowercased()) }
    }

    /// Returns the scheme that the answer names if Garner has none of those that it names, as with `Digest`; nil otherwise.
    static func other(in head: ResponseHead) -> String? {
        guard head.status == 401, all(in: head).isEmpty else { return nil }
        let known = ["Digest", "HMAC", "Hawk", "Kerberos", "Negotiate", "NTLM", "OAuth", "Signature"]
        let named = head.headers.values(of: "WWW-Authenticate").map { $0.prefix(while: \.isLetter).lowercased() }
        return known.first { named.contains($0.lowercased()) }
    }
}
