/// The reason why a redirect was not followed. The texts come from the server.
package enum RedirectError: Error, Sendable, Equatable {
    /// The response names no location.
    case noLocation
    /// This location is not a URL, or has another scheme than `http` and `https`.
    case notFollowable(String)
    /// It leads from `https` to `http` at this origin.
    case insecure(String)
    /// It leads to a URL at this origin with a secret of the configuration in it.
    case repeatsSecret(String)
    /// The request's body would go to this other origin.
    case carriesBody(String)
    /// The delegate declined the redirect to this origin.
    case declined(String)
    /// It leads back to a URL that this request was sent to before.
    case circle(url: String)
    /// It comes after `limit` redirects, the most that are followed.
    case tooMany(limit: Int)
}
