#if canImport(FoundationNetworking)
    import GarnerCatalog
    import GarnerFetcher
    import Foundation
    import TestSupport
    import Testing

    /// Effects of libcurl and FoundationNetworking on a whole process, each tested in a process of its own.
    @Suite(.timeLimit(.minutes(5)))
    struct FoundationNetworkingTests {
        // "Transfer completed, but there's no response" (NativeProtocol.swift). When one of these no longer ends the process,
        // its answer belongs into `TransportConformanceTests`, as `closed`, and out of docs/decisions/0014-transports.md.
        @Test func `a head that ends behind its first line is a trap`() async {
            await #expect(processExitsWith: .failure) {
                await Self.ask { .raw("HTTP/1.1 200 OK\r\n", then: .close) }
            }
        }

        @Test func `a head that ends in one of its fields is a trap`() async {
            await #expect(processExitsWith: .failure) {
                await Self.ask { .raw("HTTP/1.1 200 OK\r\nContent-", then: .close) }
            }
        }

        @Test func `a whole head is none`() async {
            await #expect(processExitsWith: .success) {
                await Self.ask { .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", then: .close) }
            }
        }

        @Test func `the environment's proxy is used`() async {
            await #expect(processExitsWith: .success) {
                try await LoopbackServer.serve({ _ in .json("[]") }) { proxy in
                    setenv("http_proxy", proxy.url, 1)
                    let delegate = try await TransportKind.urlSession.events(of: stream(at: "http://zoo.invalid/a"))
                    #expect(delegate.events.value.last == .complete)
                    #expect(proxy.requests.map(\.target) == ["http://zoo.invalid/a"])
                }
            }
        }

        /// Fails never: only the end of the process can.
        private static func ask(_ reply: @escaping @Sendable () -> LoopbackReply) async {
            _ = try? await LoopbackServer.serve({ _ in reply() }) { server in
                try await TransportKind.urlSession.events(of: stream(at: server.url))
            }
        }
    }
#endif
