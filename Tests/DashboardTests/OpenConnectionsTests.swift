import Connections
import Dashboard
import Foundation
import Logging
import GarnerModel
import TestSupport
import Testing

/// Connections that somebody opens and leaves idle.
@Suite(.timeLimit(.minutes(2)))
struct OpenConnectionsTests {
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func `beyond the limit, the connection that is idle for the longest is closed`() {
        let connections = OpenConnections(limit: 3, logger: Self.quiet)
        let closed = Watched<[String]>([])
        let numbers = ["a", "b", "c"].map { name in connections.add { closed.change { $0.append(name) } } }
        // a waits for its client again, but since a later time than c.
        for number in numbers.prefix(2) { connections.note(number, isAnswered: true) }
        connections.note(numbers[0], isAnswered: false)
        _ = connections.add { closed.change { $0.append("d") } }
        #expect(closed.value == ["c"])
        _ = connections.add { closed.change { $0.append("e") } }
        #expect(closed.value == ["c", "a"])
        #expect(connections.count == 3)
    }

    @Test func `if all are answered, the new connection is closed`() {
        let connections = OpenConnections(limit: 2, logger: Self.quiet)
        let closed = Watched<[String]>([])
        for name in ["a", "b"] {
            connections.note(connections.add { closed.change { $0.append(name) } }, isAnswered: true)
        }
        let new = connections.add { closed.change { $0.append("c") } }
        #expect(closed.value == ["c"])
        connections.note(new, isAnswered: true)
        connections.remove(new)
        #expect(connections.count == 2)
    }

    @Test func `a rush is told of once, and the next one again`() {
        let log = Watched<[String]>([])
        let connections = OpenConnections(
            limit: 2, logger: Logger(label: "test") { _ in Notebook(log) { "\($0.metadata?["limit"] ?? "")" } })
        let numbers = (1...6).map { _ in connections.add {} }
        #expect(log.value == ["2"])
        for number in numbers { connections.remove(number) }
        for _ in 1...3 { _ = connections.add {} }
        #expect(log.value == ["2", "2"])
    }

    /// Runs `body` with the port of a server that may have four connections open.
    private func serving(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        let rig = try DashboardRig(maximumConnections: 4)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = DashboardServer(
            rig.dashboard, at: try #require(ListenAddress("127.0.0.1:0")), logger: Self.quiet
        ) { port.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { for await port in ports { return try await body(port) } }
            try await group.next()
            group.cancelAll()
        }
    }

    private static func get(_ path: String, _ headers: String = "Connection: close\r\n") -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n"
    }

    @Test func `idle connections do not keep others away`() async throws {
        try await serving { port in
            let idle = try (1...20).map { _ in try RawClient(port: port) }
            // Those that came before may be served later, and close this one: a browser then connects once more.
            var answer = ""
            for _ in 1...idle.count where !answer.hasSuffix("ok\n") {
                let client = try RawClient(port: port)
                client.send(Self.get("/healthz"))
                answer = await client.readToEnd()
            }
            #expect(answer.hasSuffix("ok\n"))
            #expect(await idle[0].readToEnd() == "")
        }
    }

    @Test func `pages that listen leave room for others`() async throws {
        try await serving { port in
            let listening = try (1...3).map { _ in try RawClient(port: port) }
            for client in listening {
                client.send(Self.get("/events", ""))
                while !client.hasAnswer { try await Task.sleep(for: .milliseconds(5)) }
            }
            let fourth = try RawClient(port: port)
            fourth.send(Self.get("/events"))
            #expect(await fourth.readToEnd().hasPrefix("HTTP/1.1 503 "))
            let page = try RawClient(port: port)
            page.send(Self.get("/healthz"))
            #expect(await page.readToEnd().hasSuffix("ok\n"))
        }
    }
}
