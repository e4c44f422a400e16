import GarnerDatabase
import GarnerModel

/// A look at the rows after a run: what docs/completeness.md and docs/configuration.md promise of them.
struct MirrorLook {
    let world: MirrorWorld
    /// The treatments of fields that the stream has had.
    let fields: Set<MirrorWorld.Fields>
    let before: MirrorSnapshot
    let after: MirrorSnapshot
    let log: [MirrorServer.Served]
    let source: MirrorSource
    let reading: MirrorModel.Reading
    let model: MirrorModel

    /// What a run has to do with the rows.
    struct Prediction {
        var rows: [RecordID: Row]
        /// Rows that may be there as they were, or be missing.
        var free: Set<RecordID> = []
        var inserted = 0
        var updated = 0
        /// The number of deleted or newly marked rows; nil if it is not certain.
        var deleted: Int? = 0
        var quarantined = 0
        /// The number of records that came under a further partition. Until it is known that they do, the pages are
        /// requested side by side, and a row may get the value of another one first.
        var repeated = 0
        /// The further values of partitions under which records came.
        var furtherGates: [RecordID: Set<String>] = [:]
    }

    private var asked: Set<MirrorSlice> { Set(log.map(\.slice)) }

    /// True if all parts that an undisturbed read asked were read to their ends. Pages that are requested ahead may have
    /// been answered in another order.
    var hasEveryLastPage: Bool { asked.isSubset(of: Set(log.filter(\.isLast).map(\.slice))) }

    private enum Fate { case stored, deleted, filtered, broken }

    private func fate(_ record: MirrorRecord) -> Fate {
        if world.hasTombstones, record.isGone { return record.isBroken ? .filtered : .deleted }
        if world.filters, record.isHidden { return .filtered }
        return record.isBroken ? .broken : .stored
    }

    private func key(_ record: MirrorRecord, _ slice: MirrorSlice) -> RecordID {
        RecordID(
            parts: (world.isGateInKey ? [slice.gate ?? ""] : []) + (world.isZooInKey ? ["\(slice.zoo ?? 0)"] : [])
                + ["\(record.id)"])
    }

    private func row(_ record: MirrorRecord, _ slice: MirrorSlice) -> Row {
        var row = record.row(in: world)
        if let gate = slice.gate { row[MirrorWorld.gate] = .text(gate) }
        if let zoo = slice.zoo {
            row[MirrorWorld.zoo] = .integer(Int64(zoo))
            if world.includesName { row[MirrorWorld.zooName] = after.presentZoos[zoo]?["name"] }
        }
        return row
    }

    /// The keys of the pages that were answered, and the parts with records that could not be stored.
    var pages: (keys: [MirrorSlice: Set<RecordID>], broken: Set<MirrorSlice>) {
        var keys: [MirrorSlice: Set<RecordID>] = [:]
        var broken: Set<MirrorSlice> = []
        for page in log {
            for record in page.records ?? [] {
                switch fate(record) {
                case .stored: keys[page.slice, default: []].insert(key(record, page.slice))
                case .broken: broken.insert(page.slice)
                case .deleted, .filtered: break
                }
            }
            if page.records != nil { keys[page.slice] = keys[page.slice] ?? [] }
        }
        return (keys, broken)
    }

    // MARK: - After an undisturbed read

    /// Returns what an undisturbed read that began with this run makes of the rows.
    func prediction() -> Prediction {
        let old = before.rows(in: world)
        var prediction = Prediction(rows: old)
        var stored: Set<RecordID> = []
        let order = world.slices(of: after.presentZoos.keys.sorted())
        for slice in order {
            for record in log.filter({ $0.slice == slice }).flatMap({ $0.records ?? [] }) {
                let key = key(record, slice)
                switch fate(record) {
                case .filtered: break
                case .broken: prediction.quarantined += 1
                case .deleted:
                    guard let row = prediction.rows[key], row.isPresent else { continue }
                    prediction.rows[key] = world.missing == .soft ? row.marked : nil
                    prediction.deleted? += 1
                case .stored:
                    // Of several partitions, the first one counts.
                    guard stored.insert(key).inserted else {
                        prediction.repeated += 1
                        prediction.furtherGates[key, default: []].insert(slice.gate ?? "")
                        continue
                    }
                    prediction.rows[key] = row(record, slice)
                    if let old = old[key] {
                        let isChanged = old.compared.essence != row(record, slice).essence
                        if !old.isPresent || isChanged { prediction.updated += 1 }
                    } else {
                        prediction.inserted += 1
                    }
                }
            }
        }
        if world.missing != .ignore, reading.deletesMissing {
            deleteMissing(besides: stored, from: &prediction)
        }
        return prediction
    }

