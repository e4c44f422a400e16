/// The reason why a redirect was not followed. Texts are quoted from the server.
package enum RedirectError: Error, Sendable, Equatable {
    case noLocation
    /// The location is not a URL, or has another scheme than `http` and `https`.
    case notFollowable(String)
    case insecure(String)
    case repeatsSecret(String)
    /// The request's body would go to another origin.
    case carriesBody(String)
    /// The delegate declined the redirect to that origin.
    case declined(String)
    case circle(url: String)
    case tooMany(limit: Int)
}
