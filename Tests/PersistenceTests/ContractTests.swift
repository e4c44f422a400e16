import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct ContractTests {
    typealias Mode = SchemaContract.Mode

    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func animals(
        tables: Mode = .evolve, columns: Mode = .evolve, types: Mode = .evolve, missing: DeleteMissing = .ignore
    ) -> StreamConfiguration {
        var stream = StreamConfiguration.animals(missing: missing)
        stream.schemaContract = SchemaContract(tables: tables, columns: columns, dataTypes: types)
        return stream
    }

    private static let first = #"[{"id":1,"a":1}]"#

    /// The second page has a member without a column in its second record.
    @Test(arguments: [
        (Mode.evolve, #"{"id":3,"b":{"c":2}}"#, "3 inserted", ["1 1", "2 5", "3 NULL"], ""),
        (.discardRow, #"{"id":3,"b":{"c":2}}"#, "2 inserted, 1 discarded", ["1 1", "2 5"], "b.c"),
        (.discardValue, #"{"id":3,"b":{"c":2}}"#, "3 inserted", ["1 1", "2 5", "3 NULL"], "'b'"),
        (.discardValue, #"{"id":3,"a":9,"b":null}"#, "3 inserted", ["1 1", "2 5", "3 9"], "'b'"),
        (.quarantine, #"{"id":3,"b":{"c":2}}"#, "2 inserted, 1 quarantined", ["1 1", "2 5"], ""),
        (.quarantine, #"{"id":3,"a":9,"b":{}}"#, "3 inserted", ["1 1", "2 5", "3 9"], ""),
        (.quarantine, #"{"id":3,"a":{"x":1}}"#, "2 inserted, 1 quarantined", ["1 1", "2 5"], ""),
        (.discardValue, #"{"id":3,"a":{"x":1}}"#, "3 inserted", ["1 1", "2 5", "3 NULL"], "'a'"),
        (.discardValue, "7", "2 inserted, 1 quarantined", ["1 1", "2 5"], "the first of them: the key 'id'"),
    ])
    func `a member without a column does what the contract says`(
        mode: Mode, record: String, counts: String, rows: [String], warning: String
    ) async throws {
        let run = try await fixture.sync(animals(columns: mode), Self.first, #"[{"id":2,"a":5},\#(record)]"#)
        #expect(run.counts.ofRecords == counts)
        #expect(try fixture.rows("SELECT id, a FROM animals") == rows)
        let isDiscarded = !counts.hasSuffix("quarantined")
        #expect(
            run.notice.map { $0.contains("discarded 1 ") == isDiscarded && $0.contains(warning) } ?? warning.isEmpty)
        #expect(try fixture.columns(of: "animals").count == (mode == .evolve ? 3 : 2))
        try fixture.expectIntegrity()
    }

    @Test(arguments: [
        (Mode.evolve, "2.5", "2 inserted", ["1 1.0", "2 2.5"], ""),
        (.discardRow, "2.5", "1 inserted, 1 discarded", ["1 1"], "'a' (INTEGER)"),
        (.discardValue, "2.5", "2 inserted", ["1 1", "2 NULL"], "'a'"),
        (.discardValue, "true", "2 inserted", ["1 1", "2 1"], ""),
        (.quarantine, #""x""#, "1 inserted, 1 quarantined", ["1 1"], ""),
        (.quarantine, "null", "2 inserted", ["1 1", "2 NULL"], ""),
    ])
    func `a column too narrow does what the contract says`(
        mode: Mode, value: String, counts: String, rows: [String], warning: String
    ) async throws {
        let run = try await fixture.sync(animals(types: mode), Self.first, #"[{"id":2,"a":\#(value)}]"#)
        #expect(run.counts.ofRecords == counts)
        #expect(try fixture.rows("SELECT id, a FROM animals") == rows)
        #expect(run.notice.map { $0.contains("discarded 1 ") && $0.contains(warning) } ?? warning.isEmpty)
    }

    @Test(arguments: [
        (Mode.freeze, Mode.evolve, #"{"id":7,"more":{"x":2}}"#, ["animals", "7", "'more.x'"]),
        (.evolve, .freeze, #"{"id":7,"a":"x"}"#, ["animals", "7", "'a' (INTEGER)"]),
        (.evolve, .freeze, #"{"id":"seven"}"#, ["animals", "seven", "'id' (INTEGER)"]),
    ])
    func `what is frozen fails the run, and nothing of the page is stored`(
        columns: Mode, types: Mode, record: String, names: [String]
    ) async throws {
        let stream = animals(columns: columns, types: types)
        try await fixture.sync(stream, Self.first)
        let run = try await fixture.writer.beginReading(stream, identity: "page=1")
        let page = try PageCommit.page(#"[{"id":6,"a":6},\#(record)]"#, 1, .complete)
        let error = await #expect(throws: PersistenceError.self) { try await fixture.writer.commit(page, to: run) }
        #expect(error?.kind == .contract)
        for name in names { #expect(error?.message.contains(name) == true, "\(error?.message ?? "")") }
        #expect(error?.hint.text?.contains("evolve") == true)
        #expect(try fixture.rows("SELECT id, a FROM animals") == ["1 1"])
        // The store goes on with what the database says.
        let good = try PageCommit.page(#"[{"id":6,"a":6}]"#, 1, .complete)
        #expect(try await fixture.writer.commitLast(good, to: run).counts.ofRecords == "1 inserted")
    }

    @Test(arguments: [
        (Mode.discardRow, "2 discarded", 0), (.quarantine, "2 quarantined", 2), (.evolve, "2 inserted", 0),
    ])
    func `a table that does not exist does what the contract says`(mode: Mode, counts: String, count: Int) async throws
    {
        let run = try await fixture.sync(animals(tables: mode), #"[{"id":1},{"id":2}]"#)
        #expect(run.counts.ofRecords == counts)
        #expect((run.notice == nil) == (mode == .evolve))
        #expect(try fixture.columns(of: "animals").isEmpty == (mode != .evolve))
        #expect(try fixture.rows("SELECT count(*) FROM _garner_quarantine") == ["\(count)"])
        // Once it is there, the contract about tables says nothing.
        try await fixture.sync(animals(), #"[{"id":1},{"id":2}]"#)
        #expect(try await fixture.sync(animals(tables: mode), #"[{"id":2,"a":1}]"#).counts.updated == 1)
    }

    @Test func `a frozen list of tables fails the run`() async throws {
        let run = try await fixture.writer.beginReading(animals(tables: .freeze), identity: "page=1")
        let page = try PageCommit.page(Self.first, 1, .complete)
        let error = await #expect(throws: PersistenceError.self) { try await fixture.writer.commit(page, to: run) }
        #expect(error?.kind == .contract && error?.message.contains("animals") == true)
    }

    @Test(arguments: [Mode.freeze, .discardRow, .discardValue, .quarantine])
    func `the page that makes the table breaks no contract, and nor does a first type`(mode: Mode) async throws {
        let stream = animals(columns: mode, types: mode)
        let page = #"[{"id":1,"a":9007199254740993,"n":null},{"id":2,"a":0.5,"b":{"c":1}}]"#
        #expect(try await fixture.sync(stream, page).counts.ofRecords == "2 inserted")
        #expect(
            try await fixture.sync(stream, #"[{"id":2,"a":0.5,"b":{"c":1},"n":5}]"#).counts.ofRecords == "1 updated")
        #expect(
            try fixture.columns(of: "animals") == ["id INTEGER", "a TEXT", "n INTEGER", "b__c INTEGER"])
    }

    @Test func `a value that does not fit is left out of a row, but not of its key`() async throws {
        let stream = animals(columns: .discardValue, types: .discardValue)
        let run = try await fixture.sync(stream, Self.first, #"[{"id":"x","a":2,"b":1},{"id":2,"a":"x","b":1}]"#)
        #expect(run.counts.ofRecords == "2 inserted, 1 quarantined")
        #expect(try fixture.rows("SELECT id, a FROM animals") == ["1 1", "2 NULL"])
        #expect(run.warning?.contains("discarded 2 values") == true)
    }

    @Test func `values that are left out are counted once, however often the record is bound`() async throws {
        let stream = animals(columns: .discardValue)
        let run = try await fixture.sync(
            stream, Self.first, #"[{"id":2,"a":0.5,"b":1,"c":{"d":{}}},{"id":3,"a":1,"a":2,"b":1}]"#)
        #expect(run.counts.ofRecords == "3 inserted")
        #expect(run.warning?.contains("discarded 3 values") == true, "\(run.warning ?? "")")
        #expect(try fixture.rows("SELECT id, a FROM animals") == ["1 1.0", "2 0.5", "3 2.0"])
    }

    @Test func `a record without a key is quarantined before the contract is asked`() async throws {
        let run = try await fixture.sync(animals(columns: .freeze), Self.first, #"[{"b":1}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 quarantined")
    }

    @Test func `rows of discarded records are not missing`() async throws {
        let stream = animals(columns: .discardRow, missing: .hard)
        try await fixture.sync(stream, #"[{"id":1,"a":1},{"id":2,"a":2}]"#)
        let run = try await fixture.sync(stream, #"[{"id":1,"a":1},{"id":2,"a":3,"b":1}]"#)
        #expect(run.counts.ofRecords == "1 unchanged, 1 discarded")
        #expect(try fixture.rows("SELECT id, a FROM animals") == ["1 1", "2 2"])
    }

    @Test func `a key that fits only later is then seen on its page`() async throws {
        let page = #"[{"id":1},{"id":2},{"id":"x"}]"#
        try await fixture.sync(animals(missing: .hard), #"[{"id":1},{"id":2}]"#)
        let strict = try await fixture.sync(animals(types: .discardRow, missing: .hard), page)
        #expect(strict.counts.ofRecords == "2 unchanged, 1 discarded")
        let run = try await fixture.sync(animals(missing: .hard), page)
        #expect(run.counts.ofRecords == "1 inserted, 2 unchanged")
        #expect(try fixture.rows("SELECT id FROM animals ORDER BY id") == ["'1'", "'2'", "'x'"])
    }

    @Test func `the contract holds in a new store, too`() async throws {
        try await fixture.sync(animals(columns: .quarantine), Self.first)
        await fixture.writer.close()
        let again = try Fixture(reopening: fixture)
        let run = try await again.sync(animals(columns: .quarantine), #"[{"id":2,"b":1}]"#)
        #expect(run.counts.ofRecords == "1 quarantined")
        #expect(try again.rows("SELECT discarded, quarantined FROM _garner_runs") == ["0 0", "0 1"])
    }
}
