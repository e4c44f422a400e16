import GarnerPostgres

/// Garner's own schema in PostgreSQL: which file each table comes from, and how far it is.
enum PublishedSchema {
    /// The version of the schema that this program makes and understands.
    static let version: Int64 = 1

    /// Makes the schema, or what is missing of it. Throws if a newer Garner made it, or if the user may not.
    static func prepare(on connection: PostgresConnection) async throws {
        try await refusing(on: connection) {
            try await connection.requireWritable()
            if try await isComplete(on: connection) { return }
            try await connection.execute("SELECT pg_advisory_xact_lock(\(OwnTables.creationLock))")
            // Another process may have made it meanwhile.
            if try await isComplete(on: connection) { return }
            // IF NOT EXISTS would ask for the right to make it even where it exists.
            if try await !tables.schemaIsThere(on: connection) { try await connection.execute("CREATE SCHEMA _garner") }
            try await connection.executeScript(creation)
            // Both need the owner's rights.
            if try await tables.found(on: connection).parts["tables"]?.isSuperset(of: laterColumns) != true {
                try await connection.execute(addition)
            }
            try await comment(on: connection)
        }
    }

    /// Throws if a newer Garner made the schema, if the user may not read it, or if nobody may write here.
    static func check(on connection: PostgresConnection) async throws {
        try await refusing(on: connection) {
            try await connection.requireWritable()
            _ = try await isComplete(on: connection)
        }
    }

    static func hasTables(on connection: PostgresConnection) async throws -> Bool {
        try await connection.execute("SELECT to_regclass('_garner.tables') IS NOT NULL").value == .boolean(true)
    }

    /// Runs a transaction. Says which right is missing if one is.
    private static func refusing<R>(on connection: PostgresConnection, _ body: () async throws -> R) async throws -> R {
        do {
            return try await connection.inTransaction(body)
        } catch let error as PostgresError where error.kind == .insufficientPrivilege {
            throw try await connection.inTransaction { try await refusal(on: connection) }
        } catch let refusal as SchemaRefusal {
            throw PublicationError(.refused, refusal.message, hint: refusal.hint)
        }
    }

    /// Returns true if nothing of the schema is missing. Throws if a newer Garner made it, or if somebody has changed it.
    private static func isComplete(on connection: PostgresConnection) async throws -> Bool {
        let found = try await tables.found(on: connection)
        let number = try await tables.version(found, on: connection)
        guard number <= version else {
            throw PublicationError(
                .refused, "a newer Garner made the schema _garner (version \(number); this one knows \(version))",
                hint: "Publish with that Garner, or with a newer one")
        }
        if let (table, part) = found.lack(of: tables) { throw changed("its table \(table) lacks \"\(part)\"") }
        guard !found.lacksRights else { throw try await refusal(on: connection) }
        return number == version && found.parts.count == tables.parts.count
            && found.parts["tables"]?.isSuperset(of: laterColumns) == true
    }

    /// Says what somebody has made of the schema, and what to do.
    static func changed(_ words: String) -> PublicationError {
        PublicationError(
            .refused,
            "somebody has changed the schema _garner: \(words). "
                + "Without its tables, Garner names those to drop that it has published, and makes all of them again",
            // The schema may have the pages of a database, too.
            hint: "Have its owner run: DROP TABLE IF EXISTS "
                + tables.parts.keys.sorted().map { "_garner.\($0)" }.joined(separator: ", ") + " CASCADE")
    }

    /// What each table of the schema has had from its first version on.
    private static let tables = OwnTables(
        schema: "_garner", versionTable: "version",
        parts: [
            "version": ["version integer"],
            "files": [
                "file uuid", "token uuid", "position bigint", "holder text", "host text", "pid integer", "version text",
                "seen_at \(instant)", "released_at \(instant)", "runs_position bigint", "PRIMARY KEY of 1",
            ],
            "tables": [
                "schema text", "name text", "file uuid", "stream text", "definition jsonb", "position bigint",
                "as_of \(instant)", "behind_since \(instant)", "behind_reason text", "table_id bigint",
                "left_out_since \(instant)", "PRIMARY KEY of 2",
            ],
            "runs": [
                "file uuid", "run bigint", "stream text", "status text", "verdict text", "started_at \(instant)",
                "ended_at \(instant)", "pages bigint", "requests bigint", "inserted bigint", "updated bigint",
                "unchanged bigint", "deleted bigint", "quarantined bigint", "error text", "PRIMARY KEY of 2",
            ],
        ])
    private static let instant = PublishedType.timestamptz.serverName

