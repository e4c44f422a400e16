/// Names whose values are secrets, wherever they are written.
package enum SensitiveName {
    static func isHeader(_ name: String) -> Bool {
        let name = name.lowercased()
        return headers.contains(name) || name.hasPrefix("x-") && words.contains { name.contains($0) }
    }

    /// - Parameter value: As written; nil: unknown.
    package static func isParameter(_ name: String, value: String?) -> Bool {
        let name = name.lowercased().replacing("-", with: "_")
        return parameters.contains(name) || suffixes.contains { name.hasSuffix($0) }
            || ambiguous.contains(name) && (value?.utf8.count ?? 0) >= secretLength
    }

    private static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "apikey", "x-apikey", "x-auth-token",
        "x-access-token", "x-auth-key", "x-secret", "x-token", "private-token", "x-gitlab-token",
        "ocp-apim-subscription-key",
        "x-rapidapi-key", "x-functions-key", "x-goog-api-key",
    ]

    /// Parts of header names that APIs have made up for their secrets, such as `X-Shopify-Access-Token`.
    private static let words = ["token", "secret", "password", "-key", "apikey", "auth", "session"]

    /// Ends of parameter names, such as `subscription_key` and `user_api_token`.
    private static let suffixes = [
        "api_key", "apikey", "app_key", "appkey", "subscription_key", "access_key", "secret_key", "license_key",
        "api_token", "apitoken", "auth_token", "_secret", "_password", "appid",
    ]

    private static let parameters: Set<String> = [
        "api_key", "apikey", "access_token", "auth_token", "client_secret", "password", "secret", "signature", "sig",
    ]
    /// Of secrets as of others: `key=AIza…` is one, `key=animals` is not.
    private static let ambiguous: Set<String> = ["auth", "key", "pass", "pwd", "token"]
    /// In bytes.
    private static let secretLength = 12
}
