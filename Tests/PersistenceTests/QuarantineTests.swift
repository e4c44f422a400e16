import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct QuarantineTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func strict(_ mode: SchemaContract.Mode = .quarantine, tables: SchemaContract.Mode = .evolve)
        -> StreamConfiguration
    {
        var stream = StreamConfiguration.animals()
        stream.schemaContract = SchemaContract(tables: tables, columns: mode, dataTypes: mode)
        return stream
    }

    /// Retries batch by batch, as one run.
    private func retry(_ stream: StreamConfiguration, _ chosen: [Int64]? = nil) async throws -> RunRecord {
        let run = try await fixture.writer.beginRetry(of: stream)
        let hidden = HiddenFields(of: stream, among: [stream])
        var place = QuarantinePlace()
        while let next = try await fixture.writer.retry(after: place, among: chosen, hiding: hidden, in: run) {
            place = next
        }
        return try await fixture.writer.finishRetry(run)
    }

    @Test func `what fits now is stored by a run of its own, with its changes`() async throws {
        try await fixture.sync(strict(), #"[{"id":1,"a":1}]"#)
        try await fixture.sync(strict(), #"[{"id":1,"a":1},{"id":1,"a":"x1"},{"id":2,"b":[1.50]},{"a":3}]"#)
        let run = try await retry(.animals())
        #expect(run.status == .succeeded && run.id == 3 && run.counts.pages == 0 && run.counts.requests == 0)
        #expect(run.counts.ofRecords == "1 inserted, 1 updated, 1 quarantined")
        #expect(try fixture.rows("SELECT id, a, b FROM animals") == ["1 'x1' NULL", "2 NULL '[1.50]'"])
        #expect(
            try fixture.rows("SELECT record, reason, run_id FROM _garner_quarantine") == [
                #"'{"a":3}' 'the key 'id' is missing' 2"#
            ])
        #expect(
            try fixture.rows("SELECT record_key, operation FROM _garner_changes WHERE run_id = 3") == [
                "1 'update'", "2 'insert'",
            ])
        try fixture.expectIntegrity()
    }

    @Test func `what the rules keep out by now is not stored from quarantine`() async throws {
        try await fixture.sync(
            strict(), #"[{"id":1}]"#, #"[{"id":2,"mail":"canary","pass":"canary","a":{"b":"canary"}}]"#)
        var stream = StreamConfiguration.animals()
        stream.fields.drop = ["mail", "$.a.b"].compactMap { FieldPath($0) }
        stream.fields.hash = .init(fields: ["pass"].compactMap { FieldPath($0) }, key: Secret("key"))
        let run = try await retry(stream)
        #expect(run.counts.ofRecords == "1 inserted")
        #expect(try fixture.rows("SELECT id, length(pass) FROM animals WHERE id = 2") == ["2 64"])
        #expect(try fixture.rows("SELECT * FROM animals").allSatisfy { !$0.contains("canary") })
        #expect(try fixture.rows("SELECT count(*) FROM _garner_quarantine") == ["0"])
    }

    @Test(arguments: [SchemaContract.Mode.freeze, .discardRow, .quarantine])
    func `what still does not fit stays, with the reason that it has now`(mode: SchemaContract.Mode) async throws {
        try await fixture.sync(strict(), #"[{"id":1}]"#, #"[{"id":2,"b":1},{"id":3,"c":1}]"#)
        let run = try await retry(strict(mode))
        #expect(run.counts.ofRecords == "2 quarantined")
        #expect(try fixture.rows("SELECT times FROM _garner_quarantine") == ["1", "1"])
        #expect(try fixture.columns(of: "animals") == ["id INTEGER"])
    }

    @Test(arguments: [false, true])
    func `a read that goes on is partial for what the run before has quarantined`(_ isFirst: Bool) async throws {
        var stream = strict()
        stream.primaryKey = ["id"]
        if !isFirst { try await fixture.sync(stream, #"[{"id":1}]"#, "[]") }
        let left = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(try .page(#"[{"id":1},{"a":3}]"#, 1, .next("page=2")), to: left)
        _ = try await fixture.writer.end(run: left.id, as: .failed)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        #expect(run.resumeAt == "page=2")
        let ended = try await fixture.writer.commitLast(try .page(#"[{"id":2}]"#, 2, .complete), to: run)
        #expect(ended.completeness == .partial)
        #expect(ended.completenessReason == "1 record was quarantined")
    }

    @Test func `retries that fail alike are runs of their own, with their changes`() async throws {
        try await fixture.sync(strict(), #"[{"id":1}]"#, #"[{"id":2,"b":1},{"id":3,"b":1}]"#)
        for number in [1, 2] as [Int64] {
            let run = try await fixture.writer.beginRetry(of: .animals())
            _ = try await fixture.writer.retry(after: QuarantinePlace(), among: [number], in: run)
            let ended = try await fixture.writer.end(
                run: run, as: .failed, failure: RunFailure(.unavailable, kind: "full", message: "the disk is full"))
            #expect(ended.id == run && ended.timesNotBegun == nil)
        }
        #expect(try fixture.rows("SELECT count(*) FROM _garner_runs WHERE is_retry") == ["2"])
        #expect(
            try fixture.rows("SELECT record_key FROM _garner_changes WHERE run_id > 1 ORDER BY 1") == ["2", "3"])
        try fixture.expectIntegrity()
    }

    @Test func `only what is chosen is tried`() async throws {
        try await fixture.sync(strict(), #"[{"id":1}]"#, #"[{"id":2,"b":1},{"id":3,"b":1},{"id":4,"b":1}]"#)
        #expect(try await retry(.animals(), [1, 3]).counts.ofRecords == "2 inserted")
        #expect(try fixture.rows("SELECT quarantine_id FROM _garner_quarantine") == ["2"])
        #expect(try await fixture.writer.dropQuarantined([2, 99]) == 1)
        #expect(try await retry(.animals()).counts.ofRecords == "")
    }

    @Test func `many are tried in several transactions, each once`() async throws {
        let records = (0..<1201).map { #"{"id":\#($0),"b":\#($0)}"# }.joined(separator: ",")
        try await fixture.sync(strict(), #"[{"id":-1}]"#, "[\(records),{}]")
        #expect(try await retry(.animals()).counts.ofRecords == "1201 inserted, 1 quarantined")
        #expect(try await retry(.animals()).counts.ofRecords == "1 quarantined")
        #expect(try fixture.rows("SELECT count(*), sum(b) FROM animals") == ["1202 \(1200 * 1201 / 2)"])
    }

    @Test func `records make the table that was not to be made`() async throws {
        let held = try await fixture.sync(strict(tables: .quarantine), #"[{"id":1,"a":1},{"id":2,"a":0.5},7]"#)
        #expect(held.counts.ofRecords == "3 quarantined")
        #expect(try await retry(strict(tables: .freeze)).counts.ofRecords == "3 quarantined")
        #expect(try await retry(.animals(key: ["id"])).counts.ofRecords == "2 inserted, 1 quarantined")
        #expect(try fixture.columns(of: "animals").prefix(2) == ["id INTEGER", "a REAL"])
    }

    @Test func `a record comes back with what it has from its parent, and once for each`() async throws {
        let run = try await fixture.writer.beginReading(strict(), identity: "page=1")
        let pages = [#"[{"id":1}]"#, #"[{"id":2,"b":1}]"#, #"[{"id":2,"b":1}]"#]
        for (number, text) in pages.enumerated() {
            var page = try PageCommit.page(text, number + 1, number == 2 ? .complete : .next("page=\(number + 2)"))
            page.added = #"{"_zoos_id":\#(number)}"#
            _ = try await fixture.writer.commit(page, to: run)
        }
        let held = try ReadOnlyDatabase(path: fixture.path).quarantined(2)
        #expect(held.record == #"{"id":2,"b":1}"# && held.added == #"{"_zoos_id":2}"#)
        #expect(try await retry(.animals()).counts.ofRecords == "1 inserted, 1 updated")
        #expect(try fixture.rows("SELECT id, b, _zoos_id FROM animals") == ["1 NULL 0", "2 1 2"])
    }

    @Test func `parents whose fields differ by Unicode form only are told apart`() async throws {
        let run = try await fixture.writer.beginReading(strict(), identity: "page=1")
        let zoos = ["caf\u{E9}", "cafe\u{301}"]
        let pages = [#"[{"id":0}]"#, #"[{"id":1,"b":1}]"#, #"[{"id":2,"b":1}]"#]
        for (number, text) in pages.enumerated() {
            var page = try PageCommit.page(text, number + 1, number == 2 ? .complete : .next("page=\(number + 2)"))
            page.added = "{\"_zoos_id\":\"\(zoos[number / 2])\"}"
            _ = try await fixture.writer.commit(page, to: run)
        }
        #expect(try await retry(.animals()).counts.ofRecords == "2 inserted")
        let stored = try fixture.rows("SELECT _zoos_id FROM animals WHERE id > 0 ORDER BY id")
        #expect(stored.map { Array($0.utf8) } == zoos.map { Array("'\($0)'".utf8) })
    }

    @Test func `a record that a later run has replaced stays`() async throws {
        try await fixture.sync(strict(), #"[{"id":1,"a":1}]"#)
        try await fixture.sync(strict(), #"[{"id":1,"a":"old"}]"#)
        try await fixture.sync(strict(), #"[{"id":1,"a":3}]"#)
        for _ in 1...2 {
            #expect(try await retry(.animals()).counts.ofRecords == "1 quarantined")
            #expect(
                try fixture.rows("SELECT reason FROM _garner_quarantine") == [
                    "'run 3 has stored a newer record with this key'"
                ])
        }
        #expect(try fixture.rows("SELECT a FROM animals") == ["3"])
    }

    @Test func `of two records with one key the latest wins`() async throws {
        try await fixture.sync(strict(), #"[{"id":1,"a":1}]"#)
        try await fixture.sync(strict(), #"[{"id":1,"a":"first"}]"#)
        try await fixture.sync(strict(), #"[{"id":1,"a":"second"}]"#)
        try await fixture.sync(strict(), #"[{"id":1,"a":"first"}]"#)
        #expect(try await retry(.animals()).counts.ofRecords == "2 updated")
        #expect(try fixture.rows("SELECT a FROM animals") == ["'first'"])
    }

    @Test func `a retry says nothing of the source`() async throws {
        let stream = strict()
        try await fixture.sync(stream, #"[{"id":1}]"#, #"[{"id":2,"b":1}]"#)
        let failed = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.end(
            run: failed.id, as: .failed, failure: RunFailure(.unavailable, kind: "status", message: "503"))
        _ = try await retry(.animals())
        let history = try #require(try ReadOnlyDatabase(path: fixture.path).history(of: stream.name))
        #expect(history.consecutiveFailures == 1 && history.lastRun?.id == failed.id && history.count.all == 2)
        // The read that was begun goes on.
        #expect(try await fixture.writer.beginReading(stream, identity: "page=1").slice.id == failed.slice.id)
    }

    @Test func `a record that an earlier version has kept is the same one when it comes again`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("garner.db")
        try EarlierVersion.write(
            10, to: path,
            rows: """
                CREATE TABLE animals (id INTEGER PRIMARY KEY, a TEXT);
                INSERT INTO _garner_streams (stream_id, name, table_name) VALUES (1, 'zoo.animals', 'animals');
                INSERT INTO _garner_columns VALUES (1, 0, 'id', '$[''id'']', 'INTEGER', 1, 1);
                INSERT INTO _garner_runs (run_id, stream_id, read_id, status, started_at)
                VALUES (1, 1, 1, 'succeeded', '2026-01-31T00:00:00.000Z');
                INSERT INTO _garner_quarantine VALUES (1, 1, 1, 'u', 'why', '{"id":null}', 3, 2, 't', 't', NULL);
                INSERT INTO _garner_quarantine VALUES (2, 1, 1, 'u', 'why', '{"id":null}', 4, 2, 't', 't', '{"b":1}');
                """)
        let writer = try Fixture.store(at: path)
        let reading = try await writer.beginReading(.animals(), identity: "i")
        try await writer.commitLast(.page(#"[{"id":null},{"id":null,"b":1}]"#, 1, .complete), to: reading)
        await writer.close()
        let connection = try Connection(path: path, mode: .readOnly)
        #expect(
            try fixture.rows(
                "SELECT record, added, times FROM _garner_quarantine ORDER BY quarantine_id", from: connection)
                == [#"'{"id":null}' NULL 3"#, #"'{"id":null}' '{"b":1}' 2"#, #"'{"id":null,"b":1}' NULL 1"#])
    }

    @Test func `a row from quarantine is on its page with the next read`() async throws {
        var stream = strict()
        stream.deleteMissing = .hard
        let page = #"[{"id":1},{"id":2,"b":1},{"id":3}]"#
        try await fixture.sync(stream, #"[{"id":1},{"id":3}]"#)
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "2 unchanged, 1 quarantined")
        stream.schemaContract = SchemaContract()
        #expect(try await retry(stream).counts.ofRecords == "1 inserted")
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "3 unchanged")
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2", "3"])
    }

    @Test func `a retry waits for the run of its stream`() async throws {
        _ = try await fixture.writer.beginReading(.animals(), identity: "page=1")
        let error = await #expect(throws: PersistenceError.self) { try await fixture.writer.beginRetry(of: .animals()) }
        #expect(error?.kind == .locked)
    }

    @Test func `a quarantined record is listed, shown as received, and dropped by stream`() async throws {
        try await fixture.sync(.animals(key: ["id"]), #"[{"id":1},{"a" :  1.50}]"#)
        try await fixture.sync(.animals(table: "plants", key: ["id"]), #"[{"id":1},{"p":1}]"#)
        let reader = try ReadOnlyDatabase(path: fixture.path)
        #expect(try reader.quarantine(limit: 9).map(\.stream) == ["zoo.plants", "zoo.animals"])
        let only = try reader.quarantine(of: reader.streamName(matching: "animals"), limit: 9)
        let entry = try #require(only.first)
        #expect(only.count == 1 && entry.reason == "the key 'id' is missing" && entry.times == 1 && entry.run == 1)
        #expect(try reader.quarantined(entry.id).record == #"{"a" :  1.50}"#)
        #expect(throws: PersistenceError.self) { try reader.quarantined(99) }
        #expect(throws: PersistenceError.self) { try reader.quarantineCounts(among: [entry.id, 99]) }
        #expect(throws: StreamSelectionError.self) { try reader.streamName(matching: "rocks") }
        #expect(try reader.quarantineCounts() == ["zoo.animals": 1, "zoo.plants": 1])
        #expect(try await fixture.writer.dropQuarantined(of: "zoo.plants") == 1)
        #expect(try await fixture.writer.dropQuarantined() == 1)
    }
}
