import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport

/// Plays a history of a mirror, and looks after each read at what is asked and what is stored.
struct MirrorPlay: Sendable {
    let history: MirrorHistory
    private static let program = CommandLine.arguments[0]
    private static let beginning = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    private let server: MirrorServer
    private let url: String
    private let path: String
    private let reader: HistoryReader
    private let folder: TemporaryFolder
    private var beat = 0
    private var snapshot = MirrorSnapshot()
    private var model = MirrorModel()
    private var world: MirrorWorld
    /// The treatments of fields that the stream has had in reads.
    private var fields: Set<MirrorWorld.Fields> = []
    private var hidesSecrets = true
    private var hidesMail = true
    private var figures = HistoryPlay.Figures()

    /// Plays the history; returns the deviation from the model, or nil if there is none.
    static func play(_ history: MirrorHistory) async -> (problem: HistoryProblem?, figures: HistoryPlay.Figures) {
        do {
            let server = MirrorServer(history, at: beginning.description)
            return try await LoopbackServer.serve({ await server.answer($0) }) { loopback in
                var play = try MirrorPlay(history, server, loopback.url)
                do {
                    let problem = try await play.all()
                    await play.reader.end()
                    return (problem, play.figures)
                } catch {
                    await play.reader.end()
                    throw error
                }
            }
        } catch let damage as Snapshot.Damage {
            return (HistoryProblem("damage", damage.text), .init())
        } catch {
            return (HistoryProblem("error", "\(error)"), .init())
        }
    }

    private init(_ history: MirrorHistory, _ server: MirrorServer, _ url: String) throws {
        (self.history, self.server, self.url) = (history, server, url)
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        reader = HistoryReader(at: url, into: path)
        world = history.world
    }

    private var now: Timestamp { Self.beginning.advanced(by: .seconds(MirrorWorld.beat * beat)) }

    private mutating func all() async throws -> HistoryProblem? {
        for (number, step) in history.steps.enumerated() {
            beat += 1
            if var problem = try await take(step) {
                problem.text = "step \(number + 1): \(problem.text)"
                return problem
            }
        }
        return nil
    }

    private mutating func take(_ step: MirrorHistory.Step) async throws -> HistoryProblem? {
        switch step {
        case .change(let change):
            let instant = now.description
            server.change { $0.source.apply(change, at: instant) }
        case .reopen: await reader.close()
        case .wait(let steps): beat += steps
        case .configure(let setting):
            setting.apply(to: &world)
            let world = world
            server.change { $0.world = world }
        case .read(let disturbance): return try await read(disturbance).problem
        case .refresh: return try await read(MirrorDisturbance(restarts: true)).problem
        case .quietRead:
            // A read that goes on with another one's is no whole look at the source.
            for number in 1...3 {
                let (problem, isExact) = try await read(MirrorDisturbance())
                if let problem { return HistoryProblem(problem.kind, "its read number \(number): \(problem.text)") }
                if isExact { return nil }
                beat += 1
            }
            return HistoryProblem("unsettled", "three quiet reads do not come to rest")
        }
        return nil
    }

    // MARK: - Reads

    private mutating func read(
        _ disturbance: MirrorDisturbance
    ) async throws -> (problem: HistoryProblem?, isExact: Bool) {
        let instant = now.advanced(by: .seconds(1)).description
        server.change { state in
            (state.disturbance, state.requests, state.log, state.instant) = (disturbance, 0, [], instant)
            state.agent = HistoryReader.agent
        }
        figures.reads += 1
        fields.insert(world.fields)
        (hidesSecrets, hidesMail) = (hidesSecrets && world.hidesSecrets, hidesMail && world.hidesMail)
        let before = snapshot
        var outcome: RunOutcome?
        if disturbance.kill == nil {
            outcome = try await reader.read(
                world, at: now, RunScope(restarts: disturbance.restarts, maximumPages: disturbance.maximumPages),
                stopBehind: disturbance.stop)
        } else {
            try await killedRead()
        }
        if let failure = outcome?.failure, failure.category == .bug {
            return (HistoryProblem("bug", failure.message), false)
        }
        snapshot = try MirrorSnapshot(at: path)
        let (problem, isExact) = try judge(before, outcome, disturbance)
        return (try problem ?? secretProblem(), isExact)
    }

