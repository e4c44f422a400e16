import GarnerModel
import GarnerPersistence
import GarnerPostgres
import PostgresCluster
import Testing

@testable import GarnerShards

struct SchemaTests {
    @Test func `the tables are made once, by whoever comes first`() async throws {
        let database = try await TestDatabase()
        let others = [try await database.connect(), try await database.connect(), try await database.connect()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for other in others { group.addTask { try await ShardSchema.prepare(other) } }
            try await group.waitForAll()
        }
        try await ShardSchema.prepare(database.connection)
        #expect(try await database.integer("SELECT version::bigint FROM _garner.shards_version") == ShardSchema.version)
        #expect(try await database.integer("SELECT count(*) FROM _garner.shards_version") == 1)
        let page = try await database.connection.execute(
            """
            SELECT attstorage::text || attcompression::text, array_to_string(reloptions, ' ') FROM pg_attribute
            JOIN pg_class ON pg_class.oid = attrelid WHERE attrelid = '_garner.pages'::regclass AND attname = 'image'
            """
        ).rows.first
        let hasLZ4 = try await database.connection.execute(
            "SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'"
        ).value
        #expect(page?.first?.text == (hasLZ4 == .boolean(true) ? "ml" : "mp"))
        #expect(
            page?.last?.text
                == "fillfactor=85 toast_tuple_target=128 autovacuum_vacuum_scale_factor=0.02")
    }

    @Test func `tables of a newer Garner are refused`() async throws {
        let database = try await TestDatabase()
        try await ShardSchema.prepare(database.connection)
        try await database.connection.execute("UPDATE _garner.shards_version SET version = version + 1")
        let error = await persistenceError { try await ShardSchema.prepare(database.connection) }
        #expect(error?.kind == .configuration)
        #expect(error?.message.contains("a newer garner made the tables") == true)
        let place = try database.place()
        #expect(await persistenceError { _ = try await ShardKeeper.claim(place, as: .named("one")) } != nil)
    }

    @Test(arguments: [
        "ALTER TABLE _garner.pages ALTER page TYPE bigint", "ALTER TABLE _garner.shards DROP COLUMN stamp",
        "ALTER TABLE _garner.pages DROP CONSTRAINT pages_pkey",
    ])
    func `tables that somebody has changed are refused, and never to be dropped`(change: String) async throws {
        let database = try await TestDatabase()
        try await ShardSchema.prepare(database.connection)
        try await database.connection.execute(change)
        let error = await persistenceError { try await ShardSchema.prepare(database.connection) }
        #expect(error?.kind == .configuration && error?.message.contains("somebody has changed") == true)
        #expect(error.map { "\($0.hint)".contains("DROP") } == false)
    }

    @Test func `a user who may not make them reads the line that lets him`() async throws {
        let database = try await TestDatabase()
        let user = try await database.connect(as: database.makeRole())
        let error = await persistenceError { try await ShardSchema.prepare(user) }
        try await database.connection.executeScript(line(of: error))
        try await ShardSchema.prepare(user)
    }

    @Test(arguments: [
        "REVOKE UPDATE ON _garner.pages FROM ROLE", "REVOKE SELECT ON _garner.shards_version FROM ROLE",
        "REVOKE USAGE ON SCHEMA _garner FROM ROLE",
    ])
    func `a right that is taken away has the line that gives it back`(cause: String) async throws {
        let database = try await TestDatabase()
        let role = try await database.makeRole()
        try await ShardSchema.prepare(database.connection)
        try await database.connection.executeScript(
            "GRANT ALL ON SCHEMA _garner TO \(role); GRANT ALL ON ALL TABLES IN SCHEMA _garner TO \(role)")
        let user = try await database.connect(as: role)
        try await ShardSchema.prepare(user)
        try await database.connection.execute(cause.replacing("ROLE", with: role))
        let error = await persistenceError { try await ShardSchema.prepare(user) }
        #expect(error?.kind == .configuration)
        try await database.connection.executeScript(line(of: error))
        try await ShardSchema.prepare(user)
    }

    private func line(of error: PersistenceError?) throws -> String {
        guard case .text(let hint)? = error?.hint else { throw NotClaimed(claim: "no hint") }
        return String(try #require(hint.split(separator: "run: ").last))
    }

    @Test func `a server that does not let write, or a wrong password, is told`() async throws {
        let database = try await TestDatabase()
        let user = try await database.connect()
        try await database.connection.execute("ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
        let reader = try await database.connect()
        let error = await persistenceError { try await ShardSchema.prepare(reader) }
        #expect(error?.kind == .configuration && error?.message.contains("only reads here") == true)
        _ = user
        let url = database.cluster.loopbackURL(user: "nobody", password: "hidden", database: database.name)
        let place = ShardPlace(url: try PostgresURL(url))
        let refused = await persistenceError { _ = try await ShardKeeper.claim(place, as: .named("one")) }
        #expect(refused?.kind == .configuration)
        #expect(refused?.message.contains("hidden") == false && !"\(place)".contains("hidden"))
    }

    @Test func `default privileges give nobody the tokens`() async throws {
        let database = try await TestDatabase()
        let role = try await database.makeRole()
        try await database.connection.executeScript(
            "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC; ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO \(role)"
        )
        try await ShardSchema.prepare(database.connection)
        let rights = try await database.connection.execute(
            "SELECT has_table_privilege($1, '_garner.tokens', 'SELECT'), has_table_privilege($1, '_garner.pages', 'SELECT')",
            .text(role)
        ).rows.first
        #expect(rights == [.boolean(false), .boolean(true)])
    }
}
