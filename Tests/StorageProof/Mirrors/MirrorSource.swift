import GarnerDatabase

/// A record of a mirrored source.
struct MirrorRecord: Hashable, Codable, Sendable {
    var id: Int
    /// The record of the parent that it belongs to.
    var zoo = 1
    /// The partitions under which it comes, as a set of bits; one at least.
    var gates = 1
    var name = "tapir"
    var isHidden = false
    /// True if the source says that it is deleted.
    var isGone = false
    /// The number that its secrets have in them.
    var secret = 0
    var photo = 0
    /// True if it comes without its key.
    var isBroken = false
    var changedAt = ""

    static let gateNames = ["north", "south", "west"]

    func comes(under gate: String?) -> Bool {
        gate.map { name in Self.gateNames.firstIndex(of: name).map { gates & (1 << $0) != 0 } ?? false } ?? true
    }

    /// All that a source sends of it. Without a cursor, a record that changes back is again what it was.
    func sent(in world: MirrorWorld) -> Content {
        let changedAt = world.isIncremental ? changedAt : "some day"
        return .object([
            "id": isBroken ? .null : .number("\(id)"), "name": .string(name),
            "state": .string(isHidden ? "hidden" : "shown"), "secret": .string("\(Self.hush)\(secret)"),
            "home": .object(["city": .string("city \(secret % 3)"), "phone": .string("\(Self.hush)phone-\(secret)")]),
            "mail": .string(mail), "gone": .bool(isGone), "changed_at": .string(changedAt),
            "photo": .string("/files/\(photo)"),
        ])
    }

    /// The words that no byte of a database may have where the fields are left out or hashed.
    static let hush = "hush-hush-"
    static let mailHost = "@canary.example"
    var mail: String { "m\(secret)\(Self.mailHost)" }

    /// The columns that its row has by the rules for fields, as docs/configuration.md describes them.
    func row(in world: MirrorWorld) -> Row {
        var row: Row = [
            "id": .integer(Int64(id)), world.name: .text(name), "state": .text(isHidden ? "hidden" : "shown"),
            "home__city": .text("city \(secret % 3)"), "gone": .integer(isGone ? 1 : 0),
            "changed_at": .text(world.isIncremental ? changedAt : "some day"), "photo": .text("/files/\(photo)"),
        ]
        if !world.hidesSecrets {
            row["secret"] = .text("\(Self.hush)\(secret)")
            row["home__phone"] = .text("\(Self.hush)phone-\(secret)")
        }
        switch world.fields {
        case .keep: break
        case .hash, .dropAndHash: row["mail"] = .text(ModelHash.hmac(of: mail, key: MirrorWorld.hashKey))
        case .plain, .drop, .rename: row["mail"] = .text(mail)
        }
        return row
    }
}

/// A record of the parent.
struct MirrorZoo: Hashable, Codable, Sendable {
    var id: Int
    var name = "zoo"
    var isClosed = false

    var sent: Content {
        .object([
            "id": .number("\(id)"), "name": .string(name), "state": .string(isClosed ? "closed" : "open"),
        ])
    }
}

/// A row of the list that names the partitions.
struct MirrorGate: Hashable, Codable, Sendable {
    var id: Int
    /// None for null.
    var name: String?
    var isOpen = true

    static let names: [String?] = MirrorRecord.gateNames + ["", nil]

    var sent: Content {
        .object([
            "id": .number("\(id)"), "name": name.map { .string($0) } ?? .null, "is_open": .bool(isOpen),
        ])
    }
}

/// A change of a mirrored source. Places count modulo the number of records, so that a shortened history is still valid.
enum MirrorChange: Hashable, Codable, Sendable {
    case insert(MirrorRecord)
    case remove(at: Int)
    case rename(at: Int, String)
    /// It gets another secret and another file.
    case renew(at: Int, Int)
    case hide(at: Int)
    /// The source says that it is deleted, or that it is there again.
    case bury(at: Int)
    /// It moves to another record of the parent.
    case moveTo(at: Int, zoo: Int)
    /// It comes under other partitions.
    case regate(at: Int, Int)
    case breakKey(at: Int)
    case reverse
    case zooComes(MirrorZoo)
    case zooGoes(at: Int)
    case zooRenamed(at: Int, String)
    case zooOpensOrCloses(at: Int)
    case gateComes(MirrorGate)
    case gateGoes(at: Int)
    case gateRenamed(at: Int, String?)
    case gateOpensOrCloses(at: Int)

