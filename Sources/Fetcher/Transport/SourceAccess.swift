package import GarnerCatalog

/// The way to a source: its connections, and the limits and tokens that all requests to it share.
package struct SourceAccess: Sendable {
    let transport: any Transport
    private let timing: Timing
    private let traffic: SourceTraffic?
    private let tokens: TokenSource?

    package init(
        transport: any Transport, timing: Timing, traffic: SourceTraffic? = nil, tokens: TokenSource? = nil
    ) {
        (self.transport, self.timing, self.traffic, self.tokens) = (transport, timing, traffic, tokens)
    }

    /// Returns the same access over another transport.
    func over(_ transport: any Transport) -> SourceAccess {
        SourceAccess(transport: transport, timing: timing, traffic: traffic, tokens: tokens)
    }

    /// Returns a fetcher of the stream's pages. Throws `FetchError` if the stream's URL or selectors cannot be parsed.
    package func fetcher(of stream: StreamConfiguration) throws -> PageFetcher {
        try PageFetcher(stream: stream, transport: transport, timing: timing, traffic: traffic, tokens: tokens)
    }
}

extension Transports {
    /// Returns the way to the stream's source. Throws `FetchError` after `shutdown()`, or if the stream's certificates cannot
    /// be read. Throws `MissingValuesError` if a variable or a file is missing that the stream needs.
    package func access(to stream: StreamConfiguration, timing: Timing) throws -> SourceAccess {
        if let error = MissingValuesError(stream.missing) { throw error }
        return SourceAccess(
            transport: try transport(for: stream), timing: timing, traffic: traffic(of: stream, clock: timing.clock),
            tokens: tokens(of: stream, clock: timing.clock))
    }
}
