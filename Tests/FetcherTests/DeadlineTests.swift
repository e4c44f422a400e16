import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DeadlineTests {
    private static let head = LoopbackReply.raw(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[")

    @Test func `idle counts from the last chunk, on the clock from outside`() async throws {
        let clock = ManualClock()
        let body = FedBody()
        let fetcher = try fetcher(of: body, on: clock, idle: .seconds(60), firstByte: .seconds(3600))
        async let failure = failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
        await body.isAskedForMore()
        await clock.sleeper(for: .seconds(60))
        clock.advance(by: .seconds(59))
        body.feed("[")
        await body.isAskedForMore()
        clock.advance(by: .seconds(1))
        await clock.sleeper(for: .seconds(59))
        clock.advance(by: .seconds(59))
        #expect(await failure == .deadline(.idle, limit: .seconds(60)))
    }

    @Test func `idle is seen in time where first_byte is longer`() async throws {
        let clock = ManualClock()
        let body = FedBody()
        let fetcher = try fetcher(of: body, on: clock, idle: .seconds(3), firstByte: .seconds(30))
        async let failure = failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
        await body.isAskedForMore()
        await clock.sleeper(for: .seconds(3))
        clock.advance(by: .seconds(3))
        #expect(await failure == .deadline(.idle, limit: .seconds(3)))
    }

    private func fetcher(
        of body: FedBody, on clock: ManualClock, idle: Duration, firstByte: Duration
    ) throws -> PageFetcher {
        let transport = ScriptedTransport { _ in
            // The watchdog sleeps already when the head arrives, as it does with a real server.
            await clock.sleepers { !$0.isEmpty }
            return Response(
                head: ResponseHead(status: 200, headers: ["Content-Type": "application/json"]), body: body.chunks)
        }
        let stream = stream(at: "http://zoo.example/") {
            $0.limits = Limits(connect: .seconds(10), firstByte: firstByte, idle: idle, total: .seconds(36_000))
        }
        return try PageFetcher(stream: stream, transport: transport, timing: timing(clock: clock))
    }

    @Test(arguments: [LoopbackReply(.stall), Self.head.then(.stall)])
    func `a deadline ends the connection`(reply: LoopbackReply) async throws {
        let clock = ManualClock()
        try await LoopbackServer.serve({ _ in reply }) { server in
            try await withFetcher(stream(at: server.url) { $0.limits.total = .seconds(1) }, clock: clock) { fetcher in
                async let kind = failureKind(of: { try await fetcher.page(at: fetcher.firstPosition) })
                // In real time the deadline might come before the connection.
                await server.requestsArrived()
                clock.advance(by: .seconds(1))
                #expect(await kind == .deadline(.total, limit: .seconds(1)))
                await server.connectionsEnded()
            }
        }
    }

    @Test(arguments: [LoopbackReply(.stall), Self.head.then(.stall)])
    func `cancelling ends the connection and passes through`(reply: LoopbackReply) async throws {
        try await LoopbackServer.serve({ _ in reply }) { server in
            try await withFetcher(stream(at: server.url) { $0.retry.maxAttempts = 5 }) { fetcher in
                let fetching = Task { try await fetcher.page(at: fetcher.firstPosition) }
                await server.requestsArrived()
                fetching.cancel()
                await #expect(throws: CancellationError.self) { try await fetching.value }
                await server.connectionsEnded()
                #expect(server.requests.count == 1)
            }
        }
    }
}
