import GarnerCatalog
import GarnerFetcher
import GarnerModel
import TestSupport

/// A number of requests by some workers over one client.
struct Soak: Sendable {
    let requests: Int
    private let workers = 16
    private let clock = CountingClock()
    private let limits = Limits(
        body: 1 << 20, head: 1 << 10, connect: .seconds(30), firstByte: .seconds(30), idle: .seconds(30))

    init(requests: Int) { self.requests = requests }

    func run() async throws -> SoakReport {
        let before = ProcessFigures()
        let port = try RefusingPort()
        var report = try await LoopbackServer.serve({ SoakFault(target: $0.target).reply }) { server in
            try await run(beside: server, refusing: "http://127.0.0.1:\(port.number)")
        }
        // The server is gone, and what it noted of the requests.
        report.growth = (ProcessFigures().residentBytes ?? 0) - (before.residentBytes ?? 0)
        return report
    }

    private func run(beside server: LoopbackServer, refusing: String) async throws -> SoakReport {
        let before = ProcessFigures()
        let transports = Transports(userAgent: "garner/test")
        let transport = try transports.transport(for: .soaked(at: server.url, limits))
        var report = SoakReport()
        report.unexpected = try await withThrowingTaskGroup { group in
            for worker in 0..<workers {
                group.addTask { try await work(worker, over: transport, origin: server.url, refusing: refusing) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        report.requests = requests
        report.kept = (ProcessFigures().descriptors ?? 0) - (before.descriptors ?? 0)
        try await transports.shutdown()
        await server.connectionsEnded(server.connectionCount)
        report.leaked = (ProcessFigures().descriptors ?? 0) - (before.descriptors ?? 0)
        report.sleepers = clock.sleepers
        return report
    }

    /// Runs one worker and returns the outcomes that differ from the expected ones.
    private func work(
        _ worker: Int, over transport: any Transport, origin: String, refusing: String
    ) async throws -> [String] {
        var unexpected: [String] = []
        var fetchers: [SoakFault: PageFetcher] = [:]
        for number in stride(from: worker, to: requests, by: workers) {
            let fault = SoakFault(number: number)
            let origin = fault == .refusal ? refusing : origin
            let fetcher =
                try fetchers[fault]
                ?? PageFetcher(
                    stream: .soaked(at: origin, fault.shortened(limits)), transport: transport,
                    timing: Timing(on: clock))
            fetchers[fault] = fetcher
            let outcome = try await fetcher.outcome(at: PagePosition(url: origin + fault.target, number: 0))
            if outcome != fault.outcome { unexpected.append("\(fault): \(outcome)") }
        }
        return unexpected
    }
}

extension StreamConfiguration {
    /// A stream whose pages are asked for once.
    static func soaked(at origin: String, _ limits: Limits) -> StreamConfiguration {
        StreamConfiguration(
            name: StreamName(source: "zoo", stream: "animals"), table: "animals",
            place: ConfigurationPlace(file: "garner.yaml"), request: RequestTemplate(baseURL: origin, path: "/"),
            paginator: Paginator(.singlePage), retry: RetryPolicy(maxAttempts: 1), limits: limits,
            allowsPrivateNetwork: true)
    }
}

extension Timing {
    /// Always the same instant and chance.
    init(on clock: any Clock<Duration>) {
        self.init(clock: clock, now: { Timestamp(millisecondsSince1970: 0) }, random: { 0.5 })
    }
}

extension PageFetcher {
    /// `page`, or the name of the error.
    func outcome(at position: PagePosition) async throws -> String {
        do {
            _ = try await page(at: position)
            return "page"
        } catch let error as FetchError {
            return error.kind.name
        }
    }
}
