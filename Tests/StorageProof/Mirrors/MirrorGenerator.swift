import TestSupport

/// Makes a history of a mirror of a seed.
struct MirrorGenerator {
    private var random: SplitMix64
    private var world = MirrorWorld()
    private var lastID = 0

    private static let words = ["tapir", "okapi", "quoll", "numbat", "kakapo"]

    static func history(of seed: UInt64) -> MirrorHistory {
        var generator = MirrorGenerator(random: SplitMix64(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 7))
        return generator.make()
    }

    private init(random: SplitMix64) { self.random = random }

    private mutating func make() -> MirrorHistory {
        repeat { world = makeWorld() } while !world.isValid
        let zoos =
            world.hasParent ? (1...number(1...4)).map { MirrorZoo(id: $0, name: word(), isClosed: chance(4)) } : []
        let gates =
            !world.gates.isEmpty ? (1...number(1...4)).map { MirrorGate(id: $0, name: gate(), isOpen: !chance(5)) } : []
        let records = (0..<number(world.stopsAtKnown ? 4...9 : 0...7)).map { _ in record() }
        var steps: [MirrorHistory.Step] = chance(4) ? [] : [.quietRead]
        for _ in 0..<number(3...7) {
            for _ in 0..<number(0...3) { steps.append(.change(change())) }
            if chance(5) { steps.append(.configure(setting())) }
            while chance(2) {
                steps.append(.read(disturbance()))
                if chance(2) { steps.append(.change(change())) }
            }
            if chance(6) { steps.append(.reopen) }
            if chance(5) { steps.append(.wait(number(1...8))) }
            if !chance(4) { steps.append(.quietRead) }
        }
        // The last look is at everything.
        return MirrorHistory(
            world: world, zoos: zoos, gates: gates, records: records, steps: steps + [.quietRead, .refresh])
    }

    private mutating func makeWorld() -> MirrorWorld {
        var world = MirrorWorld()
        if chance(2) {
            world.gates = Array(MirrorRecord.gateNames.shuffled(using: &random).prefix(number(1...3)))
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
        world.fields = pick(MirrorWorld.Fields.allCases, .plain)
        if chance(2) { world.added = additions() }
        world.keepsHistory = chance(4)
        world.isSearched = chance(5)
        world.hasFiles = chance(8) && world.fields != .keep
        world.sendsETags = chance(2)
        world.paging = pick(MirrorWorld.Paging.allCases, .single)
        if world.stopsAtKnown, world.paging == .single, !chance(4) { world.paging = .jsonLink }
        world.pageSize = number(1...3)
        world.attempts = chance(4) ? 2 : 1
        return world
    }

    private mutating func record() -> MirrorRecord {
        lastID += 1
        return MirrorRecord(
            id: chance(4) ? number(1...lastID) : lastID, zoo: number(0...9), gates: number(1...7), name: word(),
            isHidden: world.filters && chance(4), secret: number(1...999), photo: number(0...2))
    }

    private mutating func change() -> MirrorChange {
        let place = number(0...20)
        if world.hasParent, chance(3) {
            switch number(0...7) {
            case 0: return .zooComes(MirrorZoo(id: number(1...6), name: word(), isClosed: chance(3)))
            case 1: return .zooGoes(at: place)
            case 2..<5: return .zooRenamed(at: place, word())
            default: return .zooOpensOrCloses(at: place)
            }
        }
        if !world.gates.isEmpty, chance(world.queriesGates ? 4 : 12) {
            switch number(0...6) {
            case 0: return .gateComes(MirrorGate(id: number(1...6), name: gate(), isOpen: !chance(4)))
            case 1: return .gateGoes(at: place)
            case 2..<4: return .gateRenamed(at: place, gate())
            default: return .gateOpensOrCloses(at: place)
            }
        }
        switch number(0...15) {
        case 0..<3: return .insert(record())
        case 3: return .remove(at: place)
        case 4..<6: return .rename(at: place, word())
        case 6..<8: return .renew(at: place, number(1...999))
        case 8..<11 where world.hasParent: return .moveTo(at: place, zoo: number(0...9))
        case 8..<13 where !world.gates.isEmpty: return .regate(at: place, number(1...7))
        case 13 where world.filters: return .hide(at: place)
        case 14 where world.hasTombstones: return .bury(at: place)
        case 15: return chance(3) ? .breakKey(at: place) : .reverse
        default: return .remove(at: place)
        }
    }

    private mutating func disturbance() -> MirrorDisturbance {
        var disturbance = MirrorDisturbance()
        let last = 8
        switch number(0...12) {
        case 0..<4:
            for _ in 0..<number(1...2) {
                disturbance.faults[number(2...last)] = pick(MirrorDisturbance.Fault.allCases, .gone)
            }
        case 4: disturbance.faults[1] = pick(MirrorDisturbance.Fault.allCases, .refused)
        case 5..<7:
            for _ in 0..<number(1...2) { disturbance.changes[number(1...last), default: []].append(change()) }
        case 7: disturbance.maximumPages = number(1...3)
        case 8..<11:
            disturbance.kill = .init(request: number(1...6), microseconds: chance(2) ? 0 : number(0...20_000))
        case 11: disturbance.stop = number(1...3)
        default:
            disturbance.restarts = true
            if chance(2) { disturbance.faults[number(2...last)] = pick(MirrorDisturbance.Fault.allCases, .gone) }
        }
        return disturbance
    }

    private mutating func setting() -> MirrorHistory.Setting {
        switch number(0...11) {
        case 11: .queriesGates(chance(2))
        case 0..<3:
            .gates(Array(MirrorRecord.gateNames.shuffled(using: &random).prefix(number(1...3))))
        case 3: .choosesOpen(chance(2))
        case 4: .followsChanges(chance(2))
        case 5: .fields(pick(MirrorWorld.Fields.allCases, .plain))
        case 6: .filters(chance(2))
        case 7: .hardDeletion(chance(2))
        case 8..<10: .added(additions())
        default: chance(2) ? .periods(number(2...9)) : .history(chance(2))
        }
    }

    private mutating func additions() -> [String: String] {
        var added: [String: String] = [:]
        for (name, texts) in MirrorWorld.additions.sorted(by: { $0.key < $1.key }) where chance(2) {
            added[name] = pick(texts, "Ada")
        }
        return added
    }

    private mutating func gate() -> String? { pick(MirrorGate.names, nil) }
    private mutating func word() -> String { pick(Self.words, "tapir") }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    /// One of so many times.
    private mutating func chance(_ times: Int) -> Bool { number(1...times) == 1 }
    private mutating func pick<Value>(_ values: [Value], _ fallback: Value) -> Value {
        values.randomElement(using: &random) ?? fallback
    }
}
