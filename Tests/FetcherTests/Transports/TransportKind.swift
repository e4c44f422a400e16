import GarnerCatalog
import GarnerFetcher
import GarnerURLSessionTransport

/// The transports that have to pass the same tests.
enum TransportKind: CaseIterable {
    case asyncHTTPClient
    case urlSession

    /// Runs `body` with a fetcher over such a transport, whose connections end with it.
    func fetching<Result: Sendable>(
        _ stream: StreamConfiguration, clock: any Clock<Duration> = ContinuousClock(),
        _ body: (DocumentFetcher) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .asyncHTTPClient: return try await withDocument(stream, clock: clock, body)
        case .urlSession:
            let transport = URLSessionTransport(userAgent: "garner/test", maximumBody: stream.limits.body)
            defer { transport.shutdown() }
            return try await body(
                DocumentFetcher(stream: stream, transport: transport, timing: timing(clock: clock)))
        }
    }

    /// Fetches the stream and returns a delegate that recorded the events.
    func events(of stream: StreamConfiguration) async throws -> RecordingDelegate {
        let delegate = RecordingDelegate()
        try await fetching(stream) { await $0.deliver(to: delegate) }
        return delegate
    }
}
