import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport

/// Plays a history, and looks after each read at what is asked and what is stored.
struct HistoryPlay: Sendable {
    let history: History
    /// This very program, to be killed.
    private static let program = CommandLine.arguments[0]
    private static let beginning = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    let server: ModelServer
    let url: String
    let path: String
    private let reader: HistoryReader
    let folder: TemporaryFolder
    /// Counts what has happened, so that each has an instant of its own.
    private var beat = 0
    private(set) var snapshot = Snapshot()
    /// The rows at an instant after each read.
    private(set) var past: [(instant: Timestamp, rows: [Row])] = []
    /// The changes that each run must have noted.
    private(set) var changes: [RunID: [RecordID: Prediction.Noted]] = [:]
    /// The records that slipped between two pages of a read, and that no later one has sent. A mirror's model knows them better.
    private(set) var slipped: [SourcePart: Set<ModelRecord>] = [:]
    /// What must be asked of a mirror.
    var model = MirrorModel()
    /// The current configuration of the source and the stream.
    private(set) var world: World
    private var isOpen: Bool
    /// The treatments of fields that the stream has had in reads.
    private(set) var treatments: Set<World.Treatment> = []
    /// The words that no byte of the database may have.
    private(set) var hidden = [World.hush, World.mailHost]
    var figures = Figures()

    struct Figures: Sendable {
        var reads = 0
        var kills = 0
        var exact = 0

        mutating func add(_ other: Figures) {
            (reads, kills, exact) = (reads + other.reads, kills + other.kills, exact + other.exact)
        }
    }

    /// Plays the history; returns the deviation from the model, or nil if there is none.
    static func play(_ history: History) async -> (problem: HistoryProblem?, figures: Figures) {
        do {
            let model = ModelServer(history, at: beginning.description)
            return try await LoopbackServer.serve({ model.answer($0) }) { server in
                var play = try HistoryPlay(history, model, server.url)
                let problem = await play.problem()
                await play.reader.end()
                return (problem, play.figures)
            }
        } catch {
            return (HistoryProblem("error", "\(error)"), Figures())
        }
    }

    private init(_ history: History, _ server: ModelServer, _ url: String) throws {
        (self.history, self.server, self.url) = (history, server, url)
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        reader = HistoryReader(at: url, into: path, publishes: history.isPublished, copies: history.isCopied)
        world = history.world
        isOpen = world.contractIsOpen
    }

    /// The instant of the current step.
    var now: Timestamp { Self.beginning.advanced(by: .seconds(World.beat * beat)) }

    private mutating func problem() async -> HistoryProblem? {
        var place = ""
        do {
            for (number, step) in history.steps.enumerated() {
                beat += 1
                place = "step \(number + 1): "
                try await take(step)
            }
            return try pastProblem() ?? changesProblem()
        } catch let problem as HistoryProblem {
            return HistoryProblem(problem.kind, "\(place)\(problem.text)")
        } catch {
            return HistoryProblem("error", "\(place)\(error)")
        }
    }

    private mutating func take(_ step: History.Step) async throws {
        switch step {
        case .change(let change):
            let instant = now.description
            server.change { $0.collection.apply(change, at: instant) }
        case .reopen: await reader.close()
        case .wait(let steps): beat += steps
        case .configure(let world):
            self.world = world
            isOpen = isOpen && world.contractIsOpen
            server.change { $0.world = world }
        case .read(let disturbance): _ = try await read(disturbance)
        case .quietRead:
            // A read that goes on with another one's is no whole look at the source; one that made a type wider leaves
            // spellings to the next.
            let limit = world.isMirror ? 3 : 4
            for _ in 1...limit {
                if try await read(Disturbance()) { return }
                beat += 1
            }
            throw HistoryProblem("unsettled", "\(limit) quiet reads do not come to rest")
        }
    }

    // MARK: - Reads

