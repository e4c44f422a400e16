import GarnerCatalog
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct ReplacingTests {
    let fixture: Fixture
    private let stream = StreamConfiguration.animals(writing: .replace, ratio: 1)
    private let keyless = StreamConfiguration.animals(table: "visits", writing: .replace, ratio: 1)

    init() throws { fixture = try Fixture() }

    @Test func `the old rows stay until the last page is in`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"n":1},{"id":2,"n":2}]"#, #"[{"id":3,"n":3}]"#)
        let old = try fixture.rows("SELECT * FROM animals")
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        let counts = try await fixture.writer.commit(
            .page(#"[{"id":1,"n":1},{"id":2,"n":9,"new":true}]"#, 1, .next("page=2")), to: run)
        #expect(counts.ofRecords == "" && counts.pages == 1)
        #expect(try fixture.rows("SELECT * FROM animals") == old)
        #expect(try fixture.rows("SELECT count(*) FROM _garner_staged") == ["1"])
        let ended = try await fixture.writer.commitLast(.page(#"[{"id":4,"n":4}]"#, 2, .complete), to: run)
        #expect(ended.counts.ofRecords == "1 inserted, 1 updated, 1 unchanged, 1 deleted")
        #expect(ended.warning == nil)
        #expect(try fixture.rows("SELECT * FROM animals") == ["1 1 NULL", "2 9 1", "4 4 NULL"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_staged") == ["0"])
        #expect(
            try fixture.rows("SELECT record_key, operation FROM _garner_changes ORDER BY record_key")
                == ["2 'update'", "3 'delete'", "4 'insert'"])
        try fixture.expectIntegrity()
    }

    @Test func `an unchanged source writes no row`() async throws {
        try await fixture.sync(stream, #"[{"id":1,"n":1},{"id":2,"n":2}]"#)
        try fixture.alter(
            "CREATE TRIGGER stop BEFORE UPDATE ON animals BEGIN SELECT RAISE(ABORT, 'written'); END")
        let run = try await fixture.sync(stream, #"[{"id":1,"n":1}]"#, #"[{"id":2,"n":2}]"#)
        #expect(run.counts.ofRecords == "2 unchanged")
    }

    @Test func `rows without a key are all replaced by others`() async throws {
        try await fixture.sync(keyless, #"[{"n":1},{"n":1}]"#, #"[{"n":3}]"#)
        let run = try await fixture.sync(keyless, #"[{"n":1},{"n":1}]"#, #"[{"n":4}]"#)
        #expect(run.counts.ofRecords == "3 inserted, 3 deleted")
        #expect(run.warning == nil)
        #expect(try fixture.rows("SELECT n FROM visits") == ["1", "1", "4"])
        #expect(
            try fixture.rows("SELECT operation, group_concat(record_key) FROM _garner_changes GROUP BY 1")
                == ["'delete' '1,2,3'", "'insert' '4,5,6'"])
    }

    @Test func `rows without a key stay where the read returned the same`() async throws {
        try await fixture.sync(keyless, #"[{"n":1},{"n":2}]"#, #"[{"n":3}]"#)
        for _ in 1...2 {
            let run = try await fixture.sync(keyless, #"[{"n":1},{"n":2}]"#, #"[{"n":3}]"#)
            #expect(run.counts.ofRecords == "3 unchanged")
        }
        #expect(try fixture.rows("SELECT _rowid_ FROM visits") == ["1", "2", "3"])
    }

    @Test(arguments: ["DELETE FROM visits WHERE n = 1", "INSERT INTO visits VALUES (9)", "DROP TABLE visits"])
    func `rows without a key that someone else has changed come back`(change: String) async throws {
        try await fixture.sync(keyless, #"[{"n":1},{"n":2}]"#)
        try fixture.alter(change)
        try await fixture.sync(keyless, #"[{"n":1},{"n":2}]"#)
        #expect(try fixture.rows("SELECT n FROM visits") == ["1", "2"])
    }

    @Test func `the same records once more are spelled as their source after a column has become a text`() async throws
    {
        try await fixture.sync(keyless, #"[{"n":1.5}]"#)
        let widened = #"[{"n":1.5},{"n":7},{"n":"x1"}]"#
        try await fixture.sync(keyless, widened)
        try await fixture.sync(keyless, widened)
        #expect(try fixture.rows("SELECT n FROM visits ORDER BY 1") == ["'1.5'", "'7'", "'x1'"])
    }

    @Test func `a table whose records the contract left out is replaced by the same records again`() async throws {
        var strict = keyless
        strict.schemaContract.dataTypes = .discardRow
        try await fixture.sync(keyless, #"[{"n":1}]"#)
        try await fixture.sync(strict, #"[{"n":1},{"n":"x"}]"#)
        #expect(try fixture.rows("SELECT n FROM visits") == ["1"])
        #expect(try await fixture.sync(strict, #"[{"n":1},{"n":"x"}]"#).counts.ofRecords.contains("1 discarded"))
    }

    @Test func `rows without a key that go leave their versions`() async throws {
        var kept = keyless
        kept.history = true
        try await fixture.sync(kept, #"[{"n":1},{"n":2}]"#)
        try await fixture.sync(kept, #"[{"n":2}]"#)
        #expect(try fixture.rows("SELECT n FROM visits") == ["2"])
        #expect(
            try fixture.rows("SELECT n, _garner_valid_to IS NULL FROM _garner_history_visits ORDER BY 1, 2") == [
                "1 0", "2 0", "2 1",
            ])
    }

    @Test func `the same records in other columns are other rows`() async throws {
        try await fixture.sync(keyless, #"[{"a":{"b":1}}]"#)
        var flat = keyless
        flat.flattenDepth = 0
        let run = try await fixture.writer.beginReading(flat, identity: "other", restarting: true)
        let ended = try await fixture.writer.commitLast(.page(#"[{"a":{"b":1}}]"#, 1, .complete), to: run)
        #expect(ended.counts.ofRecords == "1 inserted, 1 deleted")
    }

    @Test(arguments: [true, false])
    func `a read that returns nothing empties the table`(hasKey: Bool) async throws {
        let stream = hasKey ? stream : keyless
        try await fixture.sync(stream, hasKey ? #"[{"id":1},{"id":2}]"# : #"[{"n":1},{"n":2}]"#)
        #expect(try await fixture.sync(stream, "[]").counts.ofRecords == "2 deleted")
        #expect(try fixture.rows("SELECT count(*) FROM \(stream.table)") == ["0"])
    }

    @Test(arguments: [true, false])
    func `the brake holds where it is set`(hasKey: Bool) async throws {
        let stream = StreamConfiguration.animals(writing: .replace, ratio: 0.5)
        let name = hasKey ? "id" : "n"
        try await fixture.sync(stream, #"[{"\#(name)":1},{"\#(name)":2},{"\#(name)":3}]"#)
        let run = try await fixture.sync(stream, #"[{"\#(name)":1}]"#)
        #expect(run.counts.deleted == 0)
        #expect(run.warning?.contains("max_delete_ratio (0.5)") == true)
        #expect(try fixture.rows("SELECT * FROM animals") == ["1", "2", "3"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_staged") == ["0"])
        #expect(try await fixture.sync(stream, #"[{"\#(name)":1},{"\#(name)":2}]"#).counts.deleted >= 1)
    }

    @Test func `a read that spans runs replaces the table too`() async throws {
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        let first = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1}]"#, 1, .next("page=2")), to: first)
        _ = try await fixture.writer.end(run: first.id, as: .failed)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2"])
        let second = try await fixture.writer.beginReading(stream, identity: "page=1")
        let ended = try await fixture.writer.commitLast(.page(#"[{"id":3}]"#, 2, .complete), to: second)
        #expect(ended.counts.ofRecords == "1 inserted, 1 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "3"])
    }

    @Test func `a killed process leaves the old table`() async throws {
        let copy = fixture.folder.path("copy.db")
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":3}]"#, 1, .next("page=2")), to: run)
        try fixture.copyFile(to: copy)
        let writer = try Fixture.store(at: copy)
        #expect(try rows("SELECT id FROM animals", in: copy) == ["1", "2"])
        let next = try await writer.beginReading(stream, identity: "page=1")
        #expect(next.resumeAt == "page=2")
        let ended = try await writer.commitLast(.page(#"[{"id":1}]"#, 2, .complete), to: next)
        #expect(ended.counts.ofRecords == "1 inserted, 1 unchanged, 1 deleted")
        #expect(try rows("SELECT id FROM animals", in: copy) == ["1", "3"])
    }

    @Test func `a replacement that fails leaves the old table, and the next run tries it again`() async throws {
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":3,"new":1}]"#, 1, .next("page=2")), to: run)
        try fixture.alter("CREATE TRIGGER stop BEFORE DELETE ON animals BEGIN SELECT RAISE(ABORT, 'stop'); END")
        await #expect(throws: PersistenceError.self) {
            try await fixture.writer.commit(.page("[]", 2, .complete), to: run)
        }
        #expect(try fixture.rows("SELECT * FROM animals") == ["1", "2"])
        try fixture.alter("DROP TRIGGER stop")
        let ended = try await fixture.writer.commitLast(.page("[]", 2, .complete), to: run)
        #expect(ended.counts.ofRecords == "1 inserted, 2 deleted")
        #expect(try fixture.rows("SELECT * FROM animals") == ["3 1"])
    }

    @Test func `a read that was cut short replaces nothing, and says so`() async throws {
        try await fixture.sync(stream, #"[{"id":1}]"#)
        for _ in 1...2 {
            let run = try await fixture.writer.beginReading(stream, identity: "page=1")
            _ = try await fixture.writer.commit(.page(#"[{"id":2}]"#, 1, .next("page=2")), to: run)
            let ended = try await fixture.writer.cutShort(run.id)
            #expect(ended.status == .succeeded)
            #expect(ended.warning?.contains("the table animals was left as it was") == true)
        }
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        let ended = try await fixture.writer.commitLast(
            .page(#"[{"id":3}]"#, 1, .ended(Verdict(.missed, "why"))), to: run)
        #expect(ended.warning?.hasPrefix("the read is partial: why; the table animals was left as it was: why") == true)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_staged") == ["0"])
    }

    @Test func `a first read that was cut short is no baseline`() async throws {
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commitLast(.page(#"[{"id":1}]"#, 1, .ended(Verdict(.chosen))), to: run)
        try await fixture.sync(stream, #"[{"id":1}]"#)
        #expect(try fixture.rows("SELECT baseline_run FROM _garner_streams") == ["2"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_changes") == ["0"])
    }

    @Test(arguments: [("page=1", true), ("page=1&other", false)])
    func `a read that begins anew drops what waited`(identity: String, restarting: Bool) async throws {
        let first = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1}]"#, 1, .next("page=2")), to: first)
        _ = try await fixture.writer.end(run: first.id, as: .failed)
        let second = try await fixture.writer.beginReading(stream, identity: identity, restarting: restarting)
        _ = try await fixture.writer.commitLast(.page(#"[{"id":2}]"#, 1, .complete), to: second)
        #expect(try fixture.rows("SELECT id FROM animals") == ["2"])
    }

    @Test func `a slice that begins anew drops its own pages only`() async throws {
        var stream = stream
        stream.partitions = [Partition(name: "zoo", values: ["a", "b"])]
        let writer = fixture.writer
        let run = try await writer.begin(stream, identity: "i")
        _ = try await writer.openRead(of: run)
        var slices = try await writer.slices(of: run, limit: 9)
        for (id, slice) in slices.enumerated() {
            var page = try PageCommit.page(#"[{"id":\#(id)}]"#, id, .next("page=9"))
            page.slice = slice.id
            _ = try await writer.commit(page, to: run)
        }
        // Its number is another one from then on.
        _ = try await writer.end(run: run, as: .failed, rest: .postponing([slices[0].id]))
        let next = try await writer.begin(stream, identity: "i")
        _ = try await writer.openRead(of: next)
        slices = try await writer.slices(of: next, limit: 9)
        #expect(slices.map(\.nextPosition) == ["page=9", "page=9"])
        try await writer.restart(slices[1], of: next)
        for slice in slices {
            var page = try PageCommit.page("[]", 9, .complete)
            page.slice = slice.id
            _ = try await writer.commit(page, to: next)
        }
        #expect(try fixture.rows("SELECT id FROM animals") == ["1"])
    }

    @Test func `a read given up for a new one drops what waited`() async throws {
        let first = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1}]"#, 1, .next("page=2")), to: first)
        _ = try await fixture.writer.end(run: first.id, as: .failed)
        let second = try await fixture.writer.beginReading(stream, identity: "page=1")
        try await fixture.writer.restart(second.slice, of: second.id)
        _ = try await fixture.writer.commitLast(.page(#"[{"id":2}]"#, 7, .complete), to: second)
        #expect(try fixture.rows("SELECT id FROM animals") == ["2"])
    }

    @Test func `rows that may be those of quarantined records stay, with a warning`() async throws {
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1},{"id":null},{"id":3}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 unchanged, 1 quarantined")
        #expect(run.warning?.contains("1 record was quarantined") == true)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2", "3"])
        #expect(try await fixture.sync(stream, #"[{"id":1},{"id":3}]"#).counts.deleted == 1)
    }

    @Test func `without a key quarantined records are not among the new rows, with a warning`() async throws {
        let bad = #"{"n":1,"m":2}"#
        var keyless = keyless
        keyless.schemaContract.columns = .quarantine
        try await fixture.sync(keyless, #"[{"n":1},{"n":2}]"#)
        for deleted in [2, 1] {
            let run = try await fixture.sync(keyless, "[{\"n\":2},\(bad)]")
            #expect(run.counts.ofRecords == "1 inserted, \(deleted) deleted, 1 quarantined")
            #expect(run.warning?.contains("not part of the new table") == true)
        }
        #expect(try fixture.rows("SELECT n FROM visits") == ["2"])
    }

    @Test func `rows that were marked as missing go`() async throws {
        let soft = StreamConfiguration.animals(missing: .soft, ratio: 1)
        try await fixture.sync(soft, #"[{"id":1},{"id":2}]"#)
        try await fixture.sync(soft, #"[{"id":2}]"#)
        #expect(try await fixture.sync(stream, #"[{"id":2}]"#).counts.ofRecords == "1 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT id FROM animals") == ["2"])
    }

    @Test func `records come through as they were written`() async throws {
        let depth = String(repeating: "[", count: 510) + String(repeating: "]", count: 510)
        let page = """
            [ {"id" : 1,\r\n "n": 1.10e0, "big": 123456789012345678901234567890, "t": "a\\nb\\u00e9\\"",
                "deep": \(depth)}
            , {"id":2} ]
            """
        try await fixture.sync(.animals(table: "merged"), page)
        try await fixture.sync(stream, page)
        #expect(try fixture.rows("SELECT * FROM animals") == fixture.rows("SELECT * FROM merged"))
        #expect(try fixture.columns(of: "animals") == fixture.columns(of: "merged"))
        try await fixture.sync(keyless, #"["a\nb\u0000", 1.50, null, true, [1, 2], "", {}]"#)
        #expect(
            try fixture.rows("SELECT * FROM visits")
                == ["'a\nb\u{0}'", "'1.50'", "NULL", "'true'", "'[1,2]'", "''", "NULL"])
    }

    @Test func `what does not come through as it was written is told`() async throws {
        let run = try await fixture.sync(stream, #"[{"id":1,"id":2,"t":"\ud800"}]"#)
        #expect(run.warning?.contains("a key twice") == true)
        #expect(run.warning?.contains("lone surrogates") == true)
        #expect(try await fixture.sync(keyless, #"["\ud800"]"#).warning?.contains("lone surrogates") == true)
    }

    @Test func `of two records with a key the last one wins`() async throws {
        let run = try await fixture.sync(stream, #"[{"id":1,"n":1}]"#, #"[{"id":1,"n":2}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 updated")
        #expect(try fixture.rows("SELECT n FROM animals") == ["2"])
    }

    @Test func `a page that has not changed keeps the rows that the last complete read found on it`() async throws {
        let writer = fixture.writer
        try await read([#"[{"id":1},{"id":2}]"#, #"[{"id":3},{"id":4}]"#])
        // This one noted other records on the second page, and was given up.
        let abandoned = try await writer.beginReading(stream, identity: "page=1")
        _ = try await writer.commit(.remembered(#"[{"id":8}]"#, 1, .next("page=2")), to: abandoned)
        _ = try await writer.commit(.remembered(#"[{"id":9}]"#, 2, .next("page=3")), to: abandoned)
        _ = try await writer.end(run: abandoned.id, as: .failed, rest: .givenUp)
        #expect(try await writer.memory(of: "page=2", for: writer.beginReading(stream, identity: "page=1").id) != nil)
        let ended = try await read([#"[{"id":1}]"#, nil])
        #expect(ended.counts.ofRecords == "3 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "3", "4"])
        #expect(try await read([nil, nil]).counts.ofRecords == "3 unchanged")
        #expect(try await read([nil]).counts.ofRecords == "1 unchanged, 2 deleted")
        #expect(try fixture.rows("SELECT id FROM animals") == ["1"])
    }

    @Test func `what was remembered of pages while rows were merged does not count`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1},{"id":2}]"#)
        let run = try await fixture.sync(stream, #"[{"id":2}]"#)
        #expect(run.counts.ofRecords == "1 unchanged, 1 deleted")
    }

    @Test func `keys that become text in the middle are still known`() async throws {
        try await read([#"[{"id":1},{"id":2}]"#, #"[{"id":3}]"#])
        let ended = try await read([nil, #"[{"id":"x"}]"#])
        #expect(ended.counts.ofRecords == "1 inserted, 2 unchanged, 1 deleted")
        #expect(try fixture.rows("SELECT id FROM animals ORDER BY id") == ["'1'", "'2'", "'x'"])
    }

    @Test(arguments: [true, false])
    func `files are asked for by the new rows, and the table is replaced once`(hasKey: Bool) async throws {
        var stream = hasKey ? stream : keyless
        stream.attachments = [Attachment(field: "photo")]
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(
            .page(#"[{"\#(hasKey ? "id" : "n")":1,"photo":"/1"}]"#, 1, .complete), to: run)
        #expect(try await fixture.writer.dueFiles(of: run.id, in: "photo", from: .first, limit: 9).map(\.url) == ["/1"])
        _ = try await fixture.writer.end(run: run.id, as: .failed)
        let next = try await fixture.writer.begin(stream, identity: "page=1")
        _ = try await fixture.writer.openRead(of: next)
        let ended = try await fixture.writer.finish(next)
        #expect(ended.status == .succeeded && ended.counts.ofRecords == "")
        #expect(try fixture.rows("SELECT * FROM \(stream.table)") == ["1 '/1'"])
    }

    @Test func `a table that is dropped meanwhile comes back whole`() async throws {
        try await fixture.sync(stream, #"[{"id":1},{"id":2}]"#)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1}]"#, 1, .next("page=2")), to: run)
        _ = try await fixture.writer.end(run: run.id, as: .failed)
        try fixture.alter("DROP TABLE animals")
        let next = try await fixture.writer.beginReading(stream, identity: "page=1")
        #expect(next.resumeAt == nil)
        _ = try await fixture.writer.commitLast(.page(#"[{"id":1},{"id":2}]"#, 1, .complete), to: next)
        #expect(try fixture.rows("SELECT id FROM animals") == ["1", "2"])
    }

    /// A complete read of pages with an `ETag`; nil is one that has not changed.
    @discardableResult
    private func read(_ pages: [String?]) async throws -> RunRecord {
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        for (index, page) in pages.enumerated() {
            let isLast = index == pages.count - 1
            let next = isLast ? PageCommit.Continuation.complete : .next("page=\(index + 2)")
            let commit = try PageCommit.remembered(page, index + 1, next)
            if isLast { return try await fixture.writer.commitLast(commit, to: run) }
            _ = try await fixture.writer.commit(commit, to: run)
        }
        throw NoSlice()
    }

    private func rows(_ sql: String, in copy: String) throws -> [String] {
        try fixture.rows(sql, from: Connection(path: copy, mode: .readOnly))
    }
}

extension PageCommit {
    fileprivate static func remembered(
        _ json: String?, _ number: Int, _ continuation: Continuation
    ) throws -> PageCommit {
        var page = try page(json ?? "[]", number, continuation)
        page.memory = CachedPage(validator: "v", fingerprint: nil, summary: "s")
        if json == nil { page.content = .unchanged }
        return page
    }
}
