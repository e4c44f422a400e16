import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

struct HistoryTests {
    let fixture: Fixture
    let clock = WallClock()

    init() throws { fixture = try Fixture(clock: clock) }

    private static func animals(
        table: String = "animals", key: [String]? = nil, missing: DeleteMissing = .ignore, history: Bool = true
    ) -> StreamConfiguration {
        var stream = StreamConfiguration.animals(table: table, key: key, missing: missing, ratio: 1)
        stream.history = history
        return stream
    }

    /// One run at this minute.
    @discardableResult
    private func sync(_ minute: Int64, _ stream: StreamConfiguration, _ page: String) async throws -> RunRecord {
        clock.set(to: minute)
        return try await fixture.sync(stream, page)
    }

    @discardableResult
    private func sync(_ minute: Int64, _ page: String) async throws -> RunRecord {
        try await sync(minute, Self.animals(), page)
    }

    /// Each version: the columns, the minutes of its beginning and end, and the runs that did it.
    private func versions(_ columns: String = "id, a", of table: String = "animals") throws -> [String] {
        let minute = { (name: String) in "substr(\(name), 12, 5)" }
        return try fixture.rows(
            """
            SELECT \(columns), \(minute("_garner_valid_from")), \(minute("_garner_valid_to")), _garner_run, _garner_end_run
            FROM "_garner_history_\(table)" ORDER BY _rowid_
            """)
    }

