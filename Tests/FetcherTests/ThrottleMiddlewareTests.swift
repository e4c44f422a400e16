import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

/// Requests of pages that wait for their turn.
@Suite(.timeLimit(.minutes(5)))
struct ThrottleMiddlewareTests {
    @Test func `a rate limit spaces the requests of a source, whatever their stream`() async throws {
        let clock = ManualClock()
        let sent = Watched(0)
        let transport = ScriptedTransport { _ in
            sent.change { $0 += 1 }
            return scripted("[]")
        }
        let stream = Self.stream { $0.rateLimit = RateLimit(requests: 2, per: .seconds(10)) }
        let traffic = SourceTraffic(of: stream, clock: clock)
        let fetchers = try (0..<4).map { _ in
            try PageFetcher(stream: stream, transport: transport, timing: timing(clock: clock), traffic: traffic)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for fetcher in fetchers { group.addTask { _ = try await fetcher.page(at: fetcher.firstPosition) } }
            for _ in 1...2 { try await group.next() }
            #expect(sent.value == 2)
            await clock.sleeper(for: .seconds(5))
            clock.advance(by: .seconds(5))
            try await group.next()
            #expect(sent.value == 3)
            await clock.sleeper(for: .seconds(5))
            clock.advance(by: .seconds(5))
            try await group.next()
            #expect(sent.value == 4)
        }
    }

    @Test func `a limit that is used up for long ends the read, and the next request is not sent`() async throws {
        let sent = Watched(0)
        let transport = ScriptedTransport { _ in
            sent.change { $0 += 1 }
            return scripted(
                records(1, #""next":"?page=2""#),
                headers: [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "3600")])
        }
        let fetcher = try PageFetcher(
            stream: Self.stream { $0.retry.maxDelay = .seconds(60) }, transport: transport,
            timing: timing(clock: ManualClock()))
        let first = try await fetcher.page(at: fetcher.firstPosition)
        #expect(first.request.rateLimit?.remaining == 0)
        let next = try #require(first.next)
        let error = await #expect(throws: FetchError.self) { try await fetcher.page(at: next) }
        guard case .rateLimited(let wait) = error?.kind else { Issue.record("\(String(describing: error))"); return }
        #expect(wait == .seconds(3600))
        #expect(error?.request?.attempts == 0)
        #expect(error?.kind.category == .unavailable)
        #expect(sent.value == 1)
    }

    @Test func `what another server says of its limits does not hold for the source`() async throws {
        let transport = ScriptedTransport { request in
            let isOther = request.revealedURL().contains("other.example")
            return Response(
                head: ResponseHead(
                    status: isOther ? 200 : 302,
                    headers: isOther
                        ? [
                            "Content-Type": "application/json", "X-RateLimit-Remaining": "0",
                            "X-RateLimit-Reset": "3600",
                        ]
                        : ["Location": "https://other.example/"]),
                body: AsyncThrowingStream { continuation in
                    continuation.yield(BodyChunk("[]".utf8))
                    continuation.finish()
                })
        }
        let fetcher = try PageFetcher(
            stream: Self.stream { _ in }, transport: transport, timing: timing(clock: ManualClock()))
        for _ in 1...2 { _ = try await fetcher.page(at: fetcher.firstPosition) }
    }

    private static func stream(_ change: (inout StreamConfiguration) -> Void) -> StreamConfiguration {
        FetcherTests.stream(at: "https://zoo.example/v1/", path: "animals", change)
    }
}
