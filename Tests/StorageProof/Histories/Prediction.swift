import GarnerDatabase
import GarnerModel

/// The expected result of a quiet read, and a comparison with the actual result.
struct Prediction {
    let world: World
    let before: Snapshot
    let after: Snapshot
    let storing: Storing
    /// The run's instant as it is stored.
    let instant: String

    /// The counts that the run must report; nil where the documents leave a count open.
    struct Counts {
        var inserted: Int?
        var updated: Int?
        var deleted: Int?
        var quarantined = 0
        var discarded = 0
        /// All records.
        var seen: Int?

        func problem(with got: RunCounts) -> HistoryProblem? {
            let seen = got.inserted + got.updated + got.unchanged + got.quarantined + got.discarded
            let pairs: [(String, Int?, Int)] = [
                ("inserted", inserted, got.inserted), ("updated", updated, got.updated),
                ("deleted", deleted, got.deleted), ("quarantined", quarantined, got.quarantined),
                ("discarded", discarded, got.discarded), ("seen", self.seen, seen),
            ]
            let wrong = pairs.first { $0.1 != nil && $0.1 != $0.2 }
            return wrong.map { HistoryProblem("counts", "\($0.0) is \($0.2) instead of \($0.1 ?? 0)") }
        }
    }

    /// True if a page has as many records as full pages often have, and nothing says that it is the only one. The
    /// documents promise that no row is deleted then (docs/completeness.md).
    private let mayBeCut: Bool

    private(set) var counts = Counts()
    /// The changes that must be noted for records; nil if they cannot be predicted for each record.
    private(set) var changes: [RecordID: Noted]?

    struct Noted {
        var operation: String
        /// The old and new values of the columns that differ, independent of their types; nil if they do not matter.
        var fields: [String: [String?]]?
    }

    init(_ world: World, from before: Snapshot, pages: [[ModelRecord]], to after: Snapshot, at instant: String) {
        (self.world, self.before, self.after, self.instant) = (world, before, after, instant)
        var storing = Storing(world, into: before.table, visits: before.visits)
        for page in pages { storing.store(page) }
        storing.expectAnyOrder(of: pages, from: before.table)
        self.storing = storing
        let fullPages: Set = [10, 20, 25, 30, 50, 100, 200, 250, 500, 1_000]
        mayBeCut = world.paging == .single && pages.contains { fullPages.contains($0.count) }
        counts.seen = storing.fates.count
        for (_, fate) in storing.fates {
            switch fate {
            case .stored: break
            case .discarded: counts.discarded += 1
            case .quarantined: counts.quarantined += 1
            }
        }
    }

    /// Rows may be spelled otherwise where a type became wider, until the next read.
    var isExact: Bool {
        func isSame(_ before: [String: ModelType], _ after: StoredTable?, _ names: some Sequence<String>) -> Bool {
            names.allSatisfy { before[$0] == after?.types[$0] }
        }
        // A column that came with this read may have got its type from one page and a wider one from a later page.
        return !storing.isRespelled && isSame(before.table?.types ?? storing.types, after.table, storing.unsure)
            && before.visits.map { isSame($0.types, after.visits, storing.visitTypes.keys) } ?? true
    }

    /// Returns the difference between the tables and the prediction; nil if there is none.
    mutating func problem() -> HistoryProblem? {
        typeProblem() ?? (world.isKeyed ? keyedProblem() : keylessProblem())
    }

    private func typeProblem() -> HistoryProblem? {
        guard let table = after.table else {
            return storing.fates.isEmpty ? nil : HistoryProblem("rows", "there is no table")
        }
        for (name, type) in storing.types.sorted(by: { $0.key < $1.key })
        where !storing.unsure.contains(name) && !(storing.hasVisits && name == "visits") {
            guard table.types[name] != type else { continue }
            // Nothing is certain of a column that nothing is in.
            if table.isVoid(name) { continue }
            let got = table.types[name]?.rawValue ?? "not there"
            return HistoryProblem("types", "the column \(name) is \(got) instead of \(type.rawValue)")
        }
        return nil
    }

