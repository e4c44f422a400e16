import GarnerCatalog
import GarnerModel
@testable import GarnerMaintenance
import GarnerPersistence
import TestSupport
import Testing

struct DatabasePruningTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private static let epoch = Timestamp(millisecondsSince1970: 0)
    private static let late = Timestamp(millisecondsSince1970: 1_800_000_000_000)

    /// Six runs, each with a request: the first is the baseline, the third and the sixth inserted a row.
    private func syncSixTimes() async throws {
        for ids in [1...1, 1...1, 1...2, 1...2, 1...2, 1...3] {
            try await fixture.sync(.animals(), "[\(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]")
        }
    }

    private func request(_ change: (inout PruneRequest) -> Void) -> PruneRequest {
        var request = PruneRequest()
        change(&request)
        return request
    }

    /// Prunes, checks that the preview announced the same, and returns the outcome.
    private func prune(_ request: PruneRequest) async throws -> PruneOutcome {
        let preview = try DatabasePruning(of: fixture.path, request).preview()
        await fixture.writer.close()
        let outcome = try DatabasePruning(of: fixture.path, request).run()
        var same = outcome
        same.freedBytes = nil
        same.databaseBytes = preview.databaseBytes
        #expect(preview == same)
        try fixture.expectIntegrity()
        return outcome
    }

    @Test func `old runs go with their requests and notes, but what tells how a stream stands stays`() async throws {
        try await syncSixTimes()
        try await fixture.writer.skip(.animals(), nominals: Self.epoch...Self.epoch, count: 1, reason: "busy")
        let outcome = try await prune(request { $0.runsBefore = Self.late })
        // 1 is the baseline, 6 the latest success, 7 the latest skip.
        #expect(try fixture.rows("SELECT run_id FROM _garner_runs") == ["1", "6", "7"])
        #expect(try fixture.rows("SELECT run_id FROM _garner_requests") == ["1", "6"])
        #expect(try fixture.rows("SELECT run_id, record_key FROM _garner_changes") == ["6 3"])
        #expect((outcome.runs, outcome.requests, outcome.changes) == (4, 4, 1))
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2", "3"])
    }

    @Test func `a latest success long ago stays behind failures, and so does the first run of an unfinished read`()
        async throws
    {
        try await syncSixTimes()
        for number in 7...9 {
            let run = try await fixture.writer.beginReading(.animals(), identity: "page=1")
            if number == 8 { _ = try await fixture.writer.commit(.page(#"[{"id":9}]"#, 1, .next("page=2")), to: run) }
            _ = try await fixture.writer.end(run: run.id, as: .failed, rest: number == 7 ? .givenUp : .kept)
        }
        _ = try await prune(request { $0.runsBefore = Self.late })
        #expect(try fixture.rows("SELECT run_id FROM _garner_runs") == ["1", "6", "8", "9"])
    }

    @Test func `a run that began what the latest success has read to its end stays`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        let first = try await fixture.writer.beginReading(.animals(), identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1}]"#, 1, .next("page=2")), to: first)
        _ = try await fixture.writer.end(run: first.id, as: .failed)
        let second = try await fixture.writer.beginReading(.animals(), identity: "page=1")
        _ = try await fixture.writer.commitLast(.page(#"[{"id":1}]"#, 2, .complete), to: second)
        #expect(try await prune(request { $0.runsBefore = Self.late }).runs == 0)
        #expect(try fixture.rows("SELECT read_id FROM _garner_runs") == ["1", "2", "2"])
    }

    @Test func `the latest instant that was settled stays, for the scheduler counts from it`() async throws {
        let nominal = Timestamp(millisecondsSince1970: 1_769_846_000_000)
        try await syncSixTimes()
        let run = try await fixture.writer.begin(
            .animals(), identity: "page=1", occasion: .scheduled(nominal: nominal, dueAt: nominal))
        _ = try await fixture.writer.end(run: run, as: .failed)
        try await fixture.sync(.animals(), "[]")
        _ = try await prune(request { $0.runsBefore = Self.late })
        #expect(
            try fixture.rows("SELECT max(nominal_at) FROM _garner_runs WHERE status = 'failed'")
                == ["'\(nominal)'"])
    }

    @Test func `what another table of ours refers to stays`() async throws {
        try await syncSixTimes()
        try fixture.alter(
            """
            CREATE TABLE _garner_notes (a INTEGER REFERENCES _garner_runs (run_id), first_run INTEGER);
            INSERT INTO _garner_notes VALUES (2, NULL), (NULL, 3);
            INSERT INTO _garner_quarantine (quarantine_id, stream_id, run_id, url, reason, record, times,
            quarantined_at, last_seen_at) VALUES (1, 1, 4, 'u', 'why', '{}', 1, 't', 't')
            """)
        _ = try await prune(request { $0.runsBefore = Self.late })
        #expect(try fixture.rows("SELECT run_id FROM _garner_runs") == ["1", "2", "3", "4", "6"])
    }

    @Test func `pruning keeps runs, requests and versions that are young enough`() async throws {
        try await syncSixTimes()
        let early = Timestamp(millisecondsSince1970: 1_769_846_700_000)
        let outcome = try await prune(
            request {
                $0.runsBefore = early
                $0.requestsBefore = early
                $0.historyBefore = early
            })
        #expect((outcome.runs, outcome.requests, outcome.changes, outcome.versions) == (0, 0, 0, 0))
    }

    @Test func `pruning can remove requests without their runs`() async throws {
        try await syncSixTimes()
        #expect(try await prune(request { $0.requestsBefore = Self.late }).requests == 6)
        #expect(try fixture.rows("SELECT count(*) FROM _garner_runs") == ["6"])
    }

    @Test(arguments: ["", "WITHOUT ROWID"]) func `versions that were replaced go, those that hold stay`(kind: String)
        async throws
    {
        try fixture.alter(
            """
            CREATE TABLE "_garner_history_my animals" (
                id TEXT, "_garner_valid_from" TEXT, "_garner_valid_to" TEXT, PRIMARY KEY (id, "_garner_valid_from")) \(kind);
            INSERT INTO "_garner_history_my animals" VALUES
            ('a', '2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z'),
            ('a', '2021-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'),
            ('a', '2026-01-01T00:00:00.000Z', NULL);
            CREATE TABLE _garner_history_other (a)
            """)
        let then = Timestamp(rfc3339: "2025-01-01T00:00:00Z")
        #expect(try await prune(request { $0.historyBefore = then }).versions == 1)
        #expect(try fixture.rows("SELECT count(*) FROM \"_garner_history_my animals\"") == ["2"])
    }

    @Test func `files that no record leads to go, each other one stays`() async throws {
        var stream = StreamConfiguration.animals(missing: .hard)
        stream.attachments = [Attachment(field: "photo")]
        for names in [["a", "b", "c"], ["a", "x"]] {
            let records = names.enumerated().map { #"{"id":\#($0),"photo":"/\#($1)"}"# }
            let run = try await fixture.writer.beginReading(stream, identity: "page=1", restarting: true)
            _ = try await fixture.writer.commit(.page("[\(records.joined(separator: ","))]", 1, .complete), to: run)
            for file in try await fixture.writer.dueFiles(of: run.id, in: "photo", from: .first, limit: 9) {
                // The content of b is that of a.
                let byte: UInt8 = file.url == "/c" ? 1 : file.url == "/x" ? 2 : 0
                let stored = StoredFile(mediaType: "image/png", [byte, byte, byte])
                _ = try await fixture.writer.keep(
                    AttachmentOutcome(field: "photo", url: file.url, .file(stored, validator: nil), requests: []),
                    for: run.id)
            }
            _ = try await fixture.writer.finish(run.id)
        }
        let outcome = try await prune(request { $0.removesFiles = true })
        #expect((outcome.files, outcome.fileBytes) == (1, 3))
        #expect(try fixture.rows("SELECT url FROM _garner_attachments") == ["'/a'", "'/x'"])
        #expect(try fixture.rows("SELECT hex(content) FROM _garner_blobs ORDER BY 1") == ["'000000'", "'020202'"])
    }

    @Test func `a file of a version that is kept stays`() async throws {
        var stream = StreamConfiguration.animals()
        stream.attachments = [Attachment(field: "photo")]
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1,"photo":"/new"}]"#, 1, .complete), to: run)
        let file = AttachmentOutcome(
            field: "photo", url: "/old", .file(StoredFile(mediaType: "image/png", [1]), validator: nil), requests: [])
        _ = try await fixture.writer.keep(file, for: run.id)
        _ = try await fixture.writer.finish(run.id)
        try fixture.alter(
            "CREATE TABLE _garner_history_animals (photo TEXT); INSERT INTO _garner_history_animals VALUES ('/old')")
        #expect(try await prune(request { $0.removesFiles = true }).files == 0)
    }

    @Test func `the file becomes smaller only if it is to`() async throws {
        try await syncSixTimes()
        try fixture.alter(
            """
            INSERT INTO _garner_requests (run_id, sent_at, url, attempts, bytes, duration_ms, not_modified)
            SELECT 2, '2026-01-31T00:00:00.000Z', hex(randomblob(2000)), 1, 1, 1, 0 FROM generate_series(1, 100)
            """.replacing(
                "generate_series(1, 100)",
                with: "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n)"
            ))
        let before = try #require(Int(try fixture.rows("PRAGMA page_count")[0])) * DatabaseWriter.pageSize
        let removed = try await prune(request { $0.runsBefore = Self.late })
        #expect(removed.freedBytes ?? 0 > 400_000)
        #expect(removed.databaseBytes == before)
        let vacuumed = try DatabasePruning(of: fixture.path, request { $0.vacuums = true }).run()
        #expect(vacuumed.databaseBytes <= before - 400_000)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2", "3"])
        try fixture.expectIntegrity()
    }

    @Test func `row numbers that something is known by are not changed`() async throws {
        for _ in 1...3 { try await fixture.sync(.animals(), #"[{"name":"a"},{"name":"b"}]"#) }
        await fixture.writer.close()
        let vacuum = request { $0.vacuums = true }
        _ = try DatabasePruning(of: fixture.path, vacuum).run()
        #expect(try fixture.rows("SELECT group_concat(rowid) FROM animals") == ["'1,2,3,4,5,6'"])
        try fixture.alter("DELETE FROM animals WHERE rowid = 2")
        let error = #expect(throws: PersistenceError.self) { try DatabasePruning(of: fixture.path, vacuum).run() }
        #expect(error?.message.contains("renumber the rows of animals") == true)
        #expect(try fixture.rows("SELECT group_concat(rowid) FROM animals") == ["'1,3,4,5,6'"])
        try fixture.alter("DELETE FROM _garner_changes")
        _ = try DatabasePruning(of: fixture.path, vacuum).run()
    }

    @Test func `the store's lock keeps it out, but not its preview`() async throws {
        try await syncSixTimes()
        let pruning = DatabasePruning(of: fixture.path, request { $0.runsBefore = Self.late })
        #expect(#expect(throws: PersistenceError.self) { try pruning.run() }?.kind == .locked)
        #expect(try pruning.preview().runs == 4)
        #expect(try fixture.rows("SELECT count(*) FROM _garner_runs") == ["6"])
    }

    @Test func `a wish to stop is heard`() async throws {
        try await syncSixTimes()
        await fixture.writer.close()
        let cancellation = Cancellation()
        cancellation.cancel()
        let pruning = DatabasePruning(
            of: fixture.path, request { $0.runsBefore = Self.late }, cancellation: cancellation)
        #expect(throws: CancellationError.self) { try pruning.run() }
        #expect(try fixture.rows("SELECT count(*) FROM _garner_runs") == ["6"])
    }
}
