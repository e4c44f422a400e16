import Foundation
import TestSupport

/// Stops and kills `garner serve` at random moments, and starts it again over what it left.
struct ServiceHarness {
    let options: ProofOptions
    let tally: Tally

    func run() async throws {
        let (stops, kills) = options.size == .full ? (200, 100) : (6, 3)
        guard tally.begin("rounds", seconds: UInt32(stops + kills) * 30) else { return }
        var generator = SplitMix64(seed: options.seed)
        let signals = (Array(repeating: SIGTERM, count: stops) + Array(repeating: SIGKILL, count: kills))
            .shuffled(using: &generator)
        // One database sees all of it, as it would over the years.
        let rounds = signals.enumerated().map { number, signal in
            ServiceRound(
                number: number + 1, signal: signal,
                delay: .milliseconds(Int.random(in: 0...1500, using: &generator)))
        }
        let (binary, folder) = (options.garner, try TemporaryFolder())
        let ends = try await LoopbackServer.serve({ await ServedStreams.reply(to: $0) }) { server in
            try ServedStreams.configuration(server.url)
                .write(toFile: folder.path("garner.yaml"), atomically: false, encoding: .utf8)
            var ends: [ServiceRound.End] = []
            for round in rounds { ends.append(try await round.run(binary, in: folder)) }
            return ends
        }
        for problem in ends.compactMap(\.problem) { tally.fail("rounds", problem) }
        tally.note("\(stops) stops and \(kills) kills")
        let starts = ends.compactMap(\.start).sorted()
        guard let slowest = starts.last else { return }
        let middle = starts[starts.count / 2]
        tally.note("started within \(milliseconds(middle)) ms in the middle, \(milliseconds(slowest)) ms at most")
    }

    private func milliseconds(_ duration: Duration) -> Int { Int((duration / .milliseconds(1)).rounded()) }
}