    /// A row as it must be.
    private func row(_ values: [String: Content], in types: [String: ModelType]? = nil) -> Row {
        var row = Row()
        var rest: [Content.Member] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let type = (types ?? after.table?.types)?[name] ?? .text
            let setsAside = world.types == .setAside && !storing.isKey(name)
            let beside = setsAside && !type.holds(value) ? storing.beside(value, in: name, type) : nil
            if beside != nil || setsAside && value.isBoolean(amongNumbersOf: type) {
                rest.append(.init(name: name, value: value))
            }
            let cell = (beside ?? value).cell(as: type)
            if cell != .null { row[name] = cell }
        }
        if !rest.isEmpty { row[Row.rest] = .text(Content.object(rest).json) }
        return row
    }

    /// Returns the difference between two rows; nil if there is none.
    private func difference(_ expected: Row, _ got: Row, isExact: Bool) -> String? {
        // A spelling that was kept before stays as long as its page is unchanged.
        func withoutSpelling(_ row: Row) -> Row {
            var row = row
            if world.types == .evolve, row.whole.keys.allSatisfy({ row[$0] != nil }) { row[Row.rest] = nil }
            return row
        }
        let (expected, got) = (withoutSpelling(expected), withoutSpelling(got))
        let isSame = isExact ? expected == got : expected.essence == got.essence
        return isSame ? nil : "\n  expected \(expected.told)\n  got      \(got.told)"
    }
}

// MARK: - Rows with keys

extension Prediction {
    private mutating func keyedProblem() -> HistoryProblem? {
        let old = before.table?.rows(by: world.keyNames) ?? [:]
        let new = after.table?.rows(by: world.keyNames) ?? [:]
        var expected: [RecordID: Row] = [:]
        var seen: Set<RecordID> = []
        var uncertainMarks: Set<RecordID> = []
        var kept: Set<RecordID> = []
        for (record, fate) in storing.fates {
            seen.insert(record.id)
            switch fate {
            case .stored(let values):
                if world.writing == .insertOnly, var row = old[record.id] {
                    row[Row.mark] = nil
                    expected[record.id] = row
                    kept.insert(record.id)
                } else {
                    expected[record.id] = row(values)
                }
            case .discarded, .quarantined:
                uncertainMarks.insert(record.id)
                kept.insert(record.id)
                expected[record.id] = old[record.id]
            }
        }
        let upserted = expected
        var deleted: Set<RecordID> = []
        var marked: Set<RecordID> = []
        var missing = Set(old.keys).subtracting(seen)
        let gone = missing.filter { old[$0]?.isPresent == true }
        // A row that was marked as deleted is not there again by a record that was not stored.
        let present =
            upserted.keys.count { uncertainMarks.contains($0) ? old[$0]?.isPresent == true : true } + gone.count
        let mayDelete =
            counts.quarantined == 0 && (world.writing == .replace || !mayBeCut)
            && Double(gone.count) <= world.maxDeleteRatio * Double(present)
        switch way {
        case .hard where mayDelete && world.writing == .replace: (deleted, missing) = (missing, [])
        case .hard where mayDelete:
            deleted = gone
            missing.subtract(gone)
        case .soft where mayDelete: marked = gone
        default: break
        }
        for id in missing {
            expected[id] = old[id]
            kept.insert(id)
            if marked.contains(id) { expected[id]?[Row.mark] = .text(instant) }
        }
        let problem = HistoryProblem.rows(expected, new) { id, wanted, got in
            var (wanted, got) = (wanted, got)
            if uncertainMarks.contains(id) { (wanted[Row.mark], got[Row.mark]) = (nil, nil) }
            // What a column of arrays held until it became a table is not told.
            if !isExact, storing.hasVisits { (wanted["visits"], got["visits"]) = (nil, nil) }
            return difference(wanted, got, isExact: isExact)
        }
        if let problem { return problem }
        let changed = visitProblem(kept: kept, stored: Set(expected.keys))
        if let problem = changed.problem { return problem }
        count(old, upserted, deleted.union(marked), uncertainMarks, visits: changed.ids)
        return nil
    }

    private mutating func count(
        _ old: [RecordID: Row], _ upserted: [RecordID: Row], _ deleted: Set<RecordID>, _ left: Set<RecordID>,
        visits: Set<RecordID>
    ) {
        let inserted = upserted.keys.filter { old[$0] == nil }
        counts.inserted = inserted.count
        counts.deleted = deleted.count
        guard isExact, !storing.keepsSpelling else { return }
        let updated = upserted.filter { id, row in
            guard let before = old[id], !left.contains(id) else { return false }
            return before != row || visits.contains(id)
        }.keys
        counts.updated = updated.count
        guard after.hasBaseline else {
            changes = [:]
            return
        }
        var noted: [RecordID: Noted] = [:]
        for id in inserted { noted[id] = Noted(operation: "insert") }
        for id in updated {
            noted[id] = Noted(operation: "update", fields: Self.fields(from: old[id] ?? [:], to: upserted[id] ?? [:]))
        }
        for id in deleted { noted[id] = Noted(operation: "delete") }
        changes = noted
    }

    private static func fields(from old: Row, to new: Row) -> [String: [String?]] {
        let (old, new) = (old.essence, new.essence)
        var fields: [String: [String?]] = [:]
        for name in Set(old.keys).union(new.keys) where old[name] != new[name] && !name.hasPrefix("_garner_") {
            fields[name] = [old[name], new[name]]
        }
        return fields
    }

