/// Plays random histories of a source, and makes those smaller that end otherwise than the model says. A seed is two of
/// them: one of a source whose records and types drift, and one of a source that is mirrored in parts.
struct HistoriesHarness {
    let options: ProofOptions
    let tally: Tally

    func run() async throws {
        let count = options.count ?? (options.size == .full ? 2000 : 60)
        let only = options.onlyCase.flatMap { UInt64($0) }
        let seeds = only.map { [$0] } ?? (0..<UInt64(count)).map { options.seed &+ $0 }
        var figures = HistoryPlay.Figures()
        await tally.play(seeds.map { ("\($0)", $0) }, by: Self.play) { name, outcome in
            if let problem = outcome.problem { tally.fail(name, problem) }
            figures.add(outcome.figures)
        }
        tally.note("\(figures.reads) reads")
        tally.note("\(figures.exact) of them compared")
        tally.note("\(figures.kills) kills")
    }

    @Sendable private static func play(_ seed: UInt64) async -> (problem: String?, figures: HistoryPlay.Figures) {
        var all = HistoryPlay.Figures()
        for isMirror in [false, true] {
            let history = HistoryGenerator.history(of: seed, isMirror: isMirror)
            let (problem, figures) = await HistoryPlay.play(history)
            all.add(figures)
            if let problem { return (await Shrinking.smallest(history, problem), all) }
        }
        return (nil, all)
    }
}
