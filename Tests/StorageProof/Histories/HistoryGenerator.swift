import TestSupport

/// Makes a history of a seed.
struct HistoryGenerator {
    private var random: SplitMix64
    private var world = World()
    /// The types that the values of a field go through.
    private var ladder: [Scalar] = []
    /// The position in `ladder` that the values have reached.
    private var level = 0
    /// The greatest key so far.
    private var lastNumber = 0

    private enum Scalar: CaseIterable { case bool, integer, real, text, huge }

    private static let words = ["tapir", "okapi", "quoll", "numbat", "kakapo", "axolotl"]
    /// Placeholders, spellings of numbers, and a text that is neither.
    private static let oddTexts = ["n/a", "", "unknown", "4", "2.50", "-7", "007"]
    private static let reals = ["1.5", "0.25", "-2.5", "3.0", "1.50", "12.125"]

    static func history(of seed: UInt64, isMirror: Bool = false) -> History {
        var generator = HistoryGenerator(
            random: SplitMix64(seed: seed &* 0x2545_f491_4f6c_dd1d &+ (isMirror ? 7 : 1)))
        generator.world.isMirror = isMirror
        var history = generator.make()
        history.isPublished = !seed.isMultiple(of: 2)
        history.isCopied = (seed / 2).isMultiple(of: 2)
        return isMirror ? history : OddFigures.added(to: history, of: seed)
    }

    private mutating func make() -> History {
        let isMirror = world.isMirror
        world = makeWorld()
        let beginning = world
        let ladders: [[Scalar]] = [
            [.integer, .real, .text], [.integer, .real, .text], [.integer, .real, .text], [.bool, .integer, .text],
            [.bool, .integer, .text], [.bool, .text], [.integer, .text], [.integer], [.integer, .huge, .real],
            [.bool, .integer, .real, .text],
        ]
        ladder = pick(ladders, [.integer])
        level = chance(3) ? 0 : 1
        let zoos = world.hasParent ? (1...number(1...4)).map { ListRow(id: $0, name: word(), isOpen: !chance(4)) } : []
        let gates =
            !world.gates.isEmpty ? (1...number(1...4)).map { ListRow(id: $0, name: gate(), isOpen: !chance(5)) } : []
        let count = world.stopsAtKnown ? 4...9 : isMirror ? 0...7 : 1...12
        let records = (0..<number(count)).map { _ in record() }
        var steps: [History.Step] = chance(4) ? [] : [.quietRead]
        for _ in 0..<number(isMirror ? 3...7 : 2...5) {
            if !chance(3) { level += 1 }
            for _ in 0..<number(isMirror ? 0...3 : 1...4) { steps.append(.change(change())) }
            if chance(5) { steps.append(setting()) }
            while chance(isMirror ? 2 : 3) {
                steps.append(.read(disturbance()))
                if chance(3) { steps.append(.change(change())) }
            }
            if chance(6) { steps.append(.reopen) }
            if isMirror, chance(5) { steps.append(.wait(number(1...8))) }
            if !chance(4) { steps.append(.quietRead) }
        }
        // The last look at a mirror is at everything.
        return History(
            world: beginning, zoos: zoos, gates: gates, records: records,
            steps: steps + (isMirror ? [.quietRead, .refresh] : [.quietRead]))
    }

    // MARK: - Worlds

    private mutating func makeWorld() -> World {
        var world = World()
        world.sendsETags = chance(2)
        world.keepsHistory = chance(3)
        world.isSearched = chance(3)
        world.attempts = chance(4) ? 2 : 1
        if self.world.isMirror {
            world.isMirror = true
            return makeMirror(world)
        }
        world.keyKind = pick([.integer, .integer, .text, .composite, .composite, .mixed, .drifting, .none], .integer)
        world.isKeyInferred = world.keyNames == ["id"] && chance(3)
        world.paging = pick(World.Paging.allCases, .jsonLink)
        world.pageSize = number(1...5)
        world.repeats = world.hasNoNumbers && chance(6)
        world.flattenDepth = number(0...2)
        world.fields = World.Field.ofDrift.filter { $0 != .photo && $0 != .figure && !chance(3) }
        if chance(6) { world.fields.append(.photo) }
        chooseWriting(&world)
        world.hasParent = chance(6)
        world.isZooInKey = world.hasParent
        if !world.hasParent, chance(5) {
            world.columns = pick(World.Contract.ofColumns, .evolve)
            world.types = pick(World.Contract.allCases, .setAside)
        }
        world.childTables = world.mayHaveChildTables && !chance(3)
        return world
    }