    @Test func `a row has a version for each time in which it held`() async throws {
        try await sync(0, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await sync(1, #"[{"id":1,"a":2},{"id":2,"a":1}]"#)
        try await sync(2, #"[{"id":1,"a":2},{"id":2,"a":1}]"#)
        try await sync(3, #"[{"id":1,"a":3},{"id":3,"a":1}]"#)
        #expect(
            try versions() == [
                "1 1 '08:00' '08:01' 1 2", "2 1 '08:00' NULL 1 NULL", "1 2 '08:01' '08:03' 2 4",
                "1 3 '08:03' NULL 4 NULL", "3 1 '08:03' NULL 4 NULL",
            ])
        try fixture.expectIntegrity()
    }

    @Test func `a row that comes twice in a page has a version for each of its states`() async throws {
        try await sync(0, Self.animals(key: ["id"]), #"[{"id":1,"a":1},{"id":1,"a":2}]"#)
        #expect(try versions() == ["1 1 '08:00' '08:00' 1 1", "1 2 '08:00' NULL 1 NULL"])
    }

    @Test func `a deleted row has no version from then on, and one when it returns`() async throws {
        let stream = Self.animals(missing: .hard)
        try await sync(0, stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await sync(1, stream, #"[{"id":1,"a":1}]"#)
        #expect(try versions() == ["1 1 '08:00' NULL 1 NULL", "2 1 '08:00' '08:01' 1 2"])
        try await sync(2, stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        #expect(try versions().last == "2 1 '08:02' NULL 3 NULL")
        try await sync(3, stream, "[]")
        #expect(
            try versions() == [
                "1 1 '08:00' '08:03' 1 4", "2 1 '08:00' '08:01' 1 2", "2 1 '08:02' '08:03' 3 4",
            ])
    }

    @Test func `a marked row has a version with its mark, and one without when it returns`() async throws {
        let stream = Self.animals(missing: .soft)
        try await sync(0, stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await sync(1, stream, #"[{"id":1,"a":1}]"#)
        try await sync(2, stream, #"[{"id":1,"a":1}]"#)
        try await sync(3, stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        #expect(
            try versions("id, _garner_deleted_at") == [
                "1 NULL '08:00' NULL 1 NULL", "2 NULL '08:00' '08:01' 1 2",
                "2 '2026-01-31T08:01:00.000Z' '08:01' '08:03' 2 4", "2 NULL '08:03' NULL 4 NULL",
            ])
    }

    @Test func `rows are told apart by all of a composite key`() async throws {
        let stream = Self.animals(key: ["zoo", "id"], missing: .hard)
        try await sync(0, stream, #"[{"zoo":"a","id":1,"a":1},{"zoo":"b","id":1,"a":1},{"zoo":"b","id":2,"a":1}]"#)
        try await sync(1, stream, #"[{"zoo":"a","id":1,"a":1},{"zoo":"b","id":1,"a":2}]"#)
        #expect(
            try versions("zoo, id, a") == [
                "'a' 1 1 '08:00' NULL 1 NULL", "'b' 1 1 '08:00' '08:01' 1 2", "'b' 2 1 '08:00' '08:01' 1 2",
                "'b' 1 2 '08:01' NULL 2 NULL",
            ])
    }

    @Test func `rows without a key have one version each`() async throws {
        try await sync(0, #"[{"rowid":70},{"rowid":70}]"#)
        try await sync(1, #"[{"rowid":70}]"#)
        #expect(
            try versions("rowid") == [
                "70 '08:00' NULL 1 NULL", "70 '08:00' NULL 1 NULL", "70 '08:01' NULL 2 NULL",
            ])
    }

    @Test func `a clock that is set back makes no version that ends before it began`() async throws {
        let stream = Self.animals(missing: .hard)
        try await sync(5, stream, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        try await sync(3, stream, #"[{"id":1,"a":2}]"#)
        try await sync(1, stream, #"[{"id":1,"a":2},{"id":2,"a":1}]"#)
        try await sync(7, stream, #"[{"id":1,"a":3},{"id":2,"a":1}]"#)
        #expect(
            try versions() == [
                "1 1 '08:05' '08:05' 1 2", "2 1 '08:05' '08:05' 1 2", "1 2 '08:05' '08:07' 2 4",
                "2 1 '08:05' NULL 3 NULL", "1 3 '08:07' NULL 4 NULL",
            ])
    }

    @Test func `a page that fails leaves no version`() async throws {
        try await sync(0, #"[{"id":1,"a":1}]"#)
        try fixture.alter(
            "CREATE TRIGGER stop BEFORE INSERT ON animals WHEN NEW.id = 9 BEGIN SELECT RAISE(ABORT, 'stop'); END")
        await #expect(throws: PersistenceError.self) { try await sync(1, #"[{"id":1,"a":"x1","b":1},{"id":9}]"#) }
        #expect(try versions() == ["1 1 '08:00' NULL 1 NULL"])
        try fixture.alter("DROP TRIGGER stop")
        try await sync(2, #"[{"id":1,"a":"x1","b":1}]"#)
        #expect(try versions("id, a, b").last == "1 'x1' 1 '08:02' NULL 3 NULL")
    }

    @Test func `rows that were there before have a version from then on`() async throws {
        let off = Self.animals(missing: .hard, history: false)
        try await sync(0, off, #"[{"id":1,"a":1},{"id":2,"a":1}]"#)
        #expect(try fixture.rows("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%history_animals'") == ["0"])
        try await sync(1, Self.animals(missing: .hard), #"[{"id":1,"a":2}]"#)
        #expect(
            try versions() == [
                "1 1 '08:01' '08:01' NULL 2", "2 1 '08:01' '08:01' NULL 2", "1 2 '08:01' NULL 2 NULL",
            ])
    }

    @Test func `what changed while no versions were kept is noted when they are again`() async throws {
        let off = Self.animals(missing: .hard, history: false)
        let on = Self.animals(missing: .hard)
        try await sync(0, on, #"[{"id":1,"a":1},{"id":2,"a":1},{"id":3,"a":1}]"#)
        try await sync(1, off, #"[{"id":1,"a":2},{"id":2,"a":1},{"id":4,"a":1,"b":5}]"#)
        let first = ["1 1 '08:00' NULL 1 NULL", "2 1 '08:00' NULL 1 NULL", "3 1 '08:00' NULL 1 NULL"]
        #expect(try versions() == first)
        try await sync(2, on, #"[{"id":1,"a":2},{"id":2,"a":1},{"id":4,"a":1,"b":5}]"#)
        #expect(
            try versions("id, a, b") == [
                "1 1 NULL '08:00' '08:02' 1 NULL", "2 1 NULL '08:00' NULL 1 NULL", "3 1 NULL '08:00' '08:02' 1 NULL",
                "1 2 NULL '08:02' NULL NULL NULL", "4 1 5 '08:02' NULL NULL NULL",
            ])
        #expect(
            try fixture.rows("SELECT substr(since, 12, 5), substr(until, 12, 5) FROM _garner_histories") == [
                "'08:00' '08:01'", "'08:02' NULL",
            ])
    }

    @Test func `numbers stay as they were when their column widens, and booleans stay booleans`() async throws {
        try await sync(0, #"[{"id":1,"a":7,"b":true},{"id":2,"a":8,"b":false}]"#)
        try await sync(1, #"[{"id":1,"a":0.5,"b":true}]"#)
        try await sync(2, #"[{"id":1,"a":"x1","b":"y1"}]"#)
        #expect(try fixture.rows("SELECT a, b FROM animals WHERE id = 2") == ["'8.0' 'false'"])
        #expect(
            try versions("id, a, b") == [
                "1 7 'true' '08:00' '08:01' 1 2", "2 8 'false' '08:00' NULL 1 NULL", "1 0.5 'true' '08:01' '08:02' 2 3",
                "1 'x1' 'y1' '08:02' NULL 3 NULL",
            ])
    }

    @Test(arguments: [
        (nil, "1", "'1'"), (["id"], "true", "'true'"), (["zoo", "id"], "7", "'7'"), (["id", "zoo"], "true", "'true'"),
    ])
    func `the key of every version is spelled as the table's`(key: [String]?, old: String, new: String) async throws {
        let stream = Self.animals(key: key, missing: .hard)
        try await sync(0, stream, #"[{"id":\#(old),"a":1,"zoo":"z"}]"#)
        try await sync(1, stream, #"[{"id":\#(old),"a":2,"zoo":"z"}]"#)
        try await sync(2, stream, #"[{"id":\#(old),"a":3,"zoo":"z"},{"id":"x","a":1,"zoo":"z"}]"#)
        try await sync(3, stream, #"[{"id":"x","a":1,"zoo":"z"}]"#)
        #expect(
            try versions() == [
                "\(new) 1 '08:00' '08:01' 1 2", "\(new) 2 '08:01' '08:02' 2 3", "\(new) 3 '08:02' '08:03' 3 4",
                "'x' 1 '08:02' NULL 3 NULL",
            ])
        try fixture.expectIntegrity()
    }

    @Test func `a key that widens while no versions are kept is spelled anew in them, too`() async throws {
        try await sync(0, #"[{"id":1,"a":1}]"#)
        try await sync(1, Self.animals(history: false), #"[{"id":"x","a":1}]"#)
        try await sync(2, #"[{"id":"x","a":1}]"#)
        #expect(try versions() == ["'1' 1 '08:00' NULL 1 NULL", "'x' 1 '08:02' NULL NULL NULL"])
    }

    @Test func `a column that comes later is a column of the versions`() async throws {
        try await sync(0, #"[{"id":1,"a":1},{"id":2,"b":1},{"id":3,"a":3}]"#)
        try await sync(1, #"[{"id":1,"a":1,"c":{"d":5}},{"id":3,"e":1}]"#)
        #expect(
            try versions("id, a, b, c__d, e") == [
                "1 1 NULL NULL NULL '08:00' '08:01' 1 2", "2 NULL 1 NULL NULL '08:00' NULL 1 NULL",
                "3 3 NULL NULL NULL '08:00' '08:01' 1 2", "1 1 NULL 5 NULL '08:01' NULL 2 NULL",
                "3 NULL NULL NULL 1 '08:01' NULL 2 NULL",
            ])
    }

    @Test func `a column of the owner is none of the versions`() async throws {
        try await sync(0, #"[{"id":1,"a":1}]"#)
        try fixture.alter("ALTER TABLE animals ADD COLUMN note TEXT")
        try await sync(1, Self.animals(missing: .soft), #"[{"id":1,"a":2}]"#)
        #expect(
            try fixture.columns(of: "_garner_history_animals").map { $0.split(separator: " ")[0] } == [
                "_garner_valid_from", "_garner_valid_to", "_garner_run", "_garner_end_run", "id", "a",
                "_garner_deleted_at",
            ])
    }

    @Test(arguments: ["beasts", "Animals", "o'clock \"x\""])
    func `a renamed table takes its versions along`(name: String) async throws {
        try await sync(0, #"[{"id":1,"a":1}]"#)
        var renamed = Self.animals()
        renamed.table = name
        try await sync(1, renamed, #"[{"id":1,"a":2}]"#)
        #expect(
            try versions(of: name.replacing("\"", with: "\"\"")) == [
                "1 1 '08:00' '08:01' 1 2", "1 2 '08:01' NULL 2 NULL",
            ])
        // The old name is free for another stream.
        var other = Self.animals(table: "animals")
        other.name = StreamName(source: "farm", stream: "animals")
        guard name == "beasts" else { return }
        try await sync(2, other, #"[{"id":1,"a":1}]"#)
        #expect(try versions() == ["1 1 '08:02' NULL 3 NULL"])
    }

    @Test func `a table that was dropped takes its versions along`() async throws {
        try await sync(0, #"[{"id":1,"a":1}]"#)
        try fixture.alter("DROP TABLE animals")
        try await sync(1, #"[{"id":2,"b":1}]"#)
        #expect(try versions("id, b") == ["2 1 '08:01' NULL 2 NULL"])
        #expect(try fixture.rows("SELECT substr(since, 12, 5), until FROM _garner_histories") == ["'08:01' NULL"])
    }

    @Test func `columns whose names differ by Unicode form only are kept apart`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        try await sync(0, #"[{"id":1,"\#(composed)":1}]"#)
        try await sync(1, #"[{"id":1,"\#(composed)":1,"\#(decomposed)":2}]"#)
        #expect(
            try versions("\"\(composed)\", \"\(decomposed)\"") == [
                "1 NULL '08:00' '08:01' 1 2", "1 2 '08:01' NULL 2 NULL",
            ])
    }

    @Test func `a table with too many columns for versions is refused by name`() async throws {
        let members = (0..<1999).map { #""m\#($0)":1"# }.joined(separator: ",")
        let error = await #expect(throws: PersistenceError.self) { try await sync(0, "[{\(members)}]") }
        #expect(error?.kind == .configuration)
        #expect(error?.message.contains("columns, too many for a history") == true)
    }

    @Test func `a version is found by its key`() async throws {
        try await sync(0, Self.animals(key: ["zoo", "id"]), #"[{"zoo":"a","id":1}]"#)
        let plan = try fixture.rows(
            """
            EXPLAIN QUERY PLAN UPDATE _garner_history_animals SET _garner_run = 0
            WHERE (zoo, id) = (SELECT +zoo, +id FROM animals WHERE _rowid_ = 1) AND _garner_valid_to IS NULL
            """)
        #expect(plan.first?.contains("USING INDEX _garner_versions_1 (zoo=? AND id=?)") == true, "\(plan)")
    }
}
