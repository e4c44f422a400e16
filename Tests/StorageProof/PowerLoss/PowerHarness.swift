import Foundation
import Persistence
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

    func run() async throws {
        try Storage.install()
        let reference = try await Reference(.standard)
        let events = try await recordedEvents()
        // Everything after this is read as any program would read it.
        Storage.uninstall()
        tally.note("\(events.count) events")
        var disk = Disk()
        var (passed, acknowledged) = (0, 0)
        for loss in losses(in: events) where tally.begin("state \(loss.number)") {
            for event in events[passed..<loss.moment] {
                switch event {
                case .call(let call): disk.perform(call)
                case .acknowledged(let steps): acknowledged = steps
                }
            }
            passed = loss.moment
            var generator = SplitMix64(seed: loss.seed)
            if let problem = await problem(
                with: disk.survivors(using: &generator), after: acknowledged, reference)
            {
                tally.fail("state \(loss.number)", problem)
            }
        }
    }

    private func recordedEvents() async throws -> [RecordedCalls.Event] {
        let folder = try TemporaryFolder()
        let calls = RecordedCalls()
        let run = ScenarioRun(.standard, at: folder.path("garner.db"))
        try await Storage.observing {
            calls.note($0)
        } _: {
            try await run.perform { calls.acknowledge($0) }
        }
        return calls.events
    }

    /// In the order of their moments.
    private func losses(in events: [RecordedCalls.Event]) -> [Loss] {
        var generator = SplitMix64(seed: options.seed)
        return (0..<(options.size == .full ? 5000 : 400)).map { number in
            Loss(
                number: number, moment: Int.random(in: 0...events.count, using: &generator), seed: generator.next())
        }.sorted { $0.moment < $1.moment }
    }

    /// nil, or what is wrong with what survived.
    private func problem(
        with survivors: [(path: String, bytes: [UInt8])], after acknowledged: Int, _ reference: Reference
    ) async -> String? {
        do {
            let folder = try TemporaryFolder()
            for (path, bytes) in survivors {
                try Data(bytes).write(to: folder.url.appending(path: URL(filePath: path).lastPathComponent))
            }
            let path = folder.path("garner.db")
            if let problem = reference.problem(at: path, acknowledged: acknowledged, mayHaveMore: true) {
                return problem
            }
            let store = try ScenarioRun.open(path)
            try await Healing(scenario: reference.scenario, path: path).complete(in: store)
            await store.close()
            return reference.problemWhenSettled(at: path)
        } catch {
            return "it does not heal: \(error)"
        }
    }
}
