import Foundation

/// Plays random histories of a source, and makes those smaller that end otherwise than the model says. A seed is two of
/// them: one of a source whose records and types drift, and one of a source that is mirrored in parts.
struct HistoriesHarness {
    let options: ProofOptions
    let tally: Tally

    /// The number of histories that are played at the same time, so that one waits while another stores.
    private static let width = 4

    func run() async throws {
        let count = options.count ?? (options.size == .full ? 2000 : 60)
        let only = options.onlyCase.flatMap { UInt64($0) }
        let seeds = only.map { [$0] } ?? (0..<UInt64(count)).map { options.seed &+ $0 }
        var figures = HistoryPlay.Figures()
        await withTaskGroup(of: (UInt64, HistoryProblem?, HistoryPlay.Figures).self) { group in
            var left = seeds[...]
            func start() {
                guard let seed = left.popFirst(), tally.begin("\(seed)", seconds: 300) else { return }
                group.addTask {
                    var (problem, figures) = await Self.drift(seed)
                    guard problem == nil else { return (seed, problem, figures) }
                    let (further, part) = await Self.mirror(seed)
                    problem = further
                    figures.add(part)
                    return (seed, problem, figures)
                }
            }
            for _ in 0..<Self.width { start() }
            for await (seed, problem, part) in group {
                if let problem { tally.fail("\(seed)", problem.text) }
                figures.add(part)
                start()
            }
        }
        tally.note("\(figures.reads) reads")
        tally.note("\(figures.exact) of them compared")
        tally.note("\(figures.kills) kills")
    }

    private static func drift(_ seed: UInt64) async -> (HistoryProblem?, HistoryPlay.Figures) {
        let history = HistoryGenerator.history(of: seed)
        let (problem, figures) = await HistoryPlay.play(history)
        guard let problem else { return (nil, figures) }
        return (HistoryProblem(problem.kind, await Shrinking.smallest(history, problem)), figures)
    }

    private static func mirror(_ seed: UInt64) async -> (HistoryProblem?, HistoryPlay.Figures) {
        let history = MirrorGenerator.history(of: seed)
        let (problem, figures) = await MirrorPlay.play(history)
        guard let problem else { return (nil, figures) }
        return (HistoryProblem(problem.kind, await MirrorShrinking.smallest(history, problem)), figures)
    }
}

extension HistoryPlay.Figures {
    fileprivate mutating func add(_ other: Self) {
        reads += other.reads
        kills += other.kills
        exact += other.exact
    }
}
