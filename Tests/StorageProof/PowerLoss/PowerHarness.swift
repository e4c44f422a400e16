import Foundation
import GarnerPersistence
import TestSupport

/// Cuts the power at random moments of the scenario, and opens what may then be on the disk.
struct PowerHarness {
    let options: ProofOptions
    let tally: Tally

    /// A moment, and the dice for what of the files survives.
    private struct Loss {
        let number: Int
        let moment: Int
        let seed: UInt64
    }

    /// The progress of the scenario.
    private struct Steps {
        let scenario: Scenario
        let synchronous: Synchronous
        var acknowledged = 0
        /// The latest one that a commit which waited for the disk was part of, or came after.
        var durable: Int { scenario.durableSteps(among: acknowledged, synchronous) }
    }

    func run() async throws {
        for synchronous in Synchronous.allCases { try await run(.standard, synchronous) }
        try await run(.together, .normal)
    }

    private func run(_ scenario: Scenario, _ synchronous: Synchronous) async throws {
        try Storage.install()
        let reference = try await Reference(scenario)
        let events = try await recordedEvents(scenario, synchronous)
        let mode = scenario.name + synchronous.rawValue
        // Everything after this is read as any program would read it.
        Storage.uninstall()
        tally.note("\(mode): \(events.count) events")
        var disk = Disk()
        var passed = 0
        var steps = Steps(scenario: scenario, synchronous: synchronous)
        for loss in losses(in: events) where tally.begin("\(mode) \(loss.number)") {
            for event in events[passed..<loss.moment] {
                switch event {
                case .call(let call): disk.perform(call)
                case .acknowledged(let count): steps.acknowledged = count
                }
            }
            passed = loss.moment
            var generator = SplitMix64(seed: loss.seed)
            let survivors = disk.survivors(using: &generator)
            let problem =
                loss.number % 4 == 0
                ? await problemOfAnother(survivors, after: steps, reference, &generator)
                : await problem(with: survivors, after: steps, reference)
            if let problem { tally.fail("\(mode) \(loss.number)", problem) }
        }
    }

    private func recordedEvents(_ scenario: Scenario, _ synchronous: Synchronous) async throws -> [RecordedCalls.Event]
    {
        let folder = try TemporaryFolder()
        let calls = RecordedCalls()
        let run = ScenarioRun(scenario, at: folder.path("garner.db"), synchronous)
        try await Storage.observing {
            calls.note($0)
        } _: {
            try await run.perform { calls.acknowledge($0) }
        }
        return calls.events
    }

    /// Returns random losses, in the order of their moments.
    private func losses(in events: [RecordedCalls.Event]) -> [Loss] {
        var generator = SplitMix64(seed: options.seed)
        return (0..<(options.size == .full ? 5000 : 200)).map { number in
            Loss(
                number: number, moment: Int.random(in: 0...events.count, using: &generator), seed: generator.next())
        }.sorted { $0.moment < $1.moment }
    }

    /// Returns the problem with the files that survived; nil if there is none.
    private func problem(
        with survivors: [Disk.Survivor], after steps: Steps, _ reference: Reference
    ) async -> String? {
        do {
            let folder = try Self.folder(of: survivors)
            let path = folder.path("garner.db")
            let problem = reference.problem(
                at: path, durable: steps.durable, acknowledged: steps.acknowledged, mayHaveMore: true)
            if let problem { return problem }
            return try await Self.healing(path, reference)
        } catch {
            return "it does not heal: \(error)"
        }
    }

    /// The same, where the power goes once more while the log is recovered and the next run sets things right.
    private func problemOfAnother(
        _ survivors: [Disk.Survivor], after steps: Steps, _ reference: Reference,
        _ generator: inout SplitMix64
    ) async -> String? {
        do {
            try Storage.install()
            let calls = RecordedCalls()
            let first: String? = try await Storage.observing {
                calls.note($0)
            } _: {
                await problem(with: survivors, after: steps, reference)
            }
            Storage.uninstall()
            if let first { return first }
            var disk = Disk(survivors)
            let events = calls.events
            for event in events[..<Int.random(in: 0...events.count, using: &generator)] {
                if case .call(let call) = event { disk.perform(call) }
            }
            let folder = try Self.folder(of: disk.survivors(using: &generator))
            return try await Self.healing(folder.path("garner.db"), reference).map { "after a second loss, \($0)" }
        } catch {
            return "after a second loss, it does not heal: \(error)"
        }
    }

    private static func folder(of survivors: [Disk.Survivor]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for survivor in survivors { try Data(survivor.bytes).write(to: folder.url.appending(path: survivor.name)) }
        return folder
    }

    private static func healing(_ path: String, _ reference: Reference) async throws -> String? {
        let writer = try ScenarioRun.open(path)
        try await Healing(scenario: reference.scenario, path: path).complete(in: writer)
        await writer.close()
        return reference.problemWhenSettled(at: path)
    }
}
