import Foundation
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// Reads a database of several parts, whose runs have numbers that tell nothing of time.
@Suite(.timeLimit(.minutes(3)))
struct PartsReadingTests {
    private static let names = ["animals", "trees", "fish"]

    /// The instant of each run, by its number.
    private let starts: [RunID: Timestamp]
    private let kept: [KeptDatabase]

    /// Makes parts with runs and changes, each a later one than that before it in the same part.
    init() async throws {
        var random = SplitMix64(seed: 11)
        var starts: [RunID: Timestamp] = [:]
        var kept: [KeptDatabase] = []
        for (part, name) in Self.names.enumerated() {
            let fixture = try Fixture()
            try await fixture.sync(.animals(key: ["id"]), #"[{"id":1},{"id":2}]"#)
            await fixture.writer.close()
            let connection = try Connection(path: fixture.path, mode: .readWrite)
            let first = Int64(part) << 32
            try connection.set(checksForeignKeys: false)
            try connection.executeScript(
                """
                DELETE FROM _garner_requests; DELETE FROM _garner_pages; DELETE FROM _garner_runs;
                ALTER TABLE animals RENAME TO new_\(name); ALTER TABLE new_\(name) RENAME TO \(name);
                UPDATE _garner_streams SET stream_id = stream_id + \(first), name = 'zoo\(part).\(name)', table_name = '\(name)';
                UPDATE _garner_columns SET stream_id = stream_id + \(first)
                """)
            let stream = try #require(try connection.integer("SELECT stream_id FROM _garner_streams"))
            var time = 1_769_846_700_000 as Int64
            for number in 1...20 {
                time += Int64.random(in: 0...3_000, using: &random)
                let run = RunID(first + Int64(number))
                starts[run] = Timestamp(millisecondsSince1970: time)
                let isLast = number == 20
                try connection.execute(
                    """
                    INSERT INTO _garner_runs (run_id, stream_id, read_id, status, started_at, ended_at, inserted)
                    VALUES (?1, ?2, ?1, ?3, ?4, ?5, 2)
                    """, .id(run), .integer(stream), .text(isLast ? "running" : "succeeded"),
                    .text(Timestamp(millisecondsSince1970: time).description),
                    isLast ? .null : .text(Timestamp(millisecondsSince1970: time + 10_000).description))
                for key in 1...2 as ClosedRange<Int64> {
                    try connection.execute(
                        "INSERT INTO _garner_changes VALUES (?1, ?2, ?3, 'insert')", .integer(stream), .id(run),
                        .integer(key))
                }
            }
            _ = try connection.checkpoint(waiting: .zero)
            connection.close()
            let database = KeptDatabase()
            database.take([UInt8](try Data(contentsOf: URL(filePath: fixture.path))), pageSize: DatabaseWriter.pageSize)
            kept.append(database)
        }
        (self.starts, self.kept) = (starts, kept)
    }

    /// All runs, the newest first.
    private var newest: [RunID] {
        starts.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map(\.key)
    }

    @Test func `the runs of all parts come in the order of time, page by page`() throws {
        let reader = try ReadOnlyDatabase(path: KeptDatabase.register(kept))
        #expect(try reader.runs(limit: 100).map(\.id) == newest)
        for limit in [1, 3, 7] {
            var (found, mark): ([RunID], RunID?) = ([], nil)
            repeat {
                let page = try reader.runs(limit: limit, before: mark).map(\.id)
                found += page
                mark = page.last
            } while mark != nil
            #expect(found == newest)
        }
        #expect(
            try reader.timeline(since: Timestamp(millisecondsSince1970: 0), limit: 9).map(\.id)
                == Array(newest.prefix(9)))
        #expect(try reader.firstRunAt() == starts.values.min())
        #expect(try reader.runs(limit: 5, of: StreamName(full: "zoo1.trees")).allSatisfy { $0.stream == "zoo1.trees" })
    }

