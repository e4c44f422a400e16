import Catalog

extension OAuth2 {
    /// The request for a token (RFC 6749, 4.4.2 and 6).
    func tokenRequest(with refreshToken: Secret?, at time: Timestamp) -> Request {
        var headers = [RequestTemplate.Parameter(name: "Accept", value: .literal("application/json"))]
        if style == .header, let basicCredentials {
            headers.append(.init(name: "Authorization", value: .secret(Secret("Basic \(basicCredentials.reveal())"))))
        }
        let trace = RequestTrace(RequestEntry(sentAt: time, url: "\(tokenURL)"))
        var request = Request(address: tokenURL, headers: headers, trace: trace)
        request.method = .post
        request.body = RequestBody(
            mediaType: "application/x-www-form-urlencoded", content: Secret(form(refreshToken)))
        return request
    }

    /// Client and secret for HTTP Basic; nil without a secret.
    ///
    /// "The client identifier is encoded using the "application/x-www-form-urlencoded" encoding algorithm […], and the
    /// encoded value is used as the username" (RFC 6749, 2.3.1); so is the secret.
    var basicCredentials: Secret? {
        guard let clientSecret else { return nil }
        let username = PercentEncoding.encoded(clientID.reveal())
        let password = Secret(PercentEncoding.encoded(clientSecret.reveal()))
        return BasicCredentials(username: .secret(Secret(username)), password: password).encoded
    }

    private func form(_ refreshToken: Secret?) -> String {
        var fields = [("grant_type", refreshToken == nil ? "client_credentials" : "refresh_token")]
        if let refreshToken { fields.append(("refresh_token", refreshToken.reveal())) }
        if !scopes.isEmpty { fields.append(("scope", scopes.joined(separator: " "))) }
        if style == .body || clientSecret == nil {
            fields.append(("client_id", clientID.reveal()))
            if let clientSecret { fields.append(("client_secret", clientSecret.reveal())) }
        }
        return fields.map { "\($0)=\(PercentEncoding.encoded($1))" }.joined(separator: "&")
    }
}