    private mutating func makeMirror(_ usual: World) -> World {
        var world = usual
        if chance(2) {
            world.gates = gateNames()
            world.isGateInKey = chance(2)
            world.queriesGates = chance(2)
        }
        world.hasParent = !chance(3)
        if world.hasParent {
            world.isZooInKey = chance(2)
            world.includesName = chance(3)
            world.followsChanges = !chance(3)
            world.choosesOpen = chance(3)
            if world.followsChanges, chance(3) { world.parentPeriod = number(2...9) }
            world.parentMissing = pick([.hard, .hard, .soft, .ignore], .hard)
            world.ignoresGone = world.parentMissing == .ignore || chance(3)
        }
        world.isIncremental = chance(3)
        if world.isIncremental {
            if chance(2) { world.period = number(2...9) }
            world.stopsAtKnown = chance(2)
        }
        world.hasTombstones = chance(world.isIncremental ? 2 : 4)
        world.missing = pick([.ignore, .soft, .hard, .hard], .hard)
        if chance(6) { world.maxDeleteRatio = 0.5 }
        world.filters = chance(4)
        world.treatment = pick(World.Treatment.allCases, .plain)
        if chance(2) { world.added = additions() }
        world.fields = World.Field.ofMirrors
        if chance(8), world.treatment != .keep { world.fields.append(.photo) }
        world.paging = pick(World.Paging.ofMirrors, .single)
        if world.stopsAtKnown, world.paging == .single, !chance(4) { world.paging = .jsonLink }
        world.pageSize = number(1...3)
        return world.isValid ? world : makeMirror(usual)
    }

    private mutating func chooseWriting(_ world: inout World) {
        if world.isKeyed {
            world.writing = pick([.merge, .merge, .merge, .merge, .insertOnly, .replace], .merge)
        } else {
            world.writing = pick([.append, .replace, .dedupe], .append)
        }
        switch world.writing {
        case .append, .replace: break
        case .merge, .insertOnly, .dedupe: world.missing = pick([.ignore, .soft, .hard, .hard], .hard)
        }
        if world.missing != .ignore, chance(3) { world.maxDeleteRatio = 0.5 }
        world.isIncremental = world.isKeyed && world.writing == .merge && chance(6)
        if world.isIncremental { world.missing = .ignore }
    }

    // MARK: - Records

    private mutating func record() -> ModelRecord {
        ModelRecord(key: key(), members: members(), zoo: number(0...9), gates: number(1...7))
    }

    /// Makes a key; composite keys have small numbers, so that many are similar.
    private mutating func key() -> [Content] {
        lastNumber += 1
        let number = chance(4) ? number(1...lastNumber) : lastNumber
        switch world.keyKind {
        case .integer, .none: return [.number("\(number)")]
        case .text: return [.string("k\(number)")]
        case .composite: return [.number("\(self.number(1...5))"), .number("\(self.number(1...5))")]
        case .mixed:
            return [
                chance(2) ? .number("\(self.number(1...4))") : .string("\(self.number(1...4))"),
                .string(pick(["a", "b", "c"], "a")),
            ]
        case .drifting:
            if level == 0 || chance(2) { return [.number("\(number)")] }
            return [.string(chance(2) ? "\(number)" : "k\(number)")]
        }
    }

    private mutating func members() -> [Content.Member] {
        if world.isMirror {
            let state = world.filters && chance(4) ? "hidden" : "shown"
            return World.secrets(number(1...999)) + [
                .init(name: "name", value: .string(word())), .init(name: "state", value: .string(state)),
                .init(name: "gone", value: .bool(false)),
            ]
        }
        var members: [Content.Member] = []
        for field in world.fields where !chance(8) {
            if field == .rare {
                guard chance(5) else { continue }
                members.append(.init(name: "rare\(number(1...3))", value: scalar()))
            } else {
                members.append(.init(name: field.rawValue, value: chance(10) ? .null : value(of: field)))
            }
        }
        return members
    }

