import GarnerCatalog
import GarnerDatabase
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport

/// Plays a history, and looks after each read at what is stored.
struct HistoryPlay: Sendable {
    let history: History
    /// This very program, to be killed.
    private static let program = CommandLine.arguments[0]
    private static let beginning = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    let model: ModelServer
    let url: String
    let path: String
    private let reader: HistoryReader
    private let folder: TemporaryFolder
    /// Counts what has happened, so that each has an instant of its own.
    private var beat = 0
    private(set) var snapshot = Snapshot()
    /// The rows at an instant after each read.
    private var past: [(instant: Timestamp, rows: [Row])] = []
    /// The changes that each run must have noted.
    private var changes: [RunID: [RecordID: Prediction.Noted]] = [:]
    /// The current configuration of the source and the stream.
    private var world: World
    private var isOpen: Bool
    private(set) var figures = Figures()

    struct Figures: Sendable {
        var reads = 0
        var kills = 0
        var exact = 0
    }

    /// Plays the history; returns the deviation from the model, or nil if there is none.
    static func play(_ history: History) async -> (problem: HistoryProblem?, figures: Figures) {
        do {
            let model = ModelServer(history, at: beginning.description)
            return try await LoopbackServer.serve({ await model.answer($0) }) { server in
                var play = try HistoryPlay(history, model, server.url)
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
            return (HistoryProblem("damage", damage.text), Figures())
        } catch {
            return (HistoryProblem("error", "\(error)"), Figures())
        }
    }

    private init(_ history: History, _ model: ModelServer, _ url: String) throws {
        (self.history, self.model, self.url) = (history, model, url)
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        reader = HistoryReader(at: url, into: path)
        world = history.world
        isOpen = world.contractIsOpen
    }

    /// The instant of the current step.
    private var now: Timestamp { Self.beginning.advanced(by: .seconds(10 * beat)) }

    private mutating func all() async throws -> HistoryProblem? {
        for (number, step) in history.steps.enumerated() {
            beat += 1
            if var problem = try await take(step) {
                problem.text = "step \(number + 1): \(problem.text)"
                return problem
            }
        }
        return try pastProblem() ?? changesProblem()
    }

    private mutating func take(_ step: History.Step) async throws -> HistoryProblem? {
        switch step {
        case .change(let change):
            let instant = now.description
            model.change { $0.collection.apply(change, at: instant) }
            return nil
        case .reopen:
            await reader.close()
            return nil
        case .configure(let setting):
            setting.apply(to: &world)
            let world = world
            isOpen = isOpen && world.contractIsOpen
            model.change { $0.world = world }
            return nil
        case .read(let disturbance): return try await read(disturbance)
        case .quietRead:
            // A read that goes on with another one's is no whole look at the source; one that made a type wider leaves
            // spellings to the next.
            for number in 1...4 {
                let (problem, isSettled) = try await quietRead()
                if let problem { return HistoryProblem(problem.kind, "its read number \(number): \(problem.text)") }
                if isSettled { return nil }
                beat += 1
            }
            return HistoryProblem("unsettled", "four quiet reads do not come to rest")
        }
    }

    // MARK: - Reads

    private mutating func read(_ disturbance: Disturbance) async throws -> HistoryProblem? {
        prepare(disturbance)
        let before = snapshot
        let known = model.collection.ids
        if disturbance.kill == nil {
            let outcome = try await reader.read(
                world, at: now, RunScope(restarts: disturbance.restarts, maximumPages: disturbance.maximumPages),
                stopBehind: disturbance.stop)
            if let failure = outcome.failure, failure.category == .bug {
                return HistoryProblem("bug", failure.message)
            }
        } else {
            try await killedRead()
        }
        snapshot = try Snapshot(at: path, world)
        remember()
        let collection = model.collection
        let mustStay = disturbance.keepsPlaces(in: world) && mayJudge ? known.subtracting(collection.disturbed) : []
        return LooseLook(world: world, before: before, after: snapshot, collection: collection, isOpen: isOpen)
            .problem(mustStay: mustStay)
    }

    /// A table is also replaced by a read that spans runs, between which a record may have moved to a page that was read.
    private var mayJudge: Bool { world.writing != .replace || snapshot.run.read == snapshot.run.id }

    private mutating func prepare(_ disturbance: Disturbance) {
        let instant = now.advanced(by: .seconds(1)).description
        model.change { state in
            state.disturbance = disturbance
            state.requests = 0
            state.beginnings = [:]
            state.instant = instant
            state.collection.disturbed = []
        }
        figures.reads += 1
    }

    private mutating func killedRead() async throws {
        await reader.close()
        let order = VictimOrder(world: world, url: url, path: path, milliseconds: now.millisecondsSince1970)
        let text = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        let victim = try Victim(Self.program, [VictimOrder<World>.command, text], in: folder.url)
        model.change { $0.kill = { victim.kill() } }
        if await victim.end() == 128 + SIGKILL { figures.kills += 1 }
        model.change { $0.kill = nil }
    }

    private mutating func quietRead() async throws -> (problem: HistoryProblem?, isSettled: Bool) {
        prepare(Disturbance())
        let before = snapshot
        let outcome = try await reader.read(world, at: now)
        guard outcome.status == .succeeded, let record = outcome.record else {
            return (HistoryProblem("failure", "a quiet read failed: \(outcome.failure?.message ?? "")"), true)
        }
        snapshot = try Snapshot(at: path, world)
        remember()
        guard snapshot.run.read == snapshot.run.id else {
            let look = LooseLook(
                world: world, before: before, after: snapshot, collection: model.collection, isOpen: isOpen)
            return (look.problem(mustStay: mayJudge ? model.collection.ids : []), false)
        }
        var prediction = Prediction(
            world, from: before, pages: model.pages, to: snapshot, at: now.description)
        let problem = prediction.problem() ?? Self.problem(of: outcome.counts, prediction)
        changes[record.id] = prediction.changes
        if prediction.isExact { figures.exact += 1 }
        // A column that no row has a value in has one type in the table and none in the model, as often as it is read.
        let isInert = world.writing == .insertOnly && outcome.counts.inserted == 0
        if problem != nil || !(prediction.isExact || isInert) { return (problem, false) }
        return (try settledProblem(since: before), true)
    }

    private static func problem(of counts: RunCounts, _ prediction: Prediction) -> HistoryProblem? {
        let expected = prediction.counts
        let pairs: [(String, Int?, Int)] = [
            ("inserted", expected.inserted, counts.inserted), ("updated", expected.updated, counts.updated),
            ("deleted", expected.deleted, counts.deleted), ("quarantined", expected.quarantined, counts.quarantined),
            ("discarded", expected.discarded, counts.discarded),
            (
                "seen", prediction.storing.fates.count,
                counts.inserted + counts.updated + counts.unchanged + counts.quarantined + counts.discarded
            ),
        ]
        let wrong = pairs.first { $0.1 != nil && $0.1 != $0.2 }
        return wrong.map { HistoryProblem("counts", "\($0.0) is \($0.2) instead of \($0.1 ?? 0)") }
    }

    private mutating func remember() {
        guard world.keepsHistory, let table = snapshot.table else { return }
        past.append((now.advanced(by: .seconds(5)), table.rows))
    }
}

// MARK: - What else is told of the rows

extension HistoryPlay {
    /// Returns the problem with the database after the quiet reads have come to rest; nil if there is none.
    private func settledProblem(since before: Snapshot) throws -> HistoryProblem? {
        guard let table = snapshot.table else { return nil }
        let reader = try ReadOnlyDatabase(path: path)
        return try sourceProblem(table) ?? searchProblem(table, before.table, reader) ?? fileProblem(table, reader)
    }

