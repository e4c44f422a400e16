import Foundation
import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPostgres
import Testing

@testable import GarnerPublish

/// What users do to the columns, keys, triggers and policies of published tables. Each line that a reason has for it is run, and
/// mends it.
extension TroubleTests {
    struct Change: Sendable, CustomStringConvertible {
        let sql: String
        let reason: String
        var description: String { sql }

        init(_ sql: String, _ reason: String) { (self.sql, self.reason) = (sql, reason) }

        /// A trigger of `animals` with this body.
        static func trigger(_ when: String, _ body: String, _ reason: String) -> Change {
            Change(
                """
                CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(body) END $$;
                CREATE TRIGGER "My trigger" BEFORE \(when) ON animals FOR EACH ROW EXECUTE FUNCTION f()
                """, reason)
        }
    }

    static let changes = [
        Change("ALTER TABLE animals ALTER weight TYPE bigint", #""weight": it is bigint, and has to be double"#),
        Change("ALTER TABLE animals ALTER weight TYPE real", #""weight": it is real, and has to be double"#),
        Change("ALTER TABLE animals ALTER weight TYPE numeric(4,0)", #""weight": it is numeric(4,0), and"#),
        Change("ALTER TABLE animals ALTER name TYPE varchar(100)", #""name": it is character varying(100), and"#),
        Change("ALTER TABLE animals ALTER born TYPE timestamp", #""born": it is timestamp without time zone, and"#),
        Change("ALTER TABLE animals ALTER id TYPE text", #""id": it is text, and has to be bigint"#),
        Change("ALTER TABLE animals ALTER _garner_rest TYPE text", #""_garner_rest": it is text, and has to be jsonb"#),
        Change("ALTER TABLE animals DROP COLUMN weight", #"column "weight""#),
        Change("ALTER TABLE animals RENAME id TO pk", #"has no column "id""#),
        Change(
            """
            ALTER TABLE animals DROP weight, ADD own bigint GENERATED ALWAYS AS (id) STORED,
                ADD weight double precision GENERATED ALWAYS AS (id) STORED
            """, #"values of published columns: "weight". To"#),
        Change(
            "CREATE RULE mine AS ON DELETE TO animals DO INSTEAD NOTHING", "a trigger or rule of yours leaves out rows"),
        // It counts as many rows.
        Change(
            """
            CREATE TABLE other AS SELECT generate_series(1, 20)::bigint AS number;
            CREATE RULE mine AS ON DELETE TO animals DO INSTEAD DELETE FROM other WHERE number = old.id
            """, "a trigger or rule of yours leaves out rows"),
        Change(
            """
            CREATE TABLE many (LIKE animals) PARTITION BY RANGE (id);
            ALTER TABLE many ATTACH PARTITION animals FOR VALUES FROM (1) TO (9)
            """, "have to fit another table of yours"),
        Change(
            "ALTER TABLE animals DROP CONSTRAINT animals_pkey; CREATE PUBLICATION p FOR TABLE animals",
            "a publication of yours tells its changes"),
        Change("CREATE PUBLICATION p FOR TABLE animals WHERE (weight < 3)", "a publication of yours tells its changes"),
        .trigger("INSERT", "RETURN NULL;", "a trigger or rule of yours leaves out rows"),
        .trigger("DELETE", "RETURN NULL;", "a trigger or rule of yours leaves out rows"),
        .trigger("INSERT OR UPDATE", "RAISE 'no %', new.name;", "error of its own (SQLSTATE P0001)"),
        .trigger(
            "INSERT OR UPDATE", "RAISE 'no %', new.name USING ERRCODE = '23514';", "error of its own (SQLSTATE 23514)"),
    ]

    @Test(arguments: changes)
    func `what a user changes puts its table behind, and the line of the reason mends it`(change: Change) async throws {
        let born = page(1...6).replacing("}", with: #","born":"2026-01-31T08:00:00Z"}"#)
        try await file.sync(animals, born)
        try await file.publish()
        try await database.connection.executeScript(change.sql)
        try await self.file.sync(
            animals, born.replacing(" 1\"", with: " 2\"").replacing(#""id":1,"#, with: #""id":9,"#))
        let reason = try await expectBehind(change.reason)
        #expect(!reason.contains("animal "), "\(reason)")
        try await follow(reason)
        try await expectCaughtUp()
        #expect(
            try await database.texts("SELECT pg_typeof(born), weight FROM animals WHERE id = 9") == [
                ["timestamp with time zone", "1.5"]
            ])
    }

    @Test(arguments: [
        ("ADD COLUMN twice bigint GENERATED ALWAYS AS (size * 2) STORED", "twice", "DROP COLUMN twice"),
        ("ADD CONSTRAINT small CHECK (size < 9)", "constraint small", "DROP CONSTRAINT small"),
    ])
    func `what uses a column whose type is to change is named`(change: String, words: String, line: String)
        async throws
    {
        let things = StreamConfiguration.zoo("things")
        try await file.sync(things, #"[{"id":1,"size":7}]"#)
        try await file.publish()
        try await database.connection.executeScript("ALTER TABLE things \(change)")
        try await file.sync(things, #"[{"id":1,"size":"large"}]"#)
        #expect(await file.publisher.publish().behind == [:])
        let reason = try #require(try await file.publisher.make(["things"]).behind["things"]?.reason)
        #expect(reason.contains("A column whose type is to change is used by: ") && reason.contains(words), "\(reason)")
        try await database.connection.executeScript("ALTER TABLE things \(line)")
        try await follow(reason)
        #expect(try await database.texts("SELECT size FROM things") == [["large"]])
    }

    @Test func `a key that has gone with its column is there again once the table is made again`() async throws {
        try await database.connection.executeScript("ALTER TABLE animals DROP COLUMN id")
        try await change()
        try await follow(try await expectBehind(#"column t.id does not exist"#))
        #expect(
            try await database.texts(
                "SELECT conname FROM pg_constraint WHERE contype = 'p' AND conrelid = 'animals'::regclass") == [
                    ["animals_pkey"]
                ])
        try await expectCaughtUp()
    }

    @Test(arguments: [
        """
        CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.id := new.id + 1000; RETURN new; END $$;
        CREATE TRIGGER mine BEFORE INSERT ON animals FOR EACH ROW EXECUTE FUNCTION f()
        """,
        "CREATE RULE mine AS ON UPDATE TO animals DO INSTEAD SELECT 1",
        """
        CREATE TABLE other AS SELECT generate_series(1, 20)::bigint AS number, ''::text AS word;
        CREATE RULE mine AS ON UPDATE TO animals DO INSTEAD UPDATE other SET word = new.name WHERE number = old.id
        """,
    ])
    func `what changes keys, or has rows changed elsewhere, is named when a table is made again for it`(sql: String)
        async throws
    {
        try await database.connection.executeScript(sql)
        try await change()
        #expect(await file.publisher.publish().failure == nil)
        try await change(round: 3)
        let report = await file.publisher.publish()
        #expect(report.sent["animals"]?.isMade == true, "\(report)")
        let warning = try #require(report.warnings.first)
        #expect(warning.contains("a trigger or rule of yours may change keys"), "\(warning)")
        try await follow(warning)
        // The rows are those of the trigger still.
        #expect(try await file.publisher.make(["animals"]).behind == [:])
        try await file.expectEqual()
        try await change(round: 4)
        let last = try await file.publish()
        #expect(last.sent["animals"]?.isMade == false && last.warnings == [])
    }

    @Test func `a trigger on events that refuses a new column has the line that disables it`() async throws {
        try await database.connection.executeScript(
            """
            CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'ask us first'; END $$;
            CREATE EVENT TRIGGER "No changes" ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION f()
            """)
        try await file.sync(animals, page(1...5).replacing("}", with: #","extra":1}"#))
        let reason = try await expectBehind("error of its own (SQLSTATE P0001)")
        #expect(
            reason.hasSuffix(#"To go on without "No changes": ALTER EVENT TRIGGER "No changes" DISABLE"#), "\(reason)")
        try await follow(reason)
        try await expectCaughtUp()
    }

    @Test func `a row of somebody's with a key that comes is removed, also where the key waits for the end`()
        async throws
    {
        for table in ["animals", "birds"] {
            try await database.connection.executeScript(
                """
                ALTER TABLE \(table) DROP CONSTRAINT \(table)_pkey; ALTER TABLE \(table) ADD PRIMARY KEY (id) DEFERRABLE;
                INSERT INTO \(table) (id) VALUES (7)
                """)
        }
        try await change()
        let report = try await file.publish()
        #expect(report.sent["animals"]?.isMade == true && report.sent["birds"]?.isMade == true)
        #expect(report.warnings.count == 2, "\(report)")
        try await change(round: 3)
        #expect(try await file.publish().sent["animals"] == .init(updated: 6))
    }

    @Test func `a column of numbers that counts by itself has the line that ends that`() async throws {
        let things = StreamConfiguration.zoo("things")
        try await file.sync(things, #"[{"id":1,"size":7}]"#)
        try await file.publish()
        try await database.connection.executeScript(
            "ALTER TABLE things ALTER size SET NOT NULL, ALTER size ADD GENERATED ALWAYS AS IDENTITY")
        try await file.sync(things, #"[{"id":1,"size":8}]"#)
        let reason = try #require(await file.publisher.publish().behind["things"]?.reason)
        #expect(reason.contains(#"values of published columns: "size""#), "\(reason)")
        try await follow(reason)
        try await expectCaughtUp()
    }

    /// Does what the end of a reason says.
    func follow(_ reason: String) async throws {
        let line = try #require(reason.range(of: ": ", options: .backwards).map { String(reason[$0.upperBound...]) })
        if line.hasPrefix("garner publish ") {
            #expect(
                try await file.publisher.make(line.split(separator: " ").dropFirst(2).map(String.init)).behind == [:])
        } else {
            try await database.connection.executeScript(line)
        }
    }

    @Test func `a table that cannot be made again goes on as before`() async throws {
        try await database.connection.executeScript(
            "CREATE TABLE visits (animal bigint REFERENCES animals); INSERT INTO visits VALUES (3)")
        let report = try await file.publisher.make(["animals"])
        #expect(report.behind["animals"]?.reason.contains("violates foreign key constraint") == true)
        #expect(try await database.texts("SELECT name FROM _garner.tables WHERE behind_since IS NOT NULL") == [])
        try await change()
        #expect(try await file.publish().sent["animals"]?.isMade == false)
    }

    @Test func `rows of a table that inherits from a published one are somebody's`() async throws {
        try await database.connection.executeScript(
            """
            CREATE TABLE mine (extra text) INHERITS (animals);
            INSERT INTO mine (id, name) VALUES (1, 'mine'), (4, 'mine'), (7, 'mine'), (99, 'mine')
            """)
        func expectMine() async throws {
            #expect(try await database.texts("SELECT count(*) FROM mine WHERE name = 'mine'") == [["4"]])
            #expect(try await database.texts("SELECT count(*) FROM ONLY animals WHERE name = 'mine'") == [["0"]])
        }
        // Rows 1 and 2 are deleted, 3 to 5 updated, 6 to 8 copied.
        try await change()
        let report = await file.publisher.publish()
        #expect(report.behind == [:] && report.sent["animals"] == .init(inserted: 3, updated: 3, deleted: 2))
        try await expectMine()
        #expect(try await file.publisher.make(["animals"]).sent["animals"] == .init(inserted: 6, isMade: true))
        try await expectMine()
        let found = try await PublicationExamination(
            of: Publisher.Target(url: database.url), path: file.path, countsRows: true)
        #expect(found.tables.filter { $0.name == "animals" }.map(\.rows) == [6])
        // A column that would get another type there, too, stays until the line is pasted.
        try await file.sync(animals, #"[{"id":1,"name":"2026-01-31T08:00:00Z","weight":1.5}]"#)
        #expect(await file.publisher.publish().behind == [:])
        let reason = try #require(try await file.publisher.make(["animals"]).behind["animals"]?.reason)
        try await follow(reason)
        #expect(try await file.publisher.make(["animals"]).behind == [:])
        #expect(
            try await database.texts(
                "SELECT DISTINCT name::text, pg_typeof((SELECT name FROM animals LIMIT 1)) FROM mine") == [
                    ["mine", "timestamp with time zone"]
                ])
    }

    @Test(arguments: ["quote_all_identifiers = on", "search_path = odd, pg_catalog, public", "search_path = ''"])
    func `odd settings of a role change nothing`(setting: String) async throws {
        try await database.connection.executeScript(
            """
            CREATE SCHEMA odd; CREATE DOMAIN odd.text AS bigint; CREATE VIEW odd.pg_class AS SELECT 1 AS oid;
            ALTER DATABASE \(database.name) SET \(setting)
            """)
        await file.publisher.disconnect()
        try await change()
        try await file.publish()
        #expect(try await file.publisher.make(["animals"]).behind == [:])
    }

    @Test func `a foreign key to a table that is made again has the line with which it stays`() async throws {
        try await database.connection.executeScript(
            "CREATE TABLE visits (animal bigint REFERENCES animals); INSERT INTO visits VALUES (3)")
        let reason = try #require(try await file.publisher.make(["animals"]).behind["animals"]?.reason)
        #expect(reason.hasPrefix("a row violates foreign key constraint"), "\(reason)")
        try await follow(reason)
        #expect(try await file.publisher.make(["animals"]).behind == [:])
        #expect(try await database.texts("SELECT animal FROM visits") == [["3"]])
        // A row that is gone is something else.
        try await file.sync(animals, page(4...5))
        let other = try await expectBehind("refer to rows that are to go")
        #expect(other.hasSuffix(#"DROP CONSTRAINT visits_animal_fkey"#), "\(other)")
        try await follow(other)
        try await expectCaughtUp()
    }

    @Test(arguments: ["", "CREATE POLICY p ON animals USING (id % 2 = 0) WITH CHECK (true)"])
    func `row-level security that holds for its owner, too, is named with the line that ends that`(policy: String)
        async throws
    {
        let role = try await database.makeRole()
        try await database.connection.executeScript(
            """
            CREATE SCHEMA theirs AUTHORIZATION \(role); GRANT USAGE, CREATE ON SCHEMA _garner TO \(role);
            GRANT ALL ON ALL TABLES IN SCHEMA _garner TO \(role)
            """)
        let theirs = try PublishedFile(database, user: role, schema: "theirs")
        try await theirs.sync(animals, page(1...5))
        #expect(await theirs.publisher.publish().failure == nil)
        try await database.connection.executeScript(
            """
            SET search_path = theirs;
            ALTER TABLE animals ENABLE ROW LEVEL SECURITY; ALTER TABLE animals FORCE ROW LEVEL SECURITY; \(policy)
            """)
        // A row that the policy hides is to be deleted, and then others are to come.
        for ids in [2...5, 3...8] {
            try await theirs.sync(animals, page(ids, round: ids.lowerBound - 1))
            let report = await theirs.publisher.publish(patience: .nanoseconds(1))
            let reason = try #require(report.behind["animals"]?.reason, "\(report)")
            #expect(reason.hasSuffix("NO FORCE ROW LEVEL SECURITY"), "\(reason)")
            #expect(try await theirs.publisher.make(["animals"]).behind["animals"]?.reason == reason)
        }
        let reason = try #require(await theirs.publisher.publish(patience: .nanoseconds(1)).behind["animals"]?.reason)
        try await follow(reason)
        #expect(await theirs.publisher.publish(patience: .nanoseconds(1)).behind == [:])
        #expect(try await database.texts("SELECT count(*) FROM theirs.animals") == [["6"]])
    }

    @Test func `the line that renames a column can be pasted from a terminal, whatever its name is`() async throws {
        try await database.connection.executeScript("ALTER TABLE animals ADD COLUMN \"new\nline\" bigint")
        try await file.sync(animals, page(1...5).replacing("}", with: #","new\nline":1}"#))
        let reason = try await expectBehind("a column of yours has the name of a new field")
        #expect(reason.contains(where: \.isNewline) == false, "\(reason)")
        try await follow(reason)
        try await expectCaughtUp()
    }

    @Test(arguments: ["bigint", "text"])
    func `a user's own column with the name of a new field stays, and has the line that renames it`(type: String)
        async throws
    {
        try await database.connection.executeScript(
            "ALTER TABLE animals ADD COLUMN extra \(type); UPDATE animals SET extra = '7'")
        try await file.sync(animals, page(1...5).replacing("}", with: #","extra":1}"#))
        for _ in 0..<2 {
            let reason = try await expectBehind("a column of yours has the name of a new field")
            #expect(try await file.publisher.make(["animals"]).behind["animals"]?.reason == reason)
        }
        try await follow(try await expectBehind("a column of yours"))
        try await expectCaughtUp()
        #expect(
            try await database.texts("SELECT DISTINCT extra, extra_own FROM animals ORDER BY 1") == [["1", "7"]])
    }

    @Test func `a column of a user's that loses its values is told before and after`() async throws {
        try await database.connection.executeScript(
            """
            ALTER TABLE animals ADD COLUMN remark text, ADD COLUMN unused text,
                ADD COLUMN twice bigint GENERATED ALWAYS AS (id * 2) STORED;
            UPDATE animals SET remark = 'mine'
            """)
        let target = Publisher.Target(url: try database.url)
        let found = try await RemakeExamination(of: ["animals", "birds"], target, path: file.path)
        #expect(found.changes == [] && found.losses == ["animals.remark"])
        // A change of single rows leaves the others as they are.
        try await change()
        #expect(try await file.publish().warnings == [])
        let report = try await file.publisher.make(["animals"])
        #expect(report.warnings.count == 1)
        #expect(report.warnings.first?.hasSuffix(#""remark", which you have added to it, lost its values"#) == true)
        #expect(try await RemakeExamination(of: ["animals"], target, path: file.path).losses == [])
    }

    @Test func `a trigger that keeps rows of a table that is made again is named`() async throws {
        let keep = Change.trigger("DELETE", "RETURN NULL;", "")
        try await database.connection.executeScript(keep.sql)
        let reason = try #require(try await file.publisher.make(["animals"]).behind["animals"]?.reason)
        #expect(reason.contains("leaves out rows"))
        try await follow(reason)
        #expect(try await file.publisher.make(["animals"]).behind == [:])
    }

    @Test func `a key that its column does not hold has the line that changes the column`() async throws {
        let texts = StreamConfiguration.zoo("texts")
        try await file.sync(texts, #"[{"id":1}]"#)
        try await file.publish()
        try await file.sync(texts, #"[{"id":1},{"id":"a1"}]"#)
        let reason = try #require(await file.publisher.publish().behind["texts"]?.reason)
        try await follow(reason)
        try await expectCaughtUp()
    }

    @Test func `keys that differ by a NUL only are told in words`() async throws {
        try await file.sync(.zoo("texts"), #"[{"id":"a\u0000"},{"id":"a\ufffd"}]"#)
        let reason = try #require(await file.publisher.publish().behind["texts"]?.reason)
        #expect(reason.hasPrefix("two of its keys are one in PostgreSQL"), "\(reason)")
        // A table that was never made is told once, too.
        for _ in 0..<2 { _ = await file.publisher.publish(patience: .nanoseconds(1)) }
        let told = PublicationEvent.behind(table: "texts", reason: reason)
        #expect(file.told.filter { $0 == told }.count == 1)
        try await file.sync(.zoo("texts"), #"[{"id":"a\u0000"}]"#)
        #expect(await file.publisher.publish(patience: .nanoseconds(1)).behind == [:])
        #expect(file.told.contains(.caughtUp(table: "texts")))
    }

    @Test(arguments: ["VIEW", "MATERIALIZED VIEW"])
    func `a view keeps the type of a column that is to change, and is named`(kind: String) async throws {
        let things = StreamConfiguration.zoo("things")
        try await file.sync(things, #"[{"id":1,"size":7},{"id":2,"size":8}]"#)
        try await file.publish()
        try await database.connection.executeScript(
            "CREATE \(kind) big AS SELECT id FROM things WHERE size > 7; CREATE \(kind) a AS SELECT * FROM big")
        try await file.sync(things, #"[{"id":1,"size":7.5},{"id":2,"size":8}]"#)
        let first = await file.publisher.publish()
        #expect(first.failure == nil && first.behind == [:])
        let refused = try await file.publisher.make(["things"])
        let reason = refused.behind["things"]?.reason ?? ""
        #expect(reason.contains("public.big"), "\(reason)")
        let line = try #require(reason.split(separator: "afterwards: ").last)
        try await database.connection.executeScript(String(line))
        #expect(try await file.publisher.make(["things"]).behind == [:])
        #expect(
            try await database.texts("SELECT id, size, pg_typeof(size) FROM things ORDER BY id") == [
                ["1", "7.5", "double precision"], ["2", "8", "double precision"],
            ])
    }
}
