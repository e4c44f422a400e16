/// The schemes of `Authorization` that a stream's settings can make.
enum AuthorizationScheme: String, CaseIterable {
    case bearer = "Bearer"
    case basic = "Basic"
    /// That of the Django REST framework.
    case token = "Token"

    /// The lines of a stream that send it.
    var setting: String {
        switch self {
        case .bearer: #"auth: { type: bearer, token: "${API_TOKEN}" }"#
        case .basic: #"auth: { type: http_basic, username: "${API_USER}", password: "${API_PASSWORD}" }"#
        case .token: #"headers: { Authorization: "Token ${API_TOKEN}" }"#
        }
    }

    /// Returns the schemes that the answer to a request without the right credentials names.
    static func all(in head: ResponseHead) -> [AuthorizationScheme] {
        guard head.status == 401 else { return [] }
        let named = head.headers.values(of: "WWW-Authenticate").map { $0.prefix(while: \.isLetter).lowercased() }
        return allCases.filter { named.contains($0.rawValue.lowercased()) }
    }
}
