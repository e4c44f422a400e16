import GarnerDatabase
import Foundation
import GarnerSQLite
import TestSupport

/// Fifty streams each second beside one that is dead, one that is slow and one that comes and goes; then a service at rest.
///
/// What it measures depends on the machine; it fails only where an instant is missing, or twice there.
struct BeatsHarness {
    let options: ProofOptions
    let tally: Tally

    private static let streams = 50

    func run() async throws {
        let (beating, resting): (Duration, Duration) =
            options.size == .full ? (.seconds(300), .seconds(120)) : (.seconds(10), .seconds(5))
        if tally.begin("beats", seconds: 600) { try await beat(for: beating) }
        if tally.begin("rest", seconds: 600) { try await rest(for: resting) }
    }

    private func beat(for duration: Duration) async throws {
        let (binary, folder) = (options.garner, try TemporaryFolder())
        let nobody = try RefusingPort()
        let figures = try await LoopbackServer.serve({ await Self.reply(to: $0) }) { server in
            try Self.configuration(server.url, dead: "http://127.0.0.1:\(nobody.number)/")
                .write(toFile: folder.path("garner.yaml"), atomically: false, encoding: .utf8)
            return try await Self.watch(binary, folder, for: duration)
        }
        let connection = try Connection(path: folder.path("garner.db"), mode: .readOnly)
        defer { connection.close() }
        try judge(connection)
        tally.note(figures)
    }

    private func rest(for duration: Duration) async throws {
        let (binary, folder) = (options.garner, try TemporaryFolder())
        let figures = try await LoopbackServer.serve({ _ in .json(#"[{"id":1}]"#) }) { server in
            try """
            version: 1
            database: garner.db
            sources: { zoo: { base_url: "\(server.url)", streams: { animals: { path: a, schedule: { every: 24h } } } } }
            """.write(toFile: folder.path("garner.yaml"), atomically: false, encoding: .utf8)
            return try await Self.watch(binary, folder, for: duration)
        }
        tally.note("at rest: \(figures)")
    }

    /// Serves for a while, from a little after its start on.
    private static func watch(_ binary: String, _ folder: TemporaryFolder, for duration: Duration) async throws
        -> String
    {
        let served = try ServedProcess(binary, in: folder.url)
        guard await served.started() else { throw Trouble(text: "it did not start: \(served.lastWords)") }
        try await Task.sleep(for: duration / 5)
        let before = ServiceFigures(process: served.id)
        try await Task.sleep(for: duration * 4 / 5)
        let after = ServiceFigures(process: served.id)
        served.send(SIGTERM)
        let code = await served.end()
        guard code == 0, let before, let after else {
            throw Trouble(text: "it ended with \(code): \(served.lastWords)")
        }
        let share = (after.processorTime - before.processorTime) / (duration * 4 / 5)
        return String(
            format: "%.2f %% of a core, %d to %d KiB, %d to %d descriptors", share * 100, before.kibibytes,
            after.kibibytes, before.descriptors, after.descriptors)
    }

    private func judge(_ connection: Connection) throws {
        var lateness: [Double] = []
        for number in 1...Self.streams {
            let name = "zoo.stream\(number)"
            let runs = try connection.rows(
                """
                SELECT CAST(strftime('%s', nominal_at) AS INTEGER), coalesce(skip_count, 1),
                (julianday(started_at) - julianday(due_at)) * 86400000
                FROM _garner_runs JOIN _garner_streams USING (stream_id)
                WHERE name = ?1 AND nominal_at IS NOT NULL AND NOT was_stopped ORDER BY nominal_at
                """, [.text(name)]
            ) {
                (second: $0.integer(at: 0), count: $0.integer(at: 1), late: $0.optionalText(at: 2).flatMap(Double.init))
            }
            for (run, next) in zip(runs, runs.dropFirst()) where next.second - run.second != next.count {
                tally.fail("beats", "\(name) has \(run.second) and then \(next.second)")
            }
            lateness += runs.compactMap(\.late)
        }
        lateness.sort()
        guard !lateness.isEmpty else { return tally.fail("beats", "nothing was run") }
        let figures = [0.5, 0.99, 1].map { lateness[min(lateness.count - 1, Int(Double(lateness.count) * $0))] }
        tally.note(
            String(
                format: "%d runs, lateness %.1f ms in the middle, %.1f ms p99, %.1f ms at most", lateness.count,
                figures[0],
                figures[1], figures[2]))
    }

    private static func reply(to request: LoopbackRequest) async -> LoopbackReply {
        switch request.target {
        case "/slow":
            try? await Task.sleep(for: .seconds(5))
            return .json(#"[{"id":1}]"#)
        case "/flapping" where request.number.isMultiple(of: 2): return .response(status: 503, body: "{}")
        default: return .json(#"[{"id":\#(request.number % 10)}]"#)
        }
    }

    private static func configuration(_ url: String, dead: String) -> String {
        let settings = "primary_key: id, schedule: { every: 1s }, retry: { max_attempts: 1 }"
        let streams = (1...streams).map { "      stream\($0): { path: stream\($0), \(settings) }\n" }
        let troubled = ["slow", "flapping"].map { "      \($0): { path: \($0), \(settings) }\n" }
        return """
            version: 1
            database: garner.db
            sources:
              zoo:
                base_url: \(url)
                streams:
            \(streams.joined())\(troubled.joined())
              gone:
                base_url: \(dead)
                streams:
                  dead: { path: dead, \(settings) }
            """
    }

    private struct Trouble: Error {
        let text: String
    }
}
