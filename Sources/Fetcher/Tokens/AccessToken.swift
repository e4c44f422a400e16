import Catalog

/// A token that was had from a token endpoint, for the `Authorization` field of requests.
package struct AccessToken: Sendable, Equatable {
    let secret: Secret
    /// Tells one token from the next, even where the server gives the same text again.
    let serial: UInt64
    /// When the next request needs another one; on the clock of its `TokenSource`.
    let usableUntil: Duration
}

/// What a token endpoint granted.
struct TokenGrant: Sendable, Equatable {
    let accessToken: Secret
    /// From the answer on; nil where the server does not tell.
    let lifetime: Duration?

    /// Until shortly before the token expires: a request that carries it takes time as well.
    ///
    /// Where nobody tells, an hour: a server that ends it earlier says so with a 401, which has its own remedy.
    var usableFor: Duration {
        guard let lifetime else { return .seconds(3600) }
        return max(.zero, lifetime - min(.seconds(60), lifetime / 10))
    }
}
