/// Makes a history that fails smaller, as long as it fails alike.
struct Shrinking {
    /// The maximum number of histories to try.
    static let limit = 400

    private var history: History
    private var problem: HistoryProblem
    private var tries = 0
    private let play: @Sendable (History) async -> HistoryProblem?

    /// The smallest history that was found, as people read it, with what is wrong with it.
    static func smallest(_ history: History, _ problem: HistoryProblem) async -> String {
        let (smallest, problem) = await shrink(history, problem) { await HistoryPlay.play($0).problem }
        return "\(problem.kind)\n\(smallest.told)\n\(problem.text)"
    }

    static func shrink(
        _ history: History, _ problem: HistoryProblem, by play: @escaping @Sendable (History) async -> HistoryProblem?
    ) async -> (History, HistoryProblem) {
        var shrinking = Shrinking(history: history, problem: problem, play: play)
        var before: History
        repeat {
            before = shrinking.history
            await shrinking.drop(\.steps)
            _ = await shrinking.attempt { $0.isPublished = false }
            _ = await shrinking.attempt { $0.isCopied = false }
            await shrinking.quieten()
            await shrinking.drop(\.records)
            await shrinking.drop(\.zoos)
            await shrinking.drop(\.gates)
            await shrinking.simplifyWorld()
            await shrinking.dropMembers()
        } while shrinking.tries < limit && shrinking.history != before
        return (shrinking.history, shrinking.problem)
    }

    private mutating func attempt(_ change: (inout History) -> Void) async -> Bool {
        var smaller = history
        change(&smaller)
        guard smaller != history, smaller.isValid, tries < Self.limit else { return false }
        tries += 1
        guard let found = await play(smaller), found.kind == problem.kind else { return false }
        (history, problem) = (smaller, found)
        return true
    }

    private mutating func drop<Element>(_ list: WritableKeyPath<History, [Element]>) async {
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

    private mutating func quieten() async {
        for place in history.steps.indices {
            guard case .read = history.steps[place] else { continue }
            _ = await attempt { $0.steps[place] = .quietRead }
        }
    }

    private mutating func dropMembers() async {
        for index in history.records.indices {
            for place in history.records[index].members.indices.reversed() {
                _ = await attempt { $0.records[index].members.remove(at: place) }
            }
        }
        for index in history.steps.indices {
            for place in (0..<World.Field.allCases.count).reversed() {
                _ = await attempt { history in
                    guard case .change(let change) = history.steps[index] else { return }
                    history.steps[index] = .change(change.without(memberAt: place))
                }
            }
        }
    }

    private mutating func simplifyWorld() async {
        var simpler: [(inout World) -> Void] = World.Field.allCases.map { field in
            { $0.fields.removeAll { $0 == field } }
        }
        simpler += [
            { $0.sendsETags = false }, { $0.repeats = false }, { $0.keepsHistory = false }, { $0.isSearched = false },
            { $0.childTables = false }, { $0.columns = .evolve }, { $0.types = .setAside }, { $0.types = .evolve },
            { $0.declared = [:] }, { $0.isIncremental = false }, { $0.attempts = 1 }, { $0.isKeyInferred = false },
            { $0.maxDeleteRatio = 1 }, { $0.paging = $0.repeats ? $0.paging : .single },
            { $0.paging = $0.paging == .single ? .single : .jsonLink }, { $0.missing = .ignore },
            { $0.missing = $0.missing == .soft ? .hard : $0.missing }, { $0.flattenDepth = 1 },
            { $0.pageSize = min($0.pageSize, 2) }, { $0.pageSize = 1 },
            { $0.filters = false }, { $0.hasTombstones = false }, { $0.treatment = .plain }, { $0.added = [:] },
            { $0.stopsAtKnown = false }, { ($0.isIncremental, $0.stopsAtKnown) = (false, false) }, { $0.period = 0 },
            { $0.parentPeriod = 0 }, { $0.choosesOpen = false }, { $0.includesName = false }, { $0.isZooInKey = false },
            { $0.parentMissing = .hard }, { $0.ignoresGone = false },
            { ($0.gates, $0.isGateInKey, $0.queriesGates) = ([], false, false) }, { $0.queriesGates = false },
            { $0.isGateInKey = false }, { $0.followsChanges = false },
            {
                ($0.hasParent, $0.followsChanges, $0.choosesOpen) = (false, false, false)
                ($0.isZooInKey, $0.parentPeriod) = (false, 0)
            },
        ]
        for simplify in simpler {
            _ = await attempt { $0.changeWorlds(simplify) }
        }
    }
}

extension Change {
    /// The change where a record gets one member less by it.
    fileprivate func without(memberAt place: Int) -> Change {
        func fewer(_ members: [Content.Member]) -> [Content.Member] {
            members.enumerated().filter { $0.offset != place }.map(\.element)
        }
        func fewer(_ record: ModelRecord) -> ModelRecord {
            var record = record
            record.members = fewer(record.members)
            return record
        }
        return switch self {
        case .insert(let record, let place): .insert(fewer(record), at: place)
        case .replace(let place, let record): .replace(at: place, fewer(record))
        case .update(let place, let members): .update(at: place, fewer(members))
        case .merge(let place, let members): .merge(at: place, fewer(members))
        default: self
        }
    }
}
