import Foundation
import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import GarnerSQLite
import PostgresCluster
import TestSupport
import Testing

@testable import GarnerPublish

/// What befalls connections and single tables. After each, the tables have what the file has.
@Suite(.timeLimit(.minutes(2)))
struct TroubleTests {
    let database: TestDatabase
    let file: PublishedFile
    let animals = StreamConfiguration.zoo("animals")
    let birds = StreamConfiguration.zoo("birds")

    init() async throws {
        database = try await TestDatabase()
        file = try PublishedFile(database)
        try await file.sync(animals, page(1...5))
        try await file.sync(birds, page(1...5))
        try await file.publish()
    }

    /// Changes both streams.
    func change(round: Int = 2) async throws {
        try await file.sync(animals, page(3...8, round: round))
        try await file.sync(birds, page(3...8, round: round))
    }

    /// Publishes, and expects that this table is behind and the other one is not.
    func expectBehind(
        _ words: String, of table: String = "animals", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let report = await file.publisher.publish(patience: .nanoseconds(1))
        #expect(report.failure == nil, sourceLocation: sourceLocation)
        #expect(report.behind.keys.sorted() == [table], sourceLocation: sourceLocation)
        let reason = report.behind[table]?.reason ?? ""
        #expect(reason.contains(words), "\(reason)", sourceLocation: sourceLocation)
        try await file.expectEqual([table == "animals" ? "birds" : "animals"], sourceLocation: sourceLocation)
        let rows = try await database.texts(
            "SELECT name, behind_reason FROM _garner.tables WHERE behind_since IS NOT NULL")
        #expect(rows == [[table, reason]], sourceLocation: sourceLocation)
        return reason
    }

    /// Publishes all tables, whenever they are due.
    func expectCaughtUp(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let report = await file.publisher.publish(patience: .nanoseconds(1))
        #expect(report.failure == nil && report.behind == [:], "\(report)", sourceLocation: sourceLocation)
        try await file.expectEqual(sourceLocation: sourceLocation)
        let rows = try await database.texts("SELECT name FROM _garner.tables WHERE behind_since IS NOT NULL")
        #expect(rows == [], sourceLocation: sourceLocation)
    }

