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

    static func history(of seed: UInt64) -> History {
        var generator = HistoryGenerator(random: SplitMix64(seed: seed &* 0x2545_f491_4f6c_dd1d &+ 1))
        return generator.make()
    }

    private init(random: SplitMix64) { self.random = random }

    private mutating func make() -> History {
        world = makeWorld()
        let ladders: [[Scalar]] = [
            [.integer, .real, .text], [.integer, .real, .text], [.integer, .real, .text], [.bool, .integer, .text],
            [.bool, .integer, .text], [.bool, .text], [.integer, .text], [.integer], [.integer, .huge, .real],
            [.bool, .integer, .real, .text],
        ]
        ladder = pick(ladders, [.integer])
        level = chance(3) ? 0 : 1
        let records = (0..<number(1...12)).map { _ in record() }
        var steps: [History.Step] = chance(4) ? [] : [.quietRead]
        for _ in 0..<number(2...5) {
            if !chance(3) { level += 1 }
            for _ in 0..<number(1...4) { steps.append(.change(change())) }
            while chance(3) { steps.append(.read(disturbance())) }
            if chance(6) { steps.append(.reopen) }
            if chance(4) { steps.append(.configure(setting())) }
            if !chance(4) { steps.append(.quietRead) }
        }
        return History(world: world, records: records, steps: steps + [.quietRead])
    }

    // MARK: - Worlds

    private mutating func makeWorld() -> World {
        var world = World()
        world.keyKind = pick([.integer, .integer, .text, .composite, .composite, .mixed, .drifting, .none], .integer)
        world.isKeyInferred = world.keyNames == ["id"] && chance(3)
        world.paging = pick(World.Paging.allCases, .jsonLink)
        world.pageSize = number(1...5)
        world.repeats = world.mayRepeat && chance(6) && world.hasNoNumbers
        world.sendsETags = chance(2)
        world.keepsHistory = chance(3)
        world.isSearched = chance(3)
        world.flattenDepth = number(0...2)
        world.attempts = chance(4) ? 2 : 1
        world.fields = World.Field.allCases.filter { $0 != .photo && !chance(3) }
        if chance(6) { world.fields.append(.photo) }
        chooseWriting(&world)
        if chance(6) { world.zoos = number(1...3) }
        if world.zoos == 0, chance(5) {
            world.columns = pick(World.Contract.ofColumns, .evolve)
            world.types = pick(World.Contract.allCases, .setAside)
        }
        world.childTables =
            world.isKeyed && world.zoos == 0 && world.contractIsOpen && [.merge, .replace].contains(world.writing)
            && world.fields.contains(.visits) && !chance(3)
        return world
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

    private mutating func record() -> ModelRecord { ModelRecord(key: key(), members: members()) }

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
        case .text: return .string(chance(2) ? word() : pick(Self.oddTexts, "007"))
        case .huge: return .number("9007199254740993")
        }
    }

    // MARK: - What happens

    private mutating func change() -> Change {
        let place = number(0...20)
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

    private mutating func disturbance() -> Disturbance {
        var disturbance = Disturbance()
        let last = 8
        switch number(0...11) {
        case 0..<4: disturbance.faults[number(1...last)] = pick(Disturbance.Fault.allCases, .refused)
        case 4..<7: for _ in 0..<number(1...3) { disturbance.changes[number(1...last), default: []].append(change()) }
        case 7: disturbance.maximumPages = number(1...3)
        case 8:
            disturbance.kill = .init(request: number(1...4), microseconds: chance(2) ? 0 : number(0...20_000))
        case 9: disturbance.restarts = true
        case 10: disturbance.stop = number(1...3)
        default:
            disturbance.faults[number(2...last)] = .refused
            disturbance.changes[number(1...last), default: []].append(change())
        }
        return disturbance
    }

    private mutating func setting() -> History.Setting {
        switch number(0...9) {
        case 0: .missing(chance(2) ? .hard : .ignore)
        case 1..<3: .history(chance(2))
        case 3: .search(chance(2))
        case 4..<6: .childTables
        case 6:
            chance(2)
                ? .columns(pick(World.Contract.ofColumns, .evolve)) : .types(pick(World.Contract.allCases, .setAside))
        case 7: .flattenDepth(number(0...2))
        case 8: .pageSize(number(1...5))
        default: .maxDeleteRatio(chance(2) ? 0.5 : 1)
        }
    }

    // MARK: - Chance

    private mutating func word() -> String { pick(Self.words, "tapir") }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    /// One of so many times.
    private mutating func chance(_ times: Int) -> Bool { number(1...times) == 1 }
    private mutating func pick<Value>(_ values: [Value], _ fallback: Value) -> Value {
        values.randomElement(using: &random) ?? fallback
    }
}