    /// Makes the schema of the tables if it is missing.
    static func prepare(_ schema: String, on connection: PostgresConnection) async throws {
        let name = SQLText.name(schema)
        do {
            try await connection.inTransaction {
                let found = try await connection.execute(
                    """
                    SELECT has_schema_privilege(to_regnamespace($1), 'USAGE'), quote_ident(current_user)
                    WHERE to_regnamespace($1) IS NOT NULL
                    """, .text(name)
                ).rows.first
                if let found, found[0] != .boolean(true), let user = found[1].text {
                    throw PublicationError(
                        .refused, "\(user) may not use the schema \(name)",
                        hint: "Have its owner run: GRANT USAGE, CREATE ON SCHEMA \(name) TO \(user)")
                }
                guard found == nil else { return }
                try await connection.execute("CREATE SCHEMA IF NOT EXISTS \(name)")
            }
        } catch let error as PostgresError where error.kind == .insufficientPrivilege {
            let user = try await connection.inTransaction {
                try await connection.execute("SELECT quote_ident(current_user)").value?.text ?? ""
            }
            throw PublicationError(
                .refused, "there is no schema \(name), and \(user) may not make it",
                hint: "Have the owner of the database run: CREATE SCHEMA \(name) AUTHORIZATION \(user)")
        }
    }

    private static func refusal(on connection: PostgresConnection) async throws -> PublicationError {
        let names = try await connection.execute("SELECT current_user::text, quote_ident(current_user)").rows.first
        let (user, quoted) = (names?.first?.text ?? "", names?.last?.text ?? "")
        let older = try await connection.execute(
            """
            SELECT FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
            WHERE nspname = '_garner' AND relname = 'tables' AND NOT pg_has_role(relowner, 'USAGE') AND NOT EXISTS (
                SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'books_oid' AND NOT attisdropped)
            """)
        if older.count > 0 {
            return PublicationError(
                .refused, "an older Garner made _garner.tables, and \(user) may not add the columns that it lacks",
                hint: "Have the owner of the table run: \(addition)")
        }
        if try await tables.schemaIsThere(on: connection) {
            return PublicationError(
                .refused, "\(user) may not use all of the schema _garner",
                hint: "Connect as its owner, or have a superuser run: "
                    + "GRANT USAGE, CREATE ON SCHEMA _garner TO \(quoted); "
                    + "GRANT ALL ON ALL TABLES IN SCHEMA _garner TO \(quoted)")
        }
        return PublicationError(
            .refused, "\(user) may not make the schema _garner, in which Garner keeps what it has published",
            hint: "Have the owner of the database run: CREATE SCHEMA _garner AUTHORIZATION \(quoted)")
    }

    /// Says what the schema is for, as far as the user owns it: somebody else may have made it.
    private static func comment(on connection: PostgresConnection) async throws {
        let owned = try await connection.execute(
            """
            SELECT 'SCHEMA _garner' FROM pg_namespace WHERE nspname = '_garner' AND pg_has_role(nspowner, 'USAGE')
            UNION ALL SELECT 'TABLE _garner.' || relname
            FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
            WHERE nspname = '_garner' AND relkind = 'r' AND pg_has_role(relowner, 'USAGE')
            """
        ).texts
        for (object, words) in comments where owned.contains(object) {
            try await connection.execute("COMMENT ON \(object) IS \(SQLText.literal(words))")
        }
    }

    private static let comments = [
        ("SCHEMA _garner", "What Garner has published, and how far it is. Garner keeps this by itself."),
        ("TABLE _garner.tables", "The published tables: as_of is the instant up to which they follow the file."),
        ("TABLE _garner.runs", "The runs of the streams that have ended."),
    ]

    /// What the first version did not have.
    private static let laterColumns: Set = ["table_oid bigint", "books_oid bigint"]
    private static let addition =
        "ALTER TABLE _garner.tables ADD COLUMN IF NOT EXISTS table_oid bigint, ADD COLUMN IF NOT EXISTS books_oid bigint"

    private static let creation = """
        CREATE TABLE IF NOT EXISTS _garner.version (version integer NOT NULL);
        CREATE TABLE IF NOT EXISTS _garner.files (
            file uuid PRIMARY KEY, token uuid NOT NULL, position bigint NOT NULL, holder text NOT NULL,
            host text NOT NULL, pid integer NOT NULL, version text NOT NULL, seen_at timestamptz NOT NULL,
            released_at timestamptz, runs_position bigint
        ) WITH (fillfactor = 50);
        CREATE TABLE IF NOT EXISTS _garner.tables (
            schema text, name text, file uuid NOT NULL, stream text NOT NULL, definition jsonb NOT NULL,
            position bigint NOT NULL, as_of timestamptz NOT NULL, behind_since timestamptz, behind_reason text,
            table_id bigint, left_out_since timestamptz, PRIMARY KEY (schema, name)
        ) WITH (fillfactor = 70);
        CREATE TABLE IF NOT EXISTS _garner.runs (
            file uuid, run bigint, stream text NOT NULL, status text NOT NULL, verdict text,
            started_at timestamptz NOT NULL, ended_at timestamptz, pages bigint NOT NULL, requests bigint NOT NULL,
            inserted bigint NOT NULL, updated bigint NOT NULL, unchanged bigint NOT NULL, deleted bigint NOT NULL,
            quarantined bigint NOT NULL, error text, PRIMARY KEY (file, run)
        );
        UPDATE _garner.files SET runs_position = NULL;
        INSERT INTO _garner.version (version) SELECT \(version) WHERE NOT EXISTS (SELECT FROM _garner.version);
        """
}