    /// Checks that each record of the source is a row with its current values, whatever was requested.
    private func sourceProblem(_ table: StoredTable) -> HistoryProblem? {
        guard world.isIncremental, world.contractIsOpen else { return nil }
        let rows = Dictionary(table.rows.map { ($0.id(world.keyNames), $0) }) { first, _ in first }
        let storing = Storing(world, into: snapshot.table, visits: snapshot.visits)
        for record in model.collection.records {
            let leaves = storing.leaves(of: record.content(in: world)).filter { $0.0 != "visits" }
            var row = rows[record.id] ?? [:]
            row["visits"] = nil
            let wanted = Dictionary(uniqueKeysWithValues: leaves).compactMapValues(\.essence)
            if row.essence != wanted {
                return HistoryProblem("source", "the row \(record.id) is \(row.told) instead of \(wanted)")
            }
        }
        return nil
    }

    /// The index is made when a run begins, so that there is none where the first of its columns has only come.
    private func searchProblem(
        _ table: StoredTable, _ before: StoredTable?, _ reader: ReadOnlyDatabase
    ) throws -> HistoryProblem? {
        let fields = World.searched.filter { table.types[$0] != nil }
        guard world.isSearched, fields.contains(where: { before?.types[$0] != nil }) else { return nil }
        let words = ["tapir", "okapi", "quoll", "007"]
        for (word, deleted) in words.flatMap({ [($0, DeletedRows.leftOut), ($0, .shown)] }) {
            let rows = try reader.search(World.table, for: .words(word), limit: nil, deleted: deleted)
            var found: [String] = []
            while let row = try rows.next() { found.append(Row(row, rows.columns).told) }
            let expected = table.rows.map(\.whole).filter { row in
                (deleted == .shown || row.isPresent)
                    && fields.contains { row[$0].map { Self.words(of: $0).contains(word) } ?? false }
            }.map(\.told)
            if found.sorted() != expected.sorted() {
                return HistoryProblem(
                    "search", "'\(word)' is found in \(found.sorted()) instead of \(expected.sorted())")
            }
        }
        return nil
    }

