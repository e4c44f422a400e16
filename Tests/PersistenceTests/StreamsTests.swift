import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSQLite
import TestSupport
import Testing

struct StreamsTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test(.timeLimit(.minutes(5))) func `two streams share a store page by page`() async throws {
        let writer = fixture.writer
        let cats = StreamConfiguration.animals(table: "cats", missing: .hard)
        let dogs = StreamConfiguration.animals(table: "dogs")
        let (cat, dog) = (
            try await writer.beginReading(cats, identity: "page=1"),
            try await writer.beginReading(dogs, identity: "page=1")
        )
        for page in 1...3 {
            _ = try await writer.commit(
                try .page(#"[{"id":\#(page),"a":\#(page == 2 ? "\"x1\"" : "1")}]"#, page, .next("page=\(page + 1)")),
                to: cat)
            _ = try await writer.commit(
                try .page(#"[{"id":\#(page),"b\#(page)":1}]"#, page, .next("page=\(page + 1)")), to: dog)
        }
        #expect(try await writer.commitLast(try .page(#"[{"id":4}]"#, 4, .complete), to: cat).counts.inserted == 4)
        #expect(try await writer.end(run: dog.id, as: .failed).counts.inserted == 3)
        #expect(try fixture.rows("SELECT id, a FROM cats") == ["1 '1'", "2 'x1'", "3 '1'", "4 NULL"])
        #expect(try fixture.columns(of: "dogs") == ["id INTEGER", "b1 INTEGER", "b2 INTEGER", "b3 INTEGER"])
        #expect(try fixture.rows("SELECT stream_id, next_position FROM _garner_slices") == ["2 'page=4'"])
        try fixture.expectIntegrity()
    }

    @Test(.timeLimit(.minutes(5))) func `the latest runs of many streams take as many statements as those of few`()
        async throws
    {
        func statements(for numbers: ClosedRange<Int>) async throws -> Int {
            for number in numbers {
                try await fixture.sync(StreamConfiguration.animals(table: "animals_\(number)"), pages: [#"[{"id":1}]"#])
            }
            let reader = try ReadOnlyDatabase(path: fixture.path)
            return try reader.connection.statements { _ = try reader.streamNotes() }
        }
        let few = try await statements(for: 1...3)
        #expect(few > 0)
        #expect(try await statements(for: 4...30) == few)
    }

    @Test func `triggers of the owner fire as long as they are there, in one process`() async throws {
        let stream = StreamConfiguration.animals()
        func audited(_ value: Int) async throws -> [String] {
            try await fixture.sync(stream, pages: [#"[{"id":1,"n":\#(value)}]"#])
            return try fixture.rows("SELECT n FROM audit ORDER BY n")
        }
        try fixture.alter("CREATE TABLE audit (n)")
        #expect(try await audited(1) == [])
        try fixture.alter("CREATE TRIGGER mine AFTER UPDATE ON animals BEGIN INSERT INTO audit VALUES (NEW.n); END")
        #expect(try await audited(2) == ["2"])
        #expect(try await audited(3) == ["2", "3"])
        try fixture.alter("DROP TRIGGER mine")
        #expect(try await audited(4) == ["2", "3"])
        // Someone drops the table, too.
        try fixture.alter("DROP TABLE animals")
        #expect(try await audited(5) == ["2", "3"])
        #expect(try fixture.rows("SELECT id, n FROM animals") == ["1 5"])
    }

    @Test func `a stream may be renamed if it has no table while another one is gone from the file`() async throws {
        let (cats, dogs) = (StreamConfiguration.animals(table: "cats"), StreamConfiguration.animals(table: "dogs"))
        let writer = fixture.writer
        #expect(try await !writer.mayBeRenamed(dogs, among: [dogs]))
        try await fixture.sync(cats, pages: [#"[{"id":1}]"#])
        #expect(try await !writer.mayBeRenamed(dogs, among: [cats, dogs]))
        #expect(try await writer.mayBeRenamed(dogs, among: [dogs]))
        try await fixture.sync(dogs, pages: [#"[{"id":1}]"#])
        #expect(try await !writer.mayBeRenamed(dogs, among: [dogs]))
        try fixture.alter("DROP TABLE dogs")
        #expect(try await writer.mayBeRenamed(dogs, among: [dogs]))
    }

    @Test func `a first run of a stream of no file is seen by what is asked of the same file later`() async throws {
        let (dogs, cows) = (StreamConfiguration.animals(table: "dogs"), StreamConfiguration.animals(table: "cows"))
        let (writer, file) = (fixture.writer, [dogs, cows])
        #expect(try await !writer.mayBeRenamed(dogs, among: file))
        try await fixture.sync(dogs, pages: [#"[{"id":1}]"#])
        #expect(try await !writer.mayBeRenamed(cows, among: file))
        try await fixture.sync(.animals(table: "cats"), pages: [#"[{"id":1}]"#])
        #expect(try await writer.mayBeRenamed(cows, among: file))
    }

    @Test func `a stream that is renamed beside a file is seen by what is asked of the same file later`() async throws {
        let (dogs, cows) = (StreamConfiguration.animals(table: "dogs"), StreamConfiguration.animals(table: "cows"))
        let (writer, file) = (fixture.writer, [dogs, cows])
        try await fixture.sync(dogs, pages: [#"[{"id":1}]"#])
        #expect(try await !writer.mayBeRenamed(cows, among: file))
        try await writer.maintaining { connection in
            try connection.execute("UPDATE _garner_streams SET name = 'zoo.cats'")
            return (result: (), changed: [])
        }
        #expect(try await writer.mayBeRenamed(cows, among: file))
    }

    @Test(.timeLimit(.minutes(5))) func `many streams at once are all stored`() async throws {
        let writer = fixture.writer
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let run = try await writer.beginReading(.animals(table: "t\(number)"), identity: "page=1")
                    for page in 1...10 {
                        let continuation =
                            page == 10 ? PageCommit.Continuation.complete : .next("page=\(page + 1)")
                        let commit = try PageCommit.page(#"[{"id":\#(page),"n":\#(number)}]"#, page, continuation)
                        if page == 10 {
                            _ = try await writer.commitLast(commit, to: run)
                        } else {
                            _ = try await writer.commit(commit, to: run)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<8 {
            #expect(try fixture.rows("SELECT count(*), sum(n) FROM t\(number)") == ["10 \(number * 10)"])
        }
        try fixture.expectIntegrity()
    }

    /// One task is cancelled again and again while it writes; the other's commits must neither fail nor be lost.
    @Test(.timeLimit(.minutes(5))) func `cancelling one stream's task does not disturb another's commit`() async throws
    {
        let writer = fixture.writer
        let (victim, other) = (
            StreamConfiguration.animals(table: "victim"), StreamConfiguration.animals(table: "other")
        )
        let run = try await writer.beginReading(other, identity: "page=1")
        let page = "[" + (0..<300).map { #"{"id":\#($0),"a":"x"}"# }.joined(separator: ",") + "]"
        for number in 1...20 {
            let start = try await writer.beginReading(victim, identity: "page=1", restarting: true)
            let task = Task { try await writer.commit(try .page(page, number, .next("page=2")), to: start) }
            async let counts = writer.commit(
                try .page(#"[{"id":\#(number)}]"#, number, .next("page=\(number + 1)")), to: run)
            task.cancel()
            #expect(try await counts.inserted == number)
            switch await task.result {
            case .success: break
            case .failure(let error): #expect(error is CancellationError)
            }
            _ = try await writer.end(run: start.id, as: .cancelled)
        }
        #expect(try fixture.rows("SELECT count(*) FROM other") == ["20"])
        #expect(
            [["0"], ["300"]].contains(
                try fixture.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'victim'") == ["0"]
                    ? ["0"] : try fixture.rows("SELECT count(*) FROM victim")))
        try fixture.expectIntegrity()
    }

    @Test(arguments: ["animals", "ANIMALS"]) func `a table belongs to one stream`(table: String) async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        var other = StreamConfiguration.animals(table: table)
        other.name = StreamName(source: "farm", stream: "animals")
        let error = await #expect(throws: PersistenceError.self) { try await fixture.sync(other, #"[{"id":2}]"#) }
        #expect(error?.kind == .configuration)
        #expect(error?.message.contains("zoo.animals") == true)
    }

    @Test(arguments: [
        "CREATE TABLE Animals (a)", "CREATE VIEW animals AS SELECT 1", "CREATE INDEX animals ON _garner_runs (warning)",
    ])
    func `a table that no stream has made is left alone`(sql: String) async throws {
        try fixture.alter(sql)
        let error = await #expect(throws: PersistenceError.self) { try await fixture.sync(.animals(), #"[{"id":2}]"#) }
        #expect(error?.kind == .configuration)
        #expect(try fixture.rows("SELECT count(*) FROM sqlite_schema WHERE sql = '\(sql)'") == ["1"])
    }

    @Test(arguments: ["beasts", "Animals", "o'clock \"x1\""]) func `a table that gets another name keeps its rows`(
        name: String
    ) async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        var renamed = StreamConfiguration.animals()
        renamed.table = name
        #expect(
            try await fixture.sync(renamed, #"[{"id":1},{"id":"x"}]"#).counts.ofRecords == "1 inserted, 1 unchanged")
        #expect(
            try fixture.rows(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_garner%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'"
            ) == ["'\(name)'"])
    }

    @Test func `a new name that is taken is refused`() async throws {
        try await fixture.sync(.animals(), #"[{"id":1}]"#)
        try fixture.alter("CREATE TABLE beasts (a)")
        var renamed = StreamConfiguration.animals()
        renamed.table = "beasts"
        await #expect(throws: PersistenceError.self) { try await fixture.sync(renamed, #"[{"id":1}]"#) }
        #expect(try fixture.rows("SELECT table_name FROM _garner_streams") == ["'animals'"])
    }

    @Test(arguments: ["[]", "[{}]"]) func `a first page that tells nothing makes no table`(page: String) async throws {
        do {
            try await fixture.sync(.animals(), page)
        } catch let error as PersistenceError {
            #expect(error.kind == .noMembers)
        }
        #expect(try fixture.columns(of: "animals") == [])
        #expect(try await fixture.sync(.animals(), #"[{"id":1}]"#).counts.inserted == 1)
    }

    @Test func `an unknown table name suggests only tables that exist`() async throws {
        let run = try await fixture.writer.beginReading(.animals(), identity: "page=1")
        _ = try await fixture.writer.end(run: run.id, as: .failed)
        let reader = try ReadOnlyDatabase(path: fixture.path)
        let none = #expect(throws: UnknownTableError.self) { try reader.description(of: "animals") }
        #expect(none?.known == [])
        try await fixture.sync(.animals(table: "plants"), #"[{"id":1}]"#)
        let one = #expect(throws: UnknownTableError.self) { try reader.description(of: "animals") }
        #expect(one?.known == ["plants"])
    }
}
