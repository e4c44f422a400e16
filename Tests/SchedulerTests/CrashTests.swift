import SchedulerProof
import Testing

/// A process that is killed, and another one that knows what was stored.
@Suite(.timeLimit(.minutes(5)))
struct CrashTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `wherever it is killed, no instant is run to its end twice, and none is lost`(seed: UInt64) {
        let whole = Seeds.play(seed, crashes: .atStep(0), beats: 30)
        #expect(whole.violations.isEmpty)
        #expect(whole.commits > 0)
        for step in 1...max(1, whole.steps) {
            let killed = Seeds.play(seed, crashes: .atStep(step), beats: 40)
            #expect(killed.violations.isEmpty, "killed at step \(step)")
            #expect(killed.tally.restarts > 1, "not killed at step \(step)")
        }
    }

    @Test func `killed behind each commit, processes that hear of none still run each instant once`() {
        var (runs, manualRuns, commits) = (0, 0, 0)
        var skips: Set<String> = []
        for seed: UInt64 in 1...20 {
            let simulation = Seeds.play(seed, crashes: .afterEachCommit, beats: 400)
            #expect(simulation.violations.isEmpty, "seed \(seed)")
            runs += simulation.tally.runs
            manualRuns += simulation.tally.manualRuns
            skips.formUnion(simulation.tally.skips.keys)
            commits += simulation.commits
        }
        #expect(commits > 500 && runs > commits && manualRuns > 10 && skips.count > 1, "\(skips)")
    }
}
