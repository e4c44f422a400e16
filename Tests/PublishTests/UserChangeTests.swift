import Foundation
import GarnerCatalog
import GarnerModel
import GarnerPostgres
import Testing

@testable import GarnerPublish

/// What users do to published tables. Each line that a reason has for it is run, and mends it.
extension TroubleTests {
    @Test func `a table that cannot be made again goes on as before`() async throws {
        try await database.connection.executeScript(
            "CREATE TABLE visits (animal bigint REFERENCES animals); INSERT INTO visits VALUES (3)")
        let report = try await file.publisher.make(["animals"])
        #expect(report.behind["animals"]?.reason.contains("violates foreign key constraint") == true)
        #expect(try await database.texts("SELECT name FROM _garner.tables WHERE behind_since IS NOT NULL") == [])
        try await change()
        #expect(try await file.publish().sent["animals"]?.isMade == false)
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

    @Test func `tables without the schema are refused, with the line that drops them`() async throws {
        try await database.connection.executeScript("DROP SCHEMA _garner CASCADE")
        let next = try await file.reopened()
        for _ in 0..<2 {
            let failure = await next.publisher.publish().failure
            #expect(failure?.category == .misconfigured)
            let line = try #require(failure?.message.split(separator: "again: ").last)
            try await database.connection.executeScript(String(line))
        }
        try await next.publish()
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
