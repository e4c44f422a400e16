import GarnerModel
import GarnerPersistence
import GarnerPostgres

/// Why a table is behind, in words for people: what is wrong, and the line that mends it.
enum BehindReason {
    /// Returns the words for an error that has ended a table's part. They show no values.
    ///
    /// The connection must take statements: the table's part is undone.
    ///
    /// - Parameter definition: The types that the columns were to get; nil if they were to stay.
    static func words(
        for error: PostgresError, of match: ServerTables.Match, retyping definition: TableDefinition? = nil,
        on connection: PostgresConnection
    ) async throws -> String {
        let place = match.server?.place ?? match.place
        let state = error.sqlState ?? "none"
        switch error.kind {
        case .lockTimeout: return try await lock(on: place, connection)
        case .dependentObjects:
            if let words = try await views(on: place, connection) { return words }
        case .insufficientPrivilege: return try await right(to: place, connection)
        case .undefinedColumn:
            return try await renamed(match, connection)
                ?? "\(error.message). To have the column made again: garner publish \(match.table.name)"
        default: break
        }
        if state == "23502", let words = try await renamed(match, connection) { return words }
        if ["428C9", "42P10", "42611", "22023"].contains(state), let words = try await computed(match, connection) {
            return words
        }
        if let words = try await constraint(error, of: place, connection) {
            return "\(words) (SQLSTATE \(state))" + (try await reference(error, to: place, connection) ?? "")
        }
        for obstacle in obstacles where obstacle.states.contains(state) {
            if let lines = try await lines(obstacle, place, connection) { return obstacle.words + lines }
        }
        if ["0A", "42"].contains(state.prefix(2)), let definition,
            let users = try await users(of: definition, at: place, connection)
        {
            return "\(error.message) (SQLSTATE \(state)). A column whose type is to change is used by: \(users). "
                + "Drop what keeps it, and make that again after: garner publish \(match.table.name)"
        }
        // The server's words for a value, and those of a user's trigger, may show values.
        if error.kind == .invalidValue { return "a column does not take its value (SQLSTATE \(state))" }
        if classesOfObjects.contains(String(state.prefix(2))) { return "\(error.message) (SQLSTATE \(state))" }
        var triggers = try await triggers(of: place, connection)
        if triggers == nil { triggers = try await eventTriggers(connection) }
        return "something of yours, such as a trigger, ends with an error of its own (SQLSTATE \(state))"
            + (triggers.map { ". To go on without \($0)" } ?? "")
    }

    /// Says that a table is locked, and by whom.
    static func lock(on place: PublishedPlace, _ connection: PostgresConnection) async throws -> String {
        "somebody's transaction has locked it"
            + (try await holders(of: "SELECT to_regclass($1)::oid", place.sql, connection))
    }

    /// Names who has locked one of these tables, with the line that ends it; empty if nobody has any more. Row locks are not to be seen,
    /// so the sessions that write the table may be several.
    static func holders(of tables: String, _ name: String, _ connection: PostgresConnection) async throws -> String {
        let found = try await connection.execute(
            """
            SELECT 'process ' || pid || ' of ' || coalesce(quote_ident(usename), 'PostgreSQL itself')
                    || CASE WHEN application_name <> '' THEN ' (' || application_name || ')' ELSE '' END
                    || coalesce(to_char(xact_start AT TIME ZONE 'UTC', '", since "YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''),
                'SELECT pg_terminate_backend(' || pid || ')', min(CASE
                    WHEN mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') THEN 0
                    WHEN mode = 'AccessShareLock' THEN 2 ELSE 1 END)::bigint
            FROM pg_locks JOIN pg_stat_activity AS session USING (pid)
            WHERE relation IN (\(tables)) AND granted AND pid <> pg_backend_pid() AND session.datname = current_database()
            GROUP BY pid, usename, application_name, xact_start ORDER BY 3, xact_start LIMIT 3
            """, .text(name)
        ).rows
        let strongest = found.filter { $0[2] == found.first?[2] }
        guard let line = strongest.first?[1].text else { return "" }
        return ": \(strongest.compactMap { $0[0].text?.onOneLine }.joined(separator: ", or ")). To end it: \(line)"
    }

    /// Something of a user's that keeps rows out, by the codes of the errors.
    private struct Obstacle {
        let states: Set<String>
        /// Whole sentences up to the lines.
        let words: String
        /// The query for the lines that end it, with the table as `$1`.
        let remedy: String
    }

    private static let rowSecurity = Obstacle(
        states: ["0A000"],
        words: "its row-level security holds for Garner, too. To have it for others only: ",
        remedy: """
            SELECT \(OwnTables.lineAgainstRowSecurity("$1")) FROM pg_class WHERE oid = to_regclass($1) AND row_security_active(oid)
            """)

