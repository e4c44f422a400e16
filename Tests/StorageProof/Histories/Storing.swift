import GarnerDatabase

/// A model of how records change a table's columns, one by one, as docs/configuration.md and decision 0003 describe.
///
/// The model does not depend on Garner's code. Where the documents leave room, it says that it is not sure.
struct Storing {
    /// The result of storing a record.
    enum Fate {
        /// The record's values by column.
        case stored([String: Content])
        case discarded
        case quarantined
    }

    let world: World
    /// The known types of columns; a column without one has held only NULL.
    private(set) var types: [String: ModelType]
    private(set) var columns: Set<String>
    /// Columns of whose types nothing can be said.
    private(set) var unsure: Set<String> = []
    /// True if stored values may be spelled differently from their source until they come again.
    private(set) var isRespelled = false
    /// True if a row keeps a spelling that it would not get any more. It goes when its page is read anew.
    private(set) var keepsSpelling = false
    private(set) var hasVisits: Bool
    private(set) var fates: [(record: ModelRecord, fate: Fate)] = []
    private var isNew: Bool
    /// The columns that hold an integer which no double does.
    private var huge: Set<String> = []
    /// The types of the rows of arrays.
    private(set) var visitTypes: [String: ModelType] = [:]
    /// The values of columns before the read, in a form that does not depend on types.
    private let old: [RecordID: [String: String]]

    init(_ world: World, into table: StoredTable?, visits: StoredTable?) {
        self.world = world
        isNew = table == nil
        hasVisits = visits != nil
        columns = Set(table?.types.keys.filter { !$0.hasPrefix("_garner_") } ?? [])
        types = [:]
        old = Dictionary((table?.rows ?? []).map { ($0.id(world.keyNames), $0.essence) }) { first, _ in first }
        for (name, type) in table?.types ?? [:] where columns.contains(name) {
            if let table, type == .text, table.isVoid(name) { unsure.insert(name) } else { types[name] = type }
        }
        for row in table?.rows ?? [] {
            // What was set aside is put back where nothing is to be any more.
            if world.types == .evolve, row[Row.rest] != nil {
                let setAside = row.whole.keys.filter { row[$0] == nil }
                unsure.formUnion(setAside)
                if setAside.isEmpty { keepsSpelling = true } else { isRespelled = true }
            }
            for (name, value) in row {
                if case .integer(let integer) = value, integer.magnitude > 1 << 53 { huge.insert(name) }
            }
        }
        for (name, type) in visits?.types ?? [:] {
            if let visits, type == .text, visits.isVoid(name) { continue }
            visitTypes[name] = type
        }
    }

    /// Allows for pages in any order, where a column with values of several types may have been narrower for a while.
    mutating func expectAnyOrder(of pages: [[ModelRecord]], from table: StoredTable?) {
        guard world.hasParent else { return }
        var kinds: [String: Set<ModelType>] = [:]
        for (name, value) in pages.joined().flatMap({ leaves(of: $0.content(in: world)) }) {
            if let type = ModelType(of: value) { kinds[name, default: []].insert(type) }
        }
        if kinds.contains(where: { $1.count > 1 && types[$0] != table?.types[$0] }) { isRespelled = true }
        guard world.types == .setAside else { return }
        for (name, kinds) in kinds where kinds.count > 1 { unsure.insert(name) }
    }

    mutating func store(_ page: [ModelRecord]) {
        guard !page.isEmpty else { return }
        if world.childTables, !hasVisits { makeVisits(for: page) }
        if fates.isEmpty { settleTypes() }
        if isNew { survey(page) }
        for record in page { fates.append((record, fate(of: record, on: page))) }
        if world.types == .setAside { widenColumnsOfWords(page) }
        isNew = false
    }

    // MARK: - Columns

    /// The page that makes a table gives it the columns and types that all its records need.
    private mutating func survey(_ page: [ModelRecord]) {
        var values: [String: [Content]] = [:]
        for (name, value) in page.flatMap({ leaves(of: $0) }) where !vanishes(value, in: name) {
            columns.insert(name)
            values[name, default: []].append(value)
            note(value, in: name)
        }
        for (name, values) in values { types[name] = type(of: values, in: name) }
        // Which value came first decides whether the column was REAL for a while.
        for name in huge where (types[name] ?? .text) >= .real {
            unsure.insert(name)
            isRespelled = true
        }
    }

