import GarnerCatalog
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// The checks of a store whose file is moved, deleted, replaced or cut short while it is open.
struct LostFileTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func message() async -> String? {
        do {
            try await fixture.writer.checkFile()
            return nil
        } catch {
            let error = error as? PersistenceError
            #expect(error?.kind == .inputOutput)
            return error?.message
        }
    }

    @Test func `a file that grows with what is stored is sound at each look, before and after a checkpoint`()
        async throws
    {
        #expect(await message() == nil)
        for number in 0..<5 {
            let text = String(repeating: "x", count: 100_000)
            try await fixture.sync(.animals(), #"[{"id":\#(number),"text":"\#(text)"}]"#)
            #expect(await message() == nil)
            let other = try Connection(path: fixture.path, mode: .readWrite)
            #expect(try other.checkpoint(waiting: .zero))
            other.close()
            #expect(await message() == nil)
        }
    }

    @Test func `a file whose last page a reader keeps in the log is sound`() async throws {
        let other = try Connection(path: fixture.path, mode: .readWrite)
        let reader = try Connection(path: fixture.path, mode: .readOnly)
        // Without free pages, a new table gets the last page.
        try other.executeScript("VACUUM; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        try reader.executeScript("BEGIN")
        #expect(try reader.integer("SELECT a FROM t") == 1)
        // The first page is as the reader sees it and is copied. The table's page, the last one, is newer and is not.
        try other.execute("INSERT INTO t VALUES (2)")
        #expect(try !other.checkpoint(waiting: .zero))
        let file = try Data(contentsOf: URL(filePath: fixture.path))
        let pages = file[28..<32].reduce(0) { $0 << 8 | Int($1) }
        #expect(file.count < pages * 8192)
        #expect(await message() == nil)
        try reader.executeScript("COMMIT")
        #expect(await message() == nil)
        #expect(try other.integer("SELECT count(*) FROM t") == 2)
    }

    @Test func `a file that was moved, deleted or replaced is told of`() async throws {
        let moved = fixture.folder.path("moved.db")
        try FileManager.default.moveItem(atPath: fixture.path, toPath: moved)
        #expect(await message()?.contains("moved or deleted") == true)
        try Data().write(to: URL(filePath: fixture.path))
        #expect(await message()?.contains("moved or deleted") == true)
        try FileManager.default.removeItem(atPath: fixture.path)
        try FileManager.default.moveItem(atPath: moved, toPath: fixture.path)
        #expect(await message() == nil)
    }

    @Test(arguments: [0, 50, 8192]) func `a file that was cut short is told of`(bytes: UInt64) async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        let other = try Connection(path: fixture.path, mode: .readWrite)
        #expect(try other.checkpoint(waiting: .zero))
        other.close()
        let file = try FileHandle(forUpdating: URL(filePath: fixture.path))
        try file.truncate(atOffset: bytes)
        try file.close()
        #expect(await message()?.contains("was cut short") == true)
    }

    @Test func `a dry run without a file has no file to lose`() async throws {
        let writer = try DatabaseWriter(path: fixture.folder.path("none.db"), isDryRun: true) {
            Timestamp(millisecondsSince1970: 1_769_846_700_000)
        }
        try await writer.checkFile()
        await writer.close()
    }
}
