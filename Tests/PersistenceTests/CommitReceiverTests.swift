import Foundation
import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import Synchronization
import TestSupport
import Testing

/// A store whose file is only a copy.
@Suite(.timeLimit(.minutes(5)))
struct CommitReceiverTests {
    /// Keeps what is committed.
    final class Receiver: CommitReceiver {
        private struct State {
            /// The commits that had come as it was last waited for.
            var safe = 0
            var waits = 0
            var failure: (any Error)?
        }

        let kept = KeptDatabase()
        private let state = Mutex(State())

        func committed(_ pages: CommittedPages?) { kept.receive(pages) }

        func safe() async throws {
            // Whoever does not wait would go on meanwhile.
            for _ in 0..<10 { await Task.yield() }
            try state.withLock { state in
                state.waits += 1
                if let failure = state.failure { throw failure }
                state.safe = kept.commits
            }
        }

        var waits: Int { state.withLock(\.waits) }
        /// True if nothing that has come is still unsafe.
        var isSafe: Bool { state.withLock(\.safe) == kept.commits }

        func fail(with error: any Error) { state.withLock { $0.failure = error } }
    }

    private let receiver = Receiver()
    private let fixture: Fixture
    private let stream = StreamConfiguration.animals(key: ["id"])

    init() throws {
        fixture = try Self.fixture(receiver)
    }

    private static func fixture(_ receiver: Receiver, _ synchronous: Synchronous = .normal) throws -> Fixture {
        try Fixture(in: TemporaryFolder()) { path in
            try DatabaseWriter(path: path, synchronous: synchronous, commits: receiver) {
                Timestamp(millisecondsSince1970: 1_769_846_700_000)
            }
        }
    }

    private static let lost = PersistenceError(.lost, "another worker has taken the shard; it goes on there", hint: "x")

