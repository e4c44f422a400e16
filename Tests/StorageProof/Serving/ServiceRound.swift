import Foundation
import TestSupport

/// One life of a service: it is started over what the one before left, and ended by a signal.
struct ServiceRound: Sendable {
    struct End: Sendable {
        /// The time until the scheduler had started.
        var start: Duration?
        /// The problem; nil if there was none.
        var problem: String?
    }

    let number: Int
    let signal: Int32
    /// The time from the start to the signal.
    let delay: Duration

    /// The grace that runs have, and the hooks, and a slow machine.
    private static let longestEnd = Duration.seconds(20)

    func run(_ binary: String, in folder: TemporaryFolder) async throws -> End {
        let clock = ContinuousClock()
        let begun = clock.now
        let served = try ServedProcess(binary, in: folder.url)
        guard await served.started() else { return End(problem: named("it did not start: \(served.lastWords)")) }
        let start = clock.now - begun
        try await clock.sleep(for: delay)
        let sent = clock.now
        served.send(signal)
        let code = await served.end()
        let took = clock.now - sent
        if signal == SIGTERM, code != 0 {
            return End(start: start, problem: named("it ended with \(code): \(served.lastWords)"))
        }
        if signal == SIGTERM, took > Self.longestEnd {
            return End(start: start, problem: named("it took \(took) to end"))
        }
        let problem = try ServedStreams.problem(at: folder.path("garner.db"), hasEnded: signal == SIGTERM)
        return End(start: start, problem: problem.map(named))
    }

    private func named(_ problem: String) -> String {
        "round \(number), a \(signal == SIGTERM ? "stop" : "kill") after \(delay): \(problem)"
    }
}