    /// The words on a table whose row-level security holds for Garner.
    static func reasonOfRowSecurity(endedBy line: String) -> String { rowSecurity.words + line }

    private static let obstacles = [
        rowSecurity,
        Obstacle(
            states: ["42P16"],
            words: "tables of yours have its columns from it, and their values would go. To have them for themselves: ",
            remedy: """
                SELECT format('ALTER TABLE %I.%I NO INHERIT %s', nspname, relname, $1) FROM pg_inherits
                JOIN pg_class AS heir ON heir.oid = inhrelid JOIN pg_namespace AS space ON space.oid = relnamespace
                WHERE inhparent = to_regclass($1) ORDER BY 1
                """),
        Obstacle(
            states: ["42809", "42P16", "23514"],
            words: "its columns and rows have to fit another table of yours. To have it for itself: ",
            remedy: """
                SELECT CASE WHEN own.relispartition THEN format('ALTER TABLE %I.%I DETACH PARTITION %s', nspname, parent.relname, $1)
                    ELSE format('ALTER TABLE %s NO INHERIT %I.%I', $1, nspname, parent.relname) END
                FROM pg_inherits JOIN pg_class AS own ON own.oid = inhrelid JOIN pg_class AS parent ON parent.oid = inhparent
                JOIN pg_namespace AS space ON space.oid = parent.relnamespace WHERE inhrelid = to_regclass($1) ORDER BY 1
                """),
        Obstacle(
            states: ["55000", "42P10"],
            words:
                "a publication of yours tells its changes, and lacks what tells its rows apart, or what it selects them by. To go on: ",
            remedy: """
                SELECT CASE relreplident WHEN 'f' THEN format('ALTER PUBLICATION %I DROP TABLE %s', pubname, $1)
                    ELSE 'ALTER TABLE ' || $1 || ' REPLICA IDENTITY FULL' END FROM pg_publication_tables
                JOIN pg_namespace AS space ON nspname = schemaname
                JOIN pg_class ON relnamespace = space.oid AND relname = tablename
                WHERE pg_class.oid = to_regclass($1) LIMIT 1
                """),
    ]

    /// The lines that end an obstacle; nil if a table does not have it.
    private static func lines(
        _ obstacle: Obstacle, _ place: PublishedPlace, _ connection: PostgresConnection
    ) async throws -> String? {
        let lines = try await connection.execute(obstacle.remedy, .text(place.sql)).texts
        return lines.isEmpty ? nil : lines.joined(separator: "; ")
    }

    /// The classes of codes whose words tell of objects and of the server, and of no values.
    private static let classesOfObjects: Set<String> = [
        "0A", "25", "2B", "40", "42", "53", "54", "55", "57", "58", "XX",
    ]

    /// Names the constraint or the index that a row does not fit; nil for another error.
    private static func constraint(
        _ error: PostgresError, of place: PublishedPlace, _ connection: PostgresConnection
    ) async throws -> String? {
        func shown(_ name: String) -> String { SQLText.name(name.onOneLine) }
        let kinds = [
            "23502": "not-null", "23503": "foreign key", "23505": "unique", "23514": "check", "23P01": "exclusion",
        ]
        if error.sqlState == "23502", let column = error.column {
            return "a row has no value in the column \(shown(column))"
        }
        guard let name = error.constraint, let state = error.sqlState else { return nil }
        // A table that is not there yet has no other constraints.
        let isKey =
            try await connection.execute(
                """
                SELECT to_regclass($1) IS NULL OR EXISTS (
                    SELECT FROM pg_constraint WHERE contype = 'p' AND conrelid = to_regclass($1) AND conname = $2)
                """, .text(place.sql), .text(name)
            ).value == .boolean(true)
        switch (error.kind, isKey) {
        case (.uniqueViolation, true):
            return try await changers(of: place, connection).map { "two of its rows get one key: \($0)" }
                ?? "two of its keys are one in PostgreSQL, as those are that differ by a NUL character only"
        case (.limitExceeded, true):
            return "a key of it is longer than the 2,704 bytes that PostgreSQL's index has room for"
        case (.limitExceeded, false):
            return "a value of it is longer than the index \(shown(name)) of yours has room for"
        default: return kinds[state].map { "a row violates \($0) constraint \(shown(name))" }
        }
    }

