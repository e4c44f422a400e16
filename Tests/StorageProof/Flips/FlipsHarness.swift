import Foundation
import TestSupport

/// Changes bytes of a database's file at random, as a failing disk does, and has commands meet what comes of it.
struct FlipsHarness {
    let options: ProofOptions
    let tally: Tally

    func run() async throws {
        let count = options.size == .full ? 300 : 12
        let numbers = (1...count).filter { tally.begin(Self.name($0), seconds: UInt32(count) * 60) }
        guard !numbers.isEmpty else { return }
        let (binary, seed) = (options.garner, options.seed)
        let edition = Watched(1)
        // All copies ask the server that the database is from.
        let results = try await LoopbackServer.serve({
            FlippedDatabase.reply(to: $0, edition: edition.value)
        }) { server in
            let database = try await FlippedDatabase(of: server.url, binary: binary) { edition.value = $0 }
            var results: [FlippedDatabase.Result] = []
            for number in numbers {
                var generator = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(number))
                results.append(try await database.tryCopy(&generator))
            }
            return results
        }
        for (number, result) in zip(numbers, results) {
            for problem in result.problems { tally.fail(Self.name(number), problem) }
        }
        tally.note("doctor finds \(results.count { $0.isFound }) damaged")
    }

    private static func name(_ number: Int) -> String { "copy \(number)" }
}
