import GarnerCatalog
import GarnerModel
import TestSupport
import Testing
@testable import GarnerFetcher

/// Hosts that cannot be reached for a while.
@Suite(.timeLimit(.minutes(5)))
struct ConnectivityWaitTests {
    private static let unreachable: [FetchError.Kind] = [
        .unknownHost, .refused, .unreachable(reason: "no route"), .deadline(.connect, limit: .seconds(1)),
        .proxy("http://proxy.example", .refused), .proxy("http://proxy.example", .unknownHost),
        .token(endpoint: "https://login.example", .failed(.refused)),
    ]

    @Test(arguments: unreachable)
    func `a host that cannot be reached is waited for, and no longer than that`(kind: FetchError.Kind) async throws {
        let server = Server { _ in throw kind }
        async let failure = server.failure(wait: .seconds(90))
        var waited = Duration.zero
        while waited < .seconds(90) {
            await server.clock.sleepers { $0.count == 1 }
            let delay = server.clock.waits.first ?? .seconds(90)
            #expect(delay <= .seconds(30))
            waited += delay
            server.clock.advance(by: delay)
        }
        #expect(waited == .seconds(90))
        #expect(await failure == kind)
    }

    @Test func `an unreachable host is retried less and less often, down to every 30 seconds`() async throws {
        let server = Server { _ in throw FetchError.Kind.refused }
        async let failure = server.failure(wait: .seconds(100), maxAttempts: 1)
        for delay in [1, 2, 4, 8, 16, 30, 30, 9] {
            await server.clock.sleepers { $0 == [.seconds(delay)] }
            server.clock.advance(by: .seconds(delay))
        }
        #expect(await failure == .refused)
        #expect(server.attempts.value == 9)
    }

    @Test func `without the key the policy alone counts`() async throws {
        let server = Server { _ in throw FetchError.Kind.refused }
        #expect(await server.failure(wait: .zero, maxAttempts: 1) == .refused)
        #expect(server.attempts.value == 1)
    }

    @Test func `a host that is back is asked as if nothing had been`() async throws {
        let server = Server { attempt in
            if attempt < 5 { throw FetchError.Kind.refused }
            if attempt == 5 { throw FetchError.Kind.closed }
        }
        async let failure = server.failure(wait: .seconds(60), maxAttempts: 2)
        for _ in 1...5 { await server.clock.advanceToNextWake() }
        #expect(await failure == nil)
        #expect(server.attempts.value == 6)
    }

    @Test(arguments: [FetchError.Kind.closed, .incompleteBody, .tls(reason: "x"), .status(503, retryAfter: nil)])
    func `only an unreachable host is waited for`(kind: FetchError.Kind) async throws {
        let server = Server { _ in throw kind }
        #expect(await server.failure(wait: .seconds(60), maxAttempts: 1) == kind)
    }

    @Test func `a host that comes and goes is waited for once`() async throws {
        let server = Server { throw $0 % 3 == 0 ? FetchError.Kind.closed : .refused }
        let waking = Task {
            while !Task.isCancelled { await server.clock.advanceToNextWake() }
        }
        _ = await server.failure(wait: .seconds(10), maxAttempts: 2)
        waking.cancel()
        #expect(server.attempts.value < 20)
    }

    @Test func `a cancelled wait passes through`() async throws {
        let server = Server { _ in throw FetchError.Kind.refused }
        let fetching = Task { try await server.send(wait: .seconds(60), maxAttempts: 1) }
        await server.clock.sleepers { $0 == [.seconds(1)] }
        fetching.cancel()
        await #expect(throws: CancellationError.self) { try await fetching.value }
    }

    @Test func `the stream's key counts`() async throws {
        let clock = ManualClock()
        let stream = stream(at: "http://zoo.example/") { $0.waitForConnectivity = .seconds(60) }
        let transport = ScriptedTransport { _ in throw TransportError.refused }
        let fetcher = try PageFetcher(stream: stream, transport: transport, timing: timing(clock: clock))
        let fetching = Task { try await fetcher.page(at: fetcher.firstPosition) }
        await clock.sleepers { $0 == [.seconds(1)] }
        fetching.cancel()
        await #expect(throws: CancellationError.self) { try await fetching.value }
    }
}

/// A server that the retries send their attempts to.
private struct Server: Sendable {
    let clock = ManualClock()
    let attempts = Watched(0)
    /// Gets the number of the attempt, from 1 on.
    let answer: @Sendable (Int) throws -> Void

    init(_ answer: @escaping @Sendable (Int) throws -> Void) { self.answer = answer }

    func failure(wait: Duration, maxAttempts: Int = 2) async -> FetchError.Kind? {
        do {
            try await send(wait: wait, maxAttempts: maxAttempts)
            return nil
        } catch {
            return error as? FetchError.Kind
        }
    }

    func send(wait: Duration, maxAttempts: Int) async throws {
        let stream = stream(at: "http://zoo.example/")
        let retrying = RetryMiddleware(
            policy: RetryPolicy(maxAttempts: maxAttempts, baseDelay: .seconds(1)), waitForConnectivity: wait,
            timing: timing(clock: clock, random: 0.5), traffic: SourceTraffic(of: stream, clock: clock))
        let address = WebAddress(scheme: "http", authority: "zoo.example", path: "/", query: nil)
        let trace = RequestTrace(RequestEntry(sentAt: Timestamp(millisecondsSince1970: 0), url: "\(address)"))
        _ = try await retrying.send(Request(address: address, headers: [], trace: trace)) {
            [attempts, answer] request in
            let attempt = attempts.change {
                $0 += 1
                return $0
            }
            try answer(attempt)
            return Reply(
                address: request.address, head: ResponseHead(status: 200, headers: [:]), content: .notModified)
        }
    }
}
