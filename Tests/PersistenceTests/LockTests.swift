import GarnerCatalog
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct LockTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func error(opening path: String) -> PersistenceError? {
        do {
            _ = try Fixture.store(at: path)
            return nil
        } catch {
            return error as? PersistenceError
        }
    }

    @Test func `a second store on a database is refused with the process that has it`() throws {
        let error = error(opening: fixture.path)
        #expect(error?.kind == .locked)
        #expect(error?.message.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
    }

    @Test func `the owner of a file of another user is named`() {
        #expect(FileCreation.otherOwner(of: "/", than: 4711) == "root")
        #expect(FileCreation.otherOwner(of: "/", than: 0) == nil, "root opens each file")
        #expect(FileCreation.otherOwner(of: fixture.path + "-none", than: 4711) == nil)
        #expect(FileCreation.otherOwner(of: fixture.path) == nil)
    }

    @Test(arguments: [("notes.txt/a.db", "a.db"), ("notes.txt/x/a.db", "a.db")])
    func `a file where the folder of a database would be is named`(path: String, beside: String) throws {
        let file = fixture.folder.path("notes.txt")
        try Data().write(to: URL(filePath: file))
        let error = error(opening: fixture.folder.path(path))
        #expect(error?.kind == .cannotCreate)
        #expect(error?.message.hasSuffix("cannot be created: \(file) is a file and no folder") == true)
        #expect(error?.hint.text == "name one beside that file, such as \(fixture.folder.path(beside))")
    }

    @Test func `the file of a process that has ended locks nothing`() async throws {
        let path = fixture.folder.path("other.db")
        try Data("1\n".utf8).write(to: URL(filePath: path + ".lock"))
        let writer = try Fixture.store(at: path)
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(try String(contentsOfFile: path + ".lock", encoding: .utf8) == "\(process)\n")
        await writer.close()
    }

    @Test func `a foreign writer in the middle of a read stops it there, and the next run goes on`() async throws {
        let run = try await fixture.writer.beginReading(.animals(), identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1}]"#, 1, .next("page=2")), to: run)
        let foreign = try Connection(path: fixture.path, mode: .readWrite)
        try foreign.executeScript("BEGIN IMMEDIATE")
        let error = await #expect(throws: PersistenceError.self) {
            try await fixture.writer.commit(.page(#"[{"id":2}]"#, 2, .complete), to: run)
        }
        #expect(error?.kind == .locked)
        #expect(error?.hint.text?.contains("goes on where it stopped") == true)
        await #expect(throws: PersistenceError.self) { try await fixture.writer.end(run: run.id, as: .failed) }
        try foreign.executeScript("ROLLBACK")
        let next = try await fixture.writer.beginReading(.animals(), identity: "page=1")
        #expect(next.resumeAt == "page=2")
        _ = try await fixture.writer.commitLast(.page(#"[{"id":2}]"#, 2, .complete), to: next)
        #expect(try fixture.rows("SELECT status FROM _garner_runs") == ["'interrupted'", "'succeeded'"])
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2"])
    }

    /// The lock lasts twelve times as long as a commit waits: a minute, with the usual five seconds.
    @Test(.timeLimit(.minutes(5))) func `a foreign write lock that outlasts every wait loses nothing`() async throws {
        let run = try await fixture.writer.beginReading(.animals(), identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1}]"#, 1, .next("page=2")), to: run)
        let foreign = try Connection(path: fixture.path, mode: .readWrite)
        try foreign.executeScript("BEGIN IMMEDIATE; DELETE FROM animals")
        for _ in 1...12 {
            let error = await #expect(throws: PersistenceError.self) {
                try await fixture.writer.commit(.page(#"[{"id":2}]"#, 2, .complete), to: run)
            }
            #expect(error?.kind == .locked)
            let other = await #expect(throws: PersistenceError.self) {
                try await fixture.writer.begin(.animals(table: "plants"), identity: "page=1")
            }
            #expect(other?.kind == .locked)
            // Readers wait for nobody.
            #expect(try fixture.rows("SELECT id FROM animals") == ["1"])
        }
        try foreign.executeScript("ROLLBACK")
        let record = try await fixture.writer.commitLast(.page(#"[{"id":2}]"#, 2, .complete), to: run)
        #expect(record.status == .succeeded && record.counts.pages == 2 && record.counts.inserted == 2)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2"])
        #expect(try fixture.rows("SELECT status FROM _garner_runs") == ["'succeeded'"])
        try fixture.expectIntegrity()
    }

    @Test func `the lock goes when the store is closed, though it is still known`() async throws {
        await fixture.writer.close()
        #expect(error(opening: fixture.path) == nil)
        await fixture.writer.close()
    }

    @Test func `closing lets go of the file and folds the log into it`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        #expect(FileManager.default.fileExists(atPath: fixture.path + "-wal"))
        await fixture.writer.close()
        #expect(!FileManager.default.fileExists(atPath: fixture.path + "-wal"))
        #expect(try fixture.rows("SELECT id FROM animals") == ["1"])
    }

    @Test func `a closed store refuses work`() async throws {
        let run = try await fixture.writer.beginReading(.animals(), identity: "page=1")
        await fixture.writer.close()
        await #expect(throws: PersistenceError.self) {
            try await fixture.writer.commit(try .page(#"[{"id":1}]"#, 1, .complete), to: run)
        }
        await #expect(throws: PersistenceError.self) {
            try await fixture.writer.beginReading(.animals(), identity: "page=1")
        }
    }

    @Test func `a foreign writer keeps a store from opening that has to note what died`() async throws {
        _ = try await fixture.writer.begin(.animals(), identity: "")
        await fixture.writer.close()
        let path = fixture.folder.path("copy.db")
        try fixture.copyFile(to: path)
        let foreign = try Connection(path: path, mode: .readWrite)
        try foreign.executeScript("BEGIN EXCLUSIVE")
        #expect(error(opening: path)?.kind == .locked)
    }

    @Test(arguments: [
        "CREATE TABLE notes (a)", "PRAGMA application_id = 5",
        "PRAGMA application_id = 5; CREATE TABLE _garner_runs (a)",
    ])
    func `a database of another program is refused and left as it is`(sql: String) throws {
        let path = fixture.folder.path("foreign.db")
        let foreign = try Connection(path: path, mode: .readWrite)
        try foreign.executeScript(sql)
        foreign.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let error = error(opening: path)
        #expect(error?.kind == .foreign)
        #expect(error?.message.contains("another program") == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func `a database of a newer garner is refused and left as it is`() async throws {
        await fixture.writer.close()
        let path = fixture.folder.path("newer.db")
        try fixture.copyFile(to: path)
        let newer = try Connection(path: path, mode: .readWrite)
        try newer.executeScript("PRAGMA journal_mode = DELETE; PRAGMA user_version = 9999")
        newer.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let error = error(opening: path)
        #expect(error?.kind == .foreign)
        #expect(error?.message.contains("schema 9999") == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func `a file that is no database is refused and left as it is`() throws {
        let path = fixture.folder.path("text.db")
        let text = Data(String(repeating: "no database ", count: 1000).utf8)
        try text.write(to: URL(filePath: path))
        #expect(error(opening: path)?.kind == .unusable)
        #expect(try Data(contentsOf: URL(filePath: path)) == text)
    }

    @Test func `a folder that does not exist is made, and one that cannot be is named`() throws {
        #expect(error(opening: fixture.folder.path("nowhere/near/garner.db")) == nil)
        try Data().write(to: URL(filePath: fixture.folder.path("file")))
        let error = error(opening: fixture.folder.path("file/garner.db"))
        #expect(error?.kind == .cannotCreate)
        #expect(error?.message.contains("file/garner.db") == true)
    }

    @Test func `the files are private`() throws {
        for suffix in ["", "-wal", "-shm", ".lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path + suffix)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
    }

    @Test func `an empty file becomes a database`() throws {
        let path = fixture.folder.path("empty.db")
        try Data().write(to: URL(filePath: path))
        #expect(error(opening: path) == nil)
    }
}
