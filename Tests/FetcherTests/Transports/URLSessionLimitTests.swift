import GarnerCatalog
import Foundation
import TestSupport
import Testing
@testable import GarnerFetcher

/// The limits of URLSession that the other transport does not have; docs/decisions/0014-transports.md lists them.
@Suite(.timeLimit(.minutes(5)))
struct URLSessionLimitTests {
    @Test(arguments: [nil, false] as [Bool?])
    func `a host name is not asked unless private networks are allowed`(isAllowed: Bool?) async throws {
        let delegate = try await TransportKind.urlSession.events(
            of: stream(at: "http://zoo.invalid/") {
                $0.allowsPrivateNetwork = isAllowed
                $0.retry.maxAttempts = 3
            })
        guard case .failed(.misconfigured(let reason)) = delegate.events.value.first else {
            Issue.record("\(delegate.events.value)")
            return
        }
        #expect(reason.contains("zoo.invalid"))
        #expect(delegate.events.value.count == 1)
    }

    @Test func `a redirect to nowhere is an end of the connection`() async throws {
        try await LoopbackServer.serve({ _ in .response(status: 302) }) { server in
            let delegate = try await TransportKind.urlSession.events(of: stream(at: server.url))
            #if canImport(FoundationNetworking)
                #expect(delegate.events.value == [.failed(.closed)])
            #else
                #expect(delegate.events.value == [.failed(.redirect(status: 302, .noLocation))])
            #endif
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `reading slows the server down over the other transport only`(transport: TransportKind) async throws {
        let sent = LoopbackReply.raw("HTTP/1.1 200 OK\r\n\r\n")
            .then(.endless([UInt8](repeating: 0x20, count: 64 << 10)))
        try await LoopbackServer.serve({ _ in sent }) { server in
            // Nothing is read while the delegate has the head, and yet the session has had more than the limit.
            let delegate = RecordingDelegate(onHead: {
                if transport == .urlSession { await server.connectionsEnded() }
                return .allow
            })
            let stream = stream(at: server.url) { $0.limits.body = 4 << 20 }
            try await transport.fetching(stream) { await $0.deliver(to: delegate) }
            #expect(delegate.events.value.last == .failed(.bodyTooLarge(limit: 4 << 20)))
        }
    }

    @Test func `a stream's proxy is passed by`() async throws {
        let port = try RefusingPort()
        try await LoopbackServer.serve({ _ in .json("[]") }) { server in
            let proxy = try #require(WebAddress("http://127.0.0.1:\(port.number)"))
            let stream = stream(at: server.url) { $0.proxy = .server(address: proxy, username: nil, password: nil) }
            let delegate = try await TransportKind.urlSession.events(of: stream)
            #expect(delegate.events.value.last == .complete)
        }
    }

    @Test func `a stream's certificates are not trusted`() async throws {
        let certificates = try TestCertificates.get()
        try await LoopbackServer.serve(tls: try certificates.context(.valid), { _ in .json("[]") }) { server in
            let roots = certificates.rootFile
            let stream = stream(at: server.url) { $0.certificateAuthority = roots }
            let delegate = try await TransportKind.urlSession.events(of: stream)
            guard case .failed(let kind?) = delegate.events.value.first else {
                Issue.record("\(delegate.events.value)")
                return
            }
            #if canImport(FoundationNetworking)
                // What libcurl says of certificates comes as `unknown`, as other ends before the head do.
                #expect(kind == .closed)
            #else
                #expect(kind.category == .unavailable)
            #endif
            #expect(server.requests.allSatisfy { $0.target == "1" })
        }
    }

    @Test func `a body may be larger than the ratio allows`() async throws {
        try await LoopbackServer.serve({ _ in
            .response(headers: [("Content-Encoding", "gzip")], body: CompressedBodies.spaces)
        }) { server in
            let delegate = try await TransportKind.urlSession.events(of: stream(at: server.url) { $0.limits.ratio = 1 })
            #expect(delegate.events.value.last == .complete)
            #expect(delegate.text.utf8.count > CompressedBodies.spaces.count)
        }
    }

    @Test func `fields of one name are joined`() async throws {
        try await LoopbackServer.serve({ _ in .json("[]", headers: [("X-Zoo", "north"), ("X-Zoo", "south")]) }) {
            server in
            let fetched = try await TransportKind.urlSession.fetching(stream(at: server.url)) {
                try await $0.document()
            }
            #expect(fetched.head.headers.values(of: "X-Zoo").count == 1)
        }
    }
}
