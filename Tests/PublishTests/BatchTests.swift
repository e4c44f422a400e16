import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerSQLite
import Testing

@testable import GarnerPublish

/// After each step, the published tables have what the file has.
@Suite(.timeLimit(.minutes(2)))
struct BatchTests {
    let database: TestDatabase
    let file: PublishedFile
    let animals = StreamConfiguration.zoo("animals")

    init() async throws {
        database = try await TestDatabase()
        file = try PublishedFile(database)
    }

    /// The transaction that wrote each row, by the rows' keys.
    private func writers(_ table: String = "animals") async throws -> [[String?]] {
        try await database.texts("SELECT id, xmin FROM \(table) ORDER BY id")
    }

    @Test func `inserts, updates and deletions arrive, and rows without a change are not written`() async throws {
        try await file.sync(animals, page(1...5))
        let first = try await file.publish()
        #expect(first.sent["animals"] == .init(inserted: 5, isMade: true))
        let before = try await writers()
        try await file.sync(
            animals, "[" + page(1...3).dropFirst().dropLast() + "," + page([4, 6], round: 2).dropFirst())
        let second = try await file.publish()
        #expect(second.sent["animals"] == .init(inserted: 1, updated: 1, deleted: 1))
        let after = try await writers()
        #expect(after.prefix(3) == before.prefix(3))
        #expect(after[3] != before[3])
    }

