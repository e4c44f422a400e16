/// A record of the model's source.
struct ModelRecord: Hashable, Codable, Sendable {
    /// The values of the members that identify it; for a source without keys, what nothing else has.
    var key: [Content]
    var members: [Content.Member]
    /// The instant of the last change, for a source that tells it.
    var changedAt: String?

    /// The key as texts, since 7 and "7" are the same key in a TEXT column.
    var id: RecordID { RecordID(parts: key.map { $0.spelling ?? "" }) }

    /// The record of the parent that it belongs to, from 1 on; it follows from the key.
    func zoo(in world: World) -> Int {
        id.parts.joined().utf8.reduce(0) { $0 + Int($1) } % max(world.zoos, 1) + 1
    }

    /// All that is stored of it.
    func content(in world: World) -> Content {
        guard world.zoos > 0, case .object(let members) = sent(in: world) else { return sent(in: world) }
        return .object([.init(name: World.zoo, value: .number("\(zoo(in: world))"))] + members)
    }

    /// All its members, as a source that is configured so sends them.
    func sent(in world: World) -> Content {
        var all = zip(world.keyNames, key).map { Content.Member(name: $0, value: $1) }
        all += members.filter { member in world.fields.contains { $0.owns(member.name) } }
        if world.isIncremental, let changedAt { all.append(.init(name: "changed_at", value: .string(changedAt))) }
        return .object(all)
    }
}

/// The key of a record or a row.
struct RecordID: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    var parts: [String]

    static func < (left: RecordID, right: RecordID) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }

    var description: String { parts.count == 1 ? parts[0] : "[\(parts.joined(separator: ", "))]" }
}

/// A change of a source. Places count modulo the number of records, so that a shortened history is still valid.
enum Change: Hashable, Codable, Sendable {
    case insert(ModelRecord, at: Int)
    case remove(at: Int)
    /// The record gets other members, and keeps its key.
    case update(at: Int, [Content.Member])
    /// Another record takes the place of the record.
    case replace(at: Int, ModelRecord)
    /// The record is the same under another key.
    case rekey(at: Int, [Content])
    /// Each part of its key moves so far: another of much the same look.
    case nudge(at: Int, by: [Int])
    case move(at: Int, to: Int)
    case reverse
    /// A file gets another content.
    case redraw(file: Int)

    /// True if records change their places, so that a reader may miss some of them.
    func shifts(in world: World) -> Bool {
        switch self {
        case .insert, .remove, .move, .reverse: true
        // Another key may belong to another record of the parent, with a list of its own.
        case .replace, .rekey, .nudge: world.zoos > 0
        case .update, .redraw: false
        }
    }
}

/// The records of a source, now and in the past.
struct SourceRecords: Sendable {
    private(set) var records: [ModelRecord] = []
    /// All that a record has ever been.
    private(set) var past: [RecordID: Set<ModelRecord>] = [:]
    /// The number of changes of each file.
    private(set) var editions: [Int: Int] = [:]
    /// The keys that have left the source since this set was last emptied.
    var disturbed: Set<RecordID> = []

    init(_ records: [ModelRecord], at instant: String) {
        for record in records { insert(record, at: self.records.count, instant) }
    }

    var ids: Set<RecordID> { Set(records.map(\.id)) }

    mutating func apply(_ change: Change, at instant: String) {
        if case .insert(let record, let place) = change {
            return insert(record, at: min(place, records.count), instant)
        }
        if case .redraw(let file) = change {
            editions[file, default: 0] += 1
            return
        }
        guard !records.isEmpty else { return }
        let count = records.count
        switch change {
        case .insert, .redraw: return
        case .remove(let place): disturbed.insert(records.remove(at: place % count).id)
        case .update(let place, let members): put(members: members, at: place % count, instant)
        case .replace(let place, let record): put(record, at: place % count, instant)
        case .rekey(let place, let key):
            var record = records[place % count]
            record.key = key
            put(record, at: place % count, instant)
        case .nudge(let place, let distances):
            var record = records[place % count]
            record.key = zip(record.key, distances).map { $0.moved(by: $1) }
            put(record, at: place % count, instant)
        case .move(let place, let target): records.insert(records.remove(at: place % count), at: target % count)
        case .reverse: records.reverse()
        }
    }

    private mutating func insert(_ record: ModelRecord, at place: Int, _ instant: String) {
        guard !ids.contains(record.id) else { return }
        var record = record
        record.changedAt = instant
        records.insert(record, at: place)
        note(record)
    }

    private mutating func put(members: [Content.Member], at place: Int, _ instant: String) {
        records[place].members = members
        records[place].changedAt = instant
        note(records[place])
    }

    private mutating func put(_ record: ModelRecord, at place: Int, _ instant: String) {
        let old = records[place].id
        guard record.id == old || !ids.contains(record.id) else { return }
        records[place] = record
        records[place].changedAt = instant
        if record.id != old { disturbed.insert(old) }
        note(records[place])
    }

    private mutating func note(_ record: ModelRecord) { past[record.id, default: []].insert(record) }
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
