import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RetryTests {
    private static let passing: [LoopbackReply] = [
        .response(status: 408), .response(status: 425), .response(status: 429), .response(status: 500),
        .response(status: 502),
        .response(status: 503), .response(status: 504), LoopbackReply(.close), LoopbackReply(.reset),
        .chunked(["[1"], isEnded: false), .raw("HTTP/1.1 200 OK\r\nContent-Le", then: .close),
    ]

    @Test(arguments: passing)
    func `a failure that may pass is tried again`(failure: LoopbackReply) async throws {
        let page = try await firstPage({ $0.retry.maxAttempts = 3 }) { $0.number < 2 ? failure : .json("[1]") }
        #expect(page.texts == ["1"])
        #expect(page.requests == 3)
    }

    private static let unprocessed: [(LoopbackReply, isRepeated: Bool)] = [
        (.response(status: 429), true), (.response(status: 429, headers: [("Retry-After", "0")]), true),
        (.response(status: 503, headers: [("Retry-After", "0")]), true), (.response(status: 503), false),
        (.response(status: 500), false), (.response(status: 504), false), (LoopbackReply(.close), false),
    ]

    @Test(arguments: unprocessed.indices)
    func `a POST that reads is sent again only if the server says that it did not process it`(index: Int) async throws {
        let (failure, isRepeated) = Self.unprocessed[index]
        try await LoopbackServer.serve({ $0.number < 2 ? failure : .json("[1]") }) { server in
            let posting = stream(at: server.url) {
                $0.retry.maxAttempts = 3
                $0.request.method = .post
                $0.request.body = .object([])
            }
            let texts = try? await withFetcher(posting) { try await $0.page(at: $0.firstPosition).texts }
            #expect(texts == (isRepeated ? ["1"] : nil))
            #expect(server.requests.map(\.body) == Array(repeating: "{}", count: isRepeated ? 3 : 1))
        }
    }

    @Test func `the attempts end, and the error counts them`() async throws {
        try await LoopbackServer.serve({ _ in .response(status: 500) }) { server in
            try await withFetcher(stream(at: server.url) { $0.retry.maxAttempts = 4 }) { fetcher in
                let error = await #expect(throws: FetchError.self) { try await fetcher.page(at: fetcher.firstPosition) }
                #expect(error?.kind == .status(500, retryAfter: nil))
                #expect(error?.request?.attempts == 4)
                #expect(server.requests.count == 4)
            }
        }
    }

    @Test func `where the retries for a host are used up, the error says so`() async throws {
        try await LoopbackServer.serve({ _ in .response(status: 500) }) { server in
            try await withFetcher(stream(at: server.url) { $0.retry.maxAttempts = 20 }) { fetcher in
                for attempts in [11, 1] {
                    let error = await #expect(throws: FetchError.self) {
                        try await fetcher.page(at: fetcher.firstPosition)
                    }
                    #expect(error?.request?.attempts == attempts)
                    #expect(error?.message.hasSuffix(", the retries for this host are used up)") == true)
                }
            }
        }
    }

    @Test func `the wait is a part of the doubling delay, on the clock from outside`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport { _ in throw TransportError.refused }
        let stream = stream(at: "http://zoo.example/") {
            $0.retry = RetryPolicy(maxAttempts: 4, baseDelay: .seconds(110), maxDelay: .seconds(300))
        }
        let fetcher = try PageFetcher(stream: stream, transport: transport, timing: timing(clock: clock, random: 0.5))
        async let failure = failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
        for delay in [55, 110, 150] {
            await clock.sleepers { $0 == [.seconds(delay)] }
            clock.advance(by: .seconds(delay))
        }
        #expect(await failure == .refused)
    }

    @Test func `a cancelled wait passes through`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport { _ in throw TransportError.refused }
        let stream = stream(at: "http://zoo.example/") {
            $0.retry = RetryPolicy(maxAttempts: 2, baseDelay: .seconds(100))
        }
        let fetcher = try PageFetcher(stream: stream, transport: transport, timing: timing(clock: clock))
        let fetching = Task { try await fetcher.page(at: fetcher.firstPosition) }
        await clock.sleepers { $0 == [.seconds(50)] }
        fetching.cancel()
        await #expect(throws: CancellationError.self) { try await fetching.value }
    }
}
