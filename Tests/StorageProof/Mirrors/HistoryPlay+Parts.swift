import GarnerModel
import GarnerSync

// MARK: - Of a mirror

extension HistoryPlay {
    /// Returns true if everything is as the model says.
    mutating func judgeParts(
        since before: Snapshot, _ outcome: RunOutcome?, _ disturbance: Disturbance
    ) throws -> Bool {
        let log = server.log
        if world.hasParent { model.followParent(from: before, to: snapshot) }
        var world = world
        let isSame = before.rows(in: world) == snapshot.rows(in: world) && log.isEmpty
        guard let run = snapshot.run, run.id != before.run?.id else {
            guard isSame else { throw HistoryProblem("runs", "something was read or stored without a run") }
            // A run that cannot begin for the same reason as the one before has no row of its own.
            return world.queriesGates && snapshot.run?.status == "failed"
        }
        let hasSucceeded = run.status == "succeeded"
        if world.queriesGates { world.gates = model.gates(of: run, in: snapshot) }
        if world.queriesGates, world.gates.isEmpty {
            if isSame, !hasSucceeded { return true }
            throw HistoryProblem("empty", "without a value, something was read or stored")
        }
        let reading = try model.begin(
            run, world, zoos: snapshot.presentZoos, restarts: disturbance.restarts,
            hasLostPlace: log.first.map { $0.records == nil } ?? false, at: now)
        let look = MirrorLook(
            world: world, before: before, after: snapshot, log: log, reading: reading, model: model)
        let loose = LooseLook(
            world: world, before: before, after: snapshot, collection: server.collection, isOpen: true,
            treatments: treatments)
        let isWhole = hasSucceeded && disturbance.maximumPages == nil
        try HistoryProblem.check(
            askingProblem(log, reading, isWhole: isWhole) ?? loose.problem() ?? look.looseProblem())
        if world.stopsAtKnown {
            try HistoryProblem.check(model.descent.problem(log, reading, world, isWhole: isWhole))
        }
        var (isExact, sharesRecords, movesCursors) = (false, false, false)
        let isNew = run.beganItsRead
        if disturbance.isQuiet, let outcome {
            // A read that goes on may ask for children of a record that is gone by now.
            guard hasSucceeded || !isNew && log.contains(where: { $0.records == nil }) else {
                throw HistoryProblem("failure", "a quiet read failed: \(outcome.failure?.message ?? "")")
            }
            if isNew {
                let prediction = look.prediction()
                let verdict = outcome.record?.verdict
                try checkVerdict(outcome, of: look, prediction)
                sharesRecords =
                    prediction.repeated > 0 || model.sharesRecords && !reading.isFull && !world.isIncremental
                if disturbance.restarts || model.sharesRecords || !look.hasFurtherGates(prediction) {
                    try HistoryProblem.check(
                        look.problem(with: prediction, outcome.counts) ?? settledProblem(world, since: before))
                    figures.exact += 1
                    isExact = true
                    movesCursors = prediction.counts.quarantined == 0 && verdict?.kind != .contradicted
                }
            }
        }
        model.sharesRecords = sharesRecords
        try HistoryProblem.check(model.followGates(world, log))
        model.descent.note(
            log, world, parts: world.parts(of: world.chosen(of: snapshot.presentZoos)),
            beganAt: reading.beganAt.description, restarts: disturbance.restarts || reading.ignoresCursors,
            hasStored: hasSucceeded, movesCursors: movesCursors)
        let pages = look.pages
        model.notePages(
            pages.keys, broken: pages.broken.union(MirrorModel.doubtful(run, log)), isExact: hasSucceeded && isNew,
            forgetsOthers: isWhole && isNew && !(world.followsChanges && !reading.isFull))
        if hasSucceeded, reading.isFull, !(isWhole && isNew) { model.noteCut(of: reading) }
        let faults = Set(disturbance.faults.values)
        model.end(
            reading, as: run, world, log: log,
            failsApart: disturbance.kill == nil && disturbance.stop == nil && faults.isSubset(of: [.gone, .refused]),
            isCut: disturbance.maximumPages != nil)
        return isExact
    }

    /// Checks whether a quiet read knows that it has everything, or that it has not.
    private func checkVerdict(_ outcome: RunOutcome, of look: MirrorLook, _ prediction: MirrorLook.Expectation) throws {
        let (world, verdict) = (look.world, outcome.record?.verdict)
        let meetsKnown =
            !world.stopsAtKnown || look.reading.ignoresCursors ? true : model.descent.meetsKnown(look.log, world)
        let expected = prediction.counts.quarantined == 0 && look.hasEveryLastPage ? meetsKnown : false
        // Without the members of pages, it is not known from where a record has come to a page.
        let mayBeUnsure = world.isIncremental && world.missing == .ignore && verdict?.kind == .contradicted
        guard let expected, look.after.run?.isComplete != expected, !mayBeUnsure else { return }
        let found = [verdict?.completeness.rawValue, verdict?.reason].compactMap(\.self).joined(separator: ": ")
        throw HistoryProblem("verdict", "a quiet read is \(found), and \(expected ? "has all" : "lacks records")")
    }

    /// Returns a problem if parts of the source were asked that are not due, or due ones were not.
    private func askingProblem(
        _ log: [ModelServer.Served], _ reading: MirrorModel.Reading, isWhole: Bool
    ) -> HistoryProblem? {
        let asked = Set(log.map(\.part))
        if let surplus = asked.subtracting(reading.laid.may).first {
            return HistoryProblem("asked", "\(surplus) was asked, and was not due")
        }
        if isWhole, let lacking = reading.laid.must.subtracting(asked).first {
            return HistoryProblem("due", "\(lacking) was due, and was not asked")
        }
        if reading.ignoresCursors, let page = log.first(where: { $0.since != nil }) {
            return HistoryProblem("since", "a read of everything asks \(page.part) since \(page.since ?? "")")
        }
        return nil
    }
}