    private func deleteMissing(besides stored: Set<RecordID>, from prediction: inout Prediction) {
        let coversSome = world.followsChanges && !reading.isFull
        let zoos = after.presentZoos
        let others = Set(world.slices(of: zoos.keys.sorted())).subtracting(asked)
        let keptKeys =
            coversSome ? others.reduce(into: Set<RecordID>()) { $0.formUnion(model.pages[$1]?.may ?? []) } : []
        var gone: Set<RecordID> = []
        for (key, row) in prediction.rows where row.isPresent && !stored.contains(key) {
            let slice = MirrorSlice(
                zoo: world.hasParent ? row.number(MirrorWorld.zoo) : nil,
                gate: world.gates.isEmpty ? nil : row.text(MirrorWorld.gate))
            // Only children of records that were read are missing, be it by a read that did not delete, and of those
            // that are gone.
            if coversSome, others.contains(slice), model.pages[slice]?.must.contains(key) == true { continue }
            // One that has moved may still be on a page of another part.
            if keptKeys.contains(key) { prediction.free.insert(key) } else { gone.insert(key) }
        }
        guard prediction.quarantined == 0 else {
            prediction.free = []
            return
        }
        let count = prediction.rows.values.filter(\.isPresent).count
        let isUncertain =
            coversSome && !model.broken.intersection(others).isEmpty
            || !prediction.free.isEmpty && world.maxDeleteRatio < 1
        if isUncertain || !prediction.free.isEmpty { prediction.deleted = nil }
        if isUncertain { return prediction.free.formUnion(gone) }
        guard Double(gone.count) <= world.maxDeleteRatio * Double(count) else { return }
        prediction.deleted? += gone.count
        for key in gone { prediction.rows[key] = world.missing == .soft ? prediction.rows[key]?.marked : nil }
    }

    /// Returns true if a row has the value of a further partition of its record.
    ///
    /// The first read in which a record comes under a further value may leave it with that one, if the page of the first
    /// value has not changed and is not read. It learns from it that pages share records.
    func hasFurtherGates(_ prediction: Prediction) -> Bool {
        let new = after.rows(in: world)
        return prediction.furtherGates.contains { key, gates in
            new[key]?.text(MirrorWorld.gate).map(gates.contains) ?? false
        }
    }

    /// Returns the difference between the rows and the prediction; nil if there is none.
    func problem(with prediction: Prediction, _ counts: RunCounts) -> HistoryProblem? {
        let new = after.rows(in: world)
        for key in Set(prediction.rows.keys).union(new.keys).sorted() {
            guard let wanted = prediction.rows[key] else {
                return HistoryProblem("rows", "the row \(key) is there, and must not be: \(new[key]?.told ?? "")")
            }
            guard let got = new[key] else {
                if prediction.free.contains(key) { continue }
                return HistoryProblem("rows", "the row \(key) is not there, but must be \(wanted.told)")
            }
            guard wanted.bare.compared.essence == got.bare.compared.essence,
                wanted.isPresent == got.isPresent || prediction.free.contains(key)
            else {
                return HistoryProblem(
                    "rows", "the row \(key) is not as it must be\n  expected \(wanted.told)\n  got      \(got.told)")
            }
        }
        // Slices are read in order once it is known that they share records. Before, a row may change and change back.
        let spare = model.sharesRecords ? 0 : 2 * prediction.repeated
        let pairs: [(String, Int?, Int)] = [
            ("inserted", prediction.inserted, counts.inserted),
            (
                "updated", min(max(counts.updated, prediction.updated), prediction.updated + spare),
                counts.updated
            ),
            ("deleted", prediction.deleted, counts.deleted),
            ("quarantined", prediction.quarantined, counts.quarantined),
        ]
        if let wrong = pairs.first(where: { $0.1 != nil && $0.1 != $0.2 }) {
            return HistoryProblem("counts", "\(wrong.0) is \(wrong.2) instead of \(wrong.1 ?? 0)")
        }
        return sourceProblem(new)
    }

    /// Checks that each record of the parts that were asked is a row with its current values, whatever was requested.
    private func sourceProblem(_ rows: [RecordID: Row]) -> HistoryProblem? {
        let sourceZoos = Set(source.zoos.map(\.id))
        for zoo in Set(asked.map(\.zoo)) where zoo.map(sourceZoos.contains) ?? true {
            let slices = world.slices(of: zoo.map { [$0] } ?? [])
            guard asked.isSuperset(of: slices) else { continue }
            var known: Set<RecordID> = []
            for slice in slices {
                for record in source.records where zoo == nil || record.zoo == zoo {
                    guard record.comes(under: slice.gate), fate(record) == .stored else { continue }
                    let key = key(record, slice)
                    guard known.insert(key).inserted, !hasSlipped(record, key, slices) else { continue }
                    var (wanted, got) = (row(record, slice), rows[key] ?? [:])
                    got = got.compared
                    // A record that has not changed is not read again for its parent's new name.
                    if world.isIncremental { (wanted[MirrorWorld.zooName], got[MirrorWorld.zooName]) = (nil, nil) }
                    // Nor does it come again under the first of its partitions because another one returns it.
                    if world.isIncremental { (wanted[MirrorWorld.gate], got[MirrorWorld.gate]) = (nil, nil) }
                    if wanted.essence != got.essence {
                        return HistoryProblem("source", "the row \(key) is \(got.told) instead of \(wanted.told)")
                    }
                }
            }
        }
        return nil
    }

