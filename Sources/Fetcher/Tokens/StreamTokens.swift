import Catalog

/// The access tokens for the requests of one stream.
struct StreamTokens: Sendable {
    let source: TokenSource
    private let endpoint: TokenEndpoint

    /// nil where the stream needs no tokens.
    ///
    /// - Parameter source: what the stream shares with others; nil: it shares nothing.
    init?(of stream: Stream, source: TokenSource?, transport: any Transport, timing: Timing) {
        guard let endpoint = TokenEndpoint(of: stream, transport: transport, timing: timing) else { return nil }
        self.endpoint = endpoint
        self.source = source ?? TokenSources(keeper: nil).source(for: endpoint.client, clock: timing.clock)
    }

    func token(insteadOf refused: AccessToken? = nil) async throws -> AccessToken {
        try await source.token(insteadOf: refused, from: endpoint)
    }
}
