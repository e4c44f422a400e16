import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import Testing

/// The columns of `fields.add`, in runs at minutes after 8 o'clock.
struct AddedColumnTests {
    let timed: TimedFixture
    private var fixture: Fixture { timed.fixture }

    init() throws { timed = try TimedFixture() }

    private static func animals(
        key: [String]? = ["id"], missing: DeleteMissing = .ignore, history: Bool = false,
        _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        var stream = TimedFixture.animals(key: key, missing: missing, history: history)
        stream.fields.additions = [AddedColumn(name: "at", content: .text("{now}"))]
        change(&stream)
        return stream
    }

    /// The rows, with the hour and the minute of `at`.
    private func rows(_ columns: String = "id, a, at") throws -> [String] {
        let shown = columns.replacing(", at", with: ", substr(at, 12, 5)")
        return try fixture.rows("SELECT \(shown) FROM animals ORDER BY 1")
    }

    @Test func `a row has the time of the read that inserted it or changed it last`() async throws {
        try await timed.sync(0, Self.animals(), #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        #expect(try fixture.columns(of: "animals") == ["id INTEGER", "a INTEGER", "at TEXT"])
        let same = try await timed.sync(1, Self.animals(), #"[{"id":1,"a":1}]"#, #"[{"id":2,"a":1}]"#)
        #expect(same.counts.ofRecords == "2 unchanged")
        let changed = try await timed.sync(
            2, Self.animals(), #"[{"id":1,"a":1},{"id":2,"a":2}]"#, #"[{"id":3,"a":2.5,"b":1}]"#)
        #expect(changed.counts.ofRecords == "1 inserted, 1 updated, 1 unchanged")
        #expect(try rows() == ["1 1.0 '08:00'", "2 2.0 '08:02'", "3 2.5 '08:02'"])
        #expect(
            try fixture.rows("SELECT record_key, operation FROM _garner_changes ORDER BY 1")
                == ["2 'update'", "3 'insert'"])
        #expect(try fixture.rows("SELECT count(*) FROM _garner_columns WHERE name = 'at'") == ["0"])
        try fixture.expectIntegrity()
    }

    @Test(arguments: [nil, WriteDisposition.replace]) func `a read that goes on keeps the time at which it began`(
        writing: WriteDisposition?
    ) async throws {
        let stream = Self.animals { $0.writeDisposition = writing }
        try await timed.sync(0, stream, #"[{"id":9,"a":1}]"#)
        timed.set(to: 1)
        let first = try await fixture.writer.beginReading(stream, identity: "page=1")
        _ = try await fixture.writer.commit(.page(#"[{"id":1,"a":1}]"#, 1, .next("page=2")), to: first)
        timed.set(to: 2)
        _ = try await fixture.writer.end(run: first.id, as: .failed)
        let second = try await fixture.writer.beginReading(stream, identity: "page=1")
        #expect(second.resumeAt == "page=2")
        try await fixture.writer.commitLast(.page(#"[{"id":2,"a":1}]"#, 2, .complete), to: second)
        #expect(try rows().prefix(2) == ["1 1 '08:01'", "2 1 '08:01'"])
    }

    @Test func `a table that exists gets the column, and its rows a value when they change`() async throws {
        let plain = Self.animals { $0.fields.additions = [] }
        try await timed.sync(0, plain, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        let strict = Self.animals { $0.schemaContract = SchemaContract(columns: .freeze, dataTypes: .freeze) }
        let run = try await timed.sync(1, strict, #"[{"id":1,"a":1},{"id":2,"a":2}]"#)
        #expect(run.counts.ofRecords == "1 updated, 1 unchanged")
        #expect(try rows() == ["1 1 NULL", "2 2 '08:01'"])
        try await timed.sync(2, plain, #"[{"id":1,"a":3},{"id":2,"a":3}]"#)
        #expect(try rows() == ["1 3 NULL", "2 3 '08:01'"])
        let other = Self.animals { $0.fields.additions = [AddedColumn(name: "AT", content: .integer(7))] }
        try await timed.sync(3, other, #"[{"id":1,"a":4},{"id":2,"a":3}]"#)
        #expect(try fixture.rows("SELECT id, a, at FROM animals") == ["1 4 '7'", "2 3 '2026-01-31T08:01:00Z'"])
    }

    @Test func `a table whose key becomes text keeps the column`() async throws {
        try await timed.sync(0, Self.animals(), #"[{"id":1,"a":1}]"#)
        try await timed.sync(1, Self.animals(), #"[{"id":1,"a":1},{"id":"x","a":1}]"#)
        #expect(try fixture.columns(of: "animals") == ["id TEXT", "a INTEGER", "at TEXT"])
        #expect(try rows() == ["'1' 1 '08:00'", "'x' 1 '08:01'"])
    }

    @Test(arguments: [
        [#"[{"id":1,"at":1}]"#], [#"[{"id":1,"a":1}]"#, #"[{"id":2,"At":null}]"#],
        [#"[{"id":1,"a":1}]"#, #"[{"id":2},{"id":3,"at":{}}]"#],
    ])
    func `a record with a field of that name fails the run, which says what to write`(pages: [String]) async throws {
        let stream = Self.animals { $0.flattenDepth = 0 }
        let error = await #expect(throws: PersistenceError.self) { try await fixture.sync(stream, pages: pages) }
        #expect(error?.kind == .configuration)
        #expect(error?.message.lowercased() == "the records have a field 'at', and 'fields' adds a column 'at'")
        #expect(error.map { "\($0.hint)".contains("rename") } == true)
    }

    @Test func `a nested field that would have that column fails the run`() async throws {
        let stream = Self.animals { $0.fields.additions = [AddedColumn(name: "size__min", content: .flag(true))] }
        let error = await #expect(throws: PersistenceError.self) {
            try await fixture.sync(stream, #"[{"id":1}]"#, #"[{"id":2,"size":{"min":1}}]"#)
        }
        #expect(error?.message == "the records have a field 'size.min', and 'fields' adds a column 'size__min'")
    }

    @Test func `a table with a column for a field of that name is left as it is`() async throws {
        try await timed.sync(0, Self.animals { $0.fields.additions = [] }, #"[{"id":1,"at":"x"}]"#)
        let error = await #expect(throws: PersistenceError.self) {
            try await timed.sync(1, Self.animals(), #"[{"id":1}]"#)
        }
        #expect(error?.message.hasPrefix("the table animals has the column 'at' for a field of the records") == true)
        #expect(try fixture.rows("SELECT id, at FROM animals") == ["1 'x'"])
    }

    @Test func `a column that is computed from others is not written`() async throws {
        try await timed.sync(0, Self.animals { $0.fields.additions = [] }, #"[{"id":1,"a":1}]"#)
        try fixture.alter("ALTER TABLE animals ADD COLUMN at AS (a + 1)")
        let error = await #expect(throws: PersistenceError.self) {
            try await timed.sync(1, Self.animals(), #"[{"id":1}]"#)
        }
        #expect(error?.message == "the column 'at' of the table animals is computed from others")
    }

    @Test func `versions of rows neither have the column nor arise from it`() async throws {
        let stream = Self.animals(history: true)
        try await timed.sync(0, stream, #"[{"id":1,"a":1}]"#)
        try await timed.sync(1, stream, #"[{"id":1,"a":1}]"#)
        try await timed.sync(2, Self.animals(), #"[{"id":1,"a":1}]"#)
        try await timed.sync(3, stream, #"[{"id":1,"a":1}]"#)
        #expect(try fixture.rows("SELECT count(*) FROM _garner_history_animals") == ["1"])
        #expect(try !fixture.columns(of: "_garner_history_animals").contains { $0.hasPrefix("at ") })
        try await timed.sync(4, stream, #"[{"id":1,"a":2}]"#)
        #expect(try fixture.rows("SELECT count(*) FROM _garner_history_animals") == ["2"])
        #expect(try rows() == ["1 2 '08:04'"])
    }

    @Test func `records that are appended have the time of their read`() async throws {
        let stream = Self.animals(key: nil) { $0.writeDisposition = .append }
        try await timed.sync(0, stream, #"[{"id":1,"a":1}]"#)
        try await timed.sync(1, stream, #"[{"id":1,"a":1}]"#, #"[{"id":2,"a":1}]"#)
        #expect(try rows() == ["1 1 '08:00'", "1 1 '08:01'", "2 1 '08:01'"])
    }

    @Test func `rows that are replaced keep their time if they are the same`() async throws {
        let stream = Self.animals { $0.writeDisposition = .replace }
        try await timed.sync(0, stream, #"[{"id":1,"a":1},{"id":2,"a":1},{"id":3,"a":1}]"#)
        let run = try await timed.sync(1, stream, #"[{"id":1,"a":1}]"#, #"[{"id":2,"a":2}]"#)
        #expect(run.counts.ofRecords == "1 updated, 1 unchanged, 1 deleted")
        #expect(try rows() == ["1 1 '08:00'", "2 2 '08:01'"])
    }

    @Test func `a table without a key that is replaced has one time, unless its content is the same`() async throws {
        let stream = Self.animals(key: nil) { $0.writeDisposition = .replace }
        try await timed.sync(0, stream, #"[{"a":1},{"a":1}]"#)
        try await timed.sync(1, stream, #"[{"a":1},{"a":1}]"#)
        #expect(try rows("a, at") == ["1 '08:00'", "1 '08:00'"])
        try await timed.sync(2, stream, #"[{"a":1},{"a":2}]"#)
        #expect(try rows("a, at") == ["1 '08:02'", "2 '08:02'"])
    }

    @Test func `a row that insert_only leaves as it is keeps its time`() async throws {
        let stream = Self.animals(missing: .soft) { $0.mergeStrategy = .insertOnly }
        try await timed.sync(0, stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await timed.sync(1, stream, #"[{"id":1,"a":2}]"#)
        try await timed.sync(2, stream, #"[{"id":1,"a":2},{"id":2,"a":2},{"id":3,"a":2}]"#)
        #expect(try rows() == ["1 1 '08:00'", "2 1 '08:00'", "3 2 '08:02'"])
    }

    @Test func `a row that comes again after it was marked as missing has the time of that read`() async throws {
        let stream = Self.animals(missing: .soft)
        try await timed.sync(0, stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await timed.sync(1, stream, #"[{"id":1,"a":1}]"#)
        #expect(try rows("id, at, _garner_deleted_at IS NULL") == ["1 '08:00' 1", "2 '08:00' 0"])
        try await timed.sync(2, stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        #expect(try rows("id, at, _garner_deleted_at IS NULL") == ["1 '08:00' 1", "2 '08:02' 1"])
    }

    @Test func `a record is the same whatever its time, if its content is the key`() async throws {
        let stream = Self.animals(key: nil) { $0.dedupes = true }
        try await timed.sync(0, stream, #"[{"id":1,"a":1}]"#)
        let run = try await timed.sync(1, stream, #"[{"id":1,"a":1},{"id":1,"a":2}]"#)
        #expect(run.counts.ofRecords == "1 inserted, 1 unchanged")
        #expect(try rows() == ["1 1 '08:00'", "1 2 '08:01'"])
    }

    @Test func `a record whose arrays changed has the new time, and rows of arrays have none`() async throws {
        let stream = Self.animals { $0.childTables = true }
        try await timed.sync(0, stream, #"[{"id":1,"v":[{"n":1}]},{"id":2,"v":[{"n":1}]}]"#)
        let run = try await timed.sync(1, stream, #"[{"id":1,"v":[{"n":1}]},{"id":2,"v":[{"n":2}]}]"#)
        #expect(run.counts.ofRecords == "1 updated, 1 unchanged")
        #expect(try rows("id, at") == ["1 '08:00'", "2 '08:01'"])
        #expect(try fixture.rows("SELECT * FROM animals__v") == ["1 0 1", "2 0 2"])
    }

    @Test func `a record that leaves the quarantine has the time of the retry`() async throws {
        let strict = Self.animals { $0.schemaContract = SchemaContract(dataTypes: .quarantine) }
        try await timed.sync(0, strict, #"[{"id":1,"a":1}]"#)
        try await timed.sync(1, strict, #"[{"id":1,"a":1},{"id":2,"a":"x1"}]"#)
        timed.set(to: 2)
        let run = try await fixture.writer.beginRetry(of: Self.animals())
        _ = try await fixture.writer.retry(after: QuarantinePlace(), in: run)
        _ = try await fixture.writer.finishRetry(run)
        #expect(try rows() == ["1 '1' '08:00'", "2 'x1' '08:02'"])
    }

    @Test func `a table that can have no more columns is left as it is`() async throws {
        let wide = (0..<1997).map { #""c\#($0)":0"# }.joined(separator: ",")
        try await timed.sync(0, Self.animals { $0.fields.additions = [] }, #"[{"id":1,\#(wide)}]"#)
        let error = await #expect(throws: PersistenceError.self) {
            try await timed.sync(1, Self.animals(), #"[{"id":1}]"#)
        }
        #expect(error?.message == "the table animals has no room for the column 'at'")
    }

    @Test func `a wide record leaves room for the column`() async throws {
        let wide = (0..<1997).map { #""c\#($0)":0"# }.joined(separator: ",")
        try await timed.sync(0, Self.animals(), #"[{"id":1,\#(wide)}]"#)
        #expect(try fixture.rows("SELECT at, _garner_rest FROM animals") == [#"'2026-01-31T08:00:00Z' '{"c1996":0}'"#])
    }
}
