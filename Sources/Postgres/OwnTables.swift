/// Why a program cannot use the tables that it keeps for itself, and what to do about it.
package struct SchemaRefusal: Error, Equatable, Sendable {
    package let message: String
    package let hint: String?

    package init(_ message: String, hint: String? = nil) { (self.message, self.hint) = (message, hint) }
}

/// Tables that a program keeps for itself, as it made them: are they there, and may they be used?
package struct OwnTables: Sendable {
    package let schema: String
    /// What each table has, such as `token uuid` and `PRIMARY KEY of 2`.
    package let parts: [String: [String]]
    /// The table with the version of all of them. It is only read.
    package let versionTable: String

    package init(schema: String, versionTable: String, parts: [String: [String]]) {
        (self.schema, self.versionTable, self.parts) = (schema, versionTable, parts)
    }

    /// What there is.
    package struct Found: Sendable {
        /// The columns with their types, and the lengths of the keys.
        package fileprivate(set) var parts: [String: Set<String>] = [:]
        /// True if the right to use one of the tables is missing.
        package fileprivate(set) var lacksRights = false
        fileprivate var linesAgainstRowSecurity: [String] = []

        /// The first table that lacks something, and what.
        package func lack(of own: OwnTables) -> (table: String, part: String)? {
            for (table, wanted) in own.parts.sorted(by: { $0.key < $1.key }) {
                guard let there = parts[table], let part = wanted.first(where: { !there.contains($0) }) else {
                    continue
                }
                return (table, part)
            }
            return nil
        }
    }

    /// The advisory lock of those who make tables in the schema: "garner" in ASCII.
    package static let creationLock: Int64 = 0x6761_726E_6572

    /// Looks at the tables that are there. Throws `SchemaRefusal` if row-level security hides their rows.
    package func found(on connection: PostgresConnection) async throws -> Found {
        let lacksRights = "no rights"
        let rows = try await connection.execute(
            """
            WITH own AS (
                SELECT pg_class.oid AS number, relname::text AS name, relowner
                FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
                WHERE nspname = $3 AND relname = ANY ($1) AND relkind IN ('r', 'p', 'v', 'f'))
            SELECT name, attname::text || ' ' || format_type(atttypid, atttypmod) FROM own
            JOIN pg_attribute ON attrelid = number AND attnum > 0 AND NOT attisdropped
            UNION ALL SELECT name, 'PRIMARY KEY of ' || cardinality(conkey)::text FROM own
            JOIN pg_constraint ON conrelid = number AND contype = 'p'
            UNION ALL SELECT name, $2 FROM own WHERE NOT has_table_privilege(number, 'SELECT') OR name <> $4 AND NOT (
                has_table_privilege(number, 'INSERT') AND has_table_privilege(number, 'UPDATE')
                AND has_table_privilege(number, 'DELETE'))
            UNION ALL SELECT name, \(Self.lineAgainstRowSecurity("format('%I.%I', $3, name)")) FROM own
            WHERE row_security_active(number)
            """, .texts(parts.keys.sorted()), .text(lacksRights), .text(schema), .text(versionTable)
        ).rows
        var found = Found()
        for row in rows {
            guard let name = row[0].text, let part = row[1].text else { continue }
            if part == lacksRights {
                found.lacksRights = true
            } else if part.hasPrefix("ALTER TABLE ") {
                found.linesAgainstRowSecurity.append(part)
            } else {
                found.parts[name, default: []].insert(part)
            }
        }
        guard found.linesAgainstRowSecurity.isEmpty else {
            let lines = found.linesAgainstRowSecurity.sorted().joined(separator: "; ")
            throw SchemaRefusal(
                "row-level security of the schema \(schema) holds for Garner, too, and hides what it has written",
                hint: "Have its owner run: \(lines)")
        }
        return found
    }

    /// The expression for the line that ends that row-level security holds for Garner, beside `pg_class`.
    ///
    /// - Parameter place: The expression for the table's name.
    package static func lineAgainstRowSecurity(_ place: String) -> String {
        """
        CASE WHEN pg_has_role(relowner, 'USAGE') THEN 'ALTER TABLE ' || \(place) || ' NO FORCE ROW LEVEL SECURITY'
            ELSE format('ALTER TABLE %s OWNER TO %I', \(place), current_user) END
        """
    }

    /// Returns the version that the table says; 0 without one.
    package func version(_ found: Found, on connection: PostgresConnection) async throws -> Int64 {
        guard found.parts[versionTable]?.contains("version integer") == true else { return 0 }
        return try await connection.execute("SELECT version::bigint FROM \(schema).\(versionTable)").value?.integer ?? 0
    }

    package func schemaIsThere(on connection: PostgresConnection) async throws -> Bool {
        try await connection.execute("SELECT to_regnamespace($1) IS NOT NULL", .text(schema)).value == .boolean(true)
    }
}

extension PostgresConnection {
    /// Throws `SchemaRefusal` if a setting has transactions only read, with the line that ends that. Garner does not go over it: some
    /// services turn it on while a disk is full.
    package nonisolated(nonsending) func requireWritable() async throws {
        let setting = "default_transaction_read_only"
        let found = try await execute(
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
            case "configuration file": Self.configurationHint(setting, found[3].text, line: found[4].text)
            case "command line": "Have the server started without -c \(setting)=on"
            case "client": "Leave \(setting) out of the options of the URL, and of PGOPTIONS"
            default: "Have it left out of what a pooler sets for its connections"
            }
        throw SchemaRefusal("\(user) only reads here: \(setting) is on", hint: hint)
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
}