    private mutating func value(of field: World.Field) -> Content {
        switch field {
        case .name: .string("\(word()) \(word())")
        case .drift, .rare: scalar()
        case .weight: weight()
        case .home: home()
        case .tags: .array((0..<number(0...2)).map { _ in chance(2) ? .string(word()) : .number("\(number(0...9))") })
        case .visits: .array((0..<number(0...3)).map { _ in visit() })
        case .photo: .string("/files/\(number(0...3))")
        case .figure, .state, .secret, .mail, .gone: .null
        }
    }

    /// An empty one is as good as any while nobody has seen another.
    private mutating func visit() -> Content {
        var members: [Content.Member] = [.init(name: "at", value: .number("\(number(1...9))"))]
        if chance(2) { members.append(.init(name: "what", value: scalar())) }
        return .object(members)
    }

    /// Makes a weight, which may be the text "heavy" at a high level.
    private mutating func weight() -> Content {
        if level > 1, chance(5) { return .string("heavy") }
        return .number(chance(2) ? "\(number(0...9))" : pick(Self.reals, "1.5"))
    }

    private mutating func home() -> Content {
        if chance(6) { return scalar() }
        var members: [Content.Member] = [.init(name: "land", value: .string(word()))]
        if chance(2) {
            members.append(
                .init(
                    name: "size", value: .object(["h": .number("\(number(1...9))"), "w": .number("\(number(1...9))")])))
        }
        return .object(members)
    }

    /// Makes a scalar, mostly of the original type, and sometimes of one that came later.
    private mutating func scalar() -> Content {
        let highest = min(level, ladder.count - 1)
        let scalar = chance(3) && highest >= 0 ? ladder[number(0...highest)] : ladder[0]
        switch scalar {
        case .bool: return .bool(chance(2))
        case .integer: return .number("\(number(-3...9))")
        case .real: return .number(pick(Self.reals, "1.5"))
        case .text: return chance(6) ? .array([]) : .string(chance(2) ? word() : pick(Self.oddTexts, "007"))
        case .huge: return .number("9007199254740993")
        }
    }

    // MARK: - What happens

    private mutating func change() -> Change {
        let place = number(0...20)
        if world.isMirror { return mirrorChange(at: place) }
        // Keys of several small numbers are much alike.
        if world.keyNames.count > 1, chance(2) {
            let distance = chance(2) ? 1 : -1
            return .nudge(at: place, by: [distance, chance(3) ? distance : -distance])
        }
        switch number(0...15) {
        case 0..<2: return .insert(record(), at: place)
        case 2..<4: return .remove(at: place)
        case 4..<9: return .update(at: place, members())
        case 9..<11: return .replace(at: place, record())
        case 11..<13: return .rekey(at: place, key())
        case 13: return .move(at: place, to: number(0...20))
        case 14: return .redraw(file: number(0...3))
        default: return chance(3) ? .reverse : .insert(record(), at: 0)
        }
    }

    private mutating func mirrorChange(at place: Int) -> Change {
        func set(_ name: String, _ value: Content) -> Change { .merge(at: place, [.init(name: name, value: value)]) }
        if world.hasParent, chance(3) { return .list(.zoos, listChange(at: place, name: word())) }
        if !world.gates.isEmpty, chance(world.queriesGates ? 4 : 12) {
            return .list(.gates, listChange(at: place, name: gate()))
        }
        switch number(0...15) {
        case 0..<3: return .insert(record(), at: place)
        case 3: return .remove(at: place)
        case 4..<6: return set("name", .string(word()))
        case 6..<8: return .merge(at: place, World.secrets(number(1...999)))
        case 8..<11 where world.hasParent: return .moveTo(at: place, zoo: number(0...9))
        case 8..<13 where !world.gates.isEmpty: return .regate(at: place, number(1...7))
        case 13 where world.filters: return set("state", .string(chance(2) ? "hidden" : "shown"))
        case 14 where world.hasTombstones: return set("gone", .bool(!chance(3)))
        case 15: return chance(3) ? .breakKey(at: place) : .reverse
        default: return .remove(at: place)
        }
    }

