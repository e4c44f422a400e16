import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DeadlineTests {
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

    @Test func `a TLS handshake without an answer ends at connect`() async throws {
        try await LoopbackServer.serve({ _ in LoopbackReply(.stall) }) { server in
            let stream = stream(at: "https://127.0.0.1:\(server.port)/") {
                $0.limits = Limits(connect: .milliseconds(300), total: .seconds(40))
            }
            let kind = await failureKind {
                try await withFetcher(stream) { try await $0.page(at: $0.firstPosition) }
            }
            #expect(kind == .deadline(.connect, limit: .milliseconds(300)))
        }
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
}
