import Scheduler
import Testing

struct SimulationTests {
    @Test(.timeLimit(.minutes(5)), arguments: [1, 2, 3, 4, 5, 6])
    func `ten thousand beats double, overlap and lose nothing`(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        for _ in 0..<10_000 where simulation.violations.isEmpty {
            simulation.beat()
        }
        #expect(simulation.violations.isEmpty)

        // The world was as wild as it was meant to be.
        let tally = simulation.tally
        #expect(tally.runs > 1000, "\(tally)")
        #expect(min(tally.stillRunning, tally.missed, tally.overtaken) > 20, "\(tally)")
        #expect(min(tally.restarts, tally.leaps) > 30, "\(tally)")
    }
}
