import GarnerPostgres

/// Garner's own schema in PostgreSQL: which file each table comes from, and how far it is.
enum PublishedSchema {
    /// The version of the schema that this program makes and understands.
    static let version: Int64 = 1

    /// What each transaction begins with. Nothing outlives the transaction, since a pooler gives the next one another session.
    ///
    /// The limit of statements that an administrator gave the role is for people's queries: a first load takes longer. Types are read as
    /// PostgreSQL writes them without quotes. Names of PostgreSQL's own mean its own, and others are as they were for users' triggers.
    static let beginning = """
        BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '2s'; \
        SET LOCAL synchronous_commit = on; SET LOCAL idle_in_transaction_session_timeout = '60s'; \
        SET LOCAL quote_all_identifiers = off; SELECT pg_catalog.set_config('search_path', pg_catalog.concat_ws( \
        ', ', 'pg_catalog', nullif(pg_catalog.current_setting('search_path'), '')), true)
        """

    /// Makes the schema, or what is missing of it. Throws if a newer Garner made it, or if the user may not.
    static func prepare(on connection: PostgresConnection) async throws {
        try await refusing(on: connection) {
            try await requireWritable(on: connection)
            if try await isComplete(on: connection) { return }
            try await connection.execute("SELECT pg_advisory_xact_lock(\(creationLock))")
            // Another process may have made it meanwhile.
            if try await isComplete(on: connection) { return }
            // IF NOT EXISTS would ask for the right to make it even where it exists.
            if try await !isThere(on: connection) { try await connection.execute("CREATE SCHEMA _garner") }
            try await connection.executeScript(creation)
            // Both need the owner's rights.
            if try await Self.found(on: connection)["tables"]?.isSuperset(of: laterColumns) != true {
                try await connection.execute(addition)
            }
            try await comment(on: connection)
        }
    }

    /// Throws if a newer Garner made the schema, if the user may not read it, or if nobody may write here.
    static func check(on connection: PostgresConnection) async throws {
        try await refusing(on: connection) {
            try await requireWritable(on: connection)
            _ = try await isComplete(on: connection)
        }
    }

    /// Throws if a setting has transactions only read, with the line that ends that. Garner does not go over it: some services turn it on
    /// while a disk is full.
    private static func requireWritable(on connection: PostgresConnection) async throws {
        let setting = "default_transaction_read_only"
        let found = try await connection.execute(
            """
            SELECT source, quote_ident(current_user), quote_ident(current_database()), sourcefile, sourceline::text
            FROM pg_settings WHERE name = $1 AND setting = 'on'
            """, .text(setting)
        ).rows.first
        guard let found, let source = found[0].text, let user = found[1].text, let database = found[2].text else {
            return
        }
        let hint =
            switch source {
            case "user": "Have the owner of the role run: ALTER ROLE \(user) RESET \(setting)"
            case "database user":
                "Have the owner of the role run: ALTER ROLE \(user) IN DATABASE \(database) RESET \(setting)"
            case "database":
                "Have the owner of the database run: SET \(setting) = off; ALTER DATABASE \(database) RESET \(setting)"
            case "global": "Have a superuser run: SET \(setting) = off; ALTER ROLE ALL RESET \(setting)"
            case "configuration file": configurationHint(setting, found[3].text, line: found[4].text)
            case "command line": "Have the server started without -c \(setting)=on"
            case "client": "Leave \(setting) out of the options of the URL, and of PGOPTIONS"
            default: "Have it left out of what a pooler sets for its connections"
            }
        throw PublicationError(.refused, "\(user) only reads here: \(setting) is on", hint: hint)
    }

    /// - Parameter file: Where the server has the setting from; nil for a role that may not know.
    private static func configurationHint(_ setting: String, _ file: String?, line: String?) -> String {
        let first = "A service may have set it while its disk is full: make room first. Then have a superuser "
        let isSystem = file?.hasSuffix("postgresql.auto.conf") ?? true
        if let file, !isSystem {
            return first + "take it out of \(file), line \(line ?? "?"), and run: SELECT pg_reload_conf()"
        }
        return first
            + (file == nil
                ? "take it out of the file that pg_settings.sourcefile names; for postgresql.auto.conf, " : "")
            + "run: ALTER SYSTEM RESET \(setting); SELECT pg_reload_conf()"
    }

