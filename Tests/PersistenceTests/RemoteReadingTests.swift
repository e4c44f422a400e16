import Foundation
import GarnerCatalog
import GarnerDatabase
import GarnerMaintenance
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// What is asked of a database's path, where that is no file.
@Suite(.timeLimit(.minutes(3)))
struct RemoteReadingTests {
    private let fixture: Fixture
    private let kept = KeptDatabase()

    init() async throws {
        fixture = try Fixture()
        try await fixture.sync(.animals(key: ["id"]), #"[{"id":1},{"id":2}]"#)
        await fixture.writer.close()
        kept.take([UInt8](try Data(contentsOf: URL(filePath: fixture.path))), pageSize: DatabaseWriter.pageSize)
    }

    @Test func `its lock and its size are those of what stands behind the path`() throws {
        let path = kept.register(isWritten: true)
        let size = try #require(kept.file?.count)
        #expect(DatabaseSizes(path: path).database == 0)
        let reader = try ReadOnlyDatabase(path: path)
        #expect(DatabaseSizes(path: path).database == size && DatabaseSizes(path: path).log == 0)
        #expect(WriterLock.state(of: path) == .held(process: nil))
        #expect(WriterLock.state(of: kept.register()) == .free)
        #expect(FileCreation.exists(path) && FileCreation.resolved(path) == nil && !reader.mustMakeRoomInLog)
        #expect(!FileCreation.exists(path + ".tokens"))
        #expect(Leftovers(besideDatabase: path).found() == Leftovers.Outcome())
    }

    @Test func `many tasks read it`() async throws {
        let pool = DatabaseReader(path: kept.register(), maximumConnections: 3)
        let counts = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for _ in 0..<12 {
                group.addTask { try await pool.read { try $0.connection.integer("SELECT count(*) FROM animals") } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 2, count: 12))
    }

    @Test func `a failure of its server is told as that, by the name that people know`() throws {
        let path = kept.register(name: "postgresql://db.example/garner")
        let reader = try ReadOnlyDatabase(path: path)
        kept.failure = PersistenceError(.server, "the server is away", hint: "start it")
        for ask: () throws -> Void in [
            { _ = try reader.runs(limit: 1) }, { _ = try reader.rows("SELECT * FROM animals").next() },
            { _ = try ReadOnlyDatabase(path: path) },
        ] {
            let error = try #require(throws: PersistenceError.self) { try ask() }
            #expect(error.kind == .server && error.message == "the server is away" && error.hint == "start it")
        }
        kept.failure = PersistenceError(.missing, "\(path) is not there", hint: "sync")
        let error = try #require(throws: PersistenceError.self) { _ = try reader.runs(limit: 1) }
        #expect(error.kind == .missing && error.message == "postgresql://db.example/garner is not there")
        struct Oddity: Error {}
        kept.failure = Oddity()
        #expect(try #require(throws: PersistenceError.self) { _ = try reader.runs(limit: 1) }.kind == .server)
        kept.failure = nil
        #expect(try reader.runs(limit: 1).count == 1)
    }

    @Test func `one that has nothing yet is like a file that is missing`() throws {
        let path = KeptDatabase().register(name: "postgresql://db.example/garner")
        let error = try #require(throws: PersistenceError.self) { _ = try ReadOnlyDatabase(path: path) }
        #expect(error.kind == .missing && error.message == "the database postgresql://db.example/garner is empty")
        let reader = try ReadOnlyDatabase.openOrEmpty(path: path, now: Timestamp(millisecondsSince1970: 0))
        #expect(try reader.runs(limit: 1).isEmpty)
        let unknown = RemoteDatabase.prefix + "nothing"
        #expect(
            try #require(throws: PersistenceError.self) { _ = try ReadOnlyDatabase(path: unknown) }.kind == .missing)
    }

    @Test func `it is examined, and copied into a file`() throws {
        let path = kept.register(isWritten: true)
        let findings = try DatabaseExamination(of: path, isFull: true).findings()
        #expect(findings.allSatisfy { $0.level == .ok }, "\(findings)")
        #expect(findings.contains { $0.check == "lock" } && !findings.contains { $0.check == "permissions" })
        let target = fixture.folder.path("copy.db")
        let outcome = try DatabaseBackup(of: path, to: target, verifies: true).run()
        #expect(outcome.verified?.rows ?? 0 > 2 && !outcome.leavesTokens)
        #expect(try ReadOnlyDatabase(path: target).connection.integer("SELECT count(*) FROM animals") == 2)
    }

    @Test func `old runs are removed from a copy, commit by commit`() throws {
        let receiver = CommitReceiverTests.Receiver()
        receiver.kept.take(
            [UInt8](try Data(contentsOf: URL(filePath: fixture.path))), pageSize: DatabaseWriter.pageSize)
        var request = PruneRequest()
        request.vacuums = true
        _ = try DatabasePruning(of: fixture.path, request, commits: receiver).run()
        let file = [UInt8](try Data(contentsOf: URL(filePath: fixture.path)))
        #expect(receiver.kept.difference(from: file) == nil && receiver.kept.commits > 1)
    }
}
