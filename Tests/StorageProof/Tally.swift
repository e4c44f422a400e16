import FaultyStorage
import Foundation

/// The results of one harness's cases, printed as they come.
final class Tally {
    private let harness: ProofOptions.Harness
    private let options: ProofOptions
    private let start = ContinuousClock.now
    private(set) var cases = 0
    private var failures = 0
    private var notes: [String] = []

    init(_ harness: ProofOptions.Harness, _ options: ProofOptions) {
        self.harness = harness
        self.options = options
    }

    var isSound: Bool { failures == 0 }

    /// Begins a case, which may take a minute at most; false where another one is to be played again.
    func begin(_ name: String, seconds: UInt32 = 60) -> Bool {
        guard options.onlyCase.map({ $0 == name }) ?? true else { return false }
        cases += 1
        garner_watch(label(name), seconds)
        return true
    }

    /// Plays cases, four at a time, so that one waits while another stores.
    func play<Item: Sendable, Outcome: Sendable>(
        _ cases: [(name: String, item: Item)], by play: @escaping @Sendable (Item) async -> Outcome,
        _ note: (String, Outcome) -> Void
    ) async {
        await withTaskGroup(of: (String, Outcome).self) { group in
            var left = cases[...]
            func start() {
                while let (name, item) = left.popFirst() {
                    guard begin(name, seconds: 300) else { continue }
                    return group.addTask { (name, await play(item)) }
                }
            }
            for _ in 0..<4 { start() }
            for await (name, outcome) in group {
                note(name, outcome)
                start()
            }
        }
    }

    func fail(_ name: String, _ problem: String) {
        failures += 1
        say("FAILED \(label(name)): \(problem)")
    }

    /// A number that belongs to the result.
    func note(_ text: String) { notes.append(text) }

    func conclude() {
        garner_watch("", 0)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let text = ["\(cases) cases", "\(failures) failed"] + notes + [String(format: "%.1f s", seconds)]
        say("\(harness.rawValue): \(text.joined(separator: ", "))")
    }

    /// The command that runs the case again.
    private func label(_ name: String) -> String {
        "script/prove --size \(options.size.rawValue) --seed \(options.seed) --case '\(harness.rawValue)/\(name)'"
    }

    private func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