    private static func isThere(on connection: PostgresConnection) async throws -> Bool {
        try await connection.execute("SELECT to_regnamespace('_garner') IS NOT NULL").value == .boolean(true)
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
        }
    }

    /// Returns true if nothing of the schema is missing. Throws if a newer Garner made it, or if somebody has changed it.
    private static func isComplete(on connection: PostgresConnection) async throws -> Bool {
        let found = try await Self.found(on: connection)
        let lines = found.values.joined().filter { $0.hasPrefix("ALTER TABLE _garner.") }.sorted()
        guard lines.isEmpty else {
            throw PublicationError(
                .refused,
                "row-level security of the schema _garner holds for Garner, too, and hides what it has written",
                hint: "Have its owner run: \(lines.joined(separator: "; "))")
        }
        var number: Int64 = 0
        if found["version"]?.contains("version integer") == true,
            let made = try await connection.execute("SELECT version::bigint FROM _garner.version").value?.integer
        {
            number = made
        }
        guard number <= version else {
            throw PublicationError(
                .refused, "a newer Garner made the schema _garner (version \(number); this one knows \(version))",
                hint: "Publish with that Garner, or with a newer one")
        }
        for (table, columns) in parts.sorted(by: { $0.key < $1.key }) {
            guard let there = found[table], let part = columns.first(where: { !there.contains($0) }) else { continue }
            throw changed("its table \(table) lacks \"\(part)\"")
        }
        guard !found.values.contains(where: { $0.contains(withoutRights) }) else {
            throw try await refusal(on: connection)
        }
        return number == version && found.count == parts.count
            && found["tables"]?.isSuperset(of: laterColumns) == true
    }

    /// Says what somebody has made of the schema, and what to do.
    static func changed(_ words: String) -> PublicationError {
        PublicationError(
            .refused,
            "somebody has changed the schema _garner: \(words). "
                + "Without the schema, Garner names the tables to drop, and makes all of it again",
            hint: "Have its owner run: DROP SCHEMA _garner CASCADE")
    }

    private static let withoutRights = "no rights"

    /// The columns with their types and the lengths of the keys that tables of the schema have, those without a right to use them, and the
    /// lines against row-level security.
    private static func found(on connection: PostgresConnection) async throws -> [String: Set<String>] {
        let rows = try await connection.execute(
            """
            WITH own AS (
                SELECT pg_class.oid AS number, relname::text AS name, relowner
                FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
                WHERE nspname = '_garner' AND relname = ANY ($1) AND relkind IN ('r', 'p', 'v', 'f'))
            SELECT name, attname::text || ' ' || format_type(atttypid, atttypmod) FROM own
            JOIN pg_attribute ON attrelid = number AND attnum > 0 AND NOT attisdropped
            UNION ALL SELECT name, 'PRIMARY KEY of ' || cardinality(conkey)::text FROM own
            JOIN pg_constraint ON conrelid = number AND contype = 'p'
            UNION ALL SELECT name, $2 FROM own WHERE NOT has_table_privilege(number, 'SELECT') OR name <> 'version' AND NOT (
                has_table_privilege(number, 'INSERT') AND has_table_privilege(number, 'UPDATE')
                AND has_table_privilege(number, 'DELETE'))
            UNION ALL SELECT name, \(BehindReason.lineAgainstRowSecurity("'_garner.' || name")) FROM own
            WHERE row_security_active(number)
            """, .texts(parts.keys.sorted()), .text(withoutRights)
        ).rows
        var found: [String: Set<String>] = [:]
        for row in rows {
            guard let name = row[0].text, let part = row[1].text else { continue }
            found[name, default: []].insert(part)
        }
        return found
    }

    /// What each table of the schema has had from its first version on.
    private static let parts: [String: [String]] = [
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
    ]
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
        if try await isThere(on: connection) {
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

    /// The advisory lock of those who make the schema: "garner" in ASCII.
    private static let creationLock: Int64 = 0x6761_726E_6572

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

extension PostgresConnection {
    /// Runs `body` in a transaction with Garner's limits: it waits for no lock longer than two seconds.
    @discardableResult
    nonisolated(nonsending) func inTransaction<R>(_ body: () async throws -> R) async throws -> R {
        try await executeScript(PublishedSchema.beginning)
        let result: R
        do {
            result = try await body()
        } catch {
            if await isOpen { _ = try? await executeScript("ROLLBACK") }
            throw error
        }
        try await executeScript("COMMIT")
        return result
    }
}
