import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct CheckpointTests {
    let fixture: Fixture
    let stream = StreamConfiguration.animals()

    init() throws { fixture = try Fixture() }

    /// A run that stored its first page of two.
    private func half(_ writer: DatabaseWriter, from position: String = "page=1") async throws -> Reading {
        let run = try await writer.beginReading(stream, identity: position)
        _ = try await writer.commit(try .page(#"[{"id":1},{"id":2}]"#, 1, .next("page=2")), to: run)
        return run
    }

    @Test(arguments: [RunRecord.Status.failed, .cancelled])
    func `a run that ends early keeps its position and what it committed`(status: RunRecord.Status) async throws {
        let writer = fixture.writer
        let first = try await half(writer)
        #expect(first.resumeAt == nil)
        let failure = RunFailure(
            .unavailable, kind: "status", message: "HTTP 503", url: "https://api.example.org/", hint: "try later")
        let ended = try await writer.end(
            run: first.id, as: status,
            requests: [RequestRecord(sentAt: Timestamp(millisecondsSince1970: 0), url: "u", attempts: 3)],
            failure: status == .failed ? failure : nil)
        #expect(ended.status == status)
        #expect(ended.counts.inserted == 2)
        #expect(ended.counts.requests == 4)
        #expect(ended.failure == (status == .failed ? failure : nil))
        let second = try await writer.beginReading(stream, identity: "page=1")
        #expect(second.resumeAt == "page=2")
        let record = try await writer.commitLast(try .page(#"[{"id":3}]"#, 2, .complete), to: second)
        #expect(record.status == .succeeded)
        #expect(record.counts.ofRecords == "1 inserted")
        #expect(try fixture.rows("SELECT run_id, read_id, is_complete FROM _garner_runs") == ["1 1 0", "2 1 1"])
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2", "3"])
        #expect(try await writer.beginReading(stream, identity: "page=1").resumeAt == nil)
    }

    @Test func `a read position is dropped when the read would begin elsewhere`() async throws {
        let run = try await half(fixture.writer, from: "since=monday")
        _ = try await fixture.writer.end(run: run.id, as: .failed)
        #expect(try await fixture.writer.beginReading(stream, identity: "since=tuesday").resumeAt == nil)
        #expect(try await fixture.writer.beginReading(stream, identity: "since=monday").resumeAt == nil)
    }

    @Test(arguments: [("2026-02-01T08:04:59.000Z", "page=2"), ("2026-02-01T08:05:00.000Z", nil)])
    func `a read position from the future is dropped`(savedAt: String, place: String?) async throws {
        _ = try await fixture.writer.end(run: half(fixture.writer).id, as: .failed)
        let connection = try Connection(path: fixture.path, mode: .readWrite)
        try connection.execute("UPDATE _garner_reads SET saved_at = ?1", .text(savedAt))
        #expect(try await fixture.writer.beginReading(stream, identity: "page=1").resumeAt == place)
    }

    @Test func `a full read drops the read position`() async throws {
        let run = try await half(fixture.writer)
        _ = try await fixture.writer.end(run: run.id, as: .failed)
        #expect(try await fixture.writer.beginReading(stream, identity: "page=1", restarting: true).resumeAt == nil)
        #expect(try fixture.rows("SELECT next_position FROM _garner_slices") == ["NULL"])
    }

    @Test func `a run that restarts drops the read position`() async throws {
        _ = try await fixture.writer.end(run: half(fixture.writer).id, as: .failed)
        let second = try await fixture.writer.beginReading(stream, identity: "page=1")
        try await fixture.writer.restart(second.slice, of: second.id)
        #expect(try fixture.rows("SELECT next_position FROM _garner_slices") == ["NULL"])
        _ = try await fixture.writer.commit(try .page(#"[{"id":1}]"#, 1, .next("page=2")), to: second)
        #expect(
            try fixture.rows("SELECT read_id, next_position FROM _garner_reads JOIN _garner_slices USING (stream_id)")
                == ["2 'page=2'"])
        #expect(try fixture.rows("SELECT read_id FROM _garner_runs WHERE run_id = 2") == ["2"])
    }

    @Test(arguments: [PageCommit.Continuation.ended(Verdict(.chosen)), .complete])
    func `the last page of a read drops its position`(continuation: PageCommit.Continuation) async throws {
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        let record = try await fixture.writer.commitLast(try .page(#"[{"id":1}]"#, 1, continuation), to: run)
        #expect(record.status == .succeeded)
        #expect(try await fixture.writer.beginReading(stream, identity: "page=1").resumeAt == nil)
    }

    @Test func `a page that cannot be stored changes neither rows nor checkpoint nor counts`() async throws {
        let run = try await half(fixture.writer)
        try fixture.alter(
            "CREATE TRIGGER stop BEFORE INSERT ON animals WHEN NEW.id = 4 BEGIN SELECT RAISE(ABORT, 'stop'); END")
        await #expect(throws: PersistenceError.self) {
            try await fixture.writer.commit(try .page(#"[{"id":3,"new":1},{"id":4}]"#, 2, .next("page=3")), to: run)
        }
        #expect(try fixture.rows("SELECT * FROM animals") == ["1", "2"])
        #expect(try fixture.rows("SELECT next_position FROM _garner_slices") == ["'page=2'"])
        #expect(try fixture.rows("SELECT pages, inserted FROM _garner_runs") == ["1 2"])
        try fixture.alter("DROP TRIGGER stop")
        let counts = try await fixture.writer.commit(
            try .page(#"[{"id":3,"new":1},{"id":4}]"#, 2, .next("page=3")), to: run)
        #expect(counts.ofRecords == "4 inserted")
    }

    @Test func `a killed process leaves whole pages, and its run becomes interrupted`() async throws {
        let copy = fixture.folder.path("copy.db")
        let run = try await half(fixture.writer)
        // What a kill leaves on the disk: the file and its log, without a checkpoint.
        try fixture.copyFile(to: copy)
        _ = try await fixture.writer.end(run: run.id, as: .failed)

        let writer = try Fixture.store(at: copy)
        let rows = try fixture.rows(
            "SELECT status, ended_at, inserted, pages FROM _garner_runs", from: Connection(path: copy, mode: .readOnly))
        #expect(rows == ["'interrupted' '2026-01-31T08:05:00.000Z' 2 1"])
        let next = try await writer.beginReading(stream, identity: "page=1")
        #expect(next.resumeAt == "page=2")
        let record = try await writer.commitLast(try .page(#"[{"id":3}]"#, 2, .complete), to: next)
        #expect(record.counts.ofRecords == "1 inserted")
        #expect(
            try fixture.rows("SELECT id FROM animals", from: Connection(path: copy, mode: .readOnly)) == [
                "1", "2", "3",
            ])
    }

    @Test func `a skipped run says why, and ends no read`() async throws {
        _ = try await fixture.writer.end(run: half(fixture.writer).id, as: .failed)
        let nominal = Timestamp(millisecondsSince1970: 0)
        try await fixture.writer.skip(
            stream, nominals: nominal...nominal, count: 1, reason: "the run before was not over")
        #expect(
            try fixture.rows("SELECT status, nominal_at, warning FROM _garner_runs WHERE run_id = 2") == [
                "'skipped' '1970-01-01T00:00:00.000Z' 'the run before was not over'"
            ])
        #expect(try await fixture.writer.beginReading(stream, identity: "page=1").resumeAt == "page=2")
    }

    @Test func `a run that is not open is a bug, not a crash`() async throws {
        let error = await #expect(throws: PersistenceError.self) {
            try await fixture.writer.commit(try .page("[]", 1, .complete), to: 5 as RunID)
        }
        #expect(error?.kind == .bug)
        await #expect(throws: PersistenceError.self) { try await fixture.writer.end(run: 5, as: .failed) }
        await #expect(throws: PersistenceError.self) { try await fixture.writer.openRead(of: 5) }
    }
}
