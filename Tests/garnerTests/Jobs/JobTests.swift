import Foundation
import TestSupport
import Testing

/// What people come for, from `garner init` to the second sync: with at most two edits of the file, all records are there, and
/// the second sync brings what has changed.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct JobTests {
    static let jobs = Gateway.jobs + Weather.jobs + Shops.jobs + Trackers.jobs

    @Test(arguments: jobs)
    func `a job is done with few edits`(job: Job) async throws {
        let isChanged = Watched(false)
        try await LoopbackServer.serve({ job.answer($0, isChanged.value) }) { server in
            let place = try Workplace()
            for command in job.commands {
                let words = command.map { $0.replacing("API", with: server.url) }
                let told = try await place.start(words, environment: job.environment).end()
                #expect(told.code == 0, "\(told.errors)")
                for doubt in job.doubts { #expect(told.errors.contains(doubt), "\(told.errors)") }
            }
            var text = try place.text(of: "garner.yaml")
            for line in job.lines { #expect(text.contains(line), "\(text)") }
            #expect(job.edits.count <= 2)
            for (old, new) in job.edits {
                #expect(text.contains(old), "\(old) is not in \(text)")
                text = text.replacing(old, with: new)
            }
            try place.write(text, to: "garner.yaml")
            let first = try await place.garner("sync", "--json", environment: job.environment)
            #expect(first.code == 0, "\(first)")
            #expect(first.output.contains(#""completeness":"\#(job.verdict)""#), "\(first)")
            #expect(try place.integers("SELECT count(*) FROM \(job.table)") == [job.rows.first])
            isChanged.value = true
            let before = server.requests.count
            let second = try await place.garner("sync", "--json", environment: job.environment)
            #expect(second.code == 0, "\(second)")
            #expect(try place.integers("SELECT count(*) FROM \(job.table)") == [job.rows.second], "\(second)")
            let requests = server.requests.dropFirst(before).map(\.target)
            #expect(requests.count == job.requests, "\(requests)")
        }
    }
}

/// An API, what is told of it to garner, and what comes of that.
struct Job: Sendable, CustomTestStringConvertible {
    let name: String
    /// `API` stands for the server's URL.
    var commands: [[String]]
    var environment: [String: String] = [:]
    /// What the commands say is unsure.
    var doubts: [String] = []
    /// Lines of the file that was written.
    var lines: [String] = []
    /// Changes by hand, each from an old text to a new one.
    var edits: [(String, String)] = []
    let table: String
    /// The rows after each sync.
    let rows: (first: Int64, second: Int64)
    var verdict = "complete"
    /// The requests of the second sync.
    let requests: Int
    /// The answer before and after the source has changed.
    let answer: @Sendable (LoopbackRequest, _ isChanged: Bool) -> LoopbackReply

    var testDescription: String { name }
}

extension LoopbackRequest {
    /// The path, without the query.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// The value of a parameter; nil if there is none.
    func value(of parameter: String) -> String? {
        target.split { "?&".contains($0) }.dropFirst().lazy.map { $0.split(separator: "=", maxSplits: 1) }
            .first { $0.first?.removingPercentEncoding == parameter }.map {
                $0.count > 1 ? $0[1].removingPercentEncoding ?? "" : ""
            }
    }
}

extension Sequence<String> {
    /// A JSON array of these values.
    var array: String { "[\(joined(separator: ","))]" }
}
