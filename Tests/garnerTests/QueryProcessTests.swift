import ArgumentParser
import GarnerCatalog
import GarnerFetcher
import Foundation
import GarnerLibC
import Logging
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import Synchronization
import TestSupport
import Testing

@testable import garner

@Suite(.serialized, .timeLimit(.minutes(3)))
struct QueryProcessTests {
    private static let second = QueryProcess.Limits(time: .seconds(1), memory: 64 << 20, temporaryFile: 64 << 20)

    private static func query(_ place: Workplace, _ limits: QueryProcess.Limits = .init()) -> QueryProcess {
        QueryProcess(database: place.database, limits: limits, program: GarnerProcess.binary)
    }

    /// Runs `body` with a database of 200 animals.
    private static func withAnimals(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 100) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            try await body(place)
        }
    }

    @Test func `a query in a process of its own gives its rows in any format`() async throws {
        try await Self.withAnimals { place in
            let sql = "SELECT id, name FROM animals WHERE id > :low ORDER BY id LIMIT 2"
            let query = Self.query(place)
            let csv = try await query.run(sql, parameters: ["low:int": "7"], as: .csv)
            #expect(String(decoding: csv, as: UTF8.self) == "id,name\n8,animal 8\n9,animal 9\n")
            let json = try await query.run(sql, parameters: ["low:int": "198"], as: .ndjson)
            #expect(String(decoding: json, as: UTF8.self).contains(#""name":"animal 199""#))
        }
    }

    @Test func `a mistake in a query in a process of its own is the error of garner query`() async throws {
        try await Self.withAnimals { place in
            let error = await #expect(throws: CommandError.self) {
                _ = try await Self.query(place).run("SELECT nme FROM animals", as: .csv)
            }
            #expect(error?.message == "the query: no such column: nme")
            #expect(error?.hint == "did you mean 'name'?")
            let change = await #expect(throws: CommandError.self) {
                _ = try await Self.query(place).run("DELETE FROM animals", as: .csv)
            }
            #expect(change?.kind == "request")
            // The advice is for a page, on which nobody can enter a command.
            #expect(change?.hint == "queries only read; to change a table, change what the stream fetches")
            let count = try place.integers("SELECT count(*) FROM animals")
            #expect(count == [200])
        }
    }

    @Test func `a result that is too long ends the query`() async throws {
        try await Self.withAnimals { place in
            var limits = QueryProcess.Limits()
            limits.result = 1 << 20
            let error = await #expect(throws: CommandError.self) {
                _ = try await Self.query(place, limits).run(
                    "SELECT a.name, b.name, c.name FROM animals a, animals b, animals c", as: .ndjson)
            }
            #expect(error?.message == "the result is longer than 1.0 MiB")
        }
    }

    @Test func `a cancellation kills the process of a query`() async throws {
        try await Self.withAnimals { place in
            let running = Task { try await Self.query(place).run(Self.hostile[0], as: .csv) }
            try await eventually { Self.isRunning(place) }
            running.cancel()
            await #expect(throws: CancellationError.self) { _ = try await running.value }
            #expect(!Self.isRunning(place))
        }
    }

    @Test func `a query that does not end itself at its time limit is killed`() async throws {
        let place = try Workplace()
        try place.writeProgram("#!/bin/sh\ntrap '' TERM INT\nwhile :; do sleep 1; done\n", to: "deaf")
        let query = QueryProcess(database: place.database, limits: Self.second, program: place.folder.path("deaf"))
        let error = await #expect(throws: CommandError.self) { _ = try await query.run("SELECT 1", as: .csv) }
        #expect(error?.kind == "limit")
        #expect(!Self.isRunning(place))
    }

    /// Each would take an hour, or 10 GB of memory or of temporary files, without its limits.
    static let hostile: [String] = [
        // An hour of operations.
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        // One function that SQLite cannot interrupt.
        """
        SELECT sum(instr(hex(zeroblob(30000000)), hex(zeroblob(29000000)) || 'x'))
        FROM animals a, animals b, animals c
        """,
        // 10 GB of memory: a set of all rows.
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)
        SELECT length(group_concat(hex(randomblob(1000000)))) FROM n
        """,
        "WITH RECURSIVE n(i, x) AS (SELECT 1, '' UNION SELECT i + 1, hex(zeroblob(1000000)) FROM n) SELECT count(*) FROM n",
        // 10 GB of temporary files: a sort of long rows.
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)
        SELECT i FROM (SELECT i, randomblob(1000000) AS x FROM n ORDER BY x) LIMIT 1
        """,
    ]

    private static let loaded = "SELECT count(*) FROM load"

    @Test func `a service syncs on schedule while hostile queries reach their limits`() async throws {
        let place = try Workplace()
        let pages = Mutex(0)
        try await LoopbackServer.serve({ request in
            guard request.target.hasPrefix("/load") else { return .page(request.page, of: 2) }
            pages.withLock { $0 += 1 }
            return .page(request.page, of: 1_000_000)
        }) { server in
            try place.write(
                """
                version: 1
                sources:
                  zoo:
                    base_url: \(server.url)
                    streams:
                      animals: { path: /animals, primary_key: id, schedule: { every: 1s } }
                      load: { path: /load, primary_key: id, schedule: { every: 1h } }
                """, to: "garner.yaml")
            try await Self.serving(place) {
                try await eventually { (try? place.integers(Self.loaded).first ?? 0 > 100) ?? false }
                let memory = Self.residentBytes()
                let (runs, loaded) = (try Self.runs(place), pages.withLock { $0 })
                try await withThrowingDiscardingTaskGroup { group in
                    for sql in Self.hostile {
                        group.addTask {
                            let before = try place.integers(Self.loaded).first ?? 0
                            let error = await #expect(throws: CommandError.self, "\(sql)") {
                                _ = try await Self.query(place, Self.second).run(sql, as: .csv)
                            }
                            #expect(
                                ["limit", "input_output"].contains(error?.kind), "\(sql): \(String(describing: error))")
                            // This one takes its second to the end, and the load goes on beside it.
                            if sql == Self.hostile[0] { #expect(try place.integers(Self.loaded).first ?? 0 > before) }
                        }
                    }
                }
                // The schedule and the load went on, and this process has none of what the queries took.
                try await eventually { (try? Self.runs(place)) ?? 0 > runs }
                let loadedSince = pages.withLock { $0 } - loaded
                #expect(loadedSince > 0)
                #expect(Self.residentBytes() - memory < 1 << 30)
            }
            let ends: [String] = try place.texts("SELECT DISTINCT status FROM _garner_runs ORDER BY 1")
            #expect(ends.contains("succeeded") && !ends.contains("failed"), "\(ends)")
        }
    }

    /// Runs the service in this process while `body` goes on.
    private static func serving(
        _ place: Workplace, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        var options = try SharedOptions.parse([])
        options.common.config = place.folder.path("garner.yaml")
        options.common.database = place.database
        let setup = Setup(options, environment: [:])
        let configuration = try setup.configuration()
        try await setup.withStore(configuration) { writer, transports, _ in
            let session = ServeSession(
                setup: setup, configuration: configuration, usesHooks: false,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, listening: nil)
            let (ends, end) = AsyncStream<Void>.makeStream()
            let (reloads, reload) = AsyncStream<Void>.makeStream()
            defer { reload.finish() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await session.serve(writer, transports, until: ends, reloads: reloads) }
                group.addTask {
                    defer { end.yield() }
                    try await body()
                }
                try await group.waitForAll()
            }
        }
    }

    private static func runs(_ place: Workplace) throws -> Int64 {
        try place.integers("SELECT count(*) FROM _garner_runs WHERE status = 'succeeded'").first ?? 0
    }

    /// True if a process has the place's database among its arguments.
    private static func isRunning(_ place: Workplace) -> Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.contains { process in
            (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8))?.contains(place.database)
                ?? false
        }
    }

    /// The memory of this process, with the other tests in it; 0 where the system has no such file.
    private static func residentBytes() -> Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
    }
}
