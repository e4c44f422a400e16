import Foundation

/// Ten virtual years of a thousand schedules, and the processor's time they take.
struct YearsProof {
    private let years: Int
    private let streams: Int

    init(_ options: ProofOptions) {
        years = max(1, options["years", default: 10])
        streams = max(1, options["streams", default: 1000])
    }

    func holds() -> Bool {
        let begin = Self.processorSeconds
        var world = Years(years: years, streams: streams)
        world.pass()
        world.violations.forEach { print($0) }
        let seconds = (Self.processorSeconds - begin).formatted(.number.precision(.fractionLength(1)))
        print(
            "\(years) years of \(streams) streams: \(world.runs) runs, \(world.skipped) instants skipped, "
                + "\(world.cancels) runs cancelled, \(world.violations.count) violations, \(seconds) s of processor")
        return world.violations.isEmpty
    }

    private static var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
