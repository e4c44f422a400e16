import GarnerPostgres
import Testing

@testable import GarnerPublish

struct SchemaTests {
    @Test func `the schema is made once, by whoever comes first`() async throws {
        let database = try await TestDatabase()
        let others = [try await database.connect(), try await database.connect(), try await database.connect()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for other in others { group.addTask { try await PublishedSchema.prepare(on: other) } }
            try await group.waitForAll()
        }
        try await PublishedSchema.prepare(on: database.connection)
        let versions = try await database.texts("SELECT version FROM _garner.version")
        #expect(versions == [["\(PublishedSchema.version)"]])
    }

    @Test func `a newer Garner's schema is refused`() async throws {
        let database = try await TestDatabase()
        try await PublishedSchema.prepare(on: database.connection)
        try await database.connection.execute("UPDATE _garner.version SET version = version + 1")
        let error = await publicationError { try await PublishedSchema.prepare(on: database.connection) }
        #expect(error?.kind == .refused)
        #expect(error?.message.contains("a newer Garner made the schema _garner") == true)
    }

    @Test(arguments: [
        "ALTER TABLE _garner.runs ALTER stream TYPE varchar(3)", "ALTER TABLE _garner.files RENAME token TO other",
        "ALTER TABLE _garner.tables DROP COLUMN as_of", "ALTER TABLE _garner.files DROP CONSTRAINT files_pkey",
        "ALTER TABLE _garner.version RENAME version TO number",
    ])
    func `a schema that somebody has changed has the line that mends it`(change: String) async throws {
        let database = try await TestDatabase()
        try await PublishedSchema.prepare(on: database.connection)
        try await database.connection.execute(change)
        let drop =
            "DROP TABLE IF EXISTS _garner.files, _garner.runs, _garner.tables, _garner.version CASCADE"
        for look in [PublishedSchema.prepare(on:), PublishedSchema.check(on:)] {
            let error = await publicationError { try await look(database.connection) }
            #expect(error?.kind == .refused && error?.message.contains("has changed the schema _garner") == true)
            #expect(error?.hint?.hasPrefix("Have its owner run: \(drop)") == true)
        }
        try await database.connection.execute(drop)
        try await PublishedSchema.prepare(on: database.connection)
    }

    @Test func `a schema of before gets its new columns, and keeps its rows`() async throws {
        let database = try await TestDatabase()
        try await PublishedSchema.prepare(on: database.connection)
        try await database.connection.executeScript(
            """
            ALTER TABLE _garner.tables DROP COLUMN table_oid, DROP COLUMN books_oid;
            INSERT INTO _garner.tables (schema, name, file, stream, definition, position, as_of)
            VALUES ('public', 'a', '\(PostgresUUID.random())', 'zoo.a', '{}', 9, now())
            """)
        try await PublishedSchema.check(on: database.connection)
        try await PublishedSchema.prepare(on: database.connection)
        #expect(try await database.texts("SELECT name, table_oid FROM _garner.tables") == [["a", nil]])
    }

    @Test(arguments: [
        "REVOKE ALL ON _garner.tables FROM ROLE", "REVOKE UPDATE ON _garner.files FROM ROLE",
        "REVOKE SELECT ON _garner.version FROM ROLE", "REVOKE USAGE ON SCHEMA _garner FROM ROLE",
        "REVOKE ALL ON SCHEMA theirs FROM ROLE",
    ])
    func `a right that is taken away has the line that gives it back`(cause: String) async throws {
        let database = try await TestDatabase()
        let role = try await database.makeRole()
        try await PublishedSchema.prepare(on: database.connection)
        try await database.connection.executeScript(
            """
            CREATE SCHEMA theirs; GRANT ALL ON SCHEMA theirs, _garner TO \(role);
            GRANT ALL ON ALL TABLES IN SCHEMA _garner TO \(role)
            """)
        let user = try await database.connect(as: role)
        func prepare() async throws {
            try await PublishedSchema.prepare(on: user)
            try await PublishedSchema.prepare("theirs", on: user)
        }
        try await prepare()
        try await database.connection.execute(cause.replacing("ROLE", with: role))
        let error = await publicationError { try await prepare() }
        #expect(error?.kind == .refused)
        let line = try #require(error?.hint?.split(separator: "run: ").last)
        try await database.connection.executeScript(String(line))
        try await prepare()
    }

    @Test func `a table of an older Garner that another role owns has the line for its owner`() async throws {
        let database = try await TestDatabase()
        let role = try await database.makeRole()
        try await PublishedSchema.prepare(on: database.connection)
        try await database.connection.executeScript(
            """
            ALTER TABLE _garner.tables DROP COLUMN table_oid, DROP COLUMN books_oid; GRANT ALL ON SCHEMA _garner TO \(role);
            GRANT ALL ON ALL TABLES IN SCHEMA _garner TO \(role)
            """)
        let user = try await database.connect(as: role)
        let error = await publicationError { try await PublishedSchema.prepare(on: user) }
        #expect(error?.message.hasPrefix("an older Garner made _garner.tables") == true)
        let line = try #require(error?.hint?.split(separator: "run: ").last)
        try await database.connection.executeScript(String(line))
        try await PublishedSchema.prepare(on: user)
    }