    /// Returns true if no read since its last change can have met a record.
    private func hasSlipped(_ record: MirrorRecord, _ key: RecordID, _ slices: [MirrorSlice]) -> Bool {
        slices.filter { record.comes(under: $0.gate) && self.key(record, $0) == key }.allSatisfy {
            model.descent.slipped[$0]?.contains(record) == true
        }
    }

    /// True for a record that becomes a row.
    func isStored(_ record: MirrorRecord) -> Bool { fate(record) == .stored }

    // MARK: - After any read

    /// Returns a problem if something is there that the source never had, or is missing that had to stay.
    func looseProblem() -> HistoryProblem? {
        let (old, new) = (before.rows(in: world), after.rows(in: world))
        for (key, row) in new {
            if let problem = unknown(row) { return HistoryProblem("invented", "the row \(key): \(problem)") }
        }
        if let problem = additionProblem(old, new) { return problem }
        let deleted = Set(
            log.flatMap { page in (page.records ?? []).filter { fate($0) == .deleted }.map { key($0, page.slice) } })
        let mayDelete =
            after.run?.status == "succeeded" && after.run?.isComplete == true && after.run?.id == after.run?.read
            && world.missing != .ignore && reading.deletesMissing
        for (key, row) in old where row.isPresent && new[key]?.isPresent != true && !deleted.contains(key) {
            guard mayDelete else {
                return HistoryProblem("lost", "an incomplete read has deleted the row \(key): \(row.told)")
            }
            if log.contains(where: { $0.records?.contains { fate($0) == .broken } == true }) {
                return HistoryProblem("lost", "the row \(key) is gone, although a record could not be stored")
            }
        }
        return nil
    }

    /// Checks that columns of `fields.add` were set with the rows that have come or changed, and with no others.
    private func additionProblem(_ old: [RecordID: Row], _ new: [RecordID: Row]) -> HistoryProblem? {
        let values = world.addedValues(ofReadBegunAt: reading.beganAt)
        var served: [RecordID: Int] = [:]
        for page in log { for record in page.records ?? [] { served[key(record, page.slice), default: 0] += 1 } }
        for (key, row) in new.sorted(by: { $0.key < $1.key }) {
            let before = old[key]?.added ?? [:]
            let set = before.merging(values) { $1 }
            let hasChanged =
                old[key].map { $0.bare.compared != row.bare.compared || !$0.isPresent && row.isPresent } ?? true
            // A row that has come twice may have changed and changed back, or gone and come again.
            let isRight =
                row.added == (hasChanged ? set : before)
                || served[key, default: 0] > 1 && (row.added == set || row.added == values)
            guard isRight else {
                let wanted = (hasChanged ? set : before).told
                let reason = "the row \(key) \(hasChanged ? "has" : "has not") changed"
                return HistoryProblem("added", "\(reason), and adds \(row.added.told) instead of \(wanted)")
            }
        }
        return nil
    }

    private func unknown(_ row: Row) -> String? {
        let past = source.past[row.number("id") ?? 0] ?? []
        var bare = row.bare.compared
        for name in [MirrorWorld.gate, MirrorWorld.zoo, MirrorWorld.zooName] { bare[name] = nil }
        let essence = bare.essence
        let isKnown = past.contains { record in
            fields.contains { fields in
                var world = world
                world.fields = fields
                return record.row(in: world).essence == essence
            }
        }
        guard isKnown else { return "the source never had a record like \(row.told)" }
        if let gate = row.text(MirrorWorld.gate), !past.contains(where: { $0.comes(under: gate) }) {
            return "it never came under \(gate)"
        }
        if let zoo = row.number(MirrorWorld.zoo) {
            guard past.contains(where: { $0.zoo == zoo }) else { return "it was never in zoo \(zoo)" }
            if let name = row.text(MirrorWorld.zooName),
                !source.pastZoos.contains(where: { $0.id == zoo && $0.name == name })
            {
                return "its zoo was never named \(name)"
            }
        }
        return nil
    }
}

extension Row {
    /// The row without its mark.
    fileprivate var bare: Row { filter { $0.key != Self.mark } }

    fileprivate var marked: Row { merging([Self.mark: .text("now")]) { $1 } }
}
