import GarnerModel

/// What must be asked of a source that is read in parts, as docs/configuration.md and decisions 0012 and 0043 describe it.
///
/// The model knows which parts are due: after a read of everything, those whose parent's row has changed behind the run up
/// to which the children have followed, and those that earlier reads have left behind. What a read that was killed has
/// stored cannot be seen from outside. So two sets say what is left: what must be, and what may be.
struct MirrorModel {
    /// Parts of a source: those of which it is certain, and all that may be among them.
    struct Bounds {
        var must: Set<SourcePart> = []
        var may: Set<SourcePart> = []
    }

    /// A read that has begun.
    struct Reading {
        var run: Int64
        var beganAt: Timestamp
        var identity: String
        /// The values of the partition, which a read keeps to its end.
        var gates: [String]
        var isFull: Bool
        /// True if it begins before the cursors.
        var ignoresCursors = false
        /// True if what it does not return is missing: what begins behind a cursor cannot tell.
        var deletesMissing = true
        /// The look at the parent up to which the children follow it; nil if they do not follow.
        var through: Int?
        var laid: Bounds
        /// All parts of the read, as it began.
        var covered: Set<SourcePart>
        /// The parts whose last page was answered.
        var answered: Set<SourcePart> = []
        /// The parts that were asked.
        var asked: Set<SourcePart> = []
        /// The parts whose lists have changed while they were read, perhaps.
        var doubtful: Set<SourcePart> = []
        /// The number of pages that its runs have stored.
        var pages: Int64 = 0
        /// The status of its latest run.
        var status = "running"
        /// Those of them that are certainly stored, since nothing but single parts failed in their run.
        var stored: Set<SourcePart> = []
    }

    private var lastFull: (at: Timestamp, identity: String)?
    private var through: Int?
    private var left = Bounds()
    private var open: Reading?
    private var looks = 0
    private var baseline: Int?
    private var parentChanges: [(look: Int, zoo: Int)] = []
    /// The keys that the pages of a part have, as they were last read: those of which it is certain, and all that may be.
    private(set) var pages: [SourcePart: (must: Set<RecordID>, may: Set<RecordID>)] = [:]
    var descent = MirrorDescent()
    /// The values of the partition that were gone when a read began, and so are read from the beginning.
    private var goneGates: Set<String> = []
    /// True if the latest run has read everything undisturbed, and some record came under several partitions.
    var sharesRecords = false
    /// The parts whose pages may have had a record that could not be stored, or lack one.
    private(set) var broken: Set<SourcePart> = []

    /// Notes what a sync of the parent has made of its table.
    mutating func followParent(from before: Snapshot, to after: Snapshot) {
        looks += 1
        if baseline != nil {
            for zoo in after.changedZoos(since: before) { parentChanges.append((looks, zoo)) }
        } else if after.parentRun?.status == "succeeded" {
            baseline = looks
        }
    }

    /// Returns the values of the partition that a run has.
    func gates(of run: Snapshot.Run, in snapshot: Snapshot) -> [String] {
        run.read == run.id ? snapshot.gateValues : open?.gates ?? []
    }

    /// Begins a run of the stream. Returns the part of its read that is left.
    ///
    /// - Parameter hasLostPlace: True if the first page that it asked for was refused.
    mutating func begin(
        _ run: Snapshot.Run, _ world: World, zoos: [Int: Row], restarts: Bool,
        hasLostPlace: Bool = false, at now: Timestamp
    ) throws(HistoryProblem) -> Reading {
        let identity = world.readIdentity
        if run.read != run.id {
            guard var reading = open, reading.run == run.read, reading.identity == identity, !restarts else {
                throw HistoryProblem("continued", "run \(run.id) goes on with the read of run \(run.read)")
            }
            reading.laid.must.subtract(reading.answered)
            reading.laid.may.subtract(reading.stored)
            return reading
        }
        if let open, open.identity == identity, !restarts, !open.asked.isEmpty {
            let hasOnePart = !world.hasParent && world.gates.isEmpty
            if hasOnePart, open.pages > 0, hasLostPlace || world.stopsAtKnown && world.paging != .cursor {
                // It begins again, as of the moment when it began.
                var again = open
                (again.run, again.pages, again.answered, again.stored) = (run.id, 0, [], [])
                // Of an incremental stream, a run that was not asked to read everything deletes only in its own time.
                again.deletesMissing = !world.isIncremental || again.isFull && world.readsAllAtTimes
                return again
            }
            // A read of one part that has no page begins anew.
            guard open.status == "failed" || open.laid.must.count < 2 && open.pages == 0 else {
                throw HistoryProblem("forgotten", "run \(run.id) does not go on with run \(open.run)")
            }
            end(open, world)
        }
        open = nil
        return lay(run, world, zoos, restarts, now)
    }