    /// The type that the values of a page give a column; nil without values.
    private func type(of values: [Content], in name: String) -> ModelType? {
        func widest(_ values: [Content]) -> ModelType? {
            values.compactMap(ModelType.init).map { keyed(name, $0) }.reduce(nil) { $0?.widened(toHold: $1) ?? $1 }
        }
        guard world.types == .setAside, !isKey(name) else { return widest(values) }
        if let declared = world.declared[name] { return values.contains { $0 != .null } ? declared : nil }
        let placeholders = values.filter(\.isPlaceholder)
        let strong = values.filter { !$0.isPlaceholder && $0.spelledNumber == nil && $0 != .null }
        let fitting = values.count { !$0.isPlaceholder && $0 != .null }
        guard let type = widest(strong) else { return widest(values) }
        return type <= .real && placeholders.count <= fitting ? type : widest(values)
    }

    /// Columns get the types that are configured for them: narrower ones at once, and wider ones with a value that needs it at the latest.
    private mutating func settleTypes() {
        for (name, type) in world.declared {
            guard let own = types[name], own != type else { continue }
            if own < type || own == .json {
                unsure.insert(name)
            } else {
                types[name] = type
                isRespelled = true
            }
        }
    }

    /// True for an empty object that has no column, as its members would have them. In a column that others have made, it is one more
    /// value, unless the column is of numbers and sets nothing aside.
    private func vanishes(_ value: Content, in name: String) -> Bool {
        guard world.flattenDepth > 0, value.isEmptyObject else { return false }
        // Fields with such values have no nulls, so their columns have types.
        guard !isKey(name), let type = types[name] ?? (columns.contains(name) ? .text : nil) else { return true }
        return world.types != .setAside && type <= .real
    }

    /// What a column of this type holds of a value that does not fit it; nil if it becomes wider.
    func beside(_ value: Content, in name: String, _ type: ModelType) -> Content? {
        guard let most = world.declared[name] else { return value.beside(type) }
        guard type <= .real, most <= .real else { return nil }
        return ModelType(of: value).map { $0 > type && $0 <= most } == true ? nil : .null
    }

    func isKey(_ name: String) -> Bool { world.isKeyed && world.keyNames.contains(name) }

    /// A page of which more values of a column are placeholders than fit makes it text.
    private mutating func widenColumnsOfWords(_ page: [ModelRecord]) {
        let leaves = page.map { record in
            (record: record, values: Dictionary(self.leaves(of: record), uniquingKeysWith: { $1 }) as [String: Content])
        }
        for (name, type) in types where type <= .real && !isKey(name) && world.declared[name] == nil {
            let values = leaves.compactMap { $0.values[name] }.filter { $0 != .null }
            let placeholders = values.filter(\.isPlaceholder)
            guard 2 * placeholders.count > values.count else { continue }
            // A page is judged when a record of it is bound that brings such a value, which a closed contract may refuse. One word that
            // comes again waits for the table.
            let isBound = leaves.contains {
                $0.values[name]?.isPlaceholder == true && old[$0.record.id]?[name] != $0.values[name]?.essence
            }
            if isBound, world.columns.isOpen, Set(placeholders).count > 1 {
                types[name] = .text
                isRespelled = true
            } else {
                unsure.insert(name)
            }
        }
    }

    private mutating func fate(of record: ModelRecord, on page: [ModelRecord]) -> Fate {
        var values: [String: Content] = [:]
        for (name, value) in leaves(of: record) where !vanishes(value, in: name) {
            if !columns.contains(name) {
                // An object that is null at times has no column of its own.
                if value == .null, columns.contains(where: { $0.hasPrefix(name + "__") }) { continue }
                switch isNew ? .evolve : world.columns {
                case .evolve, .setAside: columns.insert(name)
                case .discardValue: continue
                case .discardRow: return .discarded
                case .quarantine: return .quarantined
                }
            }
            guard let type = ModelType(of: value) else { continue }
            if types[name] == nil {
                let values = page.flatMap { leaves(of: $0) }.filter { $0.0 == name }.map(\.1)
                types[name] = world.types == .setAside ? self.type(of: values, in: name) : keyed(name, type)
            }
            if let held = types[name], !held.holds(value) {
                switch isNew && world.types != .setAside ? .evolve : world.types {
                case .setAside where !isKey(name) && beside(value, in: name, held) != nil: break
                case .setAside:
                    let number = value.spelledNumber.flatMap(ModelType.init)
                    widen(name, to: world.declared[name] ?? number ?? type, value)
                case .evolve: widen(name, to: type, value)
                case .discardValue where world.keyNames.contains(name) && world.isKeyed: return .quarantined
                case .discardValue: continue
                case .discardRow: return .discarded
                case .quarantine: return .quarantined
                }
            }
            note(value, in: name)
            values[name] = value
        }
        return .stored(values)
    }

