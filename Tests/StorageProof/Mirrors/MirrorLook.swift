import GarnerDatabase
import GarnerModel

/// A look at the rows after a run: what docs/completeness.md and docs/configuration.md promise of them.
struct MirrorLook {
    let world: World
    let before: Snapshot
    let after: Snapshot
    let log: [ModelServer.Served]
    let reading: MirrorModel.Reading
    let model: MirrorModel

    /// What a run has to do with the rows.
    struct Expectation {
        var rows: [RecordID: Row]
        /// Rows that may be there as they were, or be missing.
        var free: Set<RecordID> = []
        /// Of those that are deleted or newly marked, the number may not be certain.
        var counts = Prediction.Counts(inserted: 0, updated: 0, deleted: 0)
        /// The number of records that came under a further partition. Until it is known that they do, the pages are
        /// requested side by side, and a row may get the value of another one first.
        var repeated = 0
        /// The further values of partitions under which records came.
        var furtherGates: [RecordID: Set<String>] = [:]
    }

    private var asked: Set<SourcePart> { Set(log.map(\.part)) }

    /// True if all parts that an undisturbed read asked were read to their ends. Pages that are requested ahead may have
    /// been answered in another order.
    var hasEveryLastPage: Bool { asked.isSubset(of: Set(log.filter(\.isLast).map(\.part))) }

    private func key(_ record: ModelRecord, _ part: SourcePart) -> RecordID { row(record, part).id(world.keyColumns) }

    private func row(_ record: ModelRecord, _ part: SourcePart) -> Row { after.row(of: record, in: part, world) }

    /// The keys of the pages that were answered, and the parts with records that could not be stored.
    var pages: (keys: [SourcePart: Set<RecordID>], broken: Set<SourcePart>) {
        var keys: [SourcePart: Set<RecordID>] = [:]
        var broken: Set<SourcePart> = []
        for page in log {
            for record in page.records ?? [] {
                switch world.fate(of: record) {
                case .stored: keys[page.part, default: []].insert(key(record, page.part))
                case .broken: broken.insert(page.part)
                case .deleted, .filtered: break
                }
            }
            if page.records != nil { keys[page.part] = keys[page.part] ?? [] }
        }
        return (keys, broken)
    }

    // MARK: - After an undisturbed read

    /// Returns what an undisturbed read that began with this run makes of the rows.
    func prediction() -> Expectation {
        let old = before.rows(in: world)
        var prediction = Expectation(rows: old)
        var stored: Set<RecordID> = []
        for part in world.parts(of: after.presentZoos.keys.sorted()) {
            for record in log.filter({ $0.part == part }).flatMap({ $0.records ?? [] }) {
                let key = key(record, part)
                switch world.fate(of: record) {
                case .filtered: break
                case .broken: prediction.counts.quarantined += 1
                case .deleted:
                    guard let row = prediction.rows[key], row.isPresent else { continue }
                    prediction.rows[key] = world.missing == .soft ? row.marked : nil
                    prediction.counts.deleted? += 1
                case .stored:
                    // Of several partitions, the first one counts.
                    guard stored.insert(key).inserted else {
                        prediction.repeated += 1
                        prediction.furtherGates[key, default: []].insert(part.gate ?? "")
                        continue
                    }
                    prediction.rows[key] = row(record, part)
                    if let old = old[key] {
                        let isChanged = old.compared.essence != row(record, part).essence
                        if !old.isPresent || isChanged { prediction.counts.updated? += 1 }
                    } else {
                        prediction.counts.inserted? += 1
                    }
                }
            }
        }
        if world.missing != .ignore, reading.deletesMissing {
            deleteMissing(besides: stored, from: &prediction)
        }
        return prediction
    }