    private var way: World.Missing { world.writing == .replace ? .hard : world.missing }

    /// Returns the problem with the rows of arrays, or nil, and the records whose array rows have changed.
    private func visitProblem(
        kept: Set<RecordID>, stored: Set<RecordID>
    ) -> (problem: HistoryProblem?, ids: Set<RecordID>) {
        guard let table = after.visits else {
            let isMissing = storing.hasVisits ? HistoryProblem("arrays", "there is no table of the arrays") : nil
            return (isMissing, [])
        }
        let names = world.keyNames.map { "_parent_\($0)" }
        let old = Dictionary(grouping: before.visits?.rows ?? []) { $0.id(names) }
        let new = Dictionary(grouping: table.rows) { $0.id(names) }
        var expected: [RecordID: [Row]] = [:]
        for id in kept where stored.contains(id) { expected[id] = old[id] }
        for (record, fate) in storing.fates where !kept.contains(record.id) {
            guard case .stored = fate, let elements = record.visits else { continue }
            expected[record.id] = elements.enumerated().map { index, element in
                var row = row(Dictionary(storing.leaves(of: element)) { $1 }, in: table.types)
                row["_index"] = .integer(Int64(index))
                for (name, part) in zip(names, record.key) { row[name] = part.cell(as: table.types[name] ?? .text) }
                return row
            }
        }
        for id in Set(expected.keys).union(new.keys).sorted() {
            let (wanted, got) = (Self.sorted(expected[id] ?? []), Self.sorted(new[id] ?? []))
            let isSame =
                isExact
                ? wanted == got : wanted.map(\.essence) == got.map(\.essence)
            guard isSame else {
                let text = "\n  expected \(wanted.map(\.told))\n  got      \(got.map(\.told))"
                return (HistoryProblem("arrays", "the rows of the arrays of \(id) are not as they must be\(text)"), [])
            }
        }
        let ids = Set(new.keys).union(old.keys).filter { Self.sorted(old[$0] ?? []) != Self.sorted(new[$0] ?? []) }
        return (nil, ids)
    }

    private static func sorted(_ rows: [Row]) -> [Row] {
        rows.sorted { ($0.number("_index") ?? 0) < ($1.number("_index") ?? 0) }
    }
}

// MARK: - Rows without keys

extension Prediction {
    private mutating func keylessProblem() -> HistoryProblem? {
        let served = storing.fates.compactMap { _, fate -> Row? in
            if case .stored(let values) = fate { row(values) } else { nil }
        }
        let old = (before.table?.rows ?? []).map(Self.bare)
        let new = (after.table?.rows ?? []).map(Self.bare)
        switch world.writing {
        case .append:
            counts.inserted = served.count
            return difference(of: old + served, from: new)
        case .replace where counts.quarantined == 0: return difference(of: served, from: new)
        case .merge, .insertOnly, .replace: return nil
        case .dedupe: return dedupedProblem(served)
        }
    }

    /// Records that are alike but for how a number is written are two rows that may look the same.
    private func dedupedProblem(_ served: [Row]) -> HistoryProblem? {
        let present = (after.table?.rows ?? []).filter(\.isPresent).map(Self.bare)
        let (wanted, got) = (Set(served.map(key)), Set(present.map(key)))
        if let lacking = wanted.subtracting(got).first { return HistoryProblem("rows", "no row is \(lacking)") }
        var allowed = wanted
        let old = (before.table?.rows ?? []).filter(\.isPresent)
        let mayStay =
            world.missing == .ignore || counts.quarantined > 0 || counts.discarded > 0 || world.maxDeleteRatio < 1
            || mayBeCut
        if mayStay { allowed.formUnion(old.map(Self.bare).map(key)) }
        let surplus = got.subtracting(allowed).first
        return surplus.map { HistoryProblem("rows", "the row is there, and must not be: \($0)") }
    }

    private func difference(of expected: [Row], from got: [Row]) -> HistoryProblem? {
        let (wanted, got) = (expected.map(key).sorted(), got.map(key).sorted())
        guard wanted != got else { return nil }
        let pair = zip(wanted, got).first { $0 != $1 }
        let text = "\n  expected \(pair?.0 ?? "")\n  got      \(pair?.1 ?? "")"
        return HistoryProblem("rows", "there are \(got.count) rows instead of \(wanted.count), or others\(text)")
    }

    private func key(_ row: Row) -> String {
        isExact
            ? row.told : row.essence.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }

    private static func bare(_ row: Row) -> Row { row.filter { !$0.key.hasPrefix("_garner_") || $0.key == Row.rest } }
}
