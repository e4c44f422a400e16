import Catalog
import Fetcher
import TestSupport

/// A body without measure.
struct LargeBody {
    let name: String
    let reply: LoopbackReply

    /// What comes of each, one after the other.
    static func all() async throws -> [LargeBodyReport] {
        var reports: [LargeBodyReport] = []
        for body in bodies {
            let outcome = try await LoopbackServer.serve({ _ in body.reply }) { server in
                try await read(from: server.url)
            }
            reports.append(LargeBodyReport(name: body.name, outcome: outcome, peak: ProcessFigures().peakBytes ?? 0))
        }
        return reports
    }

    private static func read(from url: String) async throws -> String {
        let stream = Stream.soaked(at: url, Limits(body: 1 << 20))
        let transports = Transports(userAgent: "garner/test")
        let fetcher = try PageFetcher(
            stream: stream, transport: transports.transport(for: stream),
            timing: Timing(on: ContinuousClock()))
        let outcome = try await fetcher.outcome(at: fetcher.firstPosition)
        try await transports.shutdown()
        return outcome
    }

    private static let bodies: [LargeBody] = [
        // 200 KB that become 200 MB.
        LargeBody(name: "bomb", reply: .response(headers: [json, gzip], body: Gzip.bomb(size: 200_000))),
        LargeBody(
            name: "endless", reply: LoopbackReply(.bytes(LoopbackReply.head(headers: [json])), .endless(spaces))),
        LargeBody(
            name: "endless chunks",
            reply: LoopbackReply(
                .bytes(LoopbackReply.head(headers: [json, ("Transfer-Encoding", "chunked")])),
                .endless(Array("10000\r\n".utf8) + spaces + Array("\r\n".utf8)))),
        LargeBody(
            name: "endless gzip",
            reply: LoopbackReply(
                .bytes(LoopbackReply.head(headers: [json, gzip]) + Gzip.bomb(size: 0)),
                .endless(Array(repeating: 0, count: 64 << 10)))),
    ]

    private static let json = ("Content-Type", "application/json")
    private static let gzip = ("Content-Encoding", "gzip")
    private static let spaces = [UInt8](repeating: 0x20, count: 64 << 10)
}