    private func deleteMissing(besides stored: Set<RecordID>, from prediction: inout Expectation) {
        let coversSome = world.followsChanges && !reading.isFull
        let zoos = after.presentZoos
        let others = Set(world.parts(of: zoos.keys.sorted())).subtracting(asked)
        let keptKeys =
            coversSome ? others.reduce(into: Set<RecordID>()) { $0.formUnion(model.pages[$1]?.may ?? []) } : []
        var gone: Set<RecordID> = []
        for (key, row) in prediction.rows where row.isPresent && !stored.contains(key) {
            let part = SourcePart(
                zoo: world.hasParent ? row.number(World.zoo) : nil,
                gate: world.gates.isEmpty ? nil : row.text(World.gate))
            // Only children of records that were read are missing, be it by a read that did not delete, and of those
            // that are gone.
            if coversSome, others.contains(part), model.pages[part]?.must.contains(key) == true { continue }
            // One that has moved may still be on a page of another part.
            if keptKeys.contains(key) { prediction.free.insert(key) } else { gone.insert(key) }
        }
        guard prediction.counts.quarantined == 0 else {
            prediction.free = []
            return
        }
        let count = prediction.rows.values.filter(\.isPresent).count
        let isUncertain =
            coversSome && !model.broken.intersection(others).isEmpty
            || !prediction.free.isEmpty && world.maxDeleteRatio < 1
        if isUncertain || !prediction.free.isEmpty { prediction.counts.deleted = nil }
        if isUncertain { return prediction.free.formUnion(gone) }
        guard Double(gone.count) <= world.maxDeleteRatio * Double(count) else { return }
        prediction.counts.deleted? += gone.count
        for key in gone { prediction.rows[key] = world.missing == .soft ? prediction.rows[key]?.marked : nil }
    }

    /// Returns true if a row has the value of a further partition of its record.
    ///
    /// The first read in which a record comes under a further value may leave it with that one, if the page of the first
    /// value has not changed and is not read. It learns from it that pages share records.
    func hasFurtherGates(_ prediction: Expectation) -> Bool {
        let new = after.rows(in: world)
        return prediction.furtherGates.contains { key, gates in
            new[key]?.text(World.gate).map(gates.contains) ?? false
        }
    }

    /// Returns the difference between the rows and the prediction; nil if there is none.
    func problem(with prediction: Expectation, _ counts: RunCounts) -> HistoryProblem? {
        let new = after.rows(in: world)
        let problem = HistoryProblem.rows(prediction.rows, new, free: prediction.free) { key, wanted, got in
            let isRight =
                wanted.bare.compared.essence == got.bare.compared.essence
                && (wanted.isPresent == got.isPresent || prediction.free.contains(key))
            return isRight ? nil : "\n  expected \(wanted.told)\n  got      \(got.told)"
        }
        // Slices are read in order once it is known that they share records. Before, a row may change and change back.
        let spare = model.sharesRecords ? 0 : 2 * prediction.repeated
        var wanted = prediction.counts
        if let updated = wanted.updated, (updated...updated + spare).contains(counts.updated) { wanted.updated = nil }
        return problem ?? wanted.problem(with: counts)
    }

    // MARK: - After any read

    /// Returns a problem if something is missing that had to stay, or was added otherwise than it must be.
    func looseProblem() -> HistoryProblem? {
        let (old, new) = (before.rows(in: world), after.rows(in: world))
        if let problem = additionProblem(old, new) { return problem }
        let deleted = Set(
            log.flatMap { page in
                (page.records ?? []).filter { world.fate(of: $0) == .deleted }.map { key($0, page.part) }
            })
        let mayDelete =
            after.run?.status == "succeeded" && after.run?.isComplete == true && after.run?.id == after.run?.read
            && world.missing != .ignore && reading.deletesMissing
        for (key, row) in old where row.isPresent && new[key]?.isPresent != true && !deleted.contains(key) {
            guard mayDelete else {
                return HistoryProblem("lost", "an incomplete read has deleted the row \(key): \(row.told)")
            }
            if log.contains(where: { $0.records?.contains { world.fate(of: $0) == .broken } == true }) {
                return HistoryProblem("lost", "the row \(key) is gone, although a record could not be stored")
            }
        }
        return nil
    }

    /// Checks that columns of `fields.add` were set with the rows that have come or changed, and with no others.
    private func additionProblem(_ old: [RecordID: Row], _ new: [RecordID: Row]) -> HistoryProblem? {
        let values = world.addedValues(ofReadBegunAt: reading.beganAt)
        var served: [RecordID: Int] = [:]
        for page in log { for record in page.records ?? [] { served[key(record, page.part), default: 0] += 1 } }
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
}

extension Row {
    /// The row without its mark.
    fileprivate var bare: Row { filter { $0.key != Self.mark } }

    fileprivate var marked: Row { merging([Self.mark: .text("now")]) { $1 } }
}