    /// What to do about a foreign key of somebody's table that leads to this one; nil for another error.
    private static func reference(
        _ error: PostgresError, to place: PublishedPlace, _ connection: PostgresConnection
    ) async throws -> String? {
        guard error.kind == .foreignKeyViolation, let key = error.constraint, let table = error.table else {
            return nil
        }
        let found = try await connection.execute(
            """
            SELECT format('%I.%I', nspname, relname), quote_ident(conname), confdeltype = 'a' AND NOT condeferrable
            FROM pg_constraint JOIN pg_class AS other ON other.oid = conrelid
            JOIN pg_namespace AS space ON space.oid = relnamespace
            WHERE contype = 'f' AND confrelid = to_regclass($1) AND conname = $2 AND relname = $3 AND nspname = $4
            """, .text(place.sql), .text(key), .text(table), .text(error.schema ?? "public"))
        guard let row = found.rows.first, let other = row[0].text, let name = row[1].text else { return nil }
        return row[2] == .boolean(true)
            ? ". Rows of \(other) refer to rows that go, maybe only until they are copied again. To have that looked at in the end: "
                + "ALTER TABLE \(other) ALTER CONSTRAINT \(name) DEFERRABLE"
            : ". Rows of \(other) refer to rows that are to go. Change those rows, or do without the key: "
                + "ALTER TABLE \(other) DROP CONSTRAINT \(name)"
    }

    /// Says that rows are left out, or kept, by something of a user's.
    static func omission(at place: PublishedPlace, _ connection: PostgresConnection) async throws -> String {
        guard let triggers = try await triggers(of: place, thatOmitRows: true, connection) else {
            return "a policy of yours leaves out rows that Garner writes or deletes"
                + (try await lines(rowSecurity, place, connection).map { ". To have it for others only: \($0)" } ?? "")
        }
        return
            "a trigger or rule of yours leaves out rows that Garner writes or deletes. It has to let each one through; to go on without \(triggers)"
    }

    /// Says that rows have other keys than Garner writes, by something of a user's; nil if nothing there may do so.
    static func changers(of place: PublishedPlace, _ connection: PostgresConnection) async throws -> String? {
        try await triggers(of: place, thatOmitRows: true, connection).map {
            "a trigger or rule of yours may change keys, or leave out rows. To go on without \($0)"
        }
    }

    /// Names the triggers and rules of users, with the line that disables them; nil if there are none.
    ///
    /// - Parameter thatOmitRows: True for those only that may do so: `BEFORE … FOR EACH ROW`, and `DO INSTEAD`.
    private static func triggers(
        of place: PublishedPlace, thatOmitRows: Bool = false, _ connection: PostgresConnection
    ) async throws -> String? {
        let found = try await connection.execute(
            """
            SELECT quote_ident(tgname), 'TRIGGER' FROM pg_trigger
            WHERE tgrelid = to_regclass($1) AND NOT tgisinternal AND tgenabled <> 'D' AND (NOT $2 OR tgtype & 3 = 3)
            UNION ALL SELECT quote_ident(rulename), 'RULE' FROM pg_rewrite
            WHERE ev_class = to_regclass($1) AND ev_type <> '1' AND ev_enabled <> 'D' AND (NOT $2 OR is_instead) ORDER BY 1
            """, .text(place.sql), .boolean(thatOmitRows)
        ).rows.compactMap { row in row[0].text.flatMap { name in row[1].text.map { (name, $0) } } }
        guard !found.isEmpty else { return nil }
        return "\(found.map(\.0).joined(separator: ", ")): ALTER TABLE \(place.sql) "
            + found.map { "DISABLE \($0.1) \($0.0)" }.joined(separator: ", ")
    }

    /// Names the triggers on events of the database, with the lines that disable them; nil if there are none.
    private static func eventTriggers(_ connection: PostgresConnection) async throws -> String? {
        let found = try await connection.execute(
            "SELECT quote_ident(evtname) FROM pg_event_trigger WHERE evtenabled <> 'D' ORDER BY evtname"
        ).texts
        guard !found.isEmpty else { return nil }
        return "\(found.joined(separator: ", ")): "
            + found.map { "ALTER EVENT TRIGGER \($0) DISABLE" }.joined(separator: "; ")
    }

    /// The line that gives a column its name back; nil if none seems to have another one: a column is missing, and one that Garner does
    /// not know takes no row without a value.
    private static func renamed(_ match: ServerTables.Match, _ connection: PostgresConnection) async throws -> String? {
        guard let server = match.server else { return nil }
        let found = try await connection.execute(
            """
            SELECT attname::text, attnotnull AND NOT atthasdef AND attidentity = '' FROM pg_attribute
            WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
            """, .text(server.place.sql)
        ).rows.compactMap { row in row[0].text.map { (name: $0, isNeeded: row[1] == .boolean(true)) } }
        let there = Set(found.map { ExactText($0.name) })
        let known = Set(server.definition.columns.map { ExactText($0.name) })
        let missing = server.definition.columns.filter { !there.contains(ExactText($0.name)) }
        let lost = missing.count == 1 ? missing : missing.filter(\.isKey)
        let strange = found.filter { $0.isNeeded && !known.contains(ExactText($0.name)) }
        guard lost.count == 1, strange.count == 1 else { return nil }
        let (old, new) = (SQLText.plainName(lost[0].name), SQLText.plainName(strange[0].name))
        return "it has no column \(old), and one that Garner does not know, \(new). To give it its name back: "
            + "ALTER TABLE \(server.place.sql) RENAME COLUMN \(new) TO \(old)"
    }