    @Test func `changes come in the order of the runs, up to a limit and from a run on`() throws {
        let reader = try ReadOnlyDatabase(path: KeptDatabase.register(kept))
        func changes(_ request: ChangeRequest) throws -> [RunID] {
            var runs: [RunID] = []
            try reader.forEachChange(request) { runs.append($0.run) }
            return runs
        }
        let oldest = Array(newest.reversed())
        #expect(try changes(ChangeRequest()) == oldest.flatMap { [$0, $0] })
        #expect(try changes(ChangeRequest(limit: 10)) == oldest.suffix(5).flatMap { [$0, $0] })
        let (from, to) = (oldest[17], oldest[40])
        let between = oldest[17...40].flatMap { [$0, $0] }
        #expect(try changes(ChangeRequest(since: .run(from), until: .run(to))) == between)
        #expect(try changes(ChangeRequest(since: .run(from), before: to)) == Array(between.dropLast(2)))
        var (found, mark): ([RunID], RunID?) = ([], nil)
        repeat {
            let page = try reader.changedRuns(before: mark, limit: 4)
            #expect(page.allSatisfy { $0.inserted == 2 })
            found += page.map(\.run)
            mark = page.last?.run
        } while mark != nil
        #expect(found == newest)
        #expect(try reader.changedRuns(of: "fish", limit: 100).count == 20)
    }

    @Test func `the runs that ended are told of each part, behind its own mark`() throws {
        let reader = try ReadOnlyDatabase(path: KeptDatabase.register(kept))
        let all = try reader.endedRuns(after: [:], orSince: Timestamp(millisecondsSince1970: 0))
        #expect(all.map(\.part) == [1, 2, 3] && all.allSatisfy { $0.ended.count == 19 })
        #expect(all.map(\.lowestActive) == (0..<3).map { RunID($0 << 32 + 20) })
        let rest = try reader.endedRuns(
            after: [1: RunID(18), 3: RunID(2 << 32 + 19)], orSince: Timestamp(millisecondsSince1970: 0))
        #expect(rest.map(\.ended.count) == [1, 19, 0])
    }

    @Test func `a run goes on only where somebody writes its part`() throws {
        let path = KeptDatabase.register(kept, isWritten: { $0 == nil || $0 == 2 })
        let reader = try ReadOnlyDatabase(path: path)
        #expect(WriterLock.state(of: path) != .free)
        let last = (0..<3).map { RunID($0 << 32 + 20) }
        let expected: [RunRecord.Status] = [.interrupted, .running, .interrupted]
        #expect(try last.map { try reader.run($0).status } == expected)
        #expect(try last.map { id in try reader.runs(limit: 100).first { $0.id == id }?.status } == expected)
        let timeline = try reader.timeline(since: Timestamp(millisecondsSince1970: 0), limit: 100)
        #expect(last.map { id in timeline.first { $0.id == id }?.status } == expected)
        for notes in [nil, try reader.streamNotes()] {
            let statuses = try Self.names.enumerated().map { part, name in
                try reader.history(of: StreamName(full: "zoo\(part).\(name)"), notes)?.lastRun?.status
            }
            #expect(statuses == expected)
        }
    }

    @Test func `the tables of all parts are told with their streams`() throws {
        let expected = Self.names.enumerated().map { part, name in
            PartTable(part: part + 1, name: name, stream: "zoo\(part).\(name)")
        }
        #expect(try ReadOnlyDatabase(path: KeptDatabase.register(kept)).tablesOfParts() == expected)
        #expect(expected[0].source == "zoo0" && expected[0].isNamed("ANIMALS") && !expected[0].isNamed("animal"))
    }

    @Test func `a pool sees a part that was added later`() async throws {
        let path = KeptDatabase.register(Array(kept.prefix(1)))
        let pool = DatabaseReader(path: path, maximumConnections: 1)
        #expect(try await pool.read { try $0.tables().map(\.table) } == ["animals"])
        KeptDatabase.register(kept, as: path)
        // The state that shows it comes first.
        _ = try await pool.read { try $0.changeMark() }
        #expect(try await pool.read { try $0.tables().map(\.table) } == ["animals", "fish", "trees"])
        #expect(try await pool.read { try $0.totals(since: Timestamp(millisecondsSince1970: 0)).rows } == 6)
    }

    @Test func `a query that lasts too long ends, whichever parts it reads`() throws {
        let reader = try ReadOnlyDatabase(path: KeptDatabase.register(kept))
        let stopped = QueryGuard()
        stopped.stop()
        let error = try #require(throws: PersistenceError.self) {
            try reader.guarding(stopped) { _ = try reader.runs(limit: 1) }
        }
        #expect(error.kind == .interrupted)
        let refusing = QueryGuard()
        for sql in ["DROP VIEW _garner_runs", "ATTACH 'x' AS x", "DETACH shard2", "PRAGMA query_only = OFF"] {
            #expect(throws: PersistenceError.self) { try reader.guarding(refusing) { _ = try reader.rows(sql).next() } }
        }
        #expect(try reader.runs(limit: 100).count == 60)
    }
}
