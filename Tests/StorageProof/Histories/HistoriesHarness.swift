import Foundation

/// Plays random histories of a source, and makes those smaller that end otherwise than the model says.
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
                    let history = HistoryGenerator.history(of: seed)
                    let (problem, figures) = await HistoryPlay.play(history)
                    guard let problem else { return (seed, nil, figures) }
                    let smallest = await Shrinking.smallest(history, problem)
                    return (seed, HistoryProblem(problem.kind, smallest), figures)
                }
            }
            for _ in 0..<Self.width { start() }
            for await (seed, problem, part) in group {
                if let problem { tally.fail("\(seed)", problem.text) }
                figures.reads += part.reads
                figures.kills += part.kills
                figures.exact += part.exact
                start()
            }
        }
        tally.note("\(figures.reads) reads")
        tally.note("\(figures.exact) of them compared")
        tally.note("\(figures.kills) kills")
    }
}
