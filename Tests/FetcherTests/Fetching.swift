import GarnerCatalog
import GarnerFetcher
import Foundation
import GarnerJSON
import GarnerModel
import TestSupport
import Testing

/// A stream with limits that a busy machine keeps and without retries, as most tests want it.
func stream(
    at baseURL: String, path: String = "", paginator: Paginator = Paginator(),
    _ change: (inout StreamConfiguration) -> Void = { _ in }
) -> StreamConfiguration {
    var stream = StreamConfiguration(
        name: StreamName(source: "zoo", stream: "animals"), table: "animals",
        place: ConfigurationPlace(file: "garner.yaml"),
        request: RequestTemplate(baseURL: baseURL, path: path), paginator: paginator,
        retry: RetryPolicy(maxAttempts: 1, baseDelay: .milliseconds(1), maxDelay: .milliseconds(20)),
        limits: Limits(connect: .seconds(30), firstByte: .seconds(30), idle: .seconds(30), total: .seconds(50)),
        allowsPrivateNetwork: true)
    change(&stream)
    return stream
}

/// A timing that is always 2027-01-15T08:00:00Z, with a fixed random number.
func timing(clock: any Clock<Duration> = ContinuousClock(), random: Double = 0.5) -> Timing {
    Timing(clock: clock, now: { Timestamp(millisecondsSince1970: 1_800_000_000_000) }, random: { random })
}

/// The kind of the `FetchError` that `body` throws.
func failureKind<Result>(of body: () async throws -> Result) async -> FetchError.Kind? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? FetchError)?.kind
    }
}

/// Runs `body` with a fetcher over real connections, which end with it.
func withFetcher<Result: Sendable>(
    _ stream: StreamConfiguration, clock: any Clock<Duration> = ContinuousClock(), random: Double = 0.5,
    environment: [String: String] = [:], lookup: HostLookup = .system, _ body: (PageFetcher) async throws -> Result
) async throws -> Result {
    let transports = Transports(userAgent: "garner/test", environment: environment, lookup: lookup)
    do {
        let fetcher = try PageFetcher(
            stream: stream, transport: transports.transport(for: stream),
            timing: timing(clock: clock, random: random))
        let result = try await body(fetcher)
        try await transports.shutdown()
        return result
    } catch {
        try await transports.shutdown()
        throw error
    }
}

/// The first page from a server that answers as `handler` says.
func firstPage(
    _ change: @escaping @Sendable (inout StreamConfiguration) -> Void = { _ in },
    from handler: @escaping LoopbackServer.Handler
) async throws -> Page {
    try await LoopbackServer.serve(handler) { server in
        try await withFetcher(stream(at: server.url, path: "animals", change)) {
            try await $0.page(at: $0.firstPosition)
        }
    }
}

/// The pages of a read from a server that answers as `handler` says, in their order.
func allPages(
    _ paginator: Paginator, _ change: @escaping @Sendable (inout StreamConfiguration) -> Void = { _ in },
    from handler: @escaping LoopbackServer.Handler
) async throws -> [Page] {
    try await LoopbackServer.serve(handler) { server in
        try await withFetcher(stream(at: server.url, path: "animals", paginator: paginator, change)) { fetcher in
            var pages = [try await fetcher.page(at: fetcher.firstPosition)]
            while let next = pages.last?.next { pages.append(try await fetcher.page(at: next)) }
            return pages
        }
    }
}

/// The kind of the error that the first page ends with.
func firstPageFailure(
    _ change: @escaping @Sendable (inout StreamConfiguration) -> Void = { _ in },
    from handler: @escaping LoopbackServer.Handler, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> FetchError.Kind {
    let error = await #expect(throws: FetchError.self, sourceLocation: sourceLocation) {
        try await firstPage(change, from: handler)
    }
    return try #require(error, sourceLocation: sourceLocation).kind
}

extension Page {
    /// The page's records; none if the page is unchanged.
    var records: Selection {
        get throws {
            switch content {
            case .records(let records): records
            case .unchanged: Selection([], in: try Document(parsing: Bytes("[]".utf8)))
            }
        }
    }

    /// The number of HTTP requests that the page took.
    var requests: Int { request.attempts }

    /// The records as JSON texts.
    var texts: [String] {
        guard case .records(let records) = content else { return ["unchanged"] }
        var texts: [String] = []
        records.forEach { record in
            var text = CanonicalText()
            text.append(record)
            texts.append(String(decoding: text.bytes, as: UTF8.self))
        }
        return texts
    }
}