    private mutating func killedRead() async throws {
        await reader.close()
        let agent = "\(HistoryReader.agent)-\(figures.reads)"
        let order = VictimOrder(
            world: world, url: url, path: path, milliseconds: now.millisecondsSince1970, agent: agent)
        let text = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        server.change { $0.agent = agent }
        let victim = try Victim(Self.program, [VictimOrder<MirrorWorld>.command, text], in: folder.url)
        server.change { $0.kill = { victim.kill() } }
        if await victim.end() == 128 + SIGKILL { figures.kills += 1 }
        server.change { $0.kill = nil }
    }

    private mutating func judge(
        _ before: MirrorSnapshot, _ outcome: RunOutcome?, _ disturbance: MirrorDisturbance
    ) throws -> (HistoryProblem?, isExact: Bool) {
        let log = server.log
        if world.hasParent { model.followParent(from: before, to: snapshot) }
        guard let run = snapshot.run, run.id != before.run?.id else {
            let isSame = before.rows(in: world) == snapshot.rows(in: world) && log.isEmpty
            // A run that cannot begin for the same reason as the one before has no row of its own.
            let cannotBegin = world.queriesGates && snapshot.run?.status == "failed"
            return (
                isSame ? nil : HistoryProblem("runs", "something was read or stored without a run"),
                isSame && cannotBegin
            )
        }
        var world = world
        if world.queriesGates { world.gates = model.gates(of: run, in: snapshot) }
        if world.queriesGates, world.gates.isEmpty {
            let isSame = before.rows(in: world) == snapshot.rows(in: world) && log.isEmpty
            let isRight = isSame && run.status != "succeeded"
            return (isRight ? nil : HistoryProblem("empty", "without a value, something was read or stored"), isRight)
        }
        let begun = model.begin(
            run, world, zoos: snapshot.presentZoos, restarts: disturbance.restarts,
            hasLostPlace: log.first.map { $0.records == nil } ?? false, at: now)
        let reading: MirrorModel.Reading
        switch begun {
        case .failure(let problem): return (problem, false)
        case .success(let begun): reading = begun
        }
        let look = MirrorLook(
            world: world, fields: fields, before: before, after: snapshot, log: log, source: server.source,
            reading: reading, model: model)
        let hasSucceeded = run.status == "succeeded"
        let isWhole = hasSucceeded && disturbance.maximumPages == nil
        if let problem = Self.askingProblem(log, reading, world, isWhole: isWhole) ?? look.looseProblem() {
            return (problem, false)
        }
        let isNew = run.read == run.id
        if world.stopsAtKnown {
            let problem = model.descent.problem(
                log, reading, identity: world.fullIdentity, isWhole: isWhole,
                mayResume: world.paging == .cursor, isStored: look.isStored)
            if let problem { return (problem, false) }
        }
        var (isExact, sharesRecords, movesCursors) = (false, false, false)
        if disturbance.isQuiet, let outcome {
            // A read that goes on may ask for children of a record that is gone by now.
            guard hasSucceeded || !isNew && log.contains(where: { $0.records == nil }) else {
                return (HistoryProblem("failure", "a quiet read failed: \(outcome.failure?.message ?? "")"), false)
            }
            if isNew {
                let prediction = look.prediction()
                let meetsKnown =
                    !world.stopsAtKnown || reading.ignoresCursors
                    ? true : model.descent.meetsKnown(log, identity: world.fullIdentity, isStored: look.isStored)
                let isComplete = prediction.quarantined == 0 && look.hasEveryLastPage ? meetsKnown : false
                // Without the members of pages, it is not known from where a record has come to a page.
                let mayBeUnsure = world.isIncremental && world.missing == .ignore
                guard
                    isComplete == nil || run.isComplete == isComplete
                        || mayBeUnsure && outcome.record?.verdict?.kind == .contradicted
                else {
                    let verdict = outcome.record?.verdict
                    let found = [verdict?.completeness.rawValue, verdict?.reason].compactMap(\.self).joined(
                        separator: ": ")
                    return (
                        HistoryProblem(
                            "verdict",
                            "a quiet read is \(found), and \(isComplete == true ? "has all" : "lacks records")"),
                        false
                    )
                }
                sharesRecords =
                    prediction.repeated > 0 || model.sharesRecords && !reading.isFull && !world.isIncremental
                if disturbance.restarts || model.sharesRecords || !look.hasFurtherGates(prediction) {
                    if let problem = try look.problem(with: prediction, outcome.counts) ?? fileProblem() {
                        return (problem, false)
                    }
                    figures.exact += 1
                    isExact = true
                    movesCursors =
                        prediction.quarantined == 0 && outcome.record?.verdict?.kind != .contradicted
                }
            }
        }
        model.sharesRecords = sharesRecords
        if let problem = model.followGates(world, log) { return (problem, false) }
        model.descent.note(
            log, identity: world.fullIdentity, slices: world.slices(of: world.chosen(of: snapshot.presentZoos)),
            beganAt: reading.beganAt.description, restarts: disturbance.restarts || reading.ignoresCursors,
            hasStored: hasSucceeded,
            movesCursors: movesCursors, isStored: look.isStored)
        let pages = look.pages
        model.notePages(
            pages.keys, broken: pages.broken, isExact: hasSucceeded && isNew,
            forgetsOthers: isWhole && isNew && !(world.followsChanges && !reading.isFull))
        if hasSucceeded, reading.isFull, !(isWhole && isNew) { model.noteCut(of: reading) }
        let faults = Set(disturbance.faults.values)
        model.end(
            reading, as: run, world, log: log,
            failsApart: disturbance.kill == nil && disturbance.stop == nil && faults.isSubset(of: [.gone, .refused]),
            isCut: disturbance.maximumPages != nil)
        return (nil, isExact)
    }