    /// Returns true if everything is as the model says.
    ///
    /// - Throws: a deviation from the model.
    private mutating func read(_ disturbance: Disturbance) async throws -> Bool {
        let instant = now.advanced(by: .seconds(1)).description
        server.change { state in
            (state.disturbance, state.requests, state.log, state.instant) = (disturbance, 0, [], instant)
            state.agent = HistoryReader.agent
            state.collection.disturbed = []
        }
        figures.reads += 1
        treatments.insert(world.treatment)
        hidden = hidden.filter { $0 == World.hush ? world.hidesSecrets : world.hidesMail }
        let (before, known) = (snapshot, server.collection.ids)
        let outcome = try await run(disturbance)
        if let failure = outcome?.failure, failure.category == .bug { throw HistoryProblem("bug", failure.message) }
        snapshot = try Snapshot(at: path, world)
        for page in server.log {
            slipped[page.part, default: []].subtract(page.records ?? [])
            slipped[page.part, default: []].formUnion(page.slipped)
        }
        if world.keepsHistory, snapshot.hasVersions, let table = snapshot.table {
            past.append((now.advanced(by: .seconds(World.beat / 2)), table.rows))
        }
        let isSettled =
            try world.isMirror
            ? judgeParts(since: before, outcome, disturbance)
            : judgeRecords(since: before, outcome, disturbance, known: known)
        try HistoryProblem.check(secretProblem())
        try await publish()
        try HistoryProblem.check(await reader.copyProblem())
        return isSettled
    }

    /// Brings a receiver to what is stored. At times it comes late, the file does not hear of it, or it has lost what it had.
    private func publish() async throws {
        guard figures.reads % 4 != 2 else { return }
        do {
            try await reader.publish(confirms: figures.reads % 3 != 0, isRestored: figures.reads % 7 == 5)
        } catch let deviation as RebuildingReceiver.Deviation {
            throw HistoryProblem("published", deviation.description)
        }
    }

    /// Returns nil for a run of a process that was to be killed.
    private mutating func run(_ disturbance: Disturbance) async throws -> RunOutcome? {
        guard disturbance.kill != nil else {
            let scope = RunScope(restarts: disturbance.restarts, maximumPages: disturbance.maximumPages)
            return try await reader.read(world, at: now, scope, stopBehind: disturbance.stop)
        }
        await reader.close()
        let agent = "\(HistoryReader.agent)-\(figures.reads)"
        let order = VictimOrder(
            world: world, url: url, path: path, milliseconds: now.millisecondsSince1970,
            publishes: history.isPublished, agent: agent)
        let text = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        server.change { $0.agent = agent }
        let victim = try Victim(Self.program, [VictimOrder.command, text], in: folder.url)
        server.change { $0.kill = { victim.kill() } }
        if await victim.end() == 128 + SIGKILL { figures.kills += 1 }
        server.change { $0.kill = nil }
        return nil
    }

    // MARK: - Of a source that drifts

    private mutating func judgeRecords(
        since before: Snapshot, _ outcome: RunOutcome?, _ disturbance: Disturbance, known: Set<RecordID>
    ) throws -> Bool {
        let isQuiet = disturbance == Disturbance()
        if isQuiet, outcome?.status != .succeeded {
            throw HistoryProblem("failure", "a quiet read failed: \(outcome?.failure?.message ?? "")")
        }
        let isWhole = snapshot.run?.beganItsRead ?? true
        guard isQuiet, isWhole, let counts = outcome?.counts, let run = outcome?.record?.id else {
            let collection = server.collection
            // A table is also replaced by a read that spans runs, between which a record may have moved to a page that was read.
            let mayJudge = disturbance.keepsPlaces(in: world) && (world.writing != .replace || isWhole)
            let look = LooseLook(world: world, before: before, after: snapshot, collection: collection, isOpen: isOpen)
            try HistoryProblem.check(
                look.problem(mustStay: mayJudge ? known.subtracting(collection.disturbed) : []))
            return false
        }
        var prediction = Prediction(
            world, from: before, pages: server.pages, to: snapshot, at: now.description)
        try HistoryProblem.check(prediction.problem() ?? prediction.counts.problem(with: counts))
        changes[run] = prediction.changes
        if prediction.isExact { figures.exact += 1 }
        // A column that no row has a value in has one type in the table and none in the model, as often as it is read.
        let mayHaveNone = world.writing == .insertOnly || snapshot.table?.rows.isEmpty == true
        guard prediction.isExact || mayHaveNone && counts.changes == 0 else { return false }
        try HistoryProblem.check(settledProblem(world, since: before))
        return true
    }
}
