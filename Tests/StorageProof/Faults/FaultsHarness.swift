import FaultyStorage
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSync
import Synchronization
import TestSupport

/// Plays the scenario once for every call that it makes of the system, and lets that call fail.
struct FaultsHarness {
    let options: ProofOptions
    let tally: Tally

    private static let sample = 400

    func run() async throws {
        try Storage.install()
        defer { Storage.uninstall() }
        for scenario in [Scenario.standard, .together] { try await run(scenario) }
    }

    private func run(_ scenario: Scenario) async throws {
        let reference = try await Reference(scenario)
        let calls = try await countedCalls(of: scenario)
        var cases = FaultCase.all(of: calls)
        tally.note("\(scenario.name)\(calls.count) calls")
        if options.size == .small, options.onlyCase == nil {
            var generator = SplitMix64(seed: options.seed)
            cases = Array(cases.shuffled(using: &generator).prefix(Self.sample))
        }
        for fault in cases {
            let name = scenario.name + fault.name
            guard tally.begin(name) else { continue }
            if let problem = await problem(with: fault, reference) { tally.fail(name, problem) }
        }
    }

    private func countedCalls(of scenario: Scenario) async throws -> [garner_storage_call] {
        let folder = try TemporaryFolder()
        let calls = CallLog()
        let run = ScenarioRun(scenario, at: folder.path("garner.db"))
        try await Storage.observing {
            calls.add($0.kind)
        } _: {
            try await run.perform()
        }
        return calls.all
    }

    /// Returns the problem with what the fault left; nil if there is none.
    private func problem(with fault: FaultCase, _ reference: Reference) async -> String? {
        do {
            let folder = try TemporaryFolder()
            let path = folder.path("garner.db")
            garner_storage_reset()
            garner_storage_fail(Int64(fault.call), fault.fault.code, fault.isForEver ? 1 : 0)
            let run = ScenarioRun(reference.scenario, at: path)
            let attempt = await attempt(run)
            guard garner_storage_failures() > 0 else { return "the fault never came" }
            if !fault.isHealedInPlace { await run.close() }
            garner_storage_reset()
            let problem =
                attempt.problem
                ?? reference.problem(
                    at: path, durable: run.committed, acknowledged: run.acknowledged, mayHaveMore: attempt.failed)
            if let problem { return problem }
            let writer = try run.writer ?? ScenarioRun.open(path)
            try await Healing(scenario: reference.scenario, path: path).complete(in: writer)
            await writer.close()
            await run.close()
            let open = garner_storage_open_files()
            return open == 0 ? reference.problemWhenSettled(at: path) : "\(open) files are still open"
        } catch {
            return "it does not heal: \(error)"
        }
    }

    private func attempt(_ run: ScenarioRun) async -> (failed: Bool, problem: String?) {
        do {
            try await run.perform()
            return (false, nil)
        } catch {
            let second = await run.giveUp()
            return (true, Self.flaw(of: error) ?? second.flatMap(Self.flaw))
        }
    }

    /// Returns what is wrong with an error; nil if it says that the disk failed, as it should.
    private static func flaw(of error: any Error) -> String? {
        guard let error = error as? PersistenceError else { return "an error without a type: \(error)" }
        let category = RunFailure(error).category
        return category == .inputOutput ? nil : "\(error.kind) would end as \(category): \(error.message)"
    }
}

/// The calls in their order.
private final class CallLog: Sendable {
    private let calls = Mutex<[garner_storage_call]>([])

    var all: [garner_storage_call] { calls.withLock { $0 } }

    func add(_ call: garner_storage_call) { calls.withLock { $0.append(call) } }
}
