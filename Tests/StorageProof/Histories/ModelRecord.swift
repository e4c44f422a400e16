/// A record of the model's source.
struct ModelRecord: Hashable, Codable, Sendable {
    /// The values of the members that identify it; for a source without keys, what nothing else has.
    var key: [Content]
    var members: [Content.Member]
    /// The instant of the last change, for a source that tells it.
    var changedAt = ""
    /// The record of the parent that it belongs to.
    var zoo = 1
    /// The partitions under which it comes, as a set of bits; one at least.
    var gates = 1
    /// True if it comes without its key.
    var isBroken = false

    /// The key as texts, since 7 and "7" are the same key in a TEXT column.
    var id: RecordID { RecordID(parts: key.map { $0.spelling ?? "" }) }

    func comes(under gate: String?) -> Bool {
        gate.map { name in World.gateNames.firstIndex(of: name).map { gates & (1 << $0) != 0 } ?? false } ?? true
    }

    /// All that is stored of it, before its fields are treated.
    func content(in world: World) -> Content {
        guard world.hasParent, case .object(let members) = sent(in: world) else { return sent(in: world) }
        return .object([.init(name: World.zoo, value: .number("\(zoo)"))] + members)
    }

    /// All its members, as a source that is configured so sends them.
    func sent(in world: World) -> Content {
        var all = zip(world.keyNames, key).map { Content.Member(name: $0, value: isBroken ? .null : $1) }
        all += members.filter { member in world.fields.contains { $0.owns(member.name) } }
        if world.isIncremental { all.append(.init(name: "changed_at", value: .string(changedAt))) }
        return .object(all)
    }

    /// Its values by column, after its fields are treated.
    func leaves(in world: World) -> [String: Content] {
        Dictionary(world.treated(Storing.leaves(of: content(in: world), world.flattenDepth))) { $1 }
    }

    /// Gives it the values of some members.
    mutating func merge(_ some: [Content.Member]) {
        members = members.filter { own in !some.contains { $0.name == own.name } } + some
    }
}

/// The key of a record or a row.
struct RecordID: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    var parts: [String]

    static func < (left: RecordID, right: RecordID) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }

    var description: String { parts.count == 1 ? parts[0] : "[\(parts.joined(separator: ", "))]" }
}

/// The lists beside the records, by their paths and tables: the parent, and the rows that name the partitions.
enum SourceList: String, Codable, Sendable { case zoos, gates }

/// A record of the parent, or a row that names a partition.
struct ListRow: Hashable, Codable, Sendable {
    var id: Int
    /// None for null.
    var name: String?
    var isOpen = true

    var sent: Content {
        .object([
            "id": .number("\(id)"), "name": name.map { .string($0) } ?? .null, "is_open": .bool(isOpen),
            "state": .string(isOpen ? "open" : "closed"),
        ])
    }

    enum Change: Hashable, Codable, Sendable {
        case comes(ListRow)
        case goes(at: Int)
        case renamed(at: Int, String?)
        case opensOrCloses(at: Int)

        func apply(to rows: inout [ListRow]) {
            let count = rows.count
            switch self {
            case .comes(let row): if !rows.contains(where: { $0.id == row.id }) { rows.append(row) }
            case .goes(let place): if count > 0 { rows.remove(at: place % count) }
            case .renamed(let place, let name): if count > 0 { rows[place % count].name = name }
            case .opensOrCloses(let place): if count > 0 { rows[place % count].isOpen.toggle() }
            }
        }
    }
}

/// A change of a source. Places count modulo the number of records, so that a shortened history is still valid.
enum Change: Hashable, Codable, Sendable {
    case insert(ModelRecord, at: Int)
    case remove(at: Int)
    /// The record gets other members, and keeps its key.
    case update(at: Int, [Content.Member])
    /// Some of its members get other values.
    case merge(at: Int, [Content.Member])
    /// Another record takes the place of the record.
    case replace(at: Int, ModelRecord)
    /// The record is the same under another key.
    case rekey(at: Int, [Content])
    /// Each part of its key moves so far: another of much the same look.
    case nudge(at: Int, by: [Int])
    /// It comes with its key no more, or again.
    case breakKey(at: Int)
    /// It moves to another record of the parent.
    case moveTo(at: Int, zoo: Int)
    /// It comes under other partitions.
    case regate(at: Int, Int)
    case move(at: Int, to: Int)
    case reverse
    /// A file gets another content.
    case redraw(file: Int)
    case list(SourceList, ListRow.Change)

    /// True if records change their places, so that a reader may miss some of them.
    func shifts(in world: World) -> Bool {
        switch self {
        case .insert, .remove, .move, .reverse, .breakKey, .moveTo, .regate, .list: true
        // Another key may belong to another record of the parent, with a list of its own.
        case .replace, .rekey, .nudge: world.hasParent
        case .update, .merge, .redraw: false
        }
    }
}

