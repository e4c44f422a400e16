import Foundation
import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import PostgresCluster
import Testing

@testable import GarnerPublish

/// Who may publish, between processes, copies and servers.
@Suite(.timeLimit(.minutes(2)))
struct StandingTests {
    let database: TestDatabase
    let file: PublishedFile
    let animals = StreamConfiguration.zoo("animals")

    init() async throws {
        database = try await TestDatabase()
        file = try PublishedFile(database)
        try await file.sync(animals, page(1...5))
        try await file.publish()
    }

    private func expect(
        _ report: PublicationReport, _ category: ErrorCategory, _ words: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(report.failure?.category == category, sourceLocation: sourceLocation)
        #expect(report.failure?.message.contains(words) == true, "\(report)", sourceLocation: sourceLocation)
    }

    @Test func `the next process goes on`() async throws {
        let next = try await file.reopened()
        try await next.sync(animals, page(2...9, round: 2))
        #expect(try await next.publish().sent["animals"]?.isMade == false)
    }

    @Test func `a process that ended without a word is followed, too`() async throws {
        try await file.sync(animals, page(2...9, round: 2))
        await file.writer.close()
        let next = try await file.reopened()
        #expect(try await next.publish().sent["animals"]?.isMade == false)
    }

    @Test func `a copy is refused while the file is published`() async throws {
        let copy = try PublishedFile(database, at: file.copy(), in: file.folder)
        try await copy.sync(animals, page(1...2))
        expect(await copy.publisher.publish(), .busy, "a copy of this file is published")
        #expect(await copy.publisher.publishIfDue() == nil)
        try await file.expectEqual()
        // Its rows have another number now.
        try await file.sync(animals, page(1...6))
        try await file.publish()
        expect(await copy.publisher.publish(), .busy, "a copy of this file is published")
        await file.close()
        expect(await copy.publisher.publish(), .misconfigured, "older than what was published")
        try await file.expectEqual()
    }

    @Test func `a file that moved goes on, and the one that stayed is refused`() async throws {
        await file.close()
        let moved = try PublishedFile(database, at: file.copy(), in: file.folder)
        try await moved.sync(animals, page(1...2))
        #expect(try await moved.publish().sent["animals"]?.isMade == false)
        await moved.close()
        let stayed = try PublishedFile(database, at: file.path, in: file.folder)
        try await stayed.sync(animals, page(1...20))
        expect(await stayed.publisher.publish(), .misconfigured, "a copy or a later state of this file was published")
        try await moved.expectEqual()
        let report = try await stayed.publisher.make([], takesOver: true)
        #expect(report.failure == nil && report.sent["animals"]?.isMade == true)
        try await stayed.expectEqual()
        try await stayed.sync(animals, page(1...21))
        try await stayed.publish()
    }

    @Test func `a restored file is refused, and one command makes its tables again`() async throws {
        let backup = try file.copy()
        try await file.sync(animals, page(3...9, round: 2))
        try await file.publish()
        await file.close()
        let restored = try PublishedFile(database, at: backup, in: file.folder)
        // It has already made as many notes as the one that was lost, and another run has the number of the lost one.
        try await restored.sync(.zoo("birds"), page(1...2))
        for round in 3..<9 { try await restored.sync(animals, page(1...4, round: round)) }
        let refusal = await restored.publisher.publish()
        expect(refusal, .misconfigured, "older than what was published")
        #expect(refusal.failure?.hint?.text?.contains("garner publish --take-over") == true)
        try await file.expectEqual()
        #expect(try await restored.publisher.make([], takesOver: true).failure == nil)
        try await restored.expectEqual()
        #expect(try await database.texts("SELECT stream FROM _garner.runs WHERE run = 2") == [["zoo.birds"]])
        let next = try await restored.reopened()
        try await next.sync(animals, page(2...4, round: 9))
        try await next.publish()
    }

    @Test func `a file that another one took over from is refused in its next batch`() async throws {
        let copy = try PublishedFile(database, at: file.copy(), in: file.folder)
        #expect(try await copy.publisher.make([], takesOver: true).failure == nil)
        try await file.sync(animals, page(1...20))
        expect(await file.publisher.publish(), .busy, "a copy of this file is published")
        await copy.close()
        expect(await file.publisher.publish(), .misconfigured, "a copy or a later state of this file was published")
        try await copy.expectEqual()
    }

