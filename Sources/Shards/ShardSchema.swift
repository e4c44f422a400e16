import GarnerPersistence
package import GarnerPostgres

/// The tables of shards and workers, in the schema `_garner` beside those of published tables.
package enum ShardSchema {
    /// The version of the tables that this program makes and understands.
    static let version: Int64 = 2

    /// Makes the tables if they are missing. Throws `PersistenceError` if a newer Garner made them, or if a right is missing.
    package static func prepare(_ connection: PostgresConnection) async throws {
        do {
            try await connection.inTransaction {
                try await connection.requireWritable()
                if try await isComplete(on: connection) { return }
                // Many workers may start at once, and none of them holds it for longer than the others can wait.
                try await connection.execute("SET LOCAL lock_timeout = '30s'")
                try await connection.execute("SELECT pg_advisory_xact_lock(\(OwnTables.creationLock))")
                // Another worker may have made them meanwhile.
                if try await isComplete(on: connection) { return }
                // IF NOT EXISTS would ask for the right to make it even where it exists.
                if try await !tables.schemaIsThere(on: connection) {
                    try await connection.execute("CREATE SCHEMA _garner")
                }
                try await connection.executeScript(creation(compression: compression(on: connection)))
                try await keepTokens(on: connection)
            }
        } catch let refusal as SchemaRefusal {
            throw PersistenceError(refusal)
        } catch let error as PostgresError where error.kind == .insufficientPrivilege {
            throw PersistenceError(try await connection.inTransaction { try await refusal(on: connection) })
        }
    }

    /// Returns true if no table is missing. Throws if a newer Garner made them, or if somebody has changed them.
    private static func isComplete(on connection: PostgresConnection) async throws -> Bool {
        let found = try await tables.found(on: connection)
        let number = try await tables.version(found, on: connection)
        guard number <= version else {
            throw SchemaRefusal(
                "a newer garner made the tables of the database in the schema _garner (version \(number); this one knows "
                    + "\(version))", hint: "Install the newer version")
        }
        if let (table, part) = found.lack(of: tables) {
            // The pages are nowhere else.
            throw SchemaRefusal(
                "somebody has changed the schema _garner: its table \(table) lacks \"\(part)\"",
                hint: "Have it changed back, or restore the database of PostgreSQL from a backup")
        }
        guard !found.lacksRights else { throw try await refusal(on: connection) }
        return number == version && found.parts.count == tables.parts.count
    }

    private static func refusal(on connection: PostgresConnection) async throws -> SchemaRefusal {
        let names = try await connection.execute("SELECT current_user::text, quote_ident(current_user)").rows.first
        let (user, quoted) = (names?.first?.text ?? "", names?.last?.text ?? "")
        guard try await tables.schemaIsThere(on: connection) else {
            return SchemaRefusal(
                "\(user) may not make the schema _garner, in which Garner keeps the database",
                hint: "Have the owner of the database run: CREATE SCHEMA _garner AUTHORIZATION \(quoted)")
        }
        return SchemaRefusal(
            "\(user) may not use all of the schema _garner, in which Garner keeps the database",
            hint: "Connect as its owner, or have a superuser run: GRANT USAGE, CREATE ON SCHEMA _garner TO \(quoted); "
                + "GRANT ALL ON \(tables.parts.keys.sorted().map { "_garner.\($0)" }.joined(separator: ", ")) TO \(quoted)"
        )
    }

    private static let tables = OwnTables(
        schema: "_garner", versionTable: "shards_version",
        parts: [
            "shards_version": ["version integer"],
            "shards": [
                "shard integer", "token uuid", "worker uuid", "until \(instant)", "stamp uuid", "checksum bigint",
                "pages integer", "schema_version integer", "claims bigint", "PRIMARY KEY of 1",
            ],
            "sources": ["source text", "shard integer", "PRIMARY KEY of 1"],
            "pages": ["shard integer", "page integer", "image bytea", "PRIMARY KEY of 2"],
            "workers": [
                "worker uuid", "host text", "pid integer", "version text", "config_digest text",
                "config_read_at \(instant)", "started_at \(instant)", "seen_at \(instant)", "PRIMARY KEY of 1",
            ],
            "requests": [
                "id uuid", "shard integer", "line text", "asked_at \(instant)", "taken_by uuid", "PRIMARY KEY of 1",
            ],
            "replies": ["id uuid", "number integer", "line text", "PRIMARY KEY of 2"],
            "tokens": ["key text", "token text", "saved_at \(instant)", "PRIMARY KEY of 1"],
        ])
    private static let instant = "timestamp with time zone"

    /// The method that compresses pages; lz4 takes less than half the time of pglz, which each server has.
    private static func compression(on connection: PostgresConnection) async throws -> String {
        let found = try await connection.execute(
            "SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression'")
        return found.value == .boolean(true) ? "lz4" : "pglz"
    }

    /// A page stays in its row, so that its next version finds room beside it: the index then needs no new entry. With a greater
    /// target, or with `EXTERNAL`, it would not be compressed.
    private static func creation(compression: String) -> String {
        """
        CREATE TABLE IF NOT EXISTS _garner.shards_version (version integer NOT NULL);
        CREATE TABLE IF NOT EXISTS _garner.shards (
            shard integer PRIMARY KEY, token uuid, worker uuid, until timestamptz, stamp uuid NOT NULL,
            checksum bigint NOT NULL, pages integer NOT NULL, schema_version integer NOT NULL, claims bigint NOT NULL
        ) WITH (fillfactor = 50);
        CREATE TABLE IF NOT EXISTS _garner.sources (source text PRIMARY KEY, shard integer NOT NULL);
        CREATE TABLE IF NOT EXISTS _garner.pages (
            shard integer, page integer, image bytea COMPRESSION \(compression) NOT NULL, PRIMARY KEY (shard, page)
        ) WITH (fillfactor = 85, toast_tuple_target = 128, autovacuum_vacuum_scale_factor = 0.02);
        ALTER TABLE _garner.pages ALTER image SET STORAGE MAIN;
        CREATE TABLE IF NOT EXISTS _garner.workers (
            worker uuid PRIMARY KEY, host text NOT NULL, pid integer NOT NULL, version text NOT NULL,
            config_digest text NOT NULL, config_read_at timestamptz NOT NULL, started_at timestamptz NOT NULL,
            seen_at timestamptz NOT NULL
        ) WITH (fillfactor = 50);
        CREATE TABLE IF NOT EXISTS _garner.requests (
            id uuid PRIMARY KEY, shard integer NOT NULL, line text NOT NULL, asked_at timestamptz NOT NULL, taken_by uuid
        );
        CREATE TABLE IF NOT EXISTS _garner.replies (
            id uuid, number integer, line text NOT NULL, PRIMARY KEY (id, number)
        );
        CREATE TABLE IF NOT EXISTS _garner.tokens (key text PRIMARY KEY, token text, saved_at timestamptz);
        UPDATE _garner.shards_version SET version = \(version) WHERE version < \(version);
        INSERT INTO _garner.shards_version SELECT \(version) WHERE NOT EXISTS (SELECT FROM _garner.shards_version);
        COMMENT ON TABLE _garner.pages IS 'The pages of Garner''s database. They are nowhere else: never delete them.';
        COMMENT ON TABLE _garner.shards IS 'Which worker may write the pages, and until when.';
        COMMENT ON TABLE _garner.sources IS 'Which shard has the streams of a source.';
        COMMENT ON TABLE _garner.tokens IS 'Refresh tokens, for the owner of this table only.';
        """
    }

    /// Takes from everybody else what default privileges have given them on the tokens.
    private static func keepTokens(on connection: PostgresConnection) async throws {
        let others = try await connection.execute(
            """
            SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
            FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = '_garner.tokens'::regclass AND grantee <> relowner
            """
        ).texts
        for other in others { try await connection.execute("REVOKE ALL ON _garner.tokens FROM \(other)") }
    }
}
