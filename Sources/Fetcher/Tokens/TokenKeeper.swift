package import Catalog

/// Keeps refresh tokens beyond the process: a server that gives a new one takes the old one no more.
package protocol TokenKeeper: Sendable {
    /// The last token that was saved under the key, by whichever process; nil where there is none.
    func load(_ key: String) throws -> Secret?
    /// When it returns, the token outlives a loss of power. Where it throws, one of the two is kept.
    func save(_ token: Secret, for key: String) throws
}
