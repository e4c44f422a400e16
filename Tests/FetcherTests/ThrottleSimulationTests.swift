import Testing

@Suite(.timeLimit(.minutes(5)))
struct ThrottleSimulationTests {
    @Test(arguments: 0..<150 as Range<UInt64>)
    func `every request starts in its turn, not before it may, and not later`(seed: UInt64) {
        var simulation = ThrottleSimulation(seed: seed)
        simulation.run(requests: 400)
        #expect(simulation.violations.prefix(3) == [])
        #expect(simulation.ended == 400)
    }

    @Test func `the simulation sees everything that can happen`() {
        var tally: [ThrottleSimulation.Event: Int] = [:]
        for seed in 0..<30 as Range<UInt64> {
            var simulation = ThrottleSimulation(seed: seed)
            simulation.run(requests: 400)
            tally.merge(simulation.tally, uniquingKeysWith: +)
        }
        for event in ThrottleSimulation.Event.allCases { #expect(tally[event, default: 0] > 50) }
    }
}