    /// Lays out a new read.
    private func lay(
        _ run: Snapshot.Run, _ world: World, _ zoos: [Int: Row], _ restarts: Bool, _ now: Timestamp
    ) -> Reading {
        let chosen = Set(world.chosen(of: zoos))
        let all = Set(world.parts(of: chosen.sorted()))
        let known = lastFull.flatMap { $0.identity == world.fullIdentity ? $0 : nil }
        var isFull = !world.isIncremental || restarts
        var laid = Bounds(must: all, may: all)
        if world.followsChanges || world.readsAllAtTimes {
            let periods = [world.parentPeriod, world.isIncremental ? world.period : 0].filter { $0 > 0 }
            let isOld =
                known.map { known in
                    periods.contains { now >= known.at.advanced(by: .seconds($0 * World.beat)) }
                } ?? true
            let after = through.flatMap { through in baseline.flatMap { through >= $0 ? through : nil } }
            isFull = restarts || isOld || world.followsChanges && after == nil
            if !isFull, world.followsChanges, let after {
                let changed = Set(parentChanges.filter { $0.look > after }.map(\.zoo)).intersection(chosen)
                let due = Set(world.parts(of: changed.sorted()))
                laid = Bounds(
                    must: due.union(left.must.intersection(all)), may: due.union(left.may.intersection(all)))
            }
        }
        let ignoresCursors = world.isIncremental && (restarts || isFull && world.readsAllAtTimes)
        return Reading(
            run: run.id, beganAt: now, identity: world.readIdentity, gates: world.gates, isFull: isFull,
            ignoresCursors: ignoresCursors,
            deletesMissing: !world.isIncremental || ignoresCursors,
            through: world.followsChanges && baseline != nil ? looks : nil, laid: laid,
            covered: laid.may)
    }

    /// Ends a run. What it has not answered is left.
    mutating func end(
        _ reading: Reading, as run: Snapshot.Run, _ world: World, log: [ModelServer.Served],
        failsApart: Bool, isCut: Bool
    ) {
        var reading = reading
        reading.status = run.status
        reading.pages += run.pages
        let answered = Set(log.filter { $0.isLast && $0.records != nil }.map(\.part))
        // A part may have ended before its last page, and has unless something cut it short.
        let last = Set(Dictionary(log.map { ($0.part, $0.records != nil) }) { $1 }.filter(\.value).keys)
        let ended = world.stopsAtKnown && !reading.ignoresCursors ? answered.union(last) : answered
        reading.answered.formUnion(ended)
        // A part that two runs of a read have asked is of several moments.
        let asked = Set(log.map(\.part))
        reading.doubtful.formUnion(Self.doubtful(run, log).union(reading.asked.intersection(asked)))
        reading.asked.formUnion(asked)
        // A second look that fails, or that is cut short, leaves its part open, be it before its first page.
        let mayLookAgain = isCut && world.missing != .ignore && !run.isComplete
        let whole = Set(Dictionary(log.map { ($0.part, $0.isLast) }) { $1 }.filter(\.value).keys)
        if failsApart, !mayLookAgain { reading.stored.formUnion((isCut ? whole : ended).intersection(last)) }
        guard run.status == "succeeded" else {
            open = reading
            return
        }
        open = nil
        if !isCut { reading.laid = Bounds() }
        // What is to delete, and has taken several runs, could not: it is read again.
        let mayDelete = run.read == run.id || world.missing == .ignore
        // So is one that was cut short before its second look at an empty list.
        let mayLookAtNothingAgain = mayLookAgain && log.allSatisfy { $0.records?.isEmpty != false }
        let isWhole = mayDelete && !mayLookAtNothingAgain && reading.laid.must.isSubset(of: reading.answered)
        end(reading, world, isWhole: isWhole)
    }