    @Test(arguments: PageGroupTests.scripts)
    func `what it receives is the file, and is read as the file is`(_ script: PageGroupTests.Script) async throws {
        for pages in script.reads {
            let run = try await fixture.writer.beginReading(script.stream, identity: "page=1", restarting: true)
            do {
                for (index, page) in pages.enumerated() {
                    let place: PageCommit.Continuation =
                        index == pages.count - 1 ? .complete : .next("page=\(index + 2)")
                    _ = try await fixture.writer.commit(try .page(page, index + 1, place), to: run)
                }
            } catch is PersistenceError {
                _ = try await fixture.writer.end(run: run.id, as: .failed)
            }
            #expect(receiver.isSafe)
        }
        await fixture.writer.close()
        #expect(receiver.kept.failures == 0 && receiver.kept.pageSize == 4096)
        #expect(
            receiver.kept.difference(from: [UInt8](try Data(contentsOf: URL(filePath: fixture.path)))) == nil)
        try expectSameAnswers(receiver.kept.register(), script.stream)
    }

    /// Keeps the first commit, as PostgreSQL does of a worker that dies behind it.
    private final class FirstCommit: CommitReceiver {
        let kept = KeptDatabase()

        func committed(_ pages: CommittedPages?) { if kept.commits == 0 { kept.receive(pages) } }
        func safe() async throws {}
    }

    @Test func `a new shard has its numbers and its random bits by its first commit`() async throws {
        let (receiver, key) = (FirstCommit(), String(repeating: "a5", count: 192))
        let folder = try TemporaryFolder()
        let writer = try DatabaseWriter(
            path: folder.path("shard.db"), commits: receiver, beginning: ShardBeginning(of: 3, hashKey: key)
        ) { Timestamp(millisecondsSince1970: 0) }
        await writer.close()
        let connection = try Connection(path: receiver.kept.register(), mode: .readOnly)
        defer { connection.close() }
        #expect(try connection.text("SELECT lower(hex(secret)) FROM _garner_hash_key") == key)
        let next = "SELECT seq FROM sqlite_sequence WHERE name = '_garner_runs'"
        #expect(try connection.integer(next) == 2 << 32)
    }

    @Test func `what is told is safe`() async throws {
        let writer = fixture.writer
        let run = try await writer.beginReading(stream, identity: "page=1", restarting: true)
        let waits = receiver.waits
        for number in 1...5 {
            _ = try await writer.commit(
                try .page(#"[{"id":\#(number)}]"#, number, .next("page=\(number + 1)")), to: run)
        }
        // A page that comes again is not waited for.
        #expect(receiver.waits == waits && !receiver.isSafe)
        var page = try PageCommit.page(#"[{"id":6}]"#, 6, .next("page=7"))
        page.mayNotComeAgain = true
        _ = try await writer.commit(page, to: run)
        #expect(receiver.waits == waits + 1 && receiver.isSafe)
        _ = try await writer.commitLast(try .page(#"[{"id":7}]"#, 7, .complete), to: run)
        #expect(receiver.waits == waits + 2 && receiver.isSafe)
        // The last page may share a transaction with one before it, which is not waited for.
        let next = try await writer.beginReading(stream, identity: "page=1", restarting: true)
        let begun = receiver.waits
        page = try .page(#"[{"id":8}]"#, 1, .next("page=2"))
        page.slice = next.slice.id
        _ = try await writer.commit(page, to: next.id, successor: { .arrived })
        _ = try await writer.commitLast(try .page(#"[{"id":9}]"#, 2, .complete), to: next)
        #expect(receiver.waits == begun + 1 && receiver.isSafe)
        try await writer.pause(stream, at: Timestamp(millisecondsSince1970: 0))
        #expect(receiver.isSafe)
        _ = try await writer.note(RunRequest("a", of: stream.name), of: stream)
        #expect(receiver.isSafe)
        _ = try await writer.reset([.cursors, .pages], of: stream.name)
        #expect(receiver.isSafe)
        try await writer.safe()
        #expect(receiver.waits > begun + 3)
    }

    @Test func `each page is safe if each is to be`() async throws {
        let receiver = Receiver()
        let fixture = try Self.fixture(receiver, .full)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1", restarting: true)
        _ = try await fixture.writer.commit(try .page(#"[{"id":1}]"#, 1, .next("page=2")), to: run)
        #expect(receiver.isSafe)
    }

    @Test func `nothing is stored once the right to write is lost`() async throws {
        let writer = fixture.writer
        let run = try await writer.beginReading(stream, identity: "page=1", restarting: true)
        receiver.fail(with: Self.lost)
        await expectLoss { try await writer.commitLast(try .page(#"[{"id":1}]"#, 1, .complete), to: run) }
        let commits = receiver.kept.commits
        await expectLoss { try await writer.end(run: run.id, as: .failed) }
        await expectLoss { try await writer.unrecordedEnd(of: run.id, failure: RunFailure(Self.lost)) }
        await expectLoss { try await writer.begin(stream, identity: "page=1") }
        await expectLoss { try await writer.safe() }
        #expect(receiver.kept.commits == commits)
        await writer.close()
    }

    @Test func `a commit whose pages are not known is asked about at once`() async throws {
        // The observer opens the log as the first commit comes.
        let folder = try TemporaryFolder()
        let path = folder.path("garner.db")
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.executeScript("PRAGMA journal_mode = WAL; SELECT 1 FROM sqlite_schema")
        try connection.observeCommits { [receiver] in receiver.committed($0) }
        #expect(rename(path + "-wal", path + "-elsewhere") == 0)
        try connection.transactionWithoutSync { try connection.executeScript("CREATE TABLE t (a)") }
        #expect(receiver.kept.failures == 1 && connection.takeAwaitedCommit())
    }

    @Test func `its failures have their exit codes`() {
        #expect(RunFailure(Self.lost).category == .busy && RunFailure(Self.lost).kind == "lost")
        let server = RunFailure(PersistenceError(.server, "away", hint: "x"))
        #expect(server.category == .unavailable && server.kind == "server")
    }

    @Test func `a file of one's own keeps its page size and waits for the disk`() async throws {
        let own = try Fixture()
        #expect(!own.writer.isCopy && fixture.writer.isCopy)
        try await own.writer.safe()
        #expect(try own.rows("PRAGMA page_size") == ["8192"])
        #expect(try fixture.rows("PRAGMA page_size") == ["4096"])
    }

    private func expectLoss<R>(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> R
    ) async {
        do {
            _ = try await body()
            Issue.record("nothing is thrown", sourceLocation: sourceLocation)
        } catch {
            #expect((error as? PersistenceError)?.kind == .lost, sourceLocation: sourceLocation)
        }
    }

    // MARK: - Reading

    /// Asks a database that is no file what the file is asked, too.
    private func expectSameAnswers(_ path: String, _ stream: StreamConfiguration) throws {
        let (file, remote) = (try ReadOnlyDatabase(path: fixture.path), try ReadOnlyDatabase(path: path))
        func expectSame(_ name: String, _ ask: (ReadOnlyDatabase) throws -> Any) {
            func answer(_ database: ReadOnlyDatabase) -> String {
                do {
                    return String(reflecting: try database.reading { try ask(database) })
                } catch {
                    let failure = RunFailure(error)
                    return "\(failure.kind) \(failure.message)"
                }
            }
            #expect(answer(remote) == answer(file), "\(name)")
        }
        func all(_ cursor: RowCursor) throws -> [[Value]] {
            var rows: [[Value]] = []
            while let row = try cursor.next() { rows.append((0..<cursor.columns.count).map { row.value(at: $0) }) }
            return rows
        }
        let since = Timestamp(millisecondsSince1970: 0)
        expectSame("runs") { try $0.runs(limit: 100) }
        expectSame("requests") { try $0.requests(of: 1) }
        expectSame("tables") { try $0.tables() }
        expectSame("description") { try $0.description(of: stream.table) }
        expectSame("state") { try $0.state(of: stream.name, limit: 10) as Any }
        expectSame("streams") { try $0.knownStreams() }
        expectSame("schedules") { try $0.scheduleStates() }
        expectSame("totals") { try $0.totals(since: since) }
        expectSame("ended runs") { try $0.recentRuns(of: stream.name, limit: 10) }
        expectSame("timeline") { try $0.timeline(since: since, limit: 10) }
        expectSame("quarantine") { try $0.quarantine(limit: 10) }
        expectSame("changes") { try $0.changedRuns(limit: 10) }
        expectSame("schema changes") { try $0.schemaChanges() }
        expectSame("lateness") { try $0.lateness() }
        expectSame("rows") { try all($0.rows(for: RowRequest(table: stream.table, deleted: .shown))) }
        expectSame("query") { try all($0.rows("SELECT * FROM \(stream.table) ORDER BY 1 DESC")) }
        expectSame("mistake") { try all($0.rows("SELECT nme FROM \(stream.table)")) }
        expectSame("refusal") { try all($0.rows("DELETE FROM \(stream.table)")) }
        expectSame("search") { try all($0.search(stream.table, for: .words("1"), limit: 10)) }
        expectSame("versions") { try all($0.versions(in: stream.table, key: ["1"])) }
        expectSame("integrity") { try $0.connection.rows("PRAGMA integrity_check") { $0.text(at: 0) } }
    }
}
