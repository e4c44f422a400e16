import GarnerPostgres

/// Garner's own schema in PostgreSQL: which file each table comes from, and how far it is.
enum PublishedSchema {
    /// The version of the schema that this program makes and understands.
    static let version: Int64 = 1

    /// What each transaction begins with. Nothing outlives the transaction, since a pooler gives the next one another session.
    ///
    /// The limit of statements that an administrator gave the role is for people's queries: a first load takes longer.
    static let beginning = """
        BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '2s'; \
        SET LOCAL synchronous_commit = on; SET LOCAL idle_in_transaction_session_timeout = '60s'
        """

    /// Makes the schema, or what is missing of it. Throws if a newer Garner made it, or if the user may not.
    static func prepare(on connection: PostgresConnection) async throws {
        try await refusing(on: connection) {
            if try await isComplete(on: connection) { return }
            try await connection.execute("SELECT pg_advisory_xact_lock(\(creationLock))")
            // Another process may have made it meanwhile.
            if try await isComplete(on: connection) { return }
            // IF NOT EXISTS would ask for the right to make it even where it exists.
            let exists = try await connection.execute("SELECT to_regnamespace('_garner') IS NOT NULL").rows
            if exists.first?.first != .boolean(true) { try await connection.execute("CREATE SCHEMA _garner") }
            try await connection.executeScript(creation)
        }
    }

    /// Throws if a newer Garner made the schema, or if the user may not read it.
    static func check(on connection: PostgresConnection) async throws {
        _ = try await refusing(on: connection) { try await isComplete(on: connection) }
    }

    /// Runs a transaction. Says which right is missing if one is.
    private static func refusing<R>(on connection: PostgresConnection, _ body: () async throws -> R) async throws -> R {
        do {
            return try await connection.inTransaction(body)
        } catch let error as PostgresError where error.kind == .insufficientPrivilege {
            throw try await connection.inTransaction { try await refusal(on: connection) }
        }
    }

    /// Returns true if nothing of the schema is missing. Throws if a newer Garner made it.
    private static func isComplete(on connection: PostgresConnection) async throws -> Bool {
        let found = try await connection.execute(
            """
            SELECT name FROM unnest('{version,files,tables,runs}'::text[]) AS name WHERE to_regclass('_garner.' || name) IS NOT NULL
            """
        ).rows.map { $0.first?.text }
        guard found.contains("version"),
            case .integer(let number)? = try await connection.execute("SELECT version::bigint FROM _garner.version")
                .rows.first?.first
        else { return false }
        guard number <= version else {
            throw PublicationError(
                .refused, "a newer Garner made the schema _garner (version \(number); this one knows \(version))",
                hint: "Publish with that Garner, or with a newer one")
        }
        return number == version && found.count == 4
    }

    /// Makes the schema of the tables if it is missing.
    static func prepare(_ schema: String, on connection: PostgresConnection) async throws {
        let name = SQLText.name(schema)
        do {
            try await connection.inTransaction {
                let exists = try await connection.execute("SELECT to_regnamespace($1) IS NOT NULL", .text(name)).rows
                guard exists.first?.first != .boolean(true) else { return }
                try await connection.execute("CREATE SCHEMA IF NOT EXISTS \(name)")
            }
        } catch let error as PostgresError where error.kind == .insufficientPrivilege {
            let user = try await connection.inTransaction {
                try await connection.execute("SELECT quote_ident(current_user)").rows.first?.first?.text ?? ""
            }
            throw PublicationError(
                .refused, "there is no schema \(name), and \(user) may not make it",
                hint: "Have the owner of the database run: CREATE SCHEMA \(name) AUTHORIZATION \(user)")
        }
    }

    private static func refusal(on connection: PostgresConnection) async throws -> PublicationError {
        let names = try await connection.execute("SELECT current_user::text, quote_ident(current_user)").rows.first
        let (user, quoted) = (names?.first?.text ?? "", names?.last?.text ?? "")
        let exists = try await connection.execute("SELECT to_regnamespace('_garner') IS NOT NULL").rows
        if exists.first?.first == .boolean(true) {
            return PublicationError(
                .refused, "the schema _garner belongs to somebody else than \(user)",
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
        ALTER TABLE _garner.tables ADD COLUMN IF NOT EXISTS table_oid bigint, ADD COLUMN IF NOT EXISTS books_oid bigint;
        CREATE TABLE IF NOT EXISTS _garner.runs (
            file uuid, run bigint, stream text NOT NULL, status text NOT NULL, verdict text,
            started_at timestamptz NOT NULL, ended_at timestamptz, pages bigint NOT NULL, requests bigint NOT NULL,
            inserted bigint NOT NULL, updated bigint NOT NULL, unchanged bigint NOT NULL, deleted bigint NOT NULL,
            quarantined bigint NOT NULL, error text, PRIMARY KEY (file, run)
        );
        COMMENT ON SCHEMA _garner IS 'What Garner has published, and how far it is. Garner keeps this by itself.';
        COMMENT ON TABLE _garner.tables IS 'The published tables: as_of is the instant up to which they follow the file.';
        COMMENT ON TABLE _garner.runs IS 'The runs of the streams that have ended.';
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