    /// Returns the parts whose lists may have changed between the pages of a run, so that they are read again.
    ///
    /// The verdict of a run tells of those that it has noticed. A list that spans runs is of several moments in any case.
    static func doubtful(_ run: Snapshot.Run, _ log: [ModelServer.Served]) -> Set<SourcePart> {
        guard run.read != run.id || run.status != "succeeded" || !run.isComplete else { return [] }
        return Set(log.filter { $0.number > 1 || !$0.isLast }.map(\.part))
    }

    private mutating func end(_ reading: Reading, _ world: World, isWhole: Bool = false) {
        guard world.followsChanges || world.readsAllAtTimes else { return }
        if world.followsChanges {
            guard let through = reading.through else { return }
            self.through = through
            left = Bounds(
                must: reading.laid.must.subtracting(reading.answered),
                may: reading.laid.may.subtracting(reading.stored).union(reading.doubtful))
        }
        guard reading.isFull, world.followsChanges || isWhole else { return }
        lastFull = (reading.beganAt, world.fullIdentity)
    }

    /// Notes which keys the pages of a run have had.
    mutating func notePages(
        _ keys: [SourcePart: Set<RecordID>], broken now: Set<SourcePart>, isExact: Bool, forgetsOthers: Bool
    ) {
        if forgetsOthers { (pages, broken) = ([:], []) }
        for (part, keys) in keys {
            let old = pages[part] ?? ([], [])
            pages[part] = isExact ? (keys, keys) : (old.must.intersection(keys), old.may.union(keys))
        }
        broken = (isExact ? broken.subtracting(keys.keys) : broken).union(now)
    }

    /// Notes which values of a query had no part in a read. Returns a problem if one that has returned is not read from the
    /// beginning.
    mutating func followGates(_ world: World, _ log: [ModelServer.Served]) -> HistoryProblem? {
        guard world.queriesGates, !log.isEmpty else { return nil }
        if let page = log.first(where: { $0.since != nil && goneGates.contains($0.part.gate ?? "") }) {
            return HistoryProblem("returned", "\(page.part) has returned, and is asked since \(page.since ?? "")")
        }
        goneGates.subtract(log.filter(\.isLast).compactMap(\.part.gate))
        goneGates.formUnion(Set(World.gateNames).subtracting(world.gates))
        return nil
    }

    /// Notes the end of a read of everything that could not delete what is missing. A later read may find missing what this one
    /// did not cover, such as children of records that no longer meet `where`.
    mutating func noteCut(of reading: Reading) {
        for part in pages.keys where !reading.covered.contains(part) { pages[part]?.must = [] }
    }
}

extension World {
    /// All that decides what a read contains.
    fileprivate var readIdentity: String {
        "\(queriesGates ? ["query"] : gates) \(choosesOpen) \(treatment) \(filters) \(hasTombstones) \(includesName)"
    }

    /// A stream that begins to delete reads everything first.
    var fullIdentity: String { "\(readIdentity) \(missing != .ignore)" }

    /// Returns the records of the parent that are asked for their children.
    func chosen(of zoos: [Int: Row]) -> [Int] {
        zoos.filter { !choosesOpen || $0.value.text("state") != "closed" }.keys.sorted()
    }

    /// Returns the parts of the source, in the order of the configuration.
    func parts(of zoos: [Int]) -> [SourcePart] {
        let parents: [Int?] = hasParent ? zoos : [nil]
        let gates: [String?] = self.gates.isEmpty ? [nil] : self.gates
        return parents.flatMap { zoo in gates.map { SourcePart(zoo: zoo, gate: $0) } }
    }
}