    @Test(arguments: [false, true])
    func `a key that goes takes no row whose key differs by a NUL only`(isSentBetween: Bool) async throws {
        let animals = StreamConfiguration.zoo("animals", key: ["name"])
        try await file.sync(animals, #"[{"name":"z\u0000","n":1},{"name":"a","n":2}]"#)
        #expect(await file.publisher.publish().behind == [:])
        try await file.sync(
            animals, #"[{"name":"z\u0000","n":1},{"name":"a","n":2},{"name":"z\ufffd","n":3}]"#)
        if isSentBetween { #expect(await file.publisher.publish().behind.keys.sorted() == ["animals"]) }
        try await file.sync(animals, #"[{"name":"z\u0000","n":1},{"name":"a","n":2}]"#)
        let report = await file.publisher.publish(patience: .nanoseconds(1))
        #expect(report.failure == nil && report.behind == [:])
        #expect(
            try await database.texts("SELECT name, n FROM animals ORDER BY n") == [["z\u{FFFD}", "1"], ["a", "2"]])
    }

    @Test func `an unchanged sync writes no row`() async throws {
        try await file.sync(animals, page(1...5))
        try await file.publish()
        let before = try await writers()
        try await file.sync(animals, page(1...5))
        let report = try await file.publish()
        #expect(report.rows == 0)
        #expect(try await writers() == before)
        // Nothing waits any longer.
        #expect(await file.publisher.publish().batches == 0)
    }

    @Test func `tables of arrays follow their parents`() async throws {
        var animals = animals
        animals.childTables = true
        try await file.sync(animals, #"[{"id":1,"tags":[{"name":"a"},{"name":"b"}]},{"id":2,"tags":[{"name":"c"}]}]"#)
        try await file.publish()
        try await file.sync(animals, #"[{"id":1,"tags":[{"name":"b"}]},{"id":3,"tags":[{"name":"d"}]}]"#)
        try await file.publish()
    }

    @Test func `a table without a key has the number of each row`() async throws {
        let log = StreamConfiguration.zoo("log", key: nil, missing: .ignore)
        try await file.sync(log, #"[{"text":"a"},{"text":"a"}]"#)
        try await file.publish()
        try await file.sync(log, #"[{"text":"b"}]"#)
        try await file.publish()
        let numbers = try await database.texts("SELECT _garner_row FROM log ORDER BY 1")
        #expect(numbers == [["1"], ["2"], ["3"]])
    }

    @Test func `a table that each read replaces is followed`() async throws {
        let replaced = StreamConfiguration.zoo("prices", missing: .ignore, writing: .replace)
        try await file.sync(replaced, page(1...20))
        try await file.publish()
        try await file.sync(replaced, page(10...40, round: 2))
        try await file.publish()
        try await file.sync(replaced, page(10...12, round: 2))
        try await file.publish()
    }

    @Test func `many rows come in pieces`() async throws {
        try await file.sync(animals, page(1...25_000))
        #expect(try await file.publish().sent["animals"]?.inserted == 25_000)
        try await file.sync(animals, page(1...25_000, round: 2))
        #expect(try await file.publish().sent["animals"]?.updated == 25_000)
        try await file.sync(animals, page(20_000...22_000, round: 2))
        try await file.publish()
    }

    @Test func `a new column is added`() async throws {
        try await file.sync(animals, #"[{"id":1,"name":null}]"#)
        try await file.publish()
        try await file.sync(animals, #"[{"id":1,"name":"Ada","weight":2.5},{"id":2,"weight":3.5}]"#)
        try await file.publish()
        #expect(
            try await database.texts("SELECT name, weight FROM animals ORDER BY id") == [
                ["Ada", "2.5"], [nil, "3.5"],
            ])
    }

    @Test func `ended runs can be asked for`() async throws {
        try await file.sync(animals, page(1...5))
        try await file.publish()
        try await file.sync(animals, page(1...7))
        try await file.publish()
        #expect(
            try await database.texts("SELECT run, stream, status, inserted FROM _garner.runs ORDER BY run") == [
                ["1", "zoo.animals", "succeeded", "5"], ["2", "zoo.animals", "succeeded", "2"],
            ])
    }

    @Test func `streams that are not named are not published, and one that leaves the list stays as it is`()
        async throws
    {
        try await file.sync(animals, page(1...2))
        try await file.sync(.zoo("birds"), page(1...3))
        try await file.publish()
        let next = try await file.reopened(publishes: { $0 == "zoo.birds" })
        try await next.sync(animals, page(1...9))
        try await next.sync(.zoo("birds"), page(1...4))
        let report = await next.publisher.publish()
        #expect(report.failure == nil && report.sent.keys.sorted() == ["birds"])
        try await next.expectEqual(["birds"])
        #expect(try await database.texts("SELECT count(*) FROM animals") == [["2"]])
        #expect(
            try await database.texts("SELECT name FROM _garner.tables WHERE left_out_since IS NOT NULL") == [
                ["animals"]
            ])
        // It comes back.
        let last = try await next.reopened()
        try await last.publish()
        #expect(try await database.texts("SELECT name FROM _garner.tables WHERE left_out_since IS NOT NULL") == [])
    }

    @Test func `grants, views and indexes stay when a table is made again`() async throws {
        try await file.sync(animals, page(1...5))
        try await file.publish()
        let reader = try await database.makeRole()
        try await database.connection.executeScript(
            """
            GRANT SELECT ON animals TO \(reader); CREATE VIEW heavy AS SELECT * FROM animals WHERE weight > 3;
            CREATE INDEX by_weight ON animals (weight)
            """)
        let report = try await file.publisher.make(["animals"])
        #expect(report.sent["animals"] == .init(inserted: 5, isMade: true))
        try await file.expectEqual()
        let user = try await database.connect(as: reader)
        #expect(try await user.execute("SELECT * FROM animals").count == 5)
        #expect(try await database.texts("SELECT count(*) FROM heavy") == [["3"]])
        #expect(try await database.texts("SELECT to_regclass('by_weight') IS NOT NULL") == [["true"]])
    }

    @Test func `a table that gets another name keeps its rows`() async throws {
        try await file.sync(animals, page(1...5))
        try await file.publish()
        try await database.connection.executeScript("CREATE VIEW heavy AS SELECT * FROM animals WHERE weight > 3")
        let before = try await writers()
        try await file.sync(.zoo("animals", table: "creatures"), page(1...5))
        try await file.publish()
        #expect(try await writers("creatures") == before)
        #expect(try await database.texts("SELECT count(*) FROM heavy") == [["3"]])
        #expect(try await database.texts("SELECT name FROM _garner.tables") == [["creatures"]])
        try await file.writer.maintaining { connection in
            try connection.execute("UPDATE _garner_streams SET name = 'zoo.creatures' WHERE stream_id = 1")
            return ((), [])
        }
        try await file.publish()
        #expect(
            try await database.texts(
                "SELECT stream, obj_description('creatures'::regclass) LIKE 'The stream zoo.creatures,%' FROM _garner.tables"
            )
                == [["zoo.creatures", "true"]])
    }

    @Test func `names that only look alike are two tables`() async throws {
        let places = ["caf\u{E9}", "cafe\u{301}"]
        for (index, table) in places.enumerated() {
            try await file.sync(.zoo("cafe\(index)", table: table), page(1...index + 2))
        }
        for round in 1..<4 {
            let report = try await file.publish()
            #expect((report.batches > 0) == (round == 1 || round == 3))
            if round == 2 { try await file.sync(.zoo("cafe0", table: places[0]), page(1...9)) }
        }
        #expect(
            try await database.texts("SELECT stream FROM _garner.tables ORDER BY 1") == [["zoo.cafe0"], ["zoo.cafe1"]])
    }

    @Test func `a stream with the number of a dropped one leaves that one's table as it is`() async throws {
        try await file.sync(animals, page(1...5))
        try await file.publish()
        try await file.writer.maintaining { connection in
            try connection.execute("DROP TABLE animals")
            let tables = try connection.rows(
                """
                SELECT name FROM sqlite_schema AS own WHERE type = 'table'
                AND EXISTS (SELECT 1 FROM pragma_table_info(own.name) AS c WHERE c.name = 'stream_id')
                """
            ) { $0.text(at: 0) }
            for table in tables { try connection.execute("DELETE FROM \(table) WHERE stream_id = 1") }
            return ((), [1])
        }
        try await file.sync(.zoo("birds"), page(1...3))
        try await file.publish()
        #expect(try await database.texts("SELECT count(*) FROM animals") == [["5"]])
        #expect(
            try await database.texts("SELECT name, table_id, left_out_since IS NULL FROM _garner.tables ORDER BY 1")
                == [
                    ["animals", nil, "false"], ["birds", "1", "true"],
                ])
    }

    @Test func `a reader of an older state sees all rows while a table is made again`() async throws {
        try await file.sync(animals, page(1...1000))
        try await file.publish()
        let reader = try await database.connect()
        try await reader.executeScript("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
        _ = try await reader.execute("SELECT FROM animals LIMIT 1")
        try await file.sync(animals, page(500...1500, round: 2))
        #expect(try await file.publisher.make(["animals"]).failure == nil)
        try await file.expectEqual()
        #expect(
            try await reader.execute("SELECT count(*) FROM animals WHERE name LIKE '% 1'").rows == [[.integer(1000)]])
        try await reader.executeScript("COMMIT")
        #expect(try await reader.execute("SELECT count(*) FROM animals").rows == [[.integer(1001)]])
    }
}
