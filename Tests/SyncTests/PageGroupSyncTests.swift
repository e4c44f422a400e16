import GarnerCatalog
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import GarnerSync
import Synchronization
import TestSupport
import Testing

/// Reads whose pages come sooner than they are stored, so that several share a transaction.
@Suite(.timeLimit(.minutes(10)))
struct PageGroupSyncTests {
    private static let pages = 24

    /// Runs `body` with a store that takes some tens of milliseconds for each page, longer than a page takes to come.
    private static func run(
        _ handler: @escaping LoopbackServer.Handler = { .page($0.page, of: pages) },
        _ body: @escaping @Sendable (SyncRig) async throws -> Void
    ) async throws {
        try await SyncRig.run(
            handler,
            now: {
                usleep(20_000)
                return SyncRig.epoch
            }, body)
    }

    private static func ids(_ rig: SyncRig, _ table: String = "animals") throws -> [Int64] {
        try rig.integers("SELECT id FROM \(table) ORDER BY id")
    }

    private static let all = (1...Int64(2 * pages)).map(\.self)

    /// The number of transactions in the write-ahead log: of frames that name the size of the database (sqlite.org/fileformat2.html#walformat).
    private static func transactions(_ rig: SyncRig) throws -> Int {
        let log = try Data(contentsOf: URL(filePath: rig.path + "-wal"))
        return stride(from: 32, to: log.count, by: 24 + DatabaseWriter.pageSize).count { frame in
            log[(frame + 4)..<(frame + 8)] != Data(repeating: 0, count: 4)
        }
    }

    @Test func `pages that have come share transactions, and the run counts them all`() async throws {
        try await Self.run { rig in
            let before = try Self.transactions(rig)
            let told = Mutex<[Int]>([])
            let outcome = try await rig.sync { counts in told.withLock { $0.append(counts.pages) } }
            let counts = try #require(outcome.record?.counts)
            #expect((counts.pages, counts.requests, counts.inserted) == (Self.pages, Self.pages, 2 * Self.pages))
            #expect(try Self.ids(rig) == Self.all)
            #expect(try Self.transactions(rig) - before < Self.pages)
            // What is told has been committed.
            #expect(told.withLock { $0.last == Self.pages && $0 == $0.sorted() && Set($0).count < $0.count })
            let again = try await rig.sync()
            #expect(again.record?.counts.unchanged == 2 * Self.pages)
            #expect(try rig.integers("SELECT count(*) FROM _garner_requests") == [2 * Int64(Self.pages)])
        }
    }

    @Test(arguments: ["zoos", "pictures"])
    func `pages of different slices share transactions, and so do files`(kind: String) async throws {
        try await SyncRig.run(
            { request in
                if request.target.hasSuffix(".png") {
                    return .response(headers: [("Content-Type", "image/png")], body: request.target)
                }
                let pictures = (1...64).map { #"{"id":\#($0),"photo":"/\#($0).png"}"# }
                return .json(kind == "zoos" ? #"[{"id":1}]"# : "[\(pictures.joined(separator: ","))]")
            }, queryClock: ManualClock()
        ) { rig in
            let stream = rig.stream(kind) {
                $0.paginator = Paginator(.singlePage)
                if kind == "zoos" {
                    $0.request.path = "{partition.zoo}/animals"
                    $0.partitions = [Partition(name: "zoo", values: (1...64).map { "zoo\($0)" })]
                    $0.primaryKey = ["_zoo", "id"]
                } else {
                    $0.attachments = [Attachment(field: "photo")]
                }
            }
            let before = try Self.transactions(rig)
            let outcome = try await rig.sync(stream)
            #expect(outcome.status == .succeeded, "\(outcome)")
            #expect(outcome.counts.requests == (kind == "zoos" ? 64 : 65))
            #expect(try rig.integers("SELECT count(*) FROM \(kind)") == [64])
            #expect(try rig.integers("SELECT count(*) FROM _garner_blobs") == [kind == "zoos" ? 0 : 64])
            #expect(try Self.transactions(rig) - before < 32)
        }
    }

    @Test func `pages of a cursor share none`() async throws {
        try await Self.run({ request in
            let page = request.target.firstRange(of: "after=").flatMap { Int(request.target[$0.upperBound...]) } ?? 1
            let next = page < Self.pages ? #""\#(page + 1)""# : "null"
            return .json(#"{"data":[{"id":\#(page)}],"next":\#(next)}"#)
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.cursor(.init(cursorPath: "$.next", cursorParam: "after")))
            }
            let before = try Self.transactions(rig)
            #expect(try await rig.sync(stream).record?.counts.pages == Self.pages)
            #expect(try Self.transactions(rig) - before >= Self.pages)
        }
    }

    @Test func `a run that is cancelled leaves whole pages and its place, at whatever moment`() async throws {
        for moment in [1, 4, 8] {
            let gate = Watched(0)
            try await Self.run({ request in
                gate.value = max(gate.value, request.page)
                // The run is not over when it is cancelled.
                if request.page > moment * 2 + 2 { try? await Task.sleep(for: .milliseconds(100)) }
                return .page(request.page, of: Self.pages)
            }) { rig in
                let running = Task { try await rig.sync() }
                await gate.until { $0 >= moment * 2 }
                running.cancel()
                let cancelled = try await running.value
                let stored = try Self.ids(rig, "animals")
                #expect(cancelled.status == .cancelled)
                #expect(stored == Array(Self.all.prefix(stored.count)) && stored.count.isMultiple(of: 2))
                #expect(try rig.integers("SELECT pages FROM _garner_runs") == [Int64(stored.count / 2)])
                #expect(try await rig.sync().status == .succeeded)
                #expect(try Self.ids(rig) == Self.all)
                #expect(rig.pagesAsked.last == Self.pages)
            }
        }
    }

    @Test func `another program can write while pages come slowly`() async throws {
        let path = Watched("")
        let answer: LoopbackServer.Handler = { request in
            // The pages before this one are stored by now, and their transaction does not wait for it.
            if request.page == 6 {
                try? await Task.sleep(for: .milliseconds(100))
                try? OtherProgram.write(to: path.value)
            }
            return .page(request.page, of: 10)
        }
        try await SyncRig.run(answer) { (rig: SyncRig) async throws -> Void in
            path.value = rig.path
            let outcome = try await rig.sync()
            #expect(outcome.status == .succeeded)
            let others = try rig.integers("SELECT count(*) FROM others")
            #expect(others == [0])
        }
    }
}

/// Another program.
private enum OtherProgram {
    /// Writes into a database without waiting for a lock.
    static func write(to path: String) throws {
        let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .zero)
        defer { connection.close() }
        try connection.executeScript("CREATE TABLE others (id)")
    }
}
