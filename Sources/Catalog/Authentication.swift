/// How a request proves who sends it.
package enum Authentication: Sendable, Equatable {
    case none
    case bearer(token: Secret)
    case apiKey(name: String, location: KeyLocation, value: Secret)
    /// RFC 7617.
    case basic(username: ConfiguredText, password: Secret)
    case oauth2(OAuth2)

    package enum KeyLocation: String, Sendable, CaseIterable {
        case header, query
    }
}
