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
        var size = 0
        repeat {
            size = shrinking.tries
            let before = shrinking.history
            await shrinking.dropSteps()
            await shrinking.dropRecords()
            await shrinking.simplifyWorld()
            await shrinking.dropMembers()
            if shrinking.history == before { break }
        } while shrinking.tries < limit && shrinking.tries > size
        return (shrinking.history, shrinking.problem)
    }

    private init(
        history: History, problem: HistoryProblem, play: @escaping @Sendable (History) async -> HistoryProblem?
    ) {
        (self.history, self.problem, self.play) = (history, problem, play)
    }

    private mutating func attempt(_ change: (inout History) -> Void) async -> Bool {
        var smaller = history
        change(&smaller)
        guard smaller != history, tries < Self.limit else { return false }
        tries += 1
        guard let found = await play(smaller), found.kind == problem.kind else { return false }
        (history, problem) = (smaller, found)
        return true
    }

    private mutating func dropSteps() async {
        var length = history.steps.count / 2
        while length > 0 {
            var place = 0
            while place < history.steps.count {
                let end = min(place + length, history.steps.count)
                if await !attempt({ $0.steps.removeSubrange(place..<end) }) { place += length }
            }
            length /= 2
        }
        for place in history.steps.indices {
            guard case .read = history.steps[place] else { continue }
            _ = await attempt { $0.steps[place] = .quietRead }
        }
    }

    private mutating func dropRecords() async {
        var length = max(history.records.count / 2, 1)
        while length > 0 {
            var place = 0
            while place < history.records.count {
                let end = min(place + length, history.records.count)
                if await !attempt({ $0.records.removeSubrange(place..<end) }) { place += length }
            }
            length /= 2
        }
    }

    private mutating func dropMembers() async {
        for index in history.records.indices {
            for place in history.records[index].members.indices.reversed() {
                _ = await attempt { $0.records[index].members.remove(at: place) }
            }
        }
        for index in history.steps.indices {
            guard case .change(let change) = history.steps[index] else { continue }
            for place in (change.members ?? []).indices.reversed() {
                _ = await attempt { history in
                    guard case .change(var change) = history.steps[index] else { return }
                    change.members?.remove(at: place)
                    history.steps[index] = .change(change)
                }
            }
        }
    }

    private mutating func simplifyWorld() async {
        for field in World.Field.allCases { _ = await attempt { $0.world.fields.removeAll { $0 == field } } }
        let simpler: [@Sendable (inout World) -> Void] = [
            { $0.sendsETags = false }, { $0.repeats = false }, { $0.keepsHistory = false }, { $0.isSearched = false },
            { $0.childTables = false }, { $0.columns = .evolve }, { $0.types = .setAside }, { $0.types = .evolve },
            { $0.isIncremental = false },
            { $0.attempts = 1 }, { $0.zoos = 0 }, { $0.zoos = min($0.zoos, 1) }, { $0.isKeyInferred = false },
            { $0.maxDeleteRatio = 1 }, { $0.paging = $0.repeats ? $0.paging : .single },
            { $0.paging = $0.paging == .single ? .single : .jsonLink }, { $0.missing = .ignore },
            { $0.missing = $0.missing == .soft ? .hard : $0.missing }, { $0.flattenDepth = 1 },
            { $0.pageSize = min($0.pageSize, 2) }, { $0.pageSize = 1 },
        ]
        for simplify in simpler { _ = await attempt { simplify(&$0.world) } }
    }
}

extension Change {
    /// The members that a record gets by it.
    fileprivate var members: [Content.Member]? {
        get {
            switch self {
            case .insert(let record, _), .replace(_, let record): record.members
            case .update(_, let members): members
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .insert(var record, let place):
                record.members = newValue
                self = .insert(record, at: place)
            case .replace(let place, var record):
                record.members = newValue
                self = .replace(at: place, record)
            case .update(let place, _): self = .update(at: place, newValue)
            default: return
            }
        }
    }
}