    private static func words(of value: Value) -> [String] {
        value.keyText.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private func fileProblem(_ table: StoredTable, _ reader: ReadOnlyDatabase) throws -> HistoryProblem? {
        guard world.hasFiles, world.isKeyed else { return nil }
        let collection = model.collection
        // Of a row that is marked as missing, it is not told.
        for row in table.rows where row.isPresent {
            guard case .text(let url)? = row["photo"], let number = Int(url.dropFirst(7)) else { continue }
            let place = try reader.place(in: World.table, key: row.id(world.keyColumns).parts)
            let file = try reader.attachments(of: place).first { $0.field == "photo" }
            let bytes = try file?.sha256.map { try reader.content(ofFile: $0) }
            if bytes != ModelServer.content(ofFile: number, in: collection) {
                let got = bytes.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
                return HistoryProblem("files", "of \(url) \(got) is stored")
            }
        }
        return nil
    }

    /// Returns the problem with the rows as of earlier instants, apart from the spelling of values, or nil.
    private func pastProblem() throws -> HistoryProblem? {
        for (instant, rows) in past {
            let reader = try ReadOnlyDatabase(path: path)
            let told = try reader.viewing(asOf: instant) { () -> [Row] in
                let cursor = try reader.rows("SELECT * FROM \(World.table)")
                var rows: [Row] = []
                while let row = try cursor.next() { rows.append(Row(row, cursor.columns)) }
                return rows
            }
            let (wanted, got) = (Self.essences(rows), Self.essences(told))
            if wanted != got {
                return HistoryProblem("past", "at \(instant) the rows are said to be \(got) instead of \(wanted)")
            }
        }
        return nil
    }

    private static func essences(_ rows: [Row]) -> [String] {
        rows.map { $0.essence.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") }
            .sorted()
    }

    private func changesProblem() throws -> HistoryProblem? {
        guard world.isKeyed, snapshot.table != nil else { return nil }
        var told: [RunID: [RecordID: RecordChange]] = [:]
        try ReadOnlyDatabase(path: path).forEachChange(ChangeRequest()) { change in
            told[change.run, default: [:]][try RecordID(change.key, in: world)] = change
        }
        for (run, wanted) in changes.sorted(by: { $0.key < $1.key }) {
            let told = told[run] ?? [:]
            let (words, expected) = (told.mapValues(\.operation.rawValue), wanted.mapValues(\.operation))
            if words != expected {
                return HistoryProblem("changes", "run \(run) noted \(words) instead of \(expected)")
            }
            for (id, change) in told {
                guard let fields = change.fields, let expected = wanted[id]?.fields else { continue }
                let differing = fields.filter { $0.old.essence != $0.new.essence && !$0.name.hasPrefix("_garner_") }
                let got = Dictionary(differing.map { ($0.name, [$0.old.essence, $0.new.essence]) }) { first, _ in first
                }
                if got != expected {
                    return HistoryProblem("fields", "run \(run) changed of \(id) \(got) instead of \(expected)")
                }
            }
        }
        return nil
    }
}

extension RecordID {
    /// Leaves out the part for the parent's record.
    fileprivate init(_ key: RecordChange.Key, in world: World) throws {
        switch key {
        case .single(let value): self.init(parts: [value.keyText])
        case .composite(let json):
            let parts = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any]
            self.init(parts: (parts ?? []).dropFirst(world.zoos > 0 ? 1 : 0).map { "\($0)" })
        }
    }
}
