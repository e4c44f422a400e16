import GarnerCatalog
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

/// The write-ahead log beside readers that do not end.
@Suite(.timeLimit(.minutes(2)))
struct WALCheckpointerTests {
    private let folder: TemporaryFolder
    private let path: String
    private let writer: DatabaseWriter

    private static let kept = 64 << 10
    private static let noticed = 256 << 10
    private static let maximum = 1 << 20

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("garner.db")
        writer = try DatabaseWriter(
            path: path, busyTimeout: .seconds(60),
            walLimits: WALLimits(
                kept: Self.kept, noticed: Self.noticed, maximum: Self.maximum, pause: .milliseconds(5),
                patience: .milliseconds(5))
        ) { Timestamp(millisecondsSince1970: 1_769_846_700_000) }
    }

    private var logBytes: Int {
        get throws {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
            return (attributes[.size] as? NSNumber)?.intValue ?? 0
        }
    }

    /// About 100 KB of new records.
    private func page(_ number: Int, _ continuation: PageCommit.Continuation) throws -> PageCommit {
        let text = String(repeating: "\(number % 10)", count: 1000)
        let records = (0..<100).map { #"{"id":\#(number * 100 + $0),"a":"\#(text)"}"# }
        return try .page("[\(records.joined(separator: ","))]", number, continuation)
    }

    private func parkedReader() throws -> Connection {
        let reader = try Connection(path: path, mode: .readOnly)
        try reader.executeScript("BEGIN; SELECT count(*) FROM sqlite_schema")
        return reader
    }

    @Test func `the write-ahead log is checkpointed after a run that made it long`() async throws {
        let run = try await writer.beginReading(.animals(), identity: "page=1")
        _ = try await writer.commitLast(page(1, .complete), to: run)
        #expect(try logBytes == 0)
    }

    @Test func `the write-ahead log stays between short runs until it is long or the writer is closed`() async throws {
        let (path, kept) = (folder.path("short.db"), 512 << 10)
        let writer = try DatabaseWriter(path: path, walLimits: WALLimits(kept: kept)) {
            Timestamp(millisecondsSince1970: 0)
        }
        func bytes() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
            return (attributes[.size] as? NSNumber)?.intValue ?? 0
        }
        var lengths: [Int] = []
        for _ in 1...40 {
            let run = try await writer.beginReading(.animals(), identity: "page=1")
            _ = try await writer.commitLast(.page(#"[{"id":1}]"#, 1, .complete), to: run)
            lengths.append(try bytes())
        }
        #expect(lengths.allSatisfy { $0 <= kept })
        #expect(lengths.contains { $0 > kept / 2 } && lengths.contains(0))
        // As long as another connection is open, SQLite itself leaves the log as it is.
        let other = try Connection(path: path, mode: .readOnly)
        await writer.close()
        #expect(try bytes() == 0)
        other.close()
    }

    @Test func `the write-ahead log stays small while no reader holds it`() async throws {
        let run = try await writer.beginReading(.animals(), identity: "page=1")
        for number in 1...60 {
            _ = try await writer.commit(page(number, .next("page=\(number + 1)")), to: run)
            #expect(try logBytes < Self.maximum)
        }
        let ended = try await writer.commitLast(page(61, .complete), to: run)
        #expect(ended.warning == nil)
    }

    @Test func `a reader that holds the write-ahead log for long causes a warning`() async throws {
        let run = try await writer.beginReading(.animals(), identity: "page=1")
        let reader = try parkedReader()
        for number in 1...4 { _ = try await writer.commit(page(number, .next("page=\(number + 1)")), to: run) }
        reader.close()
        let ended = try await writer.commitLast(page(5, .complete), to: run)
        #expect(ended.warning?.contains("a reader still uses an old state") == true)
        #expect(try logBytes == 0)
    }

    @Test func `readers are waited for again before the log has doubled`() async throws {
        let run = try await writer.beginReading(.animals(), identity: "page=1")
        let reader = try parkedReader()
        var number = 0
        func store(until isEnough: () throws -> Bool) async throws {
            repeat {
                number += 1
                _ = try await writer.commit(page(number, .next("page=\(number + 1)")), to: run)
            } while try !isEnough()
        }
        try await store { try logBytes >= Self.noticed }
        let noticed = try logBytes
        reader.close()
        // A connection that does not read keeps SQLite from removing the log, and a passive checkpoint leaves its length.
        let other = try Connection(path: path, mode: .readOnly)
        defer { other.close() }
        try await store { try logBytes < noticed || logBytes > 2 * noticed }
        #expect(try logBytes < noticed)
    }

    @Test func `a reader that never ends stops the run, and the next run continues`() async throws {
        let run = try await writer.beginReading(.animals(), identity: "page=1")
        let reader = try parkedReader()
        var stored = 0
        let error = await #expect(throws: PersistenceError.self) {
            for number in 1...60 {
                _ = try await writer.commit(page(number, .next("page=\(number + 1)")), to: run)
                stored = number
            }
        }
        #expect(error?.kind == .locked)
        #expect(error?.message.contains("write-ahead log") == true)
        #expect(try logBytes < 2 * Self.maximum)
        _ = try await writer.end(run: run.id, as: .failed)
        // What it reads has not changed.
        #expect(try reader.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'animals'") == 0)
        reader.close()
        let next = try await writer.beginReading(.animals(), identity: "page=1")
        #expect(next.resumeAt == "page=\(stored + 1)")
        _ = try await writer.commitLast(page(stored + 1, .complete), to: next)
        #expect(try logBytes == 0)
        let count = try Connection(path: path, mode: .readOnly).integer("SELECT count(*) FROM animals")
        #expect(count == Int64(stored + 1) * 100)
    }
}
