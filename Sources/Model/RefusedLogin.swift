/// A login that a server has refused, as it is kept across processes. It does not have the login's secrets.
package struct RefusedLogin: Sendable, Equatable {
    /// Random text, which makes `code` of no use for other logins.
    package let salt: String
    /// The authentication code of the login. Another password has another one.
    package let code: String
    /// The instant of the last refusal.
    package let at: Timestamp
    /// The number of refusals in a row.
    package let count: Int

    package init(salt: String, code: String, at: Timestamp, count: Int) {
        (self.salt, self.code, self.at, self.count) = (salt, code, at, count)
    }
}