    private mutating func widen(_ name: String, to type: ModelType, _ value: Content) {
        guard let old = types[name] else { return }
        let type = isKey(name) || old > .real ? ModelType(of: value) ?? type : type
        // Arrays and objects are the same texts in either type.
        if old != .json { isRespelled = true }
        let wider = old.widened(toHold: type)
        types[name] = old.holds(value) || wider == old ? .text : keyed(name, wider)
        if types[name] == .real, huge.contains(name) { types[name] = .text }
        if world.declared[name] != nil, old != .json { unsure.remove(name) }
        if huge.contains(name) || value.isHuge { unsure.insert(name) }
    }

    /// A column of a key is never REAL.
    private func keyed(_ name: String, _ type: ModelType) -> ModelType {
        [.real, .json].contains(type) && world.isKeyed && world.keyNames.contains(name) ? .text : type
    }

    private mutating func note(_ value: Content, in name: String) {
        if value.isHuge { huge.insert(name) }
    }

    // MARK: - Arrays

    /// A field becomes a table with the first page that has such an array.
    private mutating func makeVisits(for page: [ModelRecord]) {
        guard page.contains(where: { !($0.visits ?? []).isEmpty }) else { return }
        // Empty arrays that came on pages before are text until they come again.
        if columns.contains("visits") { isRespelled = true }
        hasVisits = true
        var values: [String: [Content]] = [:]
        for (name, value) in page.flatMap({ $0.visits ?? [] }).flatMap({ leaves(of: $0) }) {
            values[name, default: []].append(value)
            if value.isHuge { isRespelled = true }
        }
        for (name, values) in values { visitTypes[name] = type(of: values, in: name) }
    }

    private mutating func noteVisits(of record: ModelRecord) {
        for (name, value) in (record.visits ?? []).flatMap(leaves) {
            guard let type = ModelType(of: value) else { continue }
            guard let old = visitTypes[name] else {
                visitTypes[name] = type
                continue
            }
            guard !old.holds(value) else { continue }
            // Whether a page makes it text is not told.
            if world.types == .setAside, value.beside(old) != nil { continue }
            let number = world.types == .setAside && old <= .real ? value.spelledNumber : nil
            visitTypes[name] = old.widened(toHold: number.flatMap(ModelType.init) ?? type)
            if old != .json { isRespelled = true }
        }
    }

    // MARK: - Names

    /// Returns the columns of a record and their values, in the record's order.
    private mutating func leaves(of record: ModelRecord) -> [(String, Content)] {
        if hasVisits { noteVisits(of: record) }
        return leaves(of: record.content(in: world)).filter { !(hasVisits && $0.0 == "visits") }
    }

    func leaves(of object: Content) -> [(String, Content)] {
        Self.leaves(of: object, world.flattenDepth).map { name, value in
            (name, world.declared[name].map { value.shaped(as: $0) } ?? value)
        }
    }

    static func leaves(of object: Content, _ depth: Int, _ prefix: String = "") -> [(String, Content)] {
        guard case .object(let members) = object else { return [] }
        return members.flatMap { member -> [(String, Content)] in
            let name = prefix + member.name
            if depth > 0, case .object = member.value, !member.value.isEmptyObject {
                return leaves(of: member.value, depth - 1, name + "__")
            }
            return [(name, member.value)]
        }
    }
}

extension ModelRecord {
    /// The elements of its array of objects.
    var visits: [Content]? { members.first { $0.name == "visits" }?.value.objects }
}
