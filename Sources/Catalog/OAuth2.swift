/// How access tokens are had from a token endpoint (RFC 6749).
package struct OAuth2: Sendable, Equatable {
    package var grant: Grant
    package var tokenURL: WebAddress
    package var clientID: ConfiguredText
    /// nil: a public client, which sends its name in the body.
    package var clientSecret: Secret?
    package var scopes: [String]
    package var style: ClientStyle

    package init(
        grant: Grant, tokenURL: WebAddress, clientID: ConfiguredText, clientSecret: Secret? = nil,
        scopes: [String] = [], style: ClientStyle = .header
    ) {
        self.grant = grant
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.style = style
    }

    package enum Grant: Sendable, Equatable {
        case clientCredentials
        case refreshToken(Secret)
    }

    /// Where the client's name and secret are sent (RFC 6749, 2.3.1).
    package enum ClientStyle: String, Sendable, CaseIterable {
        /// As HTTP Basic.
        case header
        case body
    }
}
