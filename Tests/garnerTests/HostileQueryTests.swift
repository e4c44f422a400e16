import Foundation
import GarnerLibC
import TestSupport
import Testing

/// The number of statements to try, from `GARNER_HOSTILE_STATEMENTS`; from 1,000 on, their time is judged as well.
private let statementCount = ProcessInfo.processInfo.environment["GARNER_HOSTILE_STATEMENTS"].flatMap(Int.init) ?? 40

@Suite(.serialized, .timeLimit(.minutes(statementCount < 1_000 ? 3 : 240)))
struct HostileQueryTests {
    private static let limit = Duration.milliseconds(100)
    private static let workers = 2

    @Test func `hostile statements leave the database as it was, and end in time`() async throws {
        // A statement that is too long is read no further, and so not written to its end.
        signal(SIGPIPE, SIG_IGN)
        try await LoopbackServer.serve({ .page($0.page, of: 100) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            try Self.addViewAndIndex(to: place)
            let before = try Self.contents(of: place)
            #expect(try Self.logSize(of: place) == 0)
            let usual = try await Self.usualDuration(in: place)
            let slow = try await withThrowingTaskGroup(of: [HostileStatement].self) { group in
                for worker in 0..<Self.workers {
                    group.addTask { try await Self.slowOnes(seed: UInt64(worker), in: place, usual: usual) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(try Self.contents(of: place) == before)
            #expect(try Self.logSize(of: place) == 0)
            #expect(try place.integers("SELECT count(*) FROM animals") == [200])
            guard statementCount >= 1_000 else { return }
            for statement in slow { try await Self.expectInTime(statement, in: place, usual: usual) }
        }
    }

    /// Runs one worker's share; returns those that took longer than they may, be it since the machine was busy.
    private static func slowOnes(seed: UInt64, in place: Workplace, usual: Duration) async throws -> [HostileStatement]
    {
        var statements = HostileStatements(seed: seed, folder: place.path)
        var slow: [HostileStatement] = []
        for number in 0..<statementCount / workers {
            var statement = statements.next()
            // Few statements are mostly of the kinds that only a process survives; the others are tried in process.
            while statementCount < 1_000, !statement.needsProcess, number % 4 > 0 { statement = statements.next() }
            if try await run(statement, in: place) > usual + limit + .milliseconds(50) { slow.append(statement) }
        }
        return slow
    }

    private static func run(_ statement: HostileStatement, in place: Workplace) async throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        let ending = try await place.garner("query", "-", "-f", "csv", "--timeout", "100ms", input: statement.sql)
        let duration = clock.now - start
        #expect([0, 1, 64].contains(ending.code), "\(statement): \(ending.code) \(ending.errors.prefix(300))")
        if ending.code != 0 {
            #expect(ending.errors.hasPrefix("Error: "), "\(statement)")
            #expect(ending.errors.utf8.count < 2_000, "\(statement)")
        }
        return duration
    }

    /// The fastest of some runs, alone, is what the statement needs.
    private static func expectInTime(_ statement: HostileStatement, in place: Workplace, usual: Duration) async throws {
        var fastest = Duration.seconds(999)
        for _ in 0..<5 where fastest > usual + limit + .milliseconds(50) {
            fastest = min(fastest, try await run(statement, in: place))
        }
        #expect(
            fastest <= usual + limit + .milliseconds(50),
            "\(statement): \(fastest), of which \(usual) is the usual start")
    }

    /// The usual duration of a command whose query itself takes no time.
    private static func usualDuration(in place: Workplace) async throws -> Duration {
        var durations: [Duration] = []
        for _ in 0..<(statementCount < 1_000 ? 1 : 21) {
            durations.append(
                try await run(HostileStatement(sql: "SELECT 1", family: "none", needsProcess: false), in: place))
        }
        return durations.sorted()[durations.count / 2]
    }

    private static func addViewAndIndex(to place: Workplace) throws {
        try place.alter(
            """
            CREATE VIRTUAL TABLE words USING fts5(a); INSERT INTO words VALUES ('a b c');
            CREATE VIEW everything AS SELECT * FROM animals; CREATE INDEX by_name ON animals (name)
            """)
    }

    /// The bytes of every file but those that readers make and note their locks in.
    private static func contents(of place: Workplace) throws -> [String: Data] {
        try Dictionary(
            uniqueKeysWithValues: place.names.filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }.map {
                ($0, try Data(contentsOf: URL(filePath: place.folder.path($0))))
            })
    }

    /// The size in bytes of the write-ahead log, which would hold a change of the database. Readers make an empty one.
    private static func logSize(of place: Workplace) throws -> Int {
        let log = place.database + "-wal"
        guard FileManager.default.fileExists(atPath: log) else { return 0 }
        return try Data(contentsOf: URL(filePath: log)).count
    }
}
