import Foundation
import TestSupport
import Testing

/// The resources that many faults leave in use, counted in a process of their own.
@Suite(.timeLimit(.minutes(3)))
struct FaultSoakTests {
    #if os(Linux)
        private static let hasFigures = true
    #else
        private static let hasFigures = false
    #endif

    @Test(.enabled(if: hasFigures, "descriptors and memory are counted in /proc"))
    func `ten thousand faults leave no descriptor, no task and no memory behind`() async throws {
        let report: Report = try await Self.report()
        #expect(report.requests == 10_000)
        #expect(report.unexpected == [])
        // The pool keeps at most 8 connections to a host, and both ends are in the process.
        #expect(report.kept <= 2 * 8)
        #expect(report.leaked == 0)
        #expect(report.sleepers == 0)
        #expect(report.growth < 16 << 20)
    }

    private static let bodies = [
        ("bomb", "compression_ratio"), ("endless gzip", "compression_ratio"), ("endless spaces", "body_too_large"),
        ("endless array", "body_too_large"), ("endless chunks", "body_too_large"),
        ("one endless chunk", "body_too_large"), ("endless lines", "body_too_large"),
    ]

    @Test(.enabled(if: hasFigures, "memory is counted in /proc"), arguments: bodies)
    func `a body without measure takes little memory with the limits that hold by themselves`(
        body: String, outcome: String
    ) async throws {
        // The server is in the same process: the busier the machine, the more of its chunks wait to be sent. 56 to 81 MiB
        // were seen, of which 41 are there before the body; a body of 64 MiB that is kept whole takes 105 or more, each time.
        // Beside other tests, one process in some hundreds takes more for its server's chunks.
        var peaks: [Int] = []
        while peaks.allSatisfy({ $0 > 100 << 20 }), peaks.count < 3 {
            let report: BodyReport = try await Self.report([body])
            #expect(report.outcome == outcome)
            peaks.append(report.peak)
        }
        #expect(peaks.contains { $0 <= 100 << 20 }, "\(peaks)")
    }

    /// The report as `FaultSoak` prints it.
    private struct Report: Decodable, Sendable {
        let requests: Int
        let unexpected: [String]
        let kept: Int
        let leaked: Int
        let sleepers: Int
        let growth: Int
    }

    private struct BodyReport: Decodable, Sendable {
        let outcome: String
        let peak: Int
    }

    private static func report<Report: Decodable>(_ arguments: [String] = []) async throws -> Report {
        let folder = try TemporaryFolder()
        let output = folder.url.appending(path: "report.json")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = binary
        process.arguments = arguments
        process.standardOutput = try FileHandle(forWritingTo: output)
        let ending = Watched<Int32?>(nil)
        process.terminationHandler = { ended in ending.value = ended.terminationStatus }
        try process.run()
        await ending.until { $0 != nil }
        if ending.value == nil { process.terminate() }
        #expect(ending.value == 0)
        return try JSONDecoder().decode(Report.self, from: try Data(contentsOf: output))
    }

    /// The `FaultSoak` program that was built with these tests.
    private static let binary: URL = {
        let tests = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        let places = [tests, Bundle.main.bundleURL, root.appending(path: ".build/debug")]
            .map { $0.appending(path: "FaultSoak") }
        return places.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? places[0]
    }()
}