    private mutating func listChange(at place: Int, name: String?) -> ListRow.Change {
        switch number(0...7) {
        case 0: .comes(ListRow(id: number(1...6), name: name, isOpen: !chance(3)))
        case 1: .goes(at: place)
        case 2..<5: .renamed(at: place, name)
        default: .opensOrCloses(at: place)
        }
    }

    private mutating func disturbance() -> Disturbance {
        var disturbance = Disturbance()
        let last = 8
        switch number(0...14) {
        case 0..<4: for _ in 0..<number(1...2) { disturbance.faults[number(1...last)] = fault() }
        case 4..<7: for _ in 0..<number(1...3) { disturbance.changes[number(1...last), default: []].append(change()) }
        case 7: disturbance.maximumPages = number(1...3)
        case 8..<(world.isMirror ? 11 : 9):
            disturbance.kill = .init(request: number(1...6), microseconds: chance(2) ? 0 : number(0...20_000))
        case 11:
            disturbance.restarts = true
            if chance(2) { disturbance.faults[number(2...last)] = fault() }
        case 12: disturbance.stop = number(1...3)
        case 13: disturbance.faults[1] = fault()
        default:
            disturbance.faults[number(2...last)] = .refused
            disturbance.changes[number(1...last), default: []].append(change())
        }
        return disturbance
    }

    private mutating func fault() -> Disturbance.Fault {
        pick(Disturbance.Fault.allCases.filter { world.isMirror || $0 != .gone }, .refused)
    }

    /// Configures the stream otherwise, where the world has a place for it.
    private mutating func setting() -> History.Step {
        let before = world
        if world.isMirror { configureMirror() } else { configure() }
        if !world.isValid { world = before }
        return .configure(world)
    }

    private mutating func configure() {
        let hasOpenTables = !world.childTables && !world.hasParent
        switch number(0...9) {
        case 0: if ![.append, .replace].contains(world.writing), !world.isIncremental { chooseMissing() }
        case 1..<3: world.keepsHistory = chance(2)
        case 3: world.isSearched = chance(2)
        // What became of tables that become arrays is told nowhere.
        case 4..<6: world.childTables = world.childTables || world.mayHaveChildTables
        case 6: if hasOpenTables { world.columns = pick(World.Contract.ofColumns, .evolve) }
        case 7: if hasOpenTables { world.types = pick(World.Contract.allCases, .setAside) }
        case 8: (world.flattenDepth, world.pageSize) = (number(0...2), number(1...5))
        default: if world.writing != .replace { world.maxDeleteRatio = chance(2) ? 0.5 : 1 }
        }
    }

    private mutating func configureMirror() {
        switch number(0...11) {
        case 0..<3: if !world.gates.isEmpty { world.gates = gateNames() }
        case 3: world.choosesOpen = chance(2)
        case 4:
            world.followsChanges = chance(2)
            if !world.followsChanges { world.parentPeriod = 0 }
        case 5: if !world.isSearched { world.treatment = pick(World.Treatment.allCases, .plain) }
        case 6: world.filters = chance(2)
        case 7: chooseMissing()
        case 8..<10: world.added = additions()
        case 10 where chance(2): world.keepsHistory = chance(2)
        case 10:
            if world.followsChanges { world.parentPeriod = number(2...9) }
            if world.isIncremental { world.period = number(2...9) }
        default: world.queriesGates = chance(2)
        }
    }

    /// The marks of `soft` have no meaning under another value.
    private mutating func chooseMissing() { if world.missing != .soft { world.missing = chance(2) ? .hard : .ignore } }

    private mutating func additions() -> [String: String] {
        var added: [String: String] = [:]
        for (name, texts) in World.additions.sorted(by: { $0.key < $1.key }) where chance(2) {
            added[name] = pick(texts, "Ada")
        }
        return added
    }

    private mutating func gateNames() -> [String] {
        Array(World.gateNames.shuffled(using: &random).prefix(number(1...3)))
    }

    // MARK: - Chance

    private mutating func gate() -> String? { pick(World.gateNames + ["", nil], nil) }
    private mutating func word() -> String { pick(Self.words, "tapir") }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    /// One of so many times.
    private mutating func chance(_ times: Int) -> Bool { number(1...times) == 1 }
    private mutating func pick<Value>(_ values: [Value], _ fallback: Value) -> Value {
        values.randomElement(using: &random) ?? fallback
    }
}
