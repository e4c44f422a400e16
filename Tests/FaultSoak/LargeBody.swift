import GarnerCatalog
import GarnerFetcher
import Foundation
import TestSupport

/// A body without measure, against the limits that a stream has of itself.
struct LargeBody {
    let name: String
    let reply: LoopbackReply

    /// Returns nil if no body has that name.
    init?(named name: String) {
        guard let body = Self.all.first(where: { $0.name == name }) else { return nil }
        self = body
    }

    private init(name: String, reply: LoopbackReply) {
        self.name = name
        self.reply = reply
    }

    /// Reads the body and reports the outcome and the memory that it took.
    func report() async throws -> LargeBodyReport {
        let outcome = try await LoopbackServer.serve({ _ in reply }) { server in
            try await Self.read(from: server.url)
        }
        return LargeBodyReport(outcome: outcome, peak: ProcessFigures().peakBytes ?? 0)
    }

    private static func read(from url: String) async throws -> String {
        let stream = StreamConfiguration.soaked(at: url, Limits())
        let transports = Transports(userAgent: "garner/test", environment: ProcessInfo.processInfo.environment)
        let fetcher = try PageFetcher(
            stream: stream, transport: transports.transport(for: stream),
            timing: Timing(on: ContinuousClock()))
        let outcome = try await fetcher.outcome(at: fetcher.firstPosition)
        try await transports.shutdown()
        return outcome
    }

    private static let all: [LargeBody] = [
        // 200 KB that become 200 MB.
        LargeBody(name: "bomb", reply: .response(headers: [json, gzip], body: Gzip.bomb(size: 200_000))),
        LargeBody(
            name: "endless gzip",
            reply: endless([json, gzip], Gzip.bomb(size: 0), [UInt8](repeating: 0, count: 64 << 10))),
        LargeBody(name: "endless spaces", reply: endless([json], [], spaces)),
        LargeBody(name: "endless array", reply: endless([json], Array("[".utf8), repeated("1,"))),
        LargeBody(name: "endless chunks", reply: endless([json, chunked], [], chunk(spaces))),
        LargeBody(name: "one endless chunk", reply: endless([json, chunked], Array("7FFFFFFFFFFF\r\n".utf8), spaces)),
        LargeBody(name: "endless lines", reply: endless([jsonLines, chunked], [], chunk(repeated("1\n")))),
    ]

    private static func endless(_ headers: [(String, String)], _ start: [UInt8], _ rest: [UInt8]) -> LoopbackReply {
        LoopbackReply(.bytes(LoopbackReply.head(headers: headers) + start), .endless(rest))
    }

    private static func repeated(_ text: String) -> [UInt8] {
        Array(repeatElement(Array(text.utf8), count: (64 << 10) / text.utf8.count).joined())
    }

    private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }

    private static let json = ("Content-Type", "application/json")
    private static let jsonLines = ("Content-Type", "application/x-ndjson")
    private static let gzip = ("Content-Encoding", "gzip")
    private static let chunked = ("Transfer-Encoding", "chunked")
    private static let spaces = repeated(" ")
}