    /// Returns a problem if parts of the source were asked that are not due, or due ones were not.
    private static func askingProblem(
        _ log: [MirrorServer.Served], _ reading: MirrorModel.Reading, _ world: MirrorWorld, isWhole: Bool
    ) -> HistoryProblem? {
        let asked = Set(log.map(\.slice))
        if let surplus = asked.subtracting(reading.laid.may).first {
            return HistoryProblem("asked", "\(surplus) was asked, and was not due")
        }
        if isWhole, let lacking = reading.laid.must.subtracting(asked).first {
            return HistoryProblem("due", "\(lacking) was due, and was not asked")
        }
        if reading.ignoresCursors, let page = log.first(where: { $0.since != nil }) {
            return HistoryProblem("since", "a read of everything asks \(page.slice) since \(page.since ?? "")")
        }
        return nil
    }

    /// Looks for what the rules for fields leave out or hash, in all bytes of the database's files.
    private func secretProblem() throws -> HistoryProblem? {
        var needles: [String] = []
        if hidesSecrets { needles.append(MirrorRecord.hush) }
        if hidesMail { needles.append(MirrorRecord.mailHost) }
        guard !needles.isEmpty else { return nil }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            guard let data = FileManager.default.contents(atPath: folder.path(name)) else { continue }
            for needle in needles where data.range(of: Data(needle.utf8)) != nil {
                return HistoryProblem("secret", "the file \(name) has '\(needle)' in it")
            }
        }
        return nil
    }

    private func fileProblem() throws -> HistoryProblem? {
        guard world.hasFiles, let table = snapshot.table else { return nil }
        let database = try ReadOnlyDatabase(path: path)
        for row in table.rows where row.isPresent {
            guard let photo = row.text("photo") else { continue }
            let place = try database.place(in: MirrorWorld.table, key: row.id(world.keyColumns).parts)
            let file = try database.attachments(of: place).first { $0.field == "photo" }
            let bytes = try file?.sha256.map { try database.content(ofFile: $0) }
            let wanted = MirrorServer.content(ofFile: String(photo.dropFirst(7)))
            if bytes.map({ String(decoding: $0, as: UTF8.self) }) != wanted {
                return HistoryProblem("files", "of \(photo) is stored \(bytes?.count ?? 0) bytes of something else")
            }
        }
        return nil
    }
}
