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