    @Test func `another file for the same table is refused by name`() async throws {
        let other = try PublishedFile(database)
        try await other.sync(animals, page(100...110))
        let report = await other.publisher.publish()
        expect(report, .misconfigured, #"the table "public"."animals" is there already, and another file"#)
        try await file.expectEqual()
        let elsewhere = try PublishedFile(database, schema: "elsewhere")
        try await elsewhere.sync(animals, page(100...110))
        #expect(await elsewhere.publisher.publish().failure == nil)
        #expect(try await database.texts("SELECT count(*) FROM elsewhere.animals") == [["11"]])
    }

    @Test func `a table of nobody's is refused by name`() async throws {
        try await database.connection.executeScript(
            "CREATE SCHEMA theirs; CREATE TABLE theirs.animals (id bigint PRIMARY KEY)")
        let other = try PublishedFile(database, schema: "theirs")
        try await other.sync(animals, page(100...110))
        expect(
            await other.publisher.publish(), .misconfigured,
            #"the table "theirs"."animals" is there already, and Garner has not made it"#)
        #expect(try await database.texts("SELECT count(*) FROM theirs.animals") == [["0"]])
    }

    @Test func `a restored server gets what it lacks, and no table that it has`() async throws {
        try await file.sync(.zoo("birds"), page(1...3))
        try await file.publish()
        // Its state is kept, as a backup would.
        await file.publisher.disconnect()
        await database.connection.close()
        let restored = try await TestDatabase(template: database.name)
        try await file.sync(animals, page(3...9, round: 2))
        #expect(await file.publisher.publish().failure == nil)
        let next = try await file.reopened(on: restored)
        let report = try await next.publish()
        #expect(report.sent.keys.sorted() == ["animals"])
        #expect(report.sent["animals"]?.isMade == true)
        #expect(
            next.told.contains { if case .warning(let words) = $0 { words.contains("earlier state") } else { false } })
        try await next.sync(animals, page(3...5, round: 3))
        #expect(try await next.publish().sent["animals"]?.isMade == false)
    }

    @Test(arguments: [false, true])
    func `books that are further than the file has been have tables made again once`(isUsed: Bool) async throws {
        try await file.sync(.zoo("birds"), page(1...3))
        try await file.publish()
        try await database.connection.executeScript(
            """
            UPDATE _garner.tables SET position = 99999999 WHERE name = 'animals';
            UPDATE _garner.files SET runs_position = 99999999
            """)
        if isUsed {
            // As a file is that has believed them.
            try await file.writer.confirm(
                99_999_999, [StreamID(1)], asOf: Timestamp(millisecondsSince1970: 1_769_846_700_000))
        }
        let next = try await file.reopened()
        try await next.sync(animals, page(3...9, round: 2))
        let report = try await next.publish()
        #expect(report.sent["animals"]?.isMade == true && report.sent["birds"] == nil)
        #expect(try await next.publish().batches == 0)
        #expect(try await database.texts("SELECT max(position) < 99999999 FROM _garner.tables") == [["true"]])
        #expect(try await database.texts("SELECT count(*) FROM _garner.runs") == [["3"]])
        let last = try await next.reopened()
        #expect(try await last.publish().batches == 0)
        try await last.sync(animals, page(3...5, round: 3))
        #expect(try await last.publish().sent["animals"]?.isMade == false)
    }

    @Test func `a new server gets all tables`() async throws {
        let next = try await file.reopened(on: try await TestDatabase())
        #expect(try await next.publish().sent["animals"] == .init(inserted: 5, isMade: true))
        // And the first one again.
        let last = try await next.reopened(on: database)
        try await last.sync(animals, page(1...6))
        try await last.publish()
    }

    // MARK: - Before it goes on

    @Test func `an examination tells of tables, types and rows, and changes nothing`() async throws {
        let found = try await PublicationExamination(
            of: Publisher.Target(url: database.url), path: file.path, countsRows: true)
        #expect(found.problems == [] && found.server.hasPrefix("PostgreSQL "))
        let table = try #require(found.tables.first)
        #expect(table.isThere && table.place == #""public"."animals""# && table.rows == 5 && table.rowsInFile == 5)
        #expect(table.columns.contains("weight double precision"))
        let other = try await TestDatabase()
        let first = try await PublicationExamination(of: Publisher.Target(url: other.url), path: file.path)
        #expect(first.tables.map(\.isThere) == [false])
        #expect(try await other.texts("SELECT to_regnamespace('_garner') IS NULL") == [["true"]])
    }

    @Test func `an examination names the table that is locked, and counts the others`() async throws {
        try await file.sync(.zoo("birds"), page(1...3))
        try await file.publish()
        let holder = try await database.connect()
        try await holder.executeScript("BEGIN; LOCK TABLE animals IN ACCESS EXCLUSIVE MODE")
        let found = try await PublicationExamination(
            of: Publisher.Target(url: database.url), path: file.path, countsRows: true)
        #expect(found.problems == [] && found.tables.map(\.rows) == [nil, 3])
        let lock = try #require(found.tables.first?.lock)
        #expect(lock.contains("SELECT pg_terminate_backend(\(holder.processID))"), "\(lock)")
        try await holder.executeScript("ALTER TABLE animals ADD COLUMN mine text; COMMIT; BEGIN; LOCK TABLE animals")
        let error = await publicationError {
            _ = try await RemakeExamination(of: ["animals"], Publisher.Target(url: database.url), path: file.path)
        }
        let words = error?.message ?? ""
        #expect(
            words.hasPrefix(#""public"."animals": somebody's"#) && words.hasSuffix("(\(holder.processID))"), "\(words)")
        try await holder.executeScript("ROLLBACK")
    }

    @Test func `whoever makes tables again is told of types that change, and of who publishes`() async throws {
        func look(_ names: [String] = ["animals"], at path: String) async throws -> RemakeExamination {
            try await RemakeExamination(of: names, Publisher.Target(url: database.url), path: path)
        }
        #expect(try await look(at: file.path).changes == [])
        try await file.sync(animals, #"[{"id":1,"name":"2026-01-31T08:00:00Z","weight":1.5}]"#)
        try await file.publish()
        #expect(try await look(at: file.path).changes == ["animals.name from text to timestamptz"])
        let copy = try file.copy()
        #expect(try await look([], at: file.path).refusal == nil)
        #expect(try await look([], at: copy).refusal?.contains("a copy of this file is published on ") == true)
        await #expect(throws: PersistenceError.self) { try await look(["animls"], at: file.path) }
        #expect(throws: PersistenceError.self) {
            try RemakeExamination.requireTables(["animls"], of: Publisher.Target(url: database.url), path: file.path)
        }
    }

    @Test func `a refusal is noted in the file until publishing goes on`() async throws {
        let copy = try PublishedFile(database, at: file.copy(), in: file.folder)
        let status = try ReadOnlyDatabase(path: copy.path)
        _ = await copy.publisher.publish()
        #expect(try status.publicationStatus()?.refusal?.contains("a copy of this file is published") == true)
        #expect(try await copy.publisher.make([], takesOver: true).failure == nil)
        #expect(try status.publicationStatus()?.refusal == nil)
    }

    @Test func `an examination names missing rights with lines that give them`() async throws {
        let other = try await TestDatabase()
        let role = try await other.makeRole()
        try await other.connection.executeScript("REVOKE CREATE ON SCHEMA public FROM public")
        let target = Publisher.Target(url: try other.url(of: role))
        let found = try await PublicationExamination(of: target, path: file.path)
        #expect(found.problems.count == 2)
        for problem in found.problems {
            let line = try #require(problem.hint?.split(separator: "run: ").last)
            try await other.connection.executeScript(String(line))
        }
        #expect(try await PublicationExamination(of: target, path: file.path).problems == [])
        try await other.connection.executeScript("ALTER ROLE \(role) SET default_transaction_read_only = on")
        let reading = try #require(try await PublicationExamination(of: target, path: file.path).problems.first)
        #expect(reading.message.contains("default_transaction_read_only is on"))
        let line = try #require(reading.hint?.split(separator: "run: ").last)
        try await other.connection.executeScript(String(line))
        #expect(try await PublicationExamination(of: target, path: file.path).problems == [])
    }

    @Test func `a database that is only read has the line that ends that`() async throws {
        let other = try await TestDatabase()
        try await other.connection.executeScript(
            "ALTER DATABASE \(other.name) SET default_transaction_read_only = on")
        let new = try PublishedFile(other)
        try await new.sync(.zoo("animals"), page(1...2))
        let failure = await new.publisher.publish().failure
        #expect(failure?.category == .misconfigured)
        #expect(failure?.message.contains("default_transaction_read_only is on") == true)
        guard case .text(let hint)? = failure?.hint else {
            Issue.record("no hint")
            return
        }
        let line = try #require("\(hint)".split(separator: "run: ").last)
        try await other.connection.executeScript(String(line))
        try await new.publish()
    }

    @Test(arguments: ["version", "files", "tables", "runs"])
    func `row-level security of the schema is told with the line that ends that`(table: String) async throws {
        let other = try await TestDatabase()
        let role = try await other.makeRole()
        try await other.connection.executeScript(
            "GRANT CREATE ON DATABASE \(other.name) TO \(role); GRANT ALL ON SCHEMA public TO \(role)")
        let theirs = try PublishedFile(other, user: role)
        try await theirs.sync(animals, page(1...5))
        try await theirs.publish()
        try await other.connection.executeScript(
            """
            ALTER TABLE _garner.\(table) ENABLE ROW LEVEL SECURITY; ALTER TABLE _garner.\(table) FORCE ROW LEVEL SECURITY
            """)
        // Whoever is connected sees that the tables have gone.
        if table != "tables" { await theirs.publisher.disconnect() }
        try await theirs.sync(animals, page(3...8, round: 2))
        let failure = await theirs.publisher.publish(patience: .nanoseconds(1)).failure
        #expect(failure?.category == .misconfigured)
        let line = "ALTER TABLE _garner.\(table) NO FORCE ROW LEVEL SECURITY"
        #expect(failure?.hint == .text("Have its owner run: \(line)"))
        try await other.connection.executeScript(line)
        try await theirs.publish()
    }

    @Test func `a schema that somebody else owns takes what is missing, with the rights that the hint gives`()
        async throws
    {
        let other = try await TestDatabase()
        let role = try await other.makeRole()
        try await other.connection.executeScript("CREATE SCHEMA _garner; GRANT ALL ON SCHEMA public TO \(role)")
        let new = try PublishedFile(other, user: role)
        try await new.sync(animals, page(1...5))
        guard case .text(let hint)? = await new.publisher.publish().failure?.hint else {
            Issue.record("no hint")
            return
        }
        let line = try #require("\(hint)".split(separator: "run: ").last)
        try await other.connection.executeScript(String(line))
        try await new.publish()
        try await other.connection.executeScript(
            """
            DROP TABLE _garner.runs; ALTER TABLE _garner.tables OWNER TO garner; GRANT ALL ON _garner.tables TO \(role)
            """)
        await new.publisher.disconnect()
        try await new.publish()
        #expect(try await other.texts("SELECT count(*) FROM _garner.runs") == [["1"]])
    }

    @Test(arguments: [
        "ALTER SYSTEM SET default_transaction_read_only = on", "ALTER ROLE ALL SET default_transaction_read_only = on",
    ])
    func `a server that is only read has the line that ends that`(sql: String) async throws {
        let cluster = try await PostgresCluster.start()
        let other = try await TestDatabase(on: cluster)
        let role = try await other.makeRole()
        try await other.connection.execute(sql)
        try await other.connection.execute("SELECT pg_reload_conf()")
        // The server reads its files in a moment.
        while try await other.connect().execute("SHOW default_transaction_read_only").value?.text != "on" {
            try await Task.sleep(for: .milliseconds(20))
        }
        for user in [PostgresCluster.superuser, role] {
            let target = Publisher.Target(url: try other.url(of: user))
            let problem = try #require(try await PublicationExamination(of: target, path: nil).problems.last)
            #expect(problem.message == "\(user) only reads here: default_transaction_read_only is on")
            let hint = try #require(problem.hint)
            #expect(hint.contains("pg_settings.sourcefile") == (user == role && sql.contains("SYSTEM")), "\(hint)")
            guard user == role, let line = hint.split(separator: "run: ").last else { continue }
            // One after the other, as ALTER SYSTEM asks for it.
            let own = try await other.connect()
            for statement in line.split(separator: "; ") { try await own.execute(String(statement)) }
            while try await other.connect().execute("SHOW default_transaction_read_only").value?.text == "on" {
                try await Task.sleep(for: .milliseconds(20))
            }
            let able = Publisher.Target(url: try other.url)
            #expect(try await PublicationExamination(of: able, path: nil).problems == [])
        }
    }

    @Test func `each right that is missing has its line, whatever looks for it`() async throws {
        let role = try await database.makeRole()
        try await database.connection.executeScript(
            """
            REVOKE CONNECT ON DATABASE \(database.name) FROM public; GRANT ALL ON SCHEMA public, _garner TO \(role);
            GRANT ALL ON ALL TABLES IN SCHEMA _garner TO \(role)
            """)
        let target = Publisher.Target(url: try database.url(of: role))
        let refused = await publicationError { _ = try await PublicationExamination(of: target, path: file.path) }
        #expect(refused?.kind == .refused)
        let line = try #require(refused?.hint?.split(separator: "run: ").last)
        try await database.connection.executeScript(String(line))
        let tables = try await database.texts("SELECT quote_ident(name) FROM _garner.tables")
        let found = try await PublicationExamination(of: target, path: file.path, countsRows: true)
        #expect(found.problems.count == tables.count)
        // The command asks nothing, and then names it as a sync does.
        let first = try #require(tables.first)
        let names = first.compactMap(\.self)
        #expect(try await RemakeExamination(of: names, target, path: file.path).changes == [])
        for problem in found.problems {
            let line = try #require(problem.message.split(separator: "run: ").last)
            try await database.connection.executeScript(String(line))
        }
        #expect(try await PublicationExamination(of: target, path: file.path, countsRows: true).problems == [])
    }

    @Test func `an examination names a table that is another's`() async throws {
        let other = try await TestDatabase()
        try await other.connection.executeScript("CREATE TABLE animals (id bigint)")
        let found = try await PublicationExamination(of: Publisher.Target(url: other.url), path: file.path)
        #expect(found.problems.map(\.message).first?.contains("Garner has not made it") == true)
    }
}
