/// Makes a history of a mirror that fails smaller, as long as it fails alike.
struct MirrorShrinking {
    private static let limit = 300

    private var history: MirrorHistory
    private var problem: HistoryProblem
    private var tries = 0

    /// The smallest history that was found, as people read it, with what is wrong with it.
    static func smallest(_ history: MirrorHistory, _ problem: HistoryProblem) async -> String {
        var shrinking = MirrorShrinking(history: history, problem: problem)
        var before: MirrorHistory
        repeat {
            before = shrinking.history
            await shrinking.drop(\.steps)
            await shrinking.drop(\.records)
            await shrinking.drop(\.zoos)
            await shrinking.drop(\.gates)
            await shrinking.simplify()
        } while shrinking.tries < limit && shrinking.history != before
        return "\(shrinking.problem.kind)\n\(shrinking.history.told)\n\(shrinking.problem.text)"
    }

    private init(history: MirrorHistory, problem: HistoryProblem) {
        (self.history, self.problem) = (history, problem)
    }

    private mutating func attempt(_ change: (inout MirrorHistory) -> Void) async -> Bool {
        var smaller = history
        change(&smaller)
        guard smaller != history, smaller.world.isValid, tries < Self.limit else { return false }
        tries += 1
        guard let found = await MirrorPlay.play(smaller).problem, found.kind == problem.kind else { return false }
        (history, problem) = (smaller, found)
        return true
    }

    private mutating func drop<Element>(_ list: WritableKeyPath<MirrorHistory, [Element]>) async {
        var length = max(history[keyPath: list].count / 2, 1)
        while length > 0 {
            var place = 0
            while place < history[keyPath: list].count {
                let end = min(place + length, history[keyPath: list].count)
                if await !attempt({ $0[keyPath: list].removeSubrange(place..<end) }) { place += length }
            }
            length /= 2
        }
    }

    private mutating func simplify() async {
        let simpler: [(inout MirrorWorld) -> Void] = [
            { $0.keepsHistory = false }, { $0.isSearched = false }, { $0.hasFiles = false }, { $0.sendsETags = false },
            { $0.filters = false }, { $0.hasTombstones = false }, { $0.fields = .plain }, { $0.added = [:] },
            { $0.paging = .single },
            { $0.attempts = 1 }, { $0.maxDeleteRatio = 1 }, { $0.stopsAtKnown = false },
            { ($0.isIncremental, $0.stopsAtKnown) = (false, false) }, { $0.period = 0 },
            { $0.parentPeriod = 0 }, { $0.choosesOpen = false }, { $0.includesName = false }, { $0.isZooInKey = false },
            { $0.parentMissing = .hard }, { $0.ignoresGone = false }, { $0.missing = .ignore }, { $0.missing = .hard },
            { ($0.gates, $0.isGateInKey, $0.queriesGates) = ([], false, false) }, { $0.queriesGates = false },
            { $0.isGateInKey = false },
            { $0.followsChanges = false },
            {
                ($0.hasParent, $0.followsChanges, $0.choosesOpen) = (false, false, false)
                ($0.isZooInKey, $0.parentPeriod) = (false, 0)
            },
        ]
        for simplify in simpler { _ = await attempt { simplify(&$0.world) } }
    }
}
