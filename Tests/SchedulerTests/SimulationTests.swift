import GarnerScheduler
import SchedulerProof
import Testing

/// `script/prove` plays other seeds, and lets a year of thirty schedules pass.
struct SimulationTests {
    @Test(.timeLimit(.minutes(5)), arguments: [151] as [UInt64])
    func `random worlds double, overlap and lose nothing`(seed: UInt64) {
        let (violations, tally) = Seeds.play(seed...(seed + 24))
        #expect(violations.isEmpty)

        // The worlds were as wild as they were meant to be.
        #expect(tally.runs > 1000 && tally.manualRuns > 100 && tally.cancels > 10, "\(tally)")
        #expect(tally.restarts > 50 && tally.leaps > 20 && tally.reloads > 50, "\(tally)")
        #expect(tally.skips.count == 5 && tally.returns > 50, "\(tally)")
    }
}