    /// Waits until the publisher's session waits for that, and returns the number of its process.
    private func session(waitingFor event: String) async throws -> Int64 {
        while true {
            let found = try await database.connection.execute(
                """
                SELECT pid::bigint FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND wait_event = $1
                """, .text(event))
            if case .integer(let pid)? = found.rows.first?.first { return pid }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test func `a session that ends within a transaction leaves nothing of it`() async throws {
        try await change()
        let holder = try await database.connect()
        try await holder.executeScript("BEGIN; LOCK TABLE birds IN EXCLUSIVE MODE")
        async let report = file.publisher.publish()
        let pid = try await session(waitingFor: "relation")
        try await database.connection.execute("SELECT pg_terminate_backend($1::bigint::int)", .integer(pid))
        #expect(await report.failure?.category == .unavailable)
        #expect(try await database.texts("SELECT count(*) FROM animals WHERE name LIKE '% 2'") == [["0"]])
        try await holder.executeScript("ROLLBACK")
        try await file.publish()
        #expect(file.told.last == .recovered)
    }

    @Test func `a session of before that waits for its rows is ended, and no other one`() async throws {
        try await change()
        let blocker = try await database.connect()
        try await blocker.executeScript("BEGIN; LOCK TABLE birds IN EXCLUSIVE MODE")
        async let report = file.publisher.publish()
        let pid = try await session(waitingFor: "relation")
        let marks = try await database.texts(
            "SELECT classid, objid FROM pg_locks WHERE locktype = 'advisory' AND pid = \(pid)")
        try await blocker.executeScript("ROLLBACK")
        #expect(await report.failure == nil)
        // Such a session as a network leaves that fails within a COPY, and one of another file.
        let (id, fence) = (try await database.texts("SELECT file FROM _garner.files"), await file.publisher.fence)
        let uuid = try #require((id.first?.first ?? nil).flatMap { PostgresUUID($0) })
        let (former, other) = (try await database.connect(as: "garner"), try await database.connect(as: "garner"))
        for (connection, mark) in [(former, fence.mark(of: uuid)), (other, 7)] {
            try await connection.executeScript("BEGIN; SELECT pg_advisory_xact_lock_shared('\(mark)'::bigint)")
        }
        let held = try await database.texts(
            "SELECT classid, objid FROM pg_locks WHERE locktype = 'advisory' AND pid = \(former.processID)")
        #expect(marks == held && held.count == 1)
        try await former.execute("UPDATE _garner.files SET seen_at = seen_at")
        await file.publisher.disconnect()
        try await change(round: 3)
        try await file.publish()
        #expect(
            file.told.contains {
                if case .warning(let words) = $0 { words.hasSuffix("process \(former.processID)") } else { false }
            })
        await #expect(throws: PostgresError.self) { try await former.execute("SELECT 1") }
        try await other.executeScript("COMMIT")
    }

    @Test func `whoever waits sees the connection come back`() async throws {
        try await change()
        let holder = try await database.connect()
        try await holder.executeScript("BEGIN; LOCK TABLE birds IN EXCLUSIVE MODE")
        async let report = file.publisher.publish(patience: .seconds(30))
        let pid = try await session(waitingFor: "relation")
        try await holder.executeScript("ROLLBACK")
        try await database.connection.execute("SELECT pg_terminate_backend($1::bigint::int)", .integer(pid))
        #expect(await report.failure == nil)
        try await file.expectEqual()
    }

    @Test func `a locked table is behind, and others are not`() async throws {
        try await change()
        let holder = try await database.connect()
        try await holder.executeScript("BEGIN; LOCK TABLE animals IN SHARE MODE")
        _ = try await expectBehind("somebody's transaction has locked it")
        try await change(round: 3)
        // It is not tried again before its time.
        let report = await file.publisher.publish()
        #expect(report.sent.keys.sorted() == ["birds"])
        try await holder.executeScript("ROLLBACK")
        try await expectCaughtUp()
        #expect(file.told.suffix(1) == [.caughtUp(table: "animals")])
    }

    @Test(arguments: [
        "LOCK TABLE animals IN SHARE MODE", "SELECT FROM animals FOR UPDATE", "SELECT FROM _garner.files FOR UPDATE",
    ])
    func `whoever has locked something is named, with the line that ends it`(statement: String) async throws {
        try await change()
        // Neither a reader nor who waits is in the way.
        let reader = try await database.connect()
        try await reader.executeScript("BEGIN; SELECT FROM animals, _garner.files")
        let holder = try await database.connect()
        try await holder.executeScript("BEGIN; \(statement)")
        let report = await file.publisher.publish(patience: .nanoseconds(1))
        let words = try #require(report.failure?.message ?? report.behind["animals"]?.reason)
        #expect(
            words.contains(": process \(holder.processID) of \(PostgresCluster.superuser) (garner), since 2"),
            "\(words)")
        let lines = words.split(separator: "To end it: ")
        #expect(lines.count == 2 && !words.contains("process \(reader.processID) "), "\(words)")
        try await database.connection.executeScript(String(try #require(lines.last)))
        try await expectCaughtUp()
    }

    @Test func `a batch waits for one locked table only, however many are locked`() async throws {
        let cows = StreamConfiguration.zoo("cows")
        try await file.sync(cows, page(1...2))
        try await file.publish()
        // It tells how long a statement of Garner's would wait: one on this table, and what comes at the end.
        try await database.connection.executeScript(
            """
            CREATE TABLE waits (most text);
            CREATE FUNCTION note_wait() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
                INSERT INTO public.waits VALUES (current_setting('lock_timeout')); RETURN NULL; END $$;
            CREATE TRIGGER now BEFORE UPDATE ON cows FOR EACH STATEMENT EXECUTE FUNCTION note_wait();
            CREATE CONSTRAINT TRIGGER later AFTER UPDATE ON cows DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION note_wait()
            """)
        let holder = try await database.connect()
        try await holder.executeScript("BEGIN; LOCK TABLE animals, birds IN SHARE MODE")
        for round in 2...3 {
            try await change(round: round)
            try await file.sync(cows, page(1...2, round: round))
            let report = await file.publisher.publish(patience: .nanoseconds(1))
            #expect(report.failure == nil && report.behind.keys.sorted() == ["animals", "birds"])
            try await file.expectEqual(["cows"])
        }
        #expect(try await database.texts("SELECT DISTINCT most FROM waits ORDER BY most") == [["20ms"], ["2s"]])
        try await holder.executeScript("ROLLBACK")
        try await expectCaughtUp()
    }

    @Test func `a dropped table is made again`() async throws {
        try await database.connection.executeScript("DROP TABLE animals")
        try await change()
        let report = try await file.publish()
        #expect(report.sent["animals"]?.isMade == true && report.sent["birds"]?.isMade == false)
        #expect(report.warnings == [#"the table "public"."animals" was dropped; it is made again"#])
    }

    @Test func `a table whose rows have another key is made again once it is dropped`() async throws {
        try await file.writer.maintaining { connection in
            try connection.execute("DROP TABLE animals")
            return ((), [1])
        }
        try await file.sync(.zoo("animals", key: ["name"]), page(1...3))
        let reason = try await expectBehind("the key of its rows is another one now")
        let line = try #require(reason.range(of: "drop it: ").map { String(reason[$0.upperBound...]) })
        try await database.connection.executeScript(line)
        try await expectCaughtUp()
        try await file.sync(.zoo("animals", key: ["name"]), page(2...4))
        try await file.publish()
    }

    @Test func `a column that somebody has dropped in the file keeps no table back`() async throws {
        try await file.writer.maintaining { connection in
            try connection.execute("ALTER TABLE animals DROP COLUMN weight")
            try connection.execute("UPDATE animals SET name = 'a'")
            return ((), [])
        }
        try await file.sync(birds, page(3...9))
        try await file.publish()
    }

    @Test func `a batch that takes long leaves the log to those who store rows`() async throws {
        let crowded = try PublishedFile(database, walLimits: WALLimits(maximum: 1 << 20))
        try await crowded.sync(.zoo("cows"), page(1...5))
        try await crowded.publish()
        try await crowded.sync(.zoo("cows"), page(1...6))
        let holder = try await database.connect()
        try await holder.executeScript("BEGIN; LOCK TABLE cows IN EXCLUSIVE MODE")
        async let report = crowded.publisher.publish()
        _ = try await session(waitingFor: "relation")
        let text = String(repeating: "x", count: 10_000)
        try await crowded.sync(
            .zoo("doves"), "[\((1...150).map { #"{"id":\#($0),"name":"\#(text)"}"# }.joined(separator: ","))]")
        try await holder.executeScript("ROLLBACK")
        let failure = await report.failure
        #expect(failure?.category == .unavailable && failure?.message.contains("write-ahead log") == true)
        // The log does not grow any more, however long it is.
        try await crowded.publish()
    }

    @Test func `rows that somebody changed are found out, and the table is made again`() async throws {
        try await database.connection.executeScript(
            "DELETE FROM animals WHERE id = 4; INSERT INTO birds (id) VALUES (7)")
        try await change()
        let report = try await file.publish()
        #expect(report.sent["animals"]?.isMade == true && report.sent["birds"]?.isMade == true)
        #expect(report.warnings.count == 2)
        #expect(
            report.warnings.allSatisfy { $0.contains("had other rows than were sent, since somebody") }, "\(report)")
    }

    @Test(arguments: [
        "ALTER TABLE animals OWNER TO garner; REVOKE ALL ON animals FROM ROLE",
        "DROP TABLE animals; REVOKE CREATE ON SCHEMA public FROM ROLE, public",
    ])
    func `a missing right is named with the line that gives it`(cause: String) async throws {
        let role = try await database.makeRole()
        try await database.connection.executeScript(
            "GRANT CREATE ON DATABASE \(database.name) TO \(role); GRANT ALL ON SCHEMA public TO \(role)")
        await file.close()
        try await database.connection.executeScript("DROP SCHEMA _garner CASCADE; DROP TABLE animals, birds")
        let next = try PublishedFile(database, at: file.path, in: file.folder, user: role)
        try await next.publish()
        try await database.connection.executeScript(cause.replacing("ROLE", with: role))
        try await next.sync(animals, page(3...8, round: 2))
        try await next.sync(birds, page(3...8, round: 2))
        let report = await next.publisher.publish()
        let reason = report.behind["animals"]?.reason ?? ""
        #expect(report.failure == nil && report.sent.keys.sorted() == ["birds"])
        let line = try #require(reason.split(separator: "run: ").last)
        try await database.connection.executeScript(String(line))
        #expect(await next.publisher.publish(patience: .nanoseconds(1)).behind == [:])
        try await next.expectEqual()
    }

    @Test func `a foreign key of a user keeps its table behind`() async throws {
        try await database.connection.executeScript(
            "CREATE TABLE visits (animal bigint REFERENCES animals); INSERT INTO visits VALUES (1), (3)")
        try await change()
        _ = try await expectBehind("violates foreign key constraint")
        try await database.connection.executeScript("DELETE FROM visits WHERE animal = 1")
        try await expectCaughtUp()
    }

    @Test func `rows of a user that would go with those of a table are kept`() async throws {
        try await database.connection.executeScript(
            "CREATE TABLE visits (animal bigint REFERENCES animals ON DELETE CASCADE); INSERT INTO visits VALUES (3)")
        let report = try await file.publisher.make(["animals"])
        let reason = try #require(report.behind["animals"]?.reason)
        #expect(try await database.texts("SELECT animal::text FROM visits") == [["3"]])
        let line = try #require(reason.firstRange(of: "ALTER TABLE").map { String(reason[$0.lowerBound...]) })
        try await database.connection.executeScript(line)
        #expect(try await file.publisher.make(["animals"]).behind.isEmpty)
        try await file.expectEqual()
    }

    @Test func `a foreign key that waits for the end of the transaction may lead from table to table`() async throws {
        try await database.connection.executeScript(
            "ALTER TABLE animals ADD FOREIGN KEY (id) REFERENCES birds DEFERRABLE")
        try await change()
        try await file.publish()
        // A row that it refuses at the end is found, too.
        try await file.sync(animals, page(3...9, round: 3))
        try await file.sync(birds, page(3...8, round: 3))
        _ = try await expectBehind("violates foreign key constraint")
        try await file.sync(birds, page(3...9, round: 4))
        try await expectCaughtUp()
    }

    @Test func `a foreign key that does not hold at the end keeps only its own table behind`() async throws {
        let fish = StreamConfiguration.zoo("fish")
        try await file.sync(fish, page(1...5))
        try await file.publish()
        // That of animals, which are sent before birds, holds; that of somebody's table does not.
        try await database.connection.executeScript(
            """
            ALTER TABLE animals ADD FOREIGN KEY (id) REFERENCES birds DEFERRABLE;
            CREATE TABLE ponds (fish bigint REFERENCES fish DEFERRABLE); INSERT INTO ponds VALUES (1)
            """)
        for round in 2..<4 {
            try await file.sync(animals, page(3...(7 + round), round: round))
            try await file.sync(birds, page(3...(7 + round), round: round))
            try await file.sync(fish, page(3...8, round: round))
            let reason = try await expectBehind("refer to rows that are to go", of: "fish")
            #expect(reason.hasSuffix(#"ALTER TABLE public.ponds DROP CONSTRAINT ponds_fish_fkey"#), "\(reason)")
            try await file.expectEqual(["animals", "birds"])
        }
        try await database.connection.executeScript("DELETE FROM ponds")
        try await expectCaughtUp()
    }

    @Test func `rows that go although another published table refers to them keep theirs behind`() async throws {
        try await database.connection.executeScript(
            "ALTER TABLE animals ADD FOREIGN KEY (id) REFERENCES birds DEFERRABLE")
        try await file.sync(birds, page(3...8, round: 2))
        // The other table has changes, too, which fit.
        try await file.sync(animals, page(1...5, round: 2))
        _ = try await expectBehind("violates foreign key constraint", of: "birds")
        try await file.sync(animals, page(3...5, round: 3))
        try await expectCaughtUp()
    }

    @Test func `a table to which a key leads that waits gets a column of another type, and new ones`() async throws {
        try await database.connection.executeScript(
            "ALTER TABLE animals ADD FOREIGN KEY (id) REFERENCES birds DEFERRABLE")
        try await file.sync(birds, page(1...5).replacing("}", with: #","size":1}"#))
        try await file.publish()
        try await file.sync(birds, page(1...5).replacing("}", with: #","size":1.5,"wings":2}"#))
        #expect(try await file.publisher.make(["birds"]).behind == [:])
        #expect(
            try await database.texts("SELECT DISTINCT size, pg_typeof(size), wings FROM birds") == [
                ["1.5", "double precision", "2"]
            ])
        try await file.expectEqual()
    }

    @Test func `an index that refuses a row has all rows written once in a while only`() async throws {
        let clock = ManualClock()
        let other = try PublishedFile(try await TestDatabase(), clock: clock)
        try await other.sync(animals, page(1...5))
        try await other.publish()
        // A sequence counts also what is taken back.
        try await other.database.connection.executeScript(
            """
            CREATE UNIQUE INDEX ON animals (weight); CREATE SEQUENCE tries;
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('tries'); RETURN NULL; END $$;
            CREATE TRIGGER mine BEFORE DELETE ON animals FOR EACH STATEMENT EXECUTE FUNCTION f()
            """)
        try await other.sync(animals, page(1...5).replacing(#"weight":2.5"#, with: #"weight":1.5"#))
        for attempt in 1...13 {
            let report = await other.publisher.publish()
            #expect(report.behind["animals"]?.reason.contains("animals_weight_idx") == true, "\(report)")
            let tries = try await other.database.texts("SELECT last_value FROM tries WHERE is_called")
            let expected: [[String?]] = [[attempt <= 12 ? "1" : "2"]]
            #expect(tries == expected)
            clock.advance(by: .seconds(301))
        }
        try await other.sync(animals, page(1...5).replacing(#"weight":2.5"#, with: #"weight":9.5"#))
        #expect(try await other.publish().sent["animals"] == .init(updated: 1))
    }

    @Test func `a check of a user keeps its table behind, and no value is shown`() async throws {
        try await database.connection.executeScript("ALTER TABLE birds ADD CHECK (weight < 8)")
        try await change()
        let reason = try await expectBehind("violates check constraint", of: "birds")
        #expect(!reason.contains("8.5"))
        try await database.connection.executeScript("ALTER TABLE birds DROP CONSTRAINT birds_weight_check")
        try await expectCaughtUp()
    }

    @Test func `a key that PostgreSQL cannot index keeps its table behind`() async throws {
        let long = StreamConfiguration.zoo("texts")
        try await file.sync(long, #"[{"id":"a"}]"#)
        try await file.publish()
        var random = SystemRandomNumberGenerator()
        let key = String(
            (0..<5000).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement(using: &random) ?? "a" })
        try await file.sync(long, #"[{"id":"a"},{"id":"\#(key)"}]"#)
        let report = await file.publisher.publish()
        #expect(report.failure == nil && report.behind.keys.sorted() == ["texts"])
        #expect(report.behind["texts"]?.reason.contains("longer than the 2,704 bytes") == true)
        try await file.sync(long, #"[{"id":"a"},{"id":"b"}]"#)
        try await expectCaughtUp()
    }

    @Test func `a column that somebody dropped comes back with the command`() async throws {
        try await database.connection.executeScript("ALTER TABLE animals DROP COLUMN weight")
        try await change()
        let reason = try await expectBehind(#"column "weight""#)
        #expect(reason.contains("garner publish"))
        #expect(try await file.publisher.make(["animals"]).behind == [:])
        try await expectCaughtUp()
    }

    @Test func `a server that is gone is told of once for each reason, and tried after a pause`() async throws {
        let cluster = try await PostgresCluster.start()
        let other = try PublishedFile(try await TestDatabase(on: cluster))
        try await other.sync(animals, page(1...3))
        try await other.publish()
        cluster.stop()
        try await other.sync(animals, page(1...4))
        let report = await other.publisher.publish()
        #expect(report.failure?.category == .unavailable)
        #expect(await other.publisher.publishIfDue() == nil)
        #expect(other.told.count == 1)
        // The connection is lost first, and then there is none.
        for _ in 0..<3 { _ = await other.publisher.publish() }
        #expect(other.told.count == 2)
    }

    /// The server commits and then waits for another machine, so the session's end leaves open whether it has committed.
    @Test(arguments: [false, true])
    func `a commit whose outcome is unknown is looked up`(hasLimit: Bool) async throws {
        let cluster = try await PostgresCluster.start()
        let database = try await TestDatabase(on: cluster)
        let file = try PublishedFile(database, answerLimit: hasLimit ? .seconds(2) : .seconds(60))
        try await file.sync(animals, page(1...5))
        try await file.publish()
        try await file.sync(animals, page(3...8, round: 2))
        try await database.connection.executeScript("SET synchronous_commit = local")
        try await database.connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try await database.connection.execute("SELECT pg_reload_conf()")
        // A commit of somebody else shows that the server has read the setting.
        let other = try await database.connect()
        async let probe: Void = { _ = try? await other.execute("CREATE TABLE probe ()") }()
        let waiting = try await Self.commit(waitingIn: database, but: 0)
        try await database.connection.execute("SELECT pg_cancel_backend($1::bigint::int)", .integer(waiting))
        await probe
        async let report = file.publisher.publish()
        // With a limit, it is nobody but the publisher who ends the session.
        if !hasLimit {
            let pid = try await Self.commit(waitingIn: database, but: waiting)
            try await database.connection.execute("SELECT pg_terminate_backend($1::bigint::int)", .integer(pid))
        }
        let failure = await report.failure
        #expect(failure?.category == .unavailable)
        if hasLimit {
            #expect(failure?.message.hasPrefix("PostgreSQL has not confirmed a COMMIT, no answer for 2 s: a") == true)
            #expect(try file.behindReasons() == [failure?.message])
        }
        try await database.connection.execute("ALTER SYSTEM RESET synchronous_standby_names")
        try await database.connection.execute("SELECT pg_reload_conf()")
        let before = try await database.texts("SELECT id, xmin FROM animals ORDER BY id")
        #expect(before.count == 6)
        try await file.publish()
        #expect(try file.behindReasons() == [])
        // Nothing was sent a second time.
        #expect(try await database.texts("SELECT id, xmin FROM animals ORDER BY id") == before)
    }

    /// Waits until a commit waits for another machine, and returns the number of its process.
    private static func commit(waitingIn database: TestDatabase, but other: Int64) async throws -> Int64 {
        while true {
            let found = try await database.connection.execute(
                "SELECT pid::bigint FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> $1", .integer(other))
            if case .integer(let pid)? = found.rows.first?.first { return pid }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