    /// Says which published columns have values of their own, with the command that ends that; nil if none has.
    private static func computed(_ match: ServerTables.Match, _ connection: PostgresConnection) async throws -> String?
    {
        guard let server = match.server else { return nil }
        let found = try await TableWriting.computedColumns(of: server.definition, at: server.place, on: connection)
        guard !found.isEmpty else { return nil }
        let names = found.map { SQLText.plainName($0.name) }.joined(separator: ", ")
        return "somebody has had PostgreSQL compute values of published columns: \(names). "
            + "To have those of the file there: garner publish \(match.table.name)"
    }

    /// Names what uses the columns that are to have other types, in PostgreSQL's words; nil if nothing does.
    private static func users(
        of definition: TableDefinition, at place: PublishedPlace, _ connection: PostgresConnection
    ) async throws -> String? {
        let types = try await ServerColumns.read(of: [place], on: connection)[place]
        let changed = definition.columns.filter { types[ExactText($0.name)] != $0.type.serverName }.map(\.name)
        let found = try await connection.execute(
            """
            SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend
            JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
            WHERE refclassid = 'pg_class'::regclass AND refobjid = to_regclass($1) AND deptype IN ('n', 'a')
                AND attname::text = ANY ($2::text[])
            UNION SELECT pg_describe_object('pg_class'::regclass, attrelid, attnum) FROM pg_attribute
            JOIN pg_type ON pg_type.oid = atttypid WHERE typrelid = to_regclass($1) AND NOT attisdropped ORDER BY 1
            """, .text(place.sql), .texts(changed)
        ).texts
        return found.isEmpty ? nil : found.joined(separator: ", ")
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

    /// Names the views that keep a column's type, each behind those that use it; nil if there are none.
    private static func views(on place: PublishedPlace, _ connection: PostgresConnection) async throws -> String? {
        let found = try await connection.execute(
            """
            WITH RECURSIVE used (base, viewer, depth) AS (
                SELECT refobjid, rule.ev_class, 1 FROM pg_depend JOIN pg_rewrite AS rule ON rule.oid = objid
                WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass
                    AND refobjid = to_regclass($1) AND refobjsubid > 0 AND ev_class <> refobjid
                UNION SELECT refobjid, rule.ev_class, depth + 1 FROM used JOIN pg_depend ON refobjid = used.viewer
                JOIN pg_rewrite AS rule ON rule.oid = objid
                WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass
                    AND ev_class <> refobjid AND depth < 50)
            SELECT format('%I.%I', nspname, view.relname),
                CASE view.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END
            FROM used JOIN pg_class AS view ON view.oid = used.viewer
            JOIN pg_namespace AS space ON space.oid = view.relnamespace
            GROUP BY 1, 2 ORDER BY max(depth) DESC, 1
            """, .text(place.sql))
        let views = found.rows.compactMap { row in row[0].text.flatMap { name in row[1].text.map { ($0, name) } } }
        guard !views.isEmpty else { return nil }
        return "\(views.map(\.1).joined(separator: ", ")) \(views.count == 1 ? "uses a column" : "use columns") of it, "
            + "whose type must stay for that. Drop what uses it, and make that again afterwards: "
            + views.map { "DROP \($0) \($1)" }.joined(separator: "; ")
    }

    /// Says that the user may not write a table, with the line that gives the right.
    static func right(to place: PublishedPlace, _ connection: PostgresConnection) async throws -> String {
        let facts = try await connection.execute(
            """
            SELECT quote_ident(current_user), EXISTS (
                SELECT FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
                WHERE nspname = $1 AND relname = $2)
            """, .text(place.schema), .text(place.name)
        ).rows.first
        let user = facts?.first?.text ?? "garner"
        let isTable = facts?.last == .boolean(true)
        let line =
            isTable
            ? "ALTER TABLE \(place.sql) OWNER TO \(user); GRANT ALL ON \(place.sql) TO \(user)"
            : "GRANT USAGE, CREATE ON SCHEMA \(SQLText.name(place.schema)) TO \(user)"
        return
            "PostgreSQL does not let \(user) write it. Have the owner of the \(isTable ? "table" : "schema") run: \(line)"
    }
}

extension String {
    /// The text without what would begin a line.
    fileprivate var onOneLine: String { String(map { $0.isNewline || $0 < " " ? "\u{FFFD}" : $0 }) }
}
