import GarnerCatalog
import GarnerDatabase
import GarnerFetcher
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import SimulatedAPIs
import GarnerSync
import TestSupport

/// Plays a case: a few syncs of a server with bad manners, each of which is judged.
struct MannersPlay {
    struct Figures: Sendable {
        var syncs = 0
        var complete = 0
        /// The number of cases in which each manner showed.
        var shown: [Manner.Kind: Int] = [:]
        /// The number of cases that failed, by what failed and by which manners.
        var failures: [String: Int] = [:]

        mutating func add(_ other: Figures) {
            syncs += other.syncs
            complete += other.complete
            shown.merge(other.shown, uniquingKeysWith: +)
        }
    }

    private let item: MannersCase
    private let stage: MannersStage
    private let server: MannersServer
    private let clock = SleeplessClock(from: MannersStage.epoch)
    private let folder: TemporaryFolder
    private let path: String
    private let writer: DatabaseWriter
    private var figures = Figures()
    /// The last sync did not come to the end of its read.
    private var wasLeft = false
    /// The last sync with bad manners had fewer than half as many records as the table had rows.
    private var wasShort = false

    static func play(_ item: MannersCase, on stage: MannersStage) async -> (problem: HistoryProblem?, figures: Figures)
    {
        do {
            var play = try MannersPlay(item, stage)
            let problem: HistoryProblem?
            do {
                problem = try await play.problem()
            } catch {
                problem = HistoryProblem("harness", "\(error)")
            }
            await play.writer.close()
            for (kind, _) in play.server.shown { play.figures.shown[kind] = 1 }
            return (problem, play.figures)
        } catch {
            return (HistoryProblem("harness", "\(error)"), Figures())
        }
    }

    private init(_ item: MannersCase, _ stage: MannersStage) throws {
        (self.item, self.stage) = (item, stage)
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        try FileManager.default.copyItem(atPath: stage.template, toPath: path)
        server = MannersServer(item.server, stage.shapes[item.api], clock: clock, seed: item.seed)
        writer = try DatabaseWriter(path: path, synchronous: .normal) { [clock] in clock.time }
    }

    private mutating func problem() async throws -> HistoryProblem? {
        let stream = try stream()
        if item.manners.isEmpty { return try await usualProblem(stream) }
        if item.knowsRows {
            server.begin([])
            var whole = try stage.wholeStream(of: item)
            (whole.name, whole.table) = (stream.name, stream.table)
            let outcome = await sync(whole)
            guard outcome?.status == .succeeded else { return nil }
            server.change { records in
                records.removeSubrange(5..<5 + item.gone)
                records.append(contentsOf: (0..<item.added).map { 9000 + $0 })
            }
        }
        for round in 1...MannersCase.rounds {
            if let problem = try await badProblem(stream, round) { return problem }
        }
        return nil
    }

    /// Returns what is wrong with a sync with bad manners.
    private mutating func badProblem(_ stream: StreamConfiguration, _ round: Int) async throws -> HistoryProblem? {
        let before = try rows(of: stream)
        server.begin(item.manners, goesOn: wasLeft)
        let outcome = await sync(stream)
        figures.syncs += 1
        func problem(_ kind: String, _ text: String) -> HistoryProblem {
            HistoryProblem(kind, "sync \(round): \(text)\n\(story(outcome))")
        }
        guard let outcome else { return problem("endless", "it does not end") }
        guard server.requests.count <= MannersServer.maximum else { return problem("endless", "it asks on and on") }
        let after = try rows(of: stream)
        if let row = after.others.first { return problem("invented", "'\(row)' is stored, and was never a record") }
        let isComplete = outcome.record?.completeness == .complete && outcome.status == .succeeded
        figures.complete += isComplete ? 1 : 0
        wasLeft = outcome.status != .succeeded
        let steady = server.steady
        // A record that nobody has seen yet may come one sync later where requests overtake each other.
        let missing =
            item.overtakes
            ? before.keys.intersection(steady).subtracting(after.keys)
            : steady.subtracting(server.given.intersection(after.keys))
        let isHonest = item.isHonest(in: round)
        if isComplete, isHonest, !missing.isEmpty {
            return problem("complete", "\(missing.count) records are missing, and it is complete: \(missing.sorted())")
        }
        let usual = UsualRead.of(SimulatedAPI.all[item.api].name, item.setup)?.word
        if item.manners.allSatisfy(\.isHarmless), !item.knowsRows, round == 1, usual == "complete", !isComplete {
            return problem("unusual", "it would be complete without that")
        }
        let lost = before.keys.intersection(steady).subtracting(after.keys)
        let isShort = 2 * server.given.count < before.keys.count
        defer { wasShort = isShort }
        if !lost.isEmpty, !mayLose(lost.count, of: before.keys.count, outcome, isComplete, isShort, isHonest) {
            return problem("deleted", "\(lost.count) rows are gone that the server still has: \(lost.sorted())")
        }
        return nil
    }