    /// True if lists become shorter or longer, or are ordered otherwise.
    var shifts: Bool {
        switch self {
        case .rename, .renew: false
        default: true
        }
    }
}

/// The records of a mirrored source, now and in the past.
struct MirrorSource: Sendable {
    /// A page of ten records may be one of many, as docs/completeness.md says, so that its read would not be complete.
    private static let maximum = 9

    private(set) var records: [MirrorRecord] = []
    private(set) var zoos: [MirrorZoo] = []
    private(set) var gates: [MirrorGate] = []
    /// All that a record has ever been.
    private(set) var past: [Int: Set<MirrorRecord>] = [:]
    private(set) var pastZoos: Set<MirrorZoo> = []

    init(_ records: [MirrorRecord], _ zoos: [MirrorZoo], _ gates: [MirrorGate] = [], at instant: String) {
        for gate in gates { apply(.gateComes(gate), at: instant) }
        for zoo in zoos { apply(.zooComes(zoo), at: instant) }
        for record in records { apply(.insert(record), at: instant) }
    }

    mutating func apply(_ change: MirrorChange, at instant: String) {
        switch change {
        case .insert(var record):
            guard records.count < Self.maximum, !records.contains(where: { $0.id == record.id }) else { return }
            record.changedAt = instant
            if !zoos.isEmpty { record.zoo = zoos[record.zoo % zoos.count].id }
            records.insert(record, at: record.secret % (records.count + 1))
            past[record.id, default: []].insert(record)
        case .remove(let place): if !records.isEmpty { records.remove(at: place % records.count) }
        case .rename(let place, let name): edit(place, instant) { $0.name = name }
        case .renew(let place, let secret): edit(place, instant) { ($0.secret, $0.photo) = (secret, secret % 3) }
        case .hide(let place): edit(place, instant) { $0.isHidden.toggle() }
        case .bury(let place): edit(place, instant) { $0.isGone.toggle() }
        case .moveTo(let place, let zoo):
            guard !zoos.isEmpty else { return }
            let target = zoos[zoo % zoos.count].id
            edit(place, instant) { $0.zoo = target }
        case .regate(let place, let gates): edit(place, instant) { $0.gates = gates }
        case .breakKey(let place): edit(place, instant) { $0.isBroken.toggle() }
        case .reverse: records.reverse()
        case .zooComes(let zoo):
            guard !zoos.contains(where: { $0.id == zoo.id }) else { return }
            zoos.append(zoo)
            pastZoos.insert(zoo)
        case .zooGoes(let place): if !zoos.isEmpty { zoos.remove(at: place % zoos.count) }
        case .zooRenamed(let place, let name): editZoo(place) { $0.name = name }
        case .zooOpensOrCloses(let place): editZoo(place) { $0.isClosed.toggle() }
        case .gateComes(let gate): if !gates.contains(where: { $0.id == gate.id }) { gates.append(gate) }
        case .gateGoes(let place): if !gates.isEmpty { gates.remove(at: place % gates.count) }
        case .gateRenamed(let place, let name): if !gates.isEmpty { gates[place % gates.count].name = name }
        case .gateOpensOrCloses(let place): if !gates.isEmpty { gates[place % gates.count].isOpen.toggle() }
        }
    }

    private mutating func edit(_ place: Int, _ instant: String, _ body: (inout MirrorRecord) -> Void) {
        guard !records.isEmpty else { return }
        let place = place % records.count
        body(&records[place])
        records[place].changedAt = instant
        past[records[place].id, default: []].insert(records[place])
    }

    private mutating func editZoo(_ place: Int, _ body: (inout MirrorZoo) -> Void) {
        guard !zoos.isEmpty else { return }
        body(&zoos[place % zoos.count])
        pastZoos.insert(zoos[place % zoos.count])
    }
}
