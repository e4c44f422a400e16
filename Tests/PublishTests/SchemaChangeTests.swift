import GarnerModel
import GarnerPersistence
import GarnerPostgres
import Testing

@testable import GarnerPublish

/// What users do to the schema in which Garner keeps what it has published.
extension TroubleTests {
    @Test func `a schema that is dropped while nothing waits is found when somebody asks`() async throws {
        try await database.connection.executeScript("DROP SCHEMA _garner CASCADE")
        let failure = await file.publisher.publish(patience: .nanoseconds(1)).failure
        let line = try #require(failure?.message.split(separator: "again: ").last)
        try await database.connection.executeScript(String(line))
        try await file.publish()
    }

    @Test(arguments: ["version", "files", "tables", "runs"])
    func `what is missing of the schema is made again`(table: String) async throws {
        try await database.connection.executeScript("DROP TABLE _garner.\(table)")
        let next = try await file.reopened()
        try await next.sync(animals, page(3...8, round: 2))
        let report = await next.publisher.publish()
        #expect(report.failure == nil)
        for (name, behind) in report.behind {
            #expect(table == "tables", "\(name): \(behind.reason)")
            let line = try #require(behind.reason.split(separator: "again: ").last)
            try await database.connection.executeScript(String(line))
        }
        #expect(await next.publisher.publish(patience: .nanoseconds(1)).behind == [:])
        try await next.expectEqual()
        #expect(try await database.texts("SELECT count(*) FROM _garner.runs") == [["3"]])
    }

    @Test(arguments: [
        "ADD CHECK (position < 0) NOT VALID",
        "ADD COLUMN mine text NOT NULL DEFAULT ''; ALTER TABLE _garner.tables ALTER mine DROP DEFAULT",
        "DROP CONSTRAINT tables_pkey, ADD PRIMARY KEY (name, file)",
    ])
    func `what somebody asks of the schema's tables is told, with the line that makes it anew`(change: String)
        async throws
    {
        try await database.connection.executeScript("ALTER TABLE _garner.tables \(change)")
        try await self.change()
        let failure = await file.publisher.publish().failure
        #expect(failure?.category == .misconfigured)
        #expect(failure?.message.hasPrefix("somebody has changed the schema _garner: ") == true)
        #expect(
            failure?.hint
                == .text(
                    "Have its owner run: DROP TABLE IF EXISTS "
                        + "_garner.files, _garner.runs, _garner.tables, _garner.version CASCADE"))
    }

    @Test func `tables without the schema are refused, with the line that drops them`() async throws {
        try await database.connection.executeScript("DROP SCHEMA _garner CASCADE")
        let next = try await file.reopened()
        let failure = await next.publisher.publish().failure
        #expect(failure?.category == .misconfigured)
        // It drops both.
        let line = try #require(failure?.message.split(separator: "again: ").last)
        try await database.connection.executeScript(String(line))
        try await next.publish()
    }

    @Test func `tables of a file that is gone are refused to a new one, with the line that drops them`() async throws {
        await file.close()
        let new = try PublishedFile(database)
        try await new.sync(animals, page(1...2))
        try await new.sync(birds, page(1...2))
        let failure = await new.publisher.publish().failure
        #expect(failure?.category == .misconfigured)
        let line = try #require(failure?.message.split(separator: "its tables: ").last)
        try await database.connection.executeScript(String(line))
        try await new.publish()
        #expect(try await database.texts("SELECT count(*), count(DISTINCT file) FROM _garner.tables") == [["2", "1"]])
    }

    @Test(arguments: [
        "LOCK TABLE _garner.version", "LOCK TABLE _garner.files", "LOCK TABLE _garner.tables",
        "DROP SCHEMA _garner CASCADE",
    ])
    func `nobody waits for a lock of the schema for long`(lock: String) async throws {
        let holder = try await database.connect()
        try await holder.executeScript("BEGIN; \(lock)")
        try await change()
        for isConnected in [true, false] {
            if !isConnected { await file.publisher.disconnect() }
            // Who is connected does not ask for the version.
            guard !isConnected || lock != "LOCK TABLE _garner.version" else { continue }
            let failure = await file.publisher.publish().failure
            #expect(failure?.category == .unavailable && failure?.message.contains("has locked the schema") == true)
        }
        let error = await publicationError {
            _ = try await PublicationExamination(of: Publisher.Target(url: database.url), path: file.path)
        }
        // Who only looks reads no row of the file.
        #expect(error?.kind == (lock == "LOCK TABLE _garner.files" ? nil : .away))
        try await holder.executeScript("ROLLBACK")
        try await expectCaughtUp()
    }
}
