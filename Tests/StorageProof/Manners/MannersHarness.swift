import SimulatedAPIs

/// Reads simulated APIs with bad manners, and makes cases smaller in which a read says what is not known.
struct MannersHarness {
    let options: ProofOptions
    let tally: Tally

    func run() async throws {
        let stage = try await MannersStage()
        let count = options.count ?? (options.size == .full ? 20_000 : 2000)
        var cases = stage.usualCases.map { (name: $0.usualName, item: $0) }
        if let seed = options.onlyCase.flatMap({ UInt64($0) }) {
            cases = [("\(seed)", MannersCase(of: seed, stage.shapes))]
        } else if options.onlyCase == nil {
            cases += (0..<UInt64(count)).map { options.seed &+ $0 }.map { ("\($0)", MannersCase(of: $0, stage.shapes)) }
        }
        var figures = MannersPlay.Figures()
        await tally.play(cases) { item -> (finding: Finding?, figures: MannersPlay.Figures) in
            let (problem, figures) = await MannersPlay.play(item, on: stage)
            guard let problem else { return (nil, figures) }
            return (await Self.smallest(item, problem, stage), figures)
        } _: { name, outcome in
            if let finding = outcome.finding {
                tally.fail(name, "\(finding.problem.kind)\n\(finding.item.told)\n  \(finding.problem.text)")
                figures.failures[finding.kind, default: 0] += 1
            }
            figures.add(outcome.figures)
        }
        tally.note("\(figures.syncs) syncs with bad manners")
        tally.note("\(figures.complete) of them complete")
        for (kind, count) in figures.failures.sorted(by: { $0.key < $1.key }) { tally.note("\(count) \(kind)") }
        let rare = Manner.Kind.allCases.filter { figures.shown[$0, default: 0] * 250 < count }.map {
            "\($0.rawValue) \(figures.shown[$0, default: 0])"
        }
        if count >= 500, options.onlyCase == nil, !rare.isEmpty {
            tally.fail("all", "too few of \(count) servers showed: \(rare.joined(separator: ", "))")
        }
    }

    /// A case that fails, as small as it was made.
    private struct Finding: Sendable {
        var item: MannersCase
        var problem: HistoryProblem

        /// What fails, and by which manners.
        var kind: String {
            ([problem.kind] + item.manners.map { "\($0.kind) \($0.words.name)" }.sorted()).joined(separator: " ")
        }
    }

    /// Returns the smallest case that fails alike, as people read it.
    private static func smallest(
        _ item: MannersCase, _ problem: HistoryProblem, _ stage: MannersStage
    ) async -> Finding {
        var smallest = Finding(item: item, problem: problem)
        guard !item.manners.isEmpty else { return smallest }
        var steps: [@Sendable (inout MannersCase) -> Void] = item.manners.map { manner in
            { $0.manners.removeAll { $0 == manner } }
        }
        steps += [{ $0.gone = 0 }, { $0.added = 0 }, { $0.knowsRows = false }, { $0.setup = .alone }]
        for step in steps {
            var smaller = smallest.item
            step(&smaller)
            guard smaller != smallest.item, !smaller.manners.isEmpty,
                smaller.isHonest == item.isHonest, !smaller.needsRows || smaller.knowsRows
            else { continue }
            let (found, _) = await MannersPlay.play(smaller, on: stage)
            if let found, found.kind == problem.kind { smallest = Finding(item: smaller, problem: found) }
        }
        return smallest
    }
}
