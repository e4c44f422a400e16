import Catalog
@testable import Fetcher
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConnectionSharingTests {
    private static let changes: [@Sendable (inout Catalog.Stream) throws -> Void] = [
        { $0.limits.connect = .seconds(7) }, { $0.limits.body = 7 }, { $0.proxy = .none },
        { $0.certificateAuthority = try TestCertificates.get().rootFile },
    ]

    @Test(arguments: changes.indices)
    func `streams share their connections only where nothing about them differs`(change: Int) throws {
        let environment = ["https_proxy": "http://proxy.example"]
        let first = stream(at: "https://zoo.example/")
        var other = first
        try Self.changes[change](&other)
        let settings = try ConnectionSettings(of: first, environment: environment)
        #expect(settings != (try ConnectionSettings(of: other, environment: environment)))
        other = stream(at: "https://other.example/") { $0.limits.total = .seconds(7) }
        #expect(settings == (try ConnectionSettings(of: other, environment: environment)))
    }

    @Test func `as many connections as max_concurrency may have are open at once`() async throws {
        let count = 256
        let arrived = Watched(0)
        try await LoopbackServer.serve({ _ in
            arrived.change { $0 += 1 }
            await arrived.until { $0 == count }
            return .json("[]")
        }) { server in
            let stream = stream(at: server.url) { $0.maxConcurrency = count }
            try await withFetcher(stream) { fetcher in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<count {
                        group.addTask {
                            _ = try await fetcher.page(at: PagePosition(url: "\(server.url)/\(number)", number: number))
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(server.connectionCount == count)
        }
    }
}
