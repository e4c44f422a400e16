import GarnerCatalog
import Foundation
@testable import GarnerMaintenance
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct DatabaseExaminationTests {
    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: fixture.folder.url.path)
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
    }

    private func findings(full: Bool = false) throws -> [Finding] {
        // How much is free on this machine is not for a test to say.
        try DatabaseExamination(of: fixture.path, isFull: full).findings().filter { $0.check != "space" }
    }

    private func expect(
        _ level: Finding.Level, _ check: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let findings = try findings()
        let found = findings.filter { $0.level != .ok }
        #expect(found.map(\.check) == [check], sourceLocation: sourceLocation)
        #expect(found.first?.level == level, sourceLocation: sourceLocation)
        #expect(found.first?.message.contains(words) == true, "\(found)", sourceLocation: sourceLocation)
        #expect(found.first?.hint != nil, sourceLocation: sourceLocation)
    }

    @Test(arguments: [false, true]) func `nothing is wrong with a database in use`(full: Bool) throws {
        let findings = try findings(full: full)
        #expect(findings.allSatisfy { $0.level == .ok && $0.hint == nil }, "\(findings)")
        #expect(
            findings.map(\.check) == [
                "permissions", "folder", "log", "lock", "database", "schema", "migrations", "integrity", "foreign_keys",
                "search", "columns", "triggers",
            ])
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(findings[3].message.contains("process \(process)"))
    }

    @Test func `an examination changes nothing and takes no lock`() async throws {
        await fixture.writer.close()
        let before = try Data(contentsOf: URL(filePath: fixture.path))
        #expect(try findings()[3].message == "nobody is writing")
        #expect(try Data(contentsOf: URL(filePath: fixture.path)) == before)
        let writer = try Fixture.store(at: fixture.path)
        await writer.close()
    }

    @Test func `there may be none yet`() throws {
        let findings = try DatabaseExamination(of: fixture.folder.path("none.db")).findings()
        #expect(findings.map(\.level) == [.warning])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path).allSatisfy {
                !$0.hasPrefix("none")
            })
    }

    @Test func `a file of another program, and one that is no database, are a problem`() throws {
        let (foreign, text) = (fixture.folder.path("foreign.db"), fixture.folder.path("text.db"))
        try Connection(path: foreign, mode: .readWrite).executeScript("CREATE TABLE mine (a)")
        try Data(String(repeating: "no database ", count: 1000).utf8).write(to: URL(filePath: text))
        for path in [text, foreign] {
            let findings = try DatabaseExamination(of: path).findings().filter { $0.level == .problem }
            #expect(findings.map(\.check) == ["database"])
            #expect(path == text || findings.first?.message.contains("another program") == true)
        }
    }

    @Test func `damage is a problem`() async throws {
        let pages = try fixture.rows("SELECT rootpage FROM sqlite_schema WHERE name = '_garner_columns'")
        await fixture.writer.close()
        let file = try FileHandle(forUpdating: URL(filePath: fixture.path))
        try file.seek(toOffset: UInt64(((Int(pages[0]) ?? 0) - 1) * DatabaseWriter.pageSize))
        try file.write(contentsOf: Data(repeating: 0xFF, count: DatabaseWriter.pageSize))
        try file.close()
        try expect(.problem, "integrity", "intact")
    }

    @Test func `an index that lacks rows is found by the full check alone`() async throws {
        try fixture.alter("CREATE INDEX by_id ON animals (id)")
        try await fixture.sync(.animals(), #"[{"id":1},{"id":2}]"#)
        let root = try fixture.rows("SELECT rootpage FROM sqlite_schema WHERE name = '_garner_runs_by_stream'")
        await fixture.writer.close()
        // The index becomes an empty one, as sound as any.
        let file = try FileHandle(forUpdating: URL(filePath: fixture.path))
        try file.seek(toOffset: UInt64(((Int(root[0]) ?? 0) - 1) * DatabaseWriter.pageSize))
        try file.write(contentsOf: Data([0x0A, 0, 0, 0, 0, 0x20, 0, 0]))
        try file.close()
        #expect(try findings().allSatisfy { $0.level == .ok })
        #expect(try findings(full: true).contains { $0.check == "integrity" && $0.level == .problem })
    }

    @Test func `a reference to nothing is a problem`() throws {
        try fixture.alter("PRAGMA foreign_keys = OFF; INSERT INTO _garner_changes VALUES (99, 1, 1, 'insert')")
        try expect(.problem, "foreign_keys", "_garner_changes (1)")
    }

    @Test func `a column that a stream's table has lost is told of`() throws {
        try fixture.alter("ALTER TABLE animals RENAME COLUMN id TO number")
        try expect(.warning, "columns", "the table animals no longer has the column 'id'")
    }

    @Test(arguments: [
        """
        CREATE TABLE new AS SELECT * FROM animals; DROP TABLE animals; ALTER TABLE new RENAME TO animals
        """,
        "DROP TRIGGER _garner_touched_1_delete", "CREATE UNIQUE INDEX mine ON animals (id + 1)",
    ]) func `a table that lacks a trigger is told of`(change: String) throws {
        try fixture.alter(change)
        try expect(.warning, "triggers", "made the table animals anew")
    }

    @Test func `an older schema, and one that was made otherwise, are warnings`() throws {
        try fixture.alter("UPDATE _garner_migrations SET checksum = 'c' WHERE version = 2")
        try expect(.warning, "migrations", "0002_requests")
        try fixture.alter(
            "DELETE FROM _garner_migrations WHERE version = (SELECT max(version) FROM _garner_migrations)")
        let newest = try #require(Int(try fixture.rows("PRAGMA user_version")[0]))
        try fixture.alter("PRAGMA user_version = \(newest - 1)")
        #expect(try findings().contains { $0.check == "schema" && $0.level == .warning })
    }

    @Test(arguments: [("", 0o640), ("-wal", 0o604)]) func `what others may read is a warning`(suffix: String, mode: Int)
        throws
    {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: fixture.path + suffix)
        try expect(.warning, "permissions", fixture.path + suffix)
    }

    @Test func `tokens that others may read are a problem`() throws {
        try TokenFile(database: fixture.path).save(Secret("t"), for: "k")
        #expect(try findings().allSatisfy { $0.level == .ok })
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: fixture.path + ".tokens")
        try expect(.problem, "tokens", "refresh tokens")
    }

    @Test func `a folder where others may replace files is a warning`() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: fixture.folder.url.path)
        try expect(.warning, "folder", "others may replace")
    }

    @Test(arguments: [
        (3_036_000, false, false), (3_040_001, true, true), (3_044_005, true, true), (3_044_006, false, true),
        (3_045_000, true, true), (3_050_006, true, false), (3_050_007, false, false), (3_051_002, true, false),
        (3_051_003, false, false), (3_052_000, false, false),
    ]) func `a version's defects are told`(version: Int, resets: Bool, aggregates: Bool) throws {
        let finding = try #require(LibraryExamination(version: version).findings().first)
        #expect(finding.level == (version < 3_037_000 ? .problem : .ok))
        #expect(finding.message.contains("WAL-reset") == resets)
        #expect(finding.message.contains("CVE-2025-6965") == aggregates)
    }
}
