import GarnerCatalog
import GarnerFetcher
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FetchDelegateTests {
    private static let begun = LoopbackReply.raw(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nbegun")

    @Test func `cancelling at the head ends the connection`() async throws {
        try await LoopbackServer.serve({ _ in Self.begun.then(.stall) }) { server in
            let delegate = RecordingDelegate(onHead: { .cancel })
            try await withDocument(stream(at: server.url) { $0.retry.maxAttempts = 3 }) { fetcher in
                await fetcher.deliver(to: delegate)
                await server.connectionsEnded()
            }
            #expect(delegate.events.value == [.head(200, url: server.url), .cancelled])
            #expect(server.requests.count == 1)
        }
    }

    @Test func `what was delivered before a failure is followed by it, and not sent again`() async throws {
        try await LoopbackServer.serve({ _ in .chunked(["one,"], isEnded: false) }) { server in
            let delegate = RecordingDelegate()
            try await withDocument(stream(at: server.url) { $0.retry.maxAttempts = 3 }) {
                await $0.deliver(to: delegate)
            }
            #expect(
                delegate.events.value == [
                    .head(200, url: server.url), .chunk("one,"), .failed(.incompleteBody),
                ])
            #expect(server.requests.count == 1)
        }
    }

    @Test func `the next chunk is asked for when the delegate has returned`() async throws {
        let asked = Watched(0)
        let body = AsyncThrowingStream<BodyChunk, any Error> {
            let number = asked.change { asked in
                asked += 1
                return asked
            }
            return number <= 3 ? BodyChunk("\(number)".utf8) : nil
        }
        let askedThen = Watched<[Int]>([])
        let delegate = RecordingDelegate(
            onHead: {
                askedThen.change { $0.append(asked.value) }
                return .allow
            },
            onChunk: { _ in
                // Whoever reads ahead has had every chance to.
                for _ in 0..<100 { await Task.yield() }
                askedThen.change { $0.append(asked.value) }
            })
        try await Self.fetcher(of: body, on: ManualClock()).deliver(to: delegate)
        #expect(askedThen.value == [0, 1, 2, 3])
        #expect(delegate.text == "123")
    }

    @Test func `a slow delegate does not make the server idle`() async throws {
        let clock = ManualClock()
        let body = FedBody()
        let delegate = RecordingDelegate(
            onChunk: { text in
                guard text == "1" else { return }
                clock.advance(by: .seconds(120))
                // Until the watchdog has looked, and sleeps again.
                await clock.sleepers { !$0.isEmpty }
            })
        let fetcher = try Self.fetcher(of: body.chunks, on: clock)
        async let delivered: Void = fetcher.deliver(to: delegate)
        await body.isAskedForMore()
        body.feed("1")
        await body.isAskedForMore()
        await clock.sleeper(for: .seconds(60))
        clock.advance(by: .seconds(60))
        await delivered
        #expect(delegate.text == "1")
        #expect(delegate.events.value.last == .failed(.deadline(.idle, limit: .seconds(60))))
        #expect(clock.now.offset == .seconds(180))
    }

    @Test func `a delegate that never returns ends with the whole attempt`() async throws {
        let clock = ManualClock()
        let isHeld = Watched(false)
        let delegate = RecordingDelegate(
            onHead: {
                isHeld.value = true
                await isHeld.until { !$0 }
                return .allow
            })
        let fetcher = try Self.fetcher(of: FedBody().chunks, on: clock)
        async let delivered: Void = fetcher.deliver(to: delegate)
        await isHeld.until(\.self)
        clock.advance(by: .seconds(3600))
        await delivered
        #expect(
            delegate.events.value == [
                .head(200, url: "http://zoo.example/"), .failed(.deadline(.total, limit: .seconds(3600))),
            ])
    }

    private static func fetcher(
        of body: AsyncThrowingStream<BodyChunk, any Error>, on clock: ManualClock
    ) throws -> DocumentFetcher {
        let transport = ScriptedTransport { _ in
            await clock.sleepers { !$0.isEmpty }
            return Response(head: ResponseHead(status: 200, headers: [:]), body: body)
        }
        let stream = stream(at: "http://zoo.example/") {
            $0.limits = Limits(
                connect: .seconds(10), firstByte: .seconds(60), idle: .seconds(60), total: .seconds(3600))
        }
        return try DocumentFetcher(stream: stream, transport: transport, timing: timing(clock: clock))
    }
}
