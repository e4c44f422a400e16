import TestSupport

/// Gives histories a field of numbers or booleans among which others come, on some pages more than fit, and types of fields
/// (`fields.types`). It has dice of its own, so that those of the generator fall as ever.
struct OddFigures {
    private var random: SplitMix64
    /// The type of most values.
    private var usual = ModelType.integer
    /// True if types are configured, so that any value may come.
    private var isSettled = false
    /// True if all that does not fit is set aside all the time. What becomes of an empty object elsewhere is told nowhere.
    private var hasObjects = false

    private static let texts = ["4", "2.50", "-7"].map(Content.string)
    private static let numbers = ["1.5", "0.25", "-2.5", "12.125"].map(Content.number)
    private static let others: [Content] = [
        .string("A12"), .string("007"), .number("0"), .number("7"), .bool(true), .array([.number("1"), .string("x")]),
    ]
    private static let emptyObject = Content.object([Content.Member]())
    private static let words = ["n/a", "unknown", "", "-"].map(Content.string)

    /// Returns the history as it is where its stream is one of records that may stay as they came first.
    static func added(to history: History, of seed: UInt64) -> History {
        var figures = OddFigures(random: SplitMix64(seed: seed &* 0x2545_f491_4f6c_dd1d &+ 3))
        let kind = figures.number(0...5)
        guard kind > 1, ![.insertOnly, .dedupe].contains(history.world.writing) else { return history }
        figures.isSettled = kind < 4
        return figures.add(to: history)
    }

    private mutating func add(to old: History) -> History {
        var history = old
        usual = pick([.integer, .integer, .real, .boolean], .integer)
        let settles = isSettled
        history.changeWorlds { world in
            world.fields.append(.figure)
            if settles { world.types = .setAside }
        }
        var isSettingAside = true
        history.changeWorlds { if $0.types != .setAside { isSettingAside = false } }
        hasObjects = isSettingAside
        for place in history.records.indices { history.records[place].members.append(.init(figure: usualFigure())) }
        for place in history.steps.indices {
            switch history.steps[place] {
            case .change(let change): history.steps[place] = .change(withFigure(change))
            case .read(var disturbance):
                for number in disturbance.changes.keys.sorted() {
                    disturbance.changes[number] = disturbance.changes[number]?.map { withFigure($0) }
                }
                history.steps[place] = .read(disturbance)
            case .quietRead, .reopen, .wait, .configure: break
            }
        }
        // The column is there before the first odd value.
        if history.steps.first != .quietRead { history.steps.insert(.quietRead, at: 0) }
        if isSettled { settle(&history) } else { burst(in: &history) }
        return history
    }

    /// Configures types from the beginning or later, and others later still.
    private mutating func settle(_ history: inout History) {
        if chance(2) { history.world.declared = types(in: history.world) }
        var world = history.world
        var steps: [History.Step] = []
        for step in history.steps {
            if case .configure(var other) = step {
                other.declared = world.declared
                world = other
                steps.append(.configure(other))
                continue
            }
            if step == .quietRead, !steps.isEmpty, chance(3) {
                world.declared = types(in: world)
                steps.append(.configure(world))
            }
            steps.append(step)
        }
        history.steps = steps
    }

    private mutating func types(in world: World) -> [String: ModelType] {
        let type: ModelType = pick([.integer, .integer, .real, .boolean, .text], .integer)
        var types = [World.Field.figure.rawValue: type]
        if world.fields.contains(.weight), chance(2) { types["weight"] = chance(2) ? .text : .real }
        return types
    }

    /// Makes most values of most records placeholders, of which no two neighbors are alike, before a read that nothing disturbs, and
    /// single ones lists or objects before others.
    private mutating func burst(in history: inout History) {
        let reads = history.steps.indices.dropFirst().filter { history.steps[$0] == .quietRead }
        let chosen = pick(reads, 0)
        let first = number(0...5)
        let placeholders = Self.words + [.array([]), hasObjects ? Self.emptyObject : .string("none")]
        func change(at place: Int, to figure: Content) -> History.Step {
            .change(.merge(at: place, [.init(figure: figure)]))
        }
        for read in reads.reversed() {
            var changes: [History.Step] = []
            if read == chosen {
                for place in 0..<12 where !chance(5) {
                    changes.append(change(at: place, to: placeholders[(place + first) % placeholders.count]))
                }
            } else if chance(2) {
                changes = [change(at: number(0...11), to: emptyFigure())]
            }
            history.steps.insert(contentsOf: changes, at: read)
        }
    }

    private mutating func withFigure(_ change: Change) -> Change {
        switch change {
        case .insert(var record, let place):
            record.members.append(.init(figure: figure()))
            return .insert(record, at: place)
        case .replace(let place, var record):
            record.members.append(.init(figure: figure()))
            return .replace(at: place, record)
        case .update(let place, let members): return .update(at: place, members + [.init(figure: figure())])
        default: return change
        }
    }

    private mutating func figure() -> Content {
        switch number(0...7) {
        case 0: return emptyFigure()
        case 1: return pick(Self.words, .null)
        case 2: return pick(Self.texts, .null)
        case 3 where isSettled: return pick(Self.others + Self.numbers, .null)
        default: return usualFigure()
        }
    }

    private mutating func emptyFigure() -> Content { hasObjects && chance(2) ? Self.emptyObject : .array([]) }

    private mutating func usualFigure() -> Content {
        switch usual {
        case .boolean: .bool(chance(2))
        case .real: pick(Self.numbers, .null)
        default: .number("\(number(2...9))")
        }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    /// One of so many times.
    private mutating func chance(_ times: Int) -> Bool { number(1...times) == 1 }
    private mutating func pick<Value>(_ values: [Value], _ fallback: Value) -> Value {
        values.randomElement(using: &random) ?? fallback
    }
}

extension Content.Member {
    fileprivate init(figure: Content) { self.init(name: World.Field.figure.rawValue, value: figure) }
}
