import GarnerCatalog
import Foundation
import GarnerModel
@testable import GarnerMaintenance
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct DatabaseBackupTests {
    private let fixture: Fixture
    private let target: String

    init() async throws {
        fixture = try Fixture()
        target = fixture.folder.path("copy.db")
        try await fixture.sync(.animals(), #"[{"id":1,"a":"x"},{"id":2,"a":"y"}]"#)
    }

    private var copies: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
                .filter { $0.hasPrefix("copy.db") }.sorted()
        }
    }

    private func error(copyingTo path: String, replaces: Bool = false) -> PersistenceError? {
        do {
            _ = try DatabaseBackup(of: fixture.path, to: path, replaces: replaces).run()
            return nil
        } catch {
            return error as? PersistenceError
        }
    }

    @Test func `a backup is one private file with every row, and can be synchronised`() async throws {
        let outcome = try DatabaseBackup(of: fixture.path, to: target, verifies: true).run()
        #expect(try copies == ["copy.db"])
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect((attributes[.size] as? NSNumber)?.intValue == outcome.bytes)
        let copy = try Connection(path: target, mode: .readOnly)
        #expect(try fixture.rows("PRAGMA journal_mode", from: copy) == ["'delete'"])
        #expect(try copies == ["copy.db"])
        let tables = try fixture.rows(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'")
        #expect(outcome.verified.map { "\($0.tables)" } == tables.first)
        #expect(!outcome.leavesTokens)
        let writer = try Fixture.store(at: target)
        let run = try await writer.beginReading(.animals(), identity: "page=1")
        #expect(try await writer.commitLast(.page(#"[{"id":2,"a":"z"}]"#, 1, .complete), to: run).counts.updated == 1)
        await writer.close()
        #expect(
            try fixture.rows("SELECT id, a FROM animals", from: Connection(path: target, mode: .readOnly)) == [
                "1 'x'", "2 'z'",
            ])
    }

    @Test func `a backup is one state of the database while others write`() throws {
        var steps = 0
        let outcome = try DatabaseBackup(of: fixture.path, to: target, verifies: true, portion: 2).run {
            steps += 1
            guard steps < 500 else { throw CancellationError() }
            try fixture.alter("INSERT INTO animals (id, a) VALUES (100 + \(steps), hex(randomblob(3000)))")
        }
        #expect(steps > 5 && steps <= outcome.bytes / DatabaseWriter.pageSize / 2)
        #expect(
            try fixture.rows("SELECT count(*) FROM animals", from: Connection(path: target, mode: .readOnly)) == ["2"])
        #expect(try fixture.rows("SELECT count(*) FROM animals") == ["\(2 + steps)"])
    }

    @Test func `a cancelled backup leaves no file`() throws {
        let cancellation = Cancellation()
        #expect(throws: CancellationError.self) {
            try DatabaseBackup(of: fixture.path, to: target, portion: 2, cancellation: cancellation).run {
                cancellation.cancel()
            }
        }
        #expect(try copies == [])
    }

    @Test func `a backup removes the leftovers of killed backups to its name, and none of a running one`() throws {
        for name in ["copy.db.4711.garner.part", "copy.db.4711.garner.part-journal", "copy.db.old.part"] {
            try Data(count: 5).write(to: fixture.folder.url.appending(path: name))
        }
        _ = try DatabaseBackup(of: fixture.path, to: target, portion: 1).run {
            #expect(Leftovers(of: target).found() == Leftovers.Outcome())
            let names = try copies
            #expect(names.contains { $0.hasSuffix(".garner.part") })
        }
        #expect(try copies == ["copy.db", "copy.db.old.part"])
    }

    @Test func `a failed backup leaves the existing file`() throws {
        struct Stop: Error {}
        try Data("mine".utf8).write(to: URL(filePath: target))
        #expect(throws: Stop.self) {
            try DatabaseBackup(of: fixture.path, to: target, replaces: true, portion: 2).run { throw Stop() }
        }
        #expect(try copies == ["copy.db"])
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("mine".utf8))
    }

    @Test func `a backup replaces a file only with the option to do so`() throws {
        try Data("mine".utf8).write(to: URL(filePath: target))
        let error = error(copyingTo: target)
        #expect(error?.kind == .cannotCreate)
        #expect(error?.hint == .nameAnotherFile)
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("mine".utf8))
        _ = try DatabaseBackup(of: fixture.path, to: target, replaces: true).run()
        #expect(
            try fixture.rows("SELECT count(*) FROM animals", from: Connection(path: target, mode: .readOnly)) == ["2"])
        #expect(try copies == ["copy.db"])
    }

    @Test(arguments: [
        "garner.db", "garner.db-wal", "garner.db.lock", "garner.db.tokens", "garner.db.sock", "./garner.db", "link.db",
    ])
    func `a backup never replaces the database itself`(name: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: fixture.folder.path("link.db"), withDestinationPath: fixture.path)
        let error = error(copyingTo: fixture.folder.url.path + "/" + name, replaces: true)
        #expect(error?.kind == .cannotCreate)
        #expect(error?.message.contains("the database itself") == true)
        try fixture.expectIntegrity()
    }

    @Test(arguments: ["-wal", "-journal"]) func `a backup is refused beside the log or journal of another database`(
        suffix: String
    )
        throws
    {
        try Data("log".utf8).write(to: URL(filePath: target + suffix))
        let error = error(copyingTo: target, replaces: true)
        #expect(error?.kind == .cannotCreate)
        #expect(error?.message.contains(target + suffix) == true)
        #expect(try copies == ["copy.db" + suffix])
    }

    @Test(arguments: ["nowhere/copy.db", "garner.db/copy.db", "."])
    func `a backup is refused where no file can be created`(name: String) throws {
        #expect(error(copyingTo: fixture.folder.url.path + "/" + name)?.kind == .cannotCreate)
    }

    @Test func `a backup of a missing or foreign database is refused and leaves no file`() throws {
        let none = fixture.folder.path("none.db")
        let foreign = fixture.folder.path("foreign.db")
        try Connection(path: foreign, mode: .readWrite).executeScript("CREATE TABLE mine (a)")
        for (path, kind) in [(none, PersistenceError.Kind.missing), (foreign, .foreign)] {
            let error = #expect(throws: PersistenceError.self) { try DatabaseBackup(of: path, to: target).run() }
            #expect(error?.kind == kind)
        }
        #expect(try copies == [])
    }

    @Test func `a verified backup of a damaged database fails and leaves no file`() throws {
        let foreign = try Connection(path: fixture.path, mode: .readWrite)
        try foreign.executeScript("PRAGMA foreign_keys = OFF; DELETE FROM _garner_streams")
        foreign.close()
        _ = try DatabaseBackup(of: fixture.path, to: target).run()
        let error = #expect(throws: PersistenceError.self) {
            try DatabaseBackup(of: fixture.path, to: target, replaces: true, verifies: true).run()
        }
        #expect(error?.kind == .unusable)
        #expect(error?.message.contains("refer to what is not there") == true)
        #expect(try copies == ["copy.db"])
    }

    @Test func `a backup verifies tables whose names differ only by Unicode form`() throws {
        try fixture.alter(
            """
            CREATE TABLE "caf\u{E9}" (a); CREATE TABLE "cafe\u{301}" (a); INSERT INTO "cafe\u{301}" VALUES (1);
            """)
        let outcome = try DatabaseBackup(of: fixture.path, to: target, verifies: true).run()
        #expect(try copies == ["copy.db"])
        let copy = try Connection(path: target, mode: .readOnly)
        let tables = try fixture.rows(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'", from: copy)
        #expect(outcome.verified.map { "\($0.tables)" } == tables.first)
    }

    @Test func `a backup reports refresh tokens that it does not contain`() throws {
        try TokenFile(database: fixture.path).save(Secret("t"), for: "k")
        #expect(try DatabaseBackup(of: fixture.path, to: target).run().leavesTokens)
    }
}
