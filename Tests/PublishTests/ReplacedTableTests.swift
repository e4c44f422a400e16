import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerSQLite
import PostgresCluster
import Testing

@testable import GarnerPublish

/// What stands in the place of a published table, and what does where one has gone.
extension TroubleTests {
    @Test func `a table of somebody's in the place of a dropped one keeps its rows until the line is pasted`()
        async throws
    {
        try await database.connection.executeScript(
            "DROP TABLE animals; CREATE TABLE animals (id bigint, mine text); INSERT INTO animals VALUES (99, 'my own')"
        )
        try await change()
        for round in 0..<2 {
            let report =
                try await round == 0
                ? file.publisher.publish(patience: .nanoseconds(1)) : file.publisher.make(["animals"])
            #expect(report.behind["animals"] != nil)
            #expect(try await database.texts("SELECT mine FROM animals") == [["my own"]])
        }
        let reason = try #require(try await file.publisher.make(["animals"]).behind["animals"]?.reason)
        #expect(reason.hasPrefix(#"the table "public"."animals" has no comment of Garner's"#), "\(reason)")
        try await database.connection.executeScript("ALTER TABLE animals ADD PRIMARY KEY (id)")
        try await follow(reason)
        #expect(try await file.publisher.make(["animals"]).behind == [:])
        #expect(try await database.texts("SELECT count(*) FROM animals WHERE id = 99") == [["0"]])
    }

    @Test(arguments: [
        "CREATE VIEW animals AS SELECT * FROM former",
        "CREATE MATERIALIZED VIEW animals AS SELECT * FROM former",
        "CREATE SEQUENCE animals",
        "CREATE TYPE animals AS (id bigint)",
        """
        CREATE TABLE animals (LIKE former) PARTITION BY LIST (id); CREATE TABLE parts PARTITION OF animals DEFAULT;
        INSERT INTO animals SELECT * FROM former;
        COMMENT ON TABLE animals IS 'The stream zoo.animals, published by Garner.'
        """,
    ])
    func `what is no ordinary table is not written to, and has the line that renames it`(sql: String) async throws {
        try await database.connection.executeScript("ALTER TABLE animals RENAME TO former; \(sql)")
        for round in 2..<4 {
            try await change(round: round)
            let reason = try await expectBehind("Garner writes to ordinary tables only")
            #expect(try await file.publisher.make(["animals"]).behind["animals"]?.reason == reason)
            if sql.contains("PARTITION") {
                #expect(try await database.texts("SELECT count(*) FROM animals") == [["5"]])
            }
        }
        let found = try await PublicationExamination(of: Publisher.Target(url: database.url), path: file.path)
        #expect(found.tables.filter(\.isLost).map(\.name) == ["animals"])
        let reason = try await expectBehind("Garner writes to ordinary tables only")
        #expect(found.tables.first { $0.name == "animals" }?.behindReason == reason)
        try await follow(reason)
        try await expectCaughtUp()
    }

    @Test func `a dropped table of a quiet stream is made again when somebody asks, and told by an examination`()
        async throws
    {
        try await database.connection.executeScript("DROP TABLE animals")
        let found = try await PublicationExamination(of: Publisher.Target(url: database.url), path: file.path)
        let lost = found.tables.filter(\.isLost)
        #expect(lost.map(\.name) == ["animals"])
        #expect(lost.first?.behindReason?.hasPrefix("it is not in PostgreSQL any more") == true)
        // Nothing has changed in the file, and the connection has not ended.
        let report = await file.publisher.publish(patience: .nanoseconds(1))
        #expect(report.sent["animals"]?.isMade == true && report.sent["birds"] == nil)
        #expect(report.warnings == [#"the table "public"."animals" was dropped; it is made again"#])
        try await file.expectEqual()
    }

