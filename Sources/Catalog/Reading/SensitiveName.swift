/// Names whose values are secrets, wherever they are written.
enum SensitiveName {
    static func isHeader(_ name: String) -> Bool {
        headers.contains(name.lowercased())
    }

    static func isParameter(_ name: String) -> Bool {
        parameters.contains(name.lowercased().replacing("-", with: "_"))
    }

    private static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "apikey", "x-apikey", "x-auth-token",
        "x-access-token", "x-auth-key", "x-secret", "x-token", "private-token", "x-gitlab-token",
        "ocp-apim-subscription-key",
        "x-rapidapi-key", "x-functions-key", "x-goog-api-key",
    ]

    private static let parameters: Set<String> = [
        "api_key", "apikey", "access_token", "auth_token", "client_secret", "password", "secret",
    ]
}
