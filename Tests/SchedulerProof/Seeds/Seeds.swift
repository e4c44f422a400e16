/// Many simulations, each from a seed; a failure is reported with the seed that repeats it.
package struct Seeds {
    package static let beats = 500

    private let first: Int
    private let count: Int
    private let keepsLog: Bool

    init(_ options: ProofOptions) {
        first = max(0, options["from", default: 1])
        count = max(1, options["count", default: 10_000])
        keepsLog = options["log"] != nil
    }

    func holds() -> Bool {
        if keepsLog {
            let simulation = Self.play(UInt64(first), keepsLog: true)
            (simulation.log + simulation.violations).forEach { print($0) }
            return simulation.violations.isEmpty
        }
        let (violations, tally) = Self.play(UInt64(first)...UInt64(first + count - 1))
        violations.prefix(20).forEach { print($0) }
        print("\(count) seeds: \(violations.count) violations, \(tally)")
        return violations.isEmpty
    }

    /// Returns the violations, and what happened in all.
    package static func play(
        _ seeds: ClosedRange<UInt64>, twiceEvery repetition: UInt64 = 10
    ) -> (violations: [String], tally: Simulation.Tally) {
        var violations: [String] = []
        var sum = Simulation.Tally()
        for seed in seeds {
            let simulation = play(seed)
            violations += simulation.violations.prefix(3).map { "seed \(seed): \($0)" }
            sum += simulation.tally
            if seed % repetition == 0, play(seed).journal != simulation.journal {
                violations.append("seed \(seed): another journal the second time")
            }
        }
        return (violations, sum)
    }

    package static func play(
        _ seed: UInt64, keepsLog: Bool = false, crashes: Simulation.Crashes = .atRandom, beats: Int = Seeds.beats
    ) -> Simulation {
        var simulation = Simulation(seed: seed, keepsLog: keepsLog, crashes: crashes)
        for _ in 0..<beats where simulation.violations.isEmpty { simulation.beat() }
        if simulation.isCalm { simulation.expectEachAccounted() }
        return simulation
    }
}

extension Simulation.Tally {
    static func += (sum: inout Self, part: Self) {
        sum.runs += part.runs
        sum.manualRuns += part.manualRuns
        sum.cancels += part.cancels
        sum.skips.merge(part.skips, uniquingKeysWith: +)
        sum.restarts += part.restarts
        sum.leaps += part.leaps
        sum.returns += part.returns
        sum.reloads += part.reloads
    }
}
