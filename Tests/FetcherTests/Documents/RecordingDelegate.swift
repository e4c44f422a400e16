import GarnerCatalog
import GarnerFetcher
import TestSupport

/// Notes what it is told, and answers as a test says.
struct RecordingDelegate: FetchDelegate {
    enum Event: Equatable {
        case redirect(from: String, to: String)
        case challenge(AuthenticationChallenge)
        case head(Int, url: String)
        case chunk(String)
        case complete
        case cancelled
        case failed(FetchError.Kind?)
    }

    let events = Watched<[Event]>([])
    var followsRedirects = true
    var answer: Credentials?
    var onHead: @Sendable () async -> FetchDisposition = { .allow }
    var onChunk: @Sendable (String) async -> Void = { _ in }

    func didReceive(_ head: ResponseHead, from url: String) async -> FetchDisposition {
        note(.head(head.status, url: url))
        return await onHead()
    }

    func didReceive(_ chunk: BodyChunk) async {
        let text = chunk.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        note(.chunk(text))
        await onChunk(text)
    }

    func willRedirect(from url: String, to target: String) async -> Bool {
        note(.redirect(from: url, to: target))
        return followsRedirects
    }

    func didReceive(_ challenge: AuthenticationChallenge) async -> Credentials? {
        note(.challenge(challenge))
        return answer
    }

    func didComplete(_ error: (any Error)?) async {
        switch error {
        case nil: note(.complete)
        case is CancellationError: note(.cancelled)
        case let error: note(.failed((error as? FetchError)?.kind))
        }
    }

    /// The events without the chunks, whose sizes depend on the network.
    var milestones: [Event] {
        events.value.filter { if case .chunk = $0 { false } else { true } }
    }

    var text: String {
        events.value.reduce(into: "") { if case .chunk(let text) = $1 { $0 += text } }
    }

    private func note(_ event: Event) { events.change { $0.append(event) } }
}

/// Runs `body` with a fetcher over real connections, which end with it.
func withDocument<Result: Sendable>(
    _ stream: StreamConfiguration, clock: any Clock<Duration> = ContinuousClock(),
    _ body: (DocumentFetcher) async throws -> Result
) async throws -> Result {
    let transports = Transports(userAgent: "garner/test")
    do {
        let fetcher = try DocumentFetcher(
            stream: stream, transport: transports.transport(for: stream), timing: timing(clock: clock))
        let result = try await body(fetcher)
        try await transports.shutdown()
        return result
    } catch {
        try await transports.shutdown()
        throw error
    }
}
