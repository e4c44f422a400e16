import Foundation
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

@testable import DemoAPI

@Suite(.timeLimit(.minutes(5)))
struct AnimalServerTests {
    @Test(.timeLimit(.minutes(5))) func `idle connections do not keep others away`() async throws {
        try await AnimalServer.serve(maximumConnections: 4) { server in
            let idle = try (1...20).map { _ in try RawClient(port: server.port) }
            // On a busy machine it may arrive before some of the idle ones, and be the oldest of all.
            let first = try? await server.get("/animals/1")
            let animal = if let first { first } else { try await server.get("/animals/1") }
            #expect(!animal.isEmpty)
            #expect(await idle[0].readToEnd() == "")
        }
    }

    @Test func `the server answers on loopback, and its links name its own address`() async throws {
        try await AnimalServer.serve { server in
            #expect(server.baseURL.wholeMatch(of: /http:\/\/127\.0\.0\.1:[1-9][0-9]*\//) != nil)
            let animal = try JSONDecoder().decode(ServedAnimal.self, from: try await server.get("/animals/1"))
            #expect(animal.image_link == server.baseURL + "images/1")
            let page = try JSONDecoder().decode(ServedPage.self, from: try await server.get("/animals"))
            #expect(page.next == server.baseURL + "animals?page=2&per_page=20")
            #expect(server.requestCount == 2)
        }
    }

    @Test func `HEAD and 304 leave the connection in order`() async throws {
        try await AnimalServer.serve { server in
            try await server.withConnection { client in
                let head = try await client.execute(.init("/animals/1", method: .head, authority: "127.0.0.1"))
                #expect(head.status == .ok)
                #expect(head.body == nil || head.body?.readableBytes == 0)
                let tag = try #require(head.headers[.eTag])
                let unchanged = try await client.execute(
                    .init("/animals/1", method: .get, authority: "127.0.0.1", headers: [.ifNoneMatch: tag]))
                #expect(unchanged.status == .notModified)
                // RFC 9110, 8.6: a length here would be that of the answer not sent, and 0 would be wrong.
                #expect(unchanged.headers[.contentLength] == nil)
                let missing = try await client.execute(.init("/nowhere", method: .head, authority: "127.0.0.1"))
                #expect(missing.status == .notFound)
                let whole = try await client.execute(.init("/animals/1", method: .get, authority: "127.0.0.1"))
                #expect(whole.status == .ok)
                #expect(whole.body?.readableBytes == head.headers[.contentLength].flatMap { Int($0) })
            }
        }
    }

    @Test func `the server stops although a client keeps its connection`() async throws {
        let (port, client) = try await AnimalServer.serve(port: try ReusablePort.find()) { server in
            let client = TestClient(host: "127.0.0.1", port: try server.port)
            client.connect()
            let response = try await client.execute(.init("/", method: .get, authority: "127.0.0.1"))
            #expect(response.status == .ok)
            return (try server.port, client)
        }
        try await client.shutdown()
        // The port is free again.
        try await Self.serveAgain(port)
    }

    @Test func `clients that connect while the server is cancelled do no harm`() async throws {
        for _ in 0..<200 {
            let (ports, started) = AsyncStream.makeStream(of: Int.self)
            let server = Task {
                try await AnimalServer.serve { server in
                    started.yield(try server.port)
                    try await Task.sleep(for: .seconds(3600))
                }
            }
            let port = try #require(await ports.first { _ in true })
            async let clients = (0..<40).map { _ in try? RawClient(port: port) }
            server.cancel()
            // None of them waits for ever: what was accepted is closed.
            for client in await clients {
                client?.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                _ = await client?.readToEnd()
            }
            await #expect(throws: CancellationError.self) { try await server.value }
        }
    }

    @Test func `what the body throws comes through, and the server has stopped`() async throws {
        struct Mishap: Error {
            let port: Int
        }
        let mishap = await #expect(throws: Mishap.self) {
            try await AnimalServer.serve(port: try ReusablePort.find()) { throw Mishap(port: try $0.port) }
        }
        let port = try #require(mishap?.port)
        try await Self.serveAgain(port)
    }

    @Test func `cancelling the task stops the server`() async throws {
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let task = Task {
            try await AnimalServer.serve(port: try ReusablePort.find()) { server in
                started.yield(try server.port)
                try await Task.sleep(for: .seconds(3600))
            }
        }
        let port = try #require(await ports.first { _ in true })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await Self.serveAgain(port)
    }

    @Test func `a task that is cancelled already does not serve`() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await AnimalServer.serve { _ in try await Task.sleep(for: .seconds(3600)) }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a port in use is a clear error`() async throws {
        try await AnimalServer.serve { server in
            let port = try server.port
            let error = await #expect(throws: AnimalServerError.self) {
                try await AnimalServer.serve(port: port) { _ in Issue.record("it serves on a port in use") }
            }
            #expect(error == .portInUse(port))
            #expect(error.map { "\($0)" } == "port \(port) of 127.0.0.1 is in use by another program")
        }
    }

    @Test(arguments: [-1, 65_536])
    func `a number that is no port is a clear error`(port: Int) async throws {
        await #expect(throws: AnimalServerError.portOutOfRange(port)) {
            try await AnimalServer.serve(port: port) { _ in }
        }
    }

    /// Serves on a port that was given up.
    ///
    /// A process that another test starts has all open files until it runs its own program, the listener among them.
    private static func serveAgain(_ port: Int) async throws {
        for _ in 0..<200 {
            do {
                return try await AnimalServer.serve(port: port) { #expect($0.baseURL == "http://127.0.0.1:\(port)/") }
            } catch AnimalServerError.portInUse {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        Issue.record("port \(port) is still in use")
    }
}

extension AnimalServer {
    fileprivate var port: Int {
        get throws { try #require(URL(string: baseURL)?.port) }
    }

    /// The body of an answer that came over a connection of its own.
    fileprivate func get(_ path: String) async throws -> Data {
        try await withConnection { client in
            let response = try await client.execute(.init(path, method: .get, authority: "127.0.0.1"))
            #expect(response.status == .ok)
            return Data(String(buffer: try #require(response.body)).utf8)
        }
    }

    fileprivate func withConnection<R: Sendable>(
        _ body: @Sendable @escaping (TestClient) async throws -> R
    ) async throws -> R {
        try await TestClient.withClient(host: "127.0.0.1", port: port, operation: body)
    }
}
