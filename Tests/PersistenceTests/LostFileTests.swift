import Catalog
import Foundation
import Model
import Persistence
import SQLite
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