    @Test func `a user who may not make it reads the line that lets him`() async throws {
        let database = try await TestDatabase()
        let user = try await database.connect(as: database.makeRole())
        let error = await publicationError { try await PublishedSchema.prepare(on: user) }
        #expect(error?.kind == .refused)
        let line = try #require(error?.hint?.split(separator: "run: ").last)
        try await database.connection.executeScript(String(line))
        try await PublishedSchema.prepare(on: user)
    }

    @Test func `a schema for the tables that the user may not make has the line that makes it`() async throws {
        let database = try await TestDatabase()
        let user = try await database.connect(as: database.makeRole())
        let error = await publicationError { try await PublishedSchema.prepare("My schema", on: user) }
        let line = try #require(error?.hint?.split(separator: "run: ").last)
        try await database.connection.executeScript(String(line))
        try await PublishedSchema.prepare("My schema", on: user)
    }

    @Test func `a schema of somebody else is named with the line that shares it`() async throws {
        let database = try await TestDatabase()
        try await PublishedSchema.prepare(on: database.connection)
        let user = try await database.connect(as: database.makeRole())
        let error = await publicationError { try await PublishedSchema.prepare(on: user) }
        #expect(error?.kind == .refused)
        let line = try #require(error?.hint?.split(separator: "run: ").last)
        try await database.connection.executeScript(String(line))
        try await PublishedSchema.prepare(on: user)
    }
}

/// The statements of the fence.
@Suite(.timeLimit(.minutes(2)))
struct FenceRowTests {
    let database: TestDatabase
    let connection: PostgresConnection
    let file = PostgresUUID.random()

    init() async throws {
        database = try await TestDatabase()
        connection = database.connection
        try await PublishedSchema.prepare(on: connection)
    }

    private func fence() -> Fence {
        Fence(me: PublicationHolder(token: .random(), path: "/dev/null", version: "1.2.3"))
    }

    @Test func `a claimed row is no longer the one before's`() async throws {
        let (old, new) = (fence(), fence())
        #expect(try await old.row(of: file, on: connection) == nil)
        #expect(try await old.insert(file, position: 3, on: connection))
        #expect(try await !new.insert(file, position: 3, on: connection))
        let row = try #require(try await new.row(of: file, on: connection))
        #expect(row.token == old.me.token && row.position == 3 && !row.isReleased && row.age < .seconds(60))
        #expect(try await old.move(file, from: 3, to: 5, on: connection))
        #expect(try await !new.claim(file, seen: row, on: connection))
        let moved = try #require(try await new.row(of: file, on: connection))
        #expect(try await new.claim(file, seen: moved, on: connection))
        #expect(try await !old.move(file, from: 5, to: 6, on: connection))
        #expect(try await new.move(file, from: 5, to: 6, on: connection))
    }

    @Test func `a row that is taken over begins anew with all its tables`() async throws {
        let (old, new) = (fence(), fence())
        #expect(try await old.insert(file, position: 9, on: connection))
        try await connection.execute(
            """
            INSERT INTO _garner.tables (schema, name, file, stream, definition, position, as_of)
            VALUES ('public', 'a', $1, 'zoo.a', '{}', 9, now())
            """, .uuid(file))
        let row = try #require(try await new.row(of: file, on: connection))
        #expect(try await new.claim(file, seen: row, anewFrom: 4, on: connection))
        #expect(try await new.row(of: file, on: connection)?.position == 4)
        #expect(try await database.texts("SELECT position FROM _garner.tables") == [["0"]])
    }

    @Test func `a process that says that it is there, or has ended, waits for no lock`() async throws {
        let (fence, holder) = (fence(), try await database.connect())
        #expect(try await fence.insert(file, position: 1, on: connection))
        try await holder.executeScript("BEGIN; LOCK TABLE _garner.files")
        for call in [fence.touch, fence.release] {
            await #expect { try await call(file, connection) } throws: { ($0 as? PostgresError)?.kind == .lockTimeout }
        }
    }

    @Test func `a holder that ends is released, and counts as running when it moves again`() async throws {
        let fence = fence()
        #expect(try await fence.insert(file, position: 1, on: connection))
        try await fence.release(file, on: connection)
        #expect(try await fence.row(of: file, on: connection)?.isReleased == true)
        #expect(try await fence.move(file, from: 1, to: 2, on: connection))
        #expect(try await fence.row(of: file, on: connection)?.isReleased == false)
    }
}