    @Test(arguments: [
        "ALTER TABLE animals SET SCHEMA theirs", "ALTER TABLE animals RENAME TO beasts",
        "ALTER TABLE animals RENAME TO beasts; ALTER TABLE beasts SET SCHEMA theirs",
    ])
    func `a table that somebody has moved is made again, and comes back with the line`(sql: String) async throws {
        try await database.connection.executeScript(
            "CREATE SCHEMA theirs; CREATE VIEW light AS SELECT id FROM animals WHERE weight < 4; \(sql)")
        try await change()
        let report = try await file.publish()
        #expect(report.sent["animals"]?.isMade == true)
        let warning = try #require(report.warnings.first)
        #expect(warning.contains("which Garner does not follow"), "\(warning)")
        try await follow(warning)
        try await change(round: 3)
        #expect(try await file.publish().sent["animals"]?.isMade == true)
        #expect(try await database.texts("SELECT id FROM light") == [["3"]])
        try await change(round: 4)
        #expect(try await file.publish().sent["animals"] == .init(updated: 6))
    }

    @Test(arguments: [false, true])
    func `a table that somebody has emptied is copied again once it is looked at`(isConnected: Bool) async throws {
        try await database.connection.executeScript("ANALYZE animals, birds; TRUNCATE animals")
        if !isConnected { await file.publisher.disconnect() }
        // Nothing has changed in the file.
        let report = await file.publisher.publish(patience: isConnected ? .nanoseconds(1) : .zero)
        #expect(report.failure == nil && report.sent["birds"] == nil, "\(report)")
        #expect(report.sent["animals"] == .init(inserted: 5, isMade: true))
        #expect(
            report.warnings == [
                #"the table "public"."animals" had lost its rows, as after TRUNCATE; they are copied again"#
            ])
        try await file.expectEqual()
        #expect(try await file.publish().batches == 0)
    }

    @Test(arguments: [[1, 2, 3, 4, 5, 6, 7], [2, 3, 4, 5], []])
    func `new and deleted rows of a table that was emptied since the last look bring the others back`(ids: [Int])
        async throws
    {
        try await database.connection.execute("TRUNCATE animals")
        // Another file with the same rows.
        try await database.connection.execute("VACUUM FULL birds")
        try await file.sync(animals, page(ids))
        try await file.sync(birds, page(1...7))
        let report = try await file.publish()
        #expect(report.sent["birds"] == .init(inserted: 2))
        // Where all rows are to go, nothing is missing.
        let expected: PublicationReport.Sent? = ids.isEmpty ? nil : .init(inserted: ids.count, isMade: true)
        #expect(report.sent["animals"] == expected)
        #expect(report.warnings.count == (ids.isEmpty ? 0 : 1))
        #expect(report.warnings.allSatisfy { $0.contains("had other rows than were sent") }, "\(report)")
    }

    @Test func `a table without rows is no emptied one, also once it gets some`() async throws {
        let fish = StreamConfiguration.zoo("fish")
        try await file.sync(fish, page(1...2))
        try await file.publish()
        try await file.sync(fish, "[]")
        try await file.publish()
        try await database.connection.executeScript("VACUUM fish")
        #expect(try await database.texts("SELECT pg_relation_size('fish')") == [["0"]])
        #expect(await file.publisher.publish(patience: .nanoseconds(1)).batches == 0)
        try await file.sync(fish, page(1...3))
        let report = try await file.publish()
        #expect(report.sent["fish"] == .init(inserted: 3) && report.warnings == [])
    }

    @Test func `a locked table that is empty keeps no other one waiting`() async throws {
        let holder = try await database.connect()
        try await holder.executeScript("BEGIN; TRUNCATE animals")
        try await file.sync(birds, page(1...7))
        #expect(await file.publisher.publish(patience: .nanoseconds(1)).sent["birds"] == .init(inserted: 2))
        try await holder.executeScript("COMMIT")
        #expect(await file.publisher.publish(patience: .nanoseconds(1)).sent["animals"]?.isMade == true)
        try await file.expectEqual()
    }

    @Test func `a table that a crash of the server has emptied is copied again, and has the line with which it stays`()
        async throws
    {
        let cluster = try await PostgresCluster.start()
        let other = try PublishedFile(try await TestDatabase(on: cluster))
        try await other.sync(animals, page(1...3))
        try await other.sync(birds, page(1...3))
        try await other.publish()
        let before = try await other.database.connect()
        try await before.executeScript("ALTER TABLE animals SET UNLOGGED; CHECKPOINT")
        await before.close()
        for isUnlogged in [true, false] {
            try await cluster.restart()
            let report = await other.publisher.publish(patience: .seconds(30))
            #expect(report.failure == nil && report.behind == [:])
            let after = try await other.database.connect()
            #expect(try await after.execute("SELECT FROM animals").count == 3)
            guard isUnlogged else {
                #expect(report.batches == 0)
                continue
            }
            #expect(report.sent["animals"]?.isMade == true && report.sent["birds"] == nil, "\(report)")
            let warning = try #require(report.warnings.first)
            let line = try #require(warning.split(separator: "keep them: ").last)
            try await after.executeScript(String(line))
            await after.close()
        }
    }

    /// Puts a table in the place of `animals` that has its rows of before, and its comment.
    private func replaceByOlder() async throws {
        try await database.connection.executeScript(
            """
            CREATE TABLE older (LIKE animals INCLUDING ALL);
            INSERT INTO older SELECT * FROM animals
            """)
        try await change()
        try await file.publish()
        try await database.connection.executeScript(
            """
            DROP TABLE animals; ALTER TABLE older RENAME TO animals;
            COMMENT ON TABLE animals IS 'The stream zoo.animals, published by Garner.'
            """)
    }

    @Test(arguments: [false, true])
    func `an older table in the place of a published one is made again, and told`(isConnected: Bool) async throws {
        try await replaceByOlder()
        let found = try await PublicationExamination(of: Publisher.Target(url: database.url), path: file.path)
        #expect(found.tables.first { $0.name == "animals" }?.behindReason?.contains("another table") == true)
        if isConnected { try await change(round: 3) } else { await file.publisher.disconnect() }
        let report = try await file.publish()
        #expect(report.sent["animals"]?.isMade == true && report.sent["birds"]?.isMade != true)
        #expect(report.warnings.first?.hasPrefix("another table was put in the place of") == true, "\(report)")
        await file.publisher.disconnect()
        #expect(try await file.publish().batches == 0)
    }

    @Test func `numbers of tables say nothing once the books are other ones, as after a restore of a dump`()
        async throws
    {
        try await replaceByOlder()
        try await database.connection.executeScript(
            """
            DELETE FROM animals; INSERT INTO animals (id, name, weight) SELECT i, 'animal ' || i || ' 2', i + 0.5
            FROM generate_series(3, 8) AS i;
            ALTER TABLE _garner.tables RENAME TO former; ALTER INDEX _garner.tables_pkey RENAME TO former_pkey;
            CREATE TABLE _garner.tables (LIKE _garner.former INCLUDING ALL);
            INSERT INTO _garner.tables SELECT * FROM _garner.former
            """)
        await file.publisher.disconnect()
        #expect(try await file.publish().batches == 0)
        try await change(round: 3)
        #expect(try await file.publish().sent["animals"]?.isMade == false)
    }

    @Test func `a table that a dropped stream has left is named when another one is to have its name`() async throws {
        try await file.writer.maintaining { connection in
            try connection.execute("DROP TABLE birds")
            let tables = try connection.rows(
                """
                SELECT name FROM sqlite_schema AS own WHERE type = 'table'
                AND EXISTS (SELECT 1 FROM pragma_table_info(own.name) AS c WHERE c.name = 'stream_id')
                """
            ) { $0.text(at: 0) }
            for table in tables { try connection.execute("DELETE FROM \(table) WHERE stream_id = 2") }
            return ((), [2])
        }
        #expect(await file.publisher.publish().failure == nil)
        try await file.sync(StreamConfiguration.zoo("animals", table: "birds"), page(1...6))
        let report = await file.publisher.publish(patience: .nanoseconds(1))
        let reason = try #require(report.behind["birds"]?.reason)
        #expect(reason.contains("whose stream is published no longer"), "\(reason)")
        try await follow(reason)
        try await expectCaughtUp()
    }
}
