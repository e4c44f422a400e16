import Dashboard
import Foundation
import Logging
import GarnerModel
import TestSupport
import Testing

/// The dashboard as bytes on a connection.
@Suite(.timeLimit(.minutes(2)))
struct DashboardServerTests {
    let rig: DashboardRig

    init() throws { rig = try DashboardRig() }

    /// Returns what the server sends until it ends the connection.
    private func answer(_ request: String) async throws -> String { try await ending(request).text }

    private func ending(_ request: String) async throws -> (text: String, isReset: Bool) {
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = DashboardServer(
            rig.dashboard, at: try #require(ListenAddress("127.0.0.1:0")),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { port.yield($0) }
        return try await withThrowingTaskGroup(of: (text: String, isReset: Bool)?.self) { group in
            group.addTask {
                try await server.run()
                return nil
            }
            group.addTask {
                for await port in ports {
                    let client = try RawClient(port: port)
                    client.send(request)
                    return await client.readAll()
                }
                return nil
            }
            defer { group.cancelAll() }
            while let text = try await group.next() {
                if let text { return text }
            }
            throw CancellationError()
        }
    }

    /// Returns the head in lower case, and the body.
    private static func parts(_ answer: String) throws -> (head: String, body: String) {
        let end = try #require(answer.range(of: "\r\n\r\n"))
        return (answer[..<end.lowerBound].lowercased(), String(answer[end.upperBound...]))
    }

    private func status(_ request: String) async throws -> Int? {
        try await Int(answer(request).split(separator: " ").dropFirst().first ?? "")
    }

    private func fill() async throws {
        let records = (1...3_000).map { #"{"id":\#($0),"name":"animal \#($0)"}"# }
        try await rig.sync(DashboardRig.stream(), "[\(records.joined(separator: ","))]")
    }

    /// A form that is the last of its connection.
    private static func form(_ path: String, _ headers: String, body: String = "") -> String {
        "POST \(path) HTTP/1.1\r\n\(headers)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    @Test(arguments: ["", "Connection: keep-alive\r\n"])
    func `an answer to HTTP 1.0 has no chunks, and ends with its connection`(header: String) async throws {
        try await fill()
        let all = try await answer("GET /tables/animals.csv HTTP/1.0\r\nHost: localhost\r\n\(header)\r\n")
        let (head, body) = try Self.parts(all)
        #expect(head.hasPrefix("http/1.0 200 ok\r\n"))
        #expect(!head.contains("transfer-encoding"))
        #expect(head.contains("\r\nconnection: close"))
        #expect(try await body == rig.get("/tables/animals.csv").text)
    }

    @Test(arguments: ["1.0", "1.1"])
    func `a download that is cut off does not look whole`(version: String) async throws {
        try await fill()
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: rig.path + "-wal"))
        try log.truncate(atOffset: 512 << 20)
        try log.close()
        let ending = try await ending("GET /tables/animals.csv HTTP/\(version)\r\nHost: localhost\r\n\r\n")
        if version == "1.0" { #expect(ending.isReset) }
        #expect(!ending.text.hasSuffix("\r\n0\r\n\r\n"))
    }

    @Test func `a long answer to HTTP 1.1 has chunks`() async throws {
        try await fill()
        let all = try await answer(
            "GET /tables/animals.csv HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(try Self.parts(all).head.contains("\r\ntransfer-encoding: chunked"))
        #expect(all.hasSuffix("\r\n0\r\n\r\n"))
    }

    @Test(arguments: ["GET /healthz HTTP/1.0\r\n", "GET /healthz HTTP/1.1\r\nConnection: Close\r\n"])
    func `what follows the last request of a connection is not answered`(last: String) async throws {
        let form = "POST /streams/zoo%2Eanimals/sync HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
        let all = try await answer("\(last)Host: localhost\r\n\r\n\(form)")
        #expect(all.ranges(of: "HTTP/1.").count == 1)
        #expect(all.hasSuffix("ok\n"))
        #expect(rig.actions.all == [])
    }

    @Test func `requests that follow each other are answered in their order`() async throws {
        let all = try await answer(
            "GET /nothing.json HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
        #expect(all.hasPrefix("HTTP/1.1 404 "))
        #expect(try #require(all.range(of: "HTTP/1.0 200 ")).lowerBound > all.startIndex)
        #expect(all.hasSuffix("ok\n"))
    }

    @Test(arguments: [
        "Host: localhost\r\nHost: localhost", "Host: localhost\r\nHost: evil.example",
        "Host: evil.example\r\nHost: localhost",
        "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example",
        "Host: localhost\r\nSec-Fetch-Site: same-origin\r\nsec-fetch-site: cross-site",
    ])
    func `a header that decides who may look comes once`(headers: String) async throws {
        let (head, body) = try await Self.parts(answer(Self.form("/streams/zoo%2Eanimals/sync", headers)))
        #expect(head.hasPrefix("http/1.1 400 "))
        #expect(head.contains("\r\nx-content-type-options: nosniff"))
        #expect(body.contains("came more than once"))
        #expect(rig.actions.all == [])
    }

    @Test(arguments: [
        ("http://localhost/healthz", "localhost", 200), ("HTTP://127.0.0.1:80/healthz", "localhost", 200),
        ("http://evil.example/healthz", "localhost", 421), ("http://evil.example?/healthz", "localhost", 421),
        ("https://localhost@evil.example/healthz", "localhost", 421), ("x://evil.example/healthz", "localhost", 421),
        ("http:///healthz", "localhost", 421), ("/healthz", "evil.example", 421),
        ("/healthz?http://evil.example/", "localhost", 200),
        ("http://evil.example/", "localhost\r\nHost: localhost", 400),
    ])
    func `an absolute address names the host`(target: String, host: String, expected: Int) async throws {
        let status = try await status("GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        #expect(status == expected)
    }

    @Test(arguments: ["/streams/zoo%2Eanimals/sync", "/login"])
    func `a form that is too long is refused with a page`(path: String) async throws {
        let form = String(repeating: "a", count: 2_000_000)
        let (head, body) = try await Self.parts(answer(Self.form(path, "Host: localhost", body: form)))
        #expect(head.hasPrefix("http/1.1 413 "))
        #expect(head.contains("\r\ncontent-security-policy: default-src 'none'"))
        #expect(head.contains("\r\nx-content-type-options: nosniff"))
        #expect(body.contains("The form is longer than it may be"))
        #expect(rig.actions.all == [])
    }
}