    /// Returns true if so many live rows may go: a lie may take half a table, and a read that replaces it becomes the table.
    private func mayLose(
        _ count: Int, of total: Int, _ outcome: RunOutcome, _ isComplete: Bool, _ isShort: Bool, _ isHonest: Bool
    ) -> Bool {
        switch item.writing {
        case _ where item.overtakes && (item.writing != .replace || isComplete): return false
        case .merge: return false
        case .hard: return !isHonest && isComplete && (total < 10 ? count <= 1 : 2 * count <= total)
        case .unbraked: return !isHonest && isComplete
        case .replace:
            guard outcome.status == .succeeded, outcome.record?.completeness != .partial else { return false }
            if !isHonest, isComplete { return true }
            return outcome.record?.verdict?.kind != .contradicted && (!isShort || wasShort)
        }
    }

    /// Returns what differs from the usual first sync of an API with good manners.
    private func usualProblem(_ stream: StreamConfiguration) async throws -> HistoryProblem? {
        server.begin([])
        let outcome = await sync(stream)
        let seen = UsualRead(outcome, requests: server.requests.count)
        let isWhole = try rows(of: stream).keys == server.steady
        if outcome?.record?.completeness == .complete, !isWhole {
            return HistoryProblem("complete", "records are missing\n\(story(outcome))")
        }
        let usual = UsualRead.of(SimulatedAPI.all[item.api].name, item.setup)
        guard usual != seen else { return nil }
        return HistoryProblem(
            "unusual", "it is \(seen) instead of \(usual.map { "\($0)" } ?? "nothing known")\n\(story(outcome))")
    }

    private func stream() throws -> StreamConfiguration {
        var stream = try item.server.stream(item.lines)
        if item.setup == .initialized {
            let initialized = try stage.initialized(item.api)
            stream.paginator = initialized.paginator
            stream.recordSelector = initialized.recordSelector
            stream.primaryKey = initialized.primaryKey
        }
        return prepared(stream)
    }

    private func prepared(_ stream: StreamConfiguration) -> StreamConfiguration {
        var stream = stream
        stream.retry = RetryPolicy(maxAttempts: 4, baseDelay: .milliseconds(300))
        let never = Duration.seconds(100 * 3600)
        stream.limits = Limits(connect: never, firstByte: never, idle: never, total: never)
        return stream
    }

    /// Returns the outcome; nil if it does not come within half a minute.
    private func sync(_ stream: StreamConfiguration) async -> RunOutcome? {
        let sync = StreamSync(
            prepared(stream), into: writer, transport: server,
            timing: Timing(clock: clock, now: { [clock] in clock.time }, random: { 0.5 }))
        return await withTaskGroup(of: RunOutcome?.self) { group in
            group.addTask { await sync.run() }
            group.addTask {
                try? await Task.sleep(for: .seconds(30))
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    private func story(_ outcome: RunOutcome?) -> String {
        let verdict = outcome?.record?.verdict.map { "\($0.kind), \($0.reason ?? "no reason")" } ?? "no verdict"
        let failure = outcome?.failure.map { ", \($0.message)" } ?? ""
        let end = "  it is \(outcome.map { "\($0.status)" } ?? "not over"): \(verdict)\(failure)"
        return (server.requests.prefix(30).map { "  \($0)" } + [end]).joined(separator: "\n")
    }

    /// The numbers of the records that are stored, and the keys of rows that were never records.
    private func rows(of stream: StreamConfiguration) throws -> (keys: Set<Int>, others: [String]) {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        let names = try connection.rows("SELECT name FROM pragma_table_info('\(stream.table)')") { $0.text(at: 0) }
        guard !names.isEmpty else { return ([], []) }
        let usual = ["question_id", "pageid", "data__id", "Id", "id", "_id", "id__N", "name"]
        let key = usual.first { names.contains($0) }.map { "\"\($0)\"" } ?? "'none'"
        let texts = try connection.rows("SELECT coalesce(CAST(\(key) AS TEXT), 'NULL') FROM \"\(stream.table)\"") {
            $0.text(at: 0)
        }
        // Behind what an API writes in front of a number, such as `ch_` and `00`.
        var rows: (keys: Set<Int>, others: [String]) = ([], [])
        for text in texts {
            let number = Int(text.drop { !$0.isNumber }) ?? -1
            if (1...item.server.count + MannersCase.rounds).contains(number) || (9000...9010).contains(number) {
                rows.keys.insert(number)
            } else {
                rows.others.append(text)
            }
        }
        return rows
    }
}