/// The records of a source, now and in the past.
struct SourceRecords: Sendable {
    private(set) var records: [ModelRecord] = []
    private(set) var lists: [SourceList: [ListRow]] = [:]
    /// All that a record has ever been.
    private(set) var past: [RecordID: Set<ModelRecord>] = [:]
    private(set) var pastZoos: Set<ListRow> = []
    /// The number of changes of each file.
    private(set) var editions: [Int: Int] = [:]
    /// The keys that have left the source since this set was last emptied.
    var disturbed: Set<RecordID> = []
    private let isMirror: Bool

    init(_ records: [ModelRecord], zoos: [ListRow] = [], gates: [ListRow] = [], isMirror: Bool, at instant: String) {
        self.isMirror = isMirror
        lists = [.zoos: zoos, .gates: gates]
        pastZoos = Set(zoos)
        for record in records { insert(record, at: self.records.count, instant) }
    }

    var ids: Set<RecordID> { Set(records.map(\.id)) }
    var zoos: [Int] { lists[.zoos]?.map(\.id) ?? [] }

    mutating func apply(_ change: Change, at instant: String) {
        let count = records.count
        switch change {
        case .insert(let record, let place): insert(record, at: place % (count + 1), instant)
        case .redraw(let file): editions[file, default: 0] += 1
        case .list(let list, let change):
            change.apply(to: &lists[list, default: []])
            pastZoos.formUnion(lists[.zoos] ?? [])
        // Nothing else happens to an empty list.
        case _ where count == 0: return
        case .remove(let place): disturbed.insert(records.remove(at: place % count).id)
        case .update(let place, let members): edit(place, instant) { $0.members = members }
        case .merge(let place, let members): edit(place, instant) { $0.merge(members) }
        case .replace(let place, let record): put(record, at: place % count, instant)
        case .rekey(let place, let key):
            var record = records[place % count]
            record.key = key
            put(record, at: place % count, instant)
        case .nudge(let place, let distances):
            var record = records[place % count]
            record.key = zip(record.key, distances).map { $0.moved(by: $1) }
            put(record, at: place % count, instant)
        case .breakKey(let place): edit(place, instant) { $0.isBroken.toggle() }
        case .moveTo(let place, let zoo):
            let zoos = zoos
            if !zoos.isEmpty { edit(place, instant) { $0.zoo = zoos[zoo % zoos.count] } }
        case .regate(let place, let gates): edit(place, instant) { $0.gates = gates }
        case .move(let place, let target): records.insert(records.remove(at: place % count), at: target % count)
        case .reverse: records.reverse()
        }
    }

    private mutating func insert(_ record: ModelRecord, at place: Int, _ instant: String) {
        // A page of ten records may be one of many, as docs/completeness.md says, so that its read would not be complete.
        guard !ids.contains(record.id), !isMirror || records.count < 9 else { return }
        records.insert(record, at: place)
        settle(at: place, instant)
    }

    private mutating func edit(_ place: Int, _ instant: String, _ body: (inout ModelRecord) -> Void) {
        let place = place % records.count
        body(&records[place])
        note(at: place, instant)
    }

    private mutating func put(_ record: ModelRecord, at place: Int, _ instant: String) {
        let old = records[place].id
        guard record.id == old || !ids.contains(record.id) else { return }
        records[place] = record
        if record.id != old { disturbed.insert(old) }
        settle(at: place, instant)
    }

    /// Gives a record that comes its parent's. Unless it may move, that follows from its key.
    private mutating func settle(at place: Int, _ instant: String) {
        if !zoos.isEmpty {
            let record = records[place]
            let number = isMirror ? record.zoo : record.id.parts.joined().utf8.reduce(0) { $0 + Int($1) }
            records[place].zoo = zoos[number % zoos.count]
        }
        note(at: place, instant)
    }

    private mutating func note(at place: Int, _ instant: String) {
        records[place].changedAt = instant
        past[records[place].id, default: []].insert(records[place])
    }
}

extension Content {
    /// The number, or the text's last character, so much further; digits stay digits, and letters letters.
    fileprivate func moved(by distance: Int) -> Content {
        switch self {
        case .number(let spelling): return .number("\(((Int(spelling) ?? 0) + distance + 10) % 10)")
        case .string(let text):
            let row = Array(text.last?.isNumber == true ? "0123456789" : "abcdefghijklmnopqrstuvwxyz")
            guard let last = text.last, let place = row.firstIndex(of: last) else { return self }
            return .string(String(text.dropLast()) + String(row[(place + distance + row.count) % row.count]))
        default: return self
        }
    }
}
