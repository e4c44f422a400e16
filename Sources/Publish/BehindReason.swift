import GarnerPostgres

/// Why a table is behind, in words for people: what is wrong, and the line that mends it.
enum BehindReason {
    /// Returns the words for an error that has ended a table's part. They show no values.
    ///
    /// The connection must take statements: the table's part is undone.
    static func words(
        for error: PostgresError, of place: PublishedPlace, on connection: PostgresConnection
    ) async throws -> String {
        switch error.kind {
        case .lockTimeout: return "somebody's transaction has locked it for longer than two seconds"
        case .dependentObjects: return try await views(on: place, connection) ?? error.message
        case .insufficientPrivilege: return try await right(to: place, connection)
        // The server's words would show the value.
        case .invalidValue: return "a column does not take its value (SQLSTATE \(error.sqlState ?? "none"))"
        case .undefinedColumn:
            return "\(error.message). To have the column made again: garner publish, and the name of the table"
        default: return error.sqlState.map { "\(error.message) (SQLSTATE \($0))" } ?? error.message
        }
    }

    /// Names the foreign key by which rows of somebody's table would go with the rows of this one; nil if there is none.
    static func followers(of place: PublishedPlace, _ connection: PostgresConnection) async throws -> String? {
        let found = try await connection.execute(
            """
            SELECT format('%I.%I', nspname, relname), quote_ident(conname) FROM pg_constraint
            JOIN pg_class AS other ON other.oid = conrelid JOIN pg_namespace AS space ON space.oid = relnamespace
            WHERE contype = 'f' AND confrelid = to_regclass($1) AND confdeltype IN ('c', 'n', 'd')
            ORDER BY 1, 2 LIMIT 1
            """, .text(place.sql))
        guard let row = found.rows.first, let table = row[0].text, let key = row[1].text else { return nil }
        return "it is to be made again, and \(key) would delete or change rows of \(table) with its rows. Drop it, and "
            + "add it again afterwards: ALTER TABLE \(table) DROP CONSTRAINT \(key)"
    }

    /// Names the views that keep a column's type; nil if there are none.
    private static func views(on place: PublishedPlace, _ connection: PostgresConnection) async throws -> String? {
        let found = try await connection.execute(
            """
            SELECT DISTINCT format('%I.%I', nspname, view.relname),
                CASE view.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END
            FROM pg_depend JOIN pg_rewrite AS rule ON rule.oid = objid AND classid = 'pg_rewrite'::regclass
            JOIN pg_class AS view ON view.oid = rule.ev_class
            JOIN pg_namespace AS space ON space.oid = view.relnamespace
            WHERE refclassid = 'pg_class'::regclass AND refobjid = to_regclass($1) AND refobjsubid > 0
                AND view.oid <> refobjid ORDER BY 1
            """, .text(place.sql))
        let views = found.rows.compactMap { row in row[0].text.flatMap { name in row[1].text.map { ($0, name) } } }
        guard !views.isEmpty else { return nil }
        return "\(views.map(\.1).joined(separator: ", ")) \(views.count == 1 ? "uses a column" : "use columns") of it, "
            + "whose type must stay for that. Drop what uses it, and make that again afterwards: "
            + views.map { "DROP \($0) \($1)" }.joined(separator: "; ")
    }

    private static func right(to place: PublishedPlace, _ connection: PostgresConnection) async throws -> String {
        let facts = try await connection.execute(
            """
            SELECT quote_ident(current_user), EXISTS (
                SELECT FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
                WHERE nspname = $1 AND relname = $2)
            """, .text(place.schema), .text(place.name)
        ).rows.first
        let user = facts?.first?.text ?? "garner"
        let line =
            facts?.last == .boolean(true)
            ? "ALTER TABLE \(place.sql) OWNER TO \(user); GRANT ALL ON \(place.sql) TO \(user)"
            : "GRANT USAGE, CREATE ON SCHEMA \(SQLText.name(place.schema)) TO \(user)"
        return "PostgreSQL does not let \(user) write it. Have its owner run: \(line)"
    }
}
