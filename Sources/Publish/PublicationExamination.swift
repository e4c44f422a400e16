import GarnerPersistence
import GarnerPostgres

/// What there is to say of a publication before and while it goes on. Nothing is changed on either side.
package struct PublicationExamination: Sendable, Equatable {
    package struct Table: Sendable, Equatable {
        /// The name in the file.
        package let name: String
        package let stream: String
        /// Schema and name in PostgreSQL, as SQL writes them.
        package let place: String
        /// The columns with their types, as they are or will be.
        package let columns: [String]
        /// True if PostgreSQL has the table.
        package let isThere: Bool
        package let behindReason: String?
        /// True if PostgreSQL has had the table, and has none or another one now.
        package let isLost: Bool
        /// nil if they were not counted.
        package let rowsInFile: Int?
        package let rows: Int?
        /// Who has locked the table, so that its rows could not be counted.
        package let lock: String?
    }

    /// What the server calls itself, such as `PostgreSQL 15.18 on x86_64-pc-linux-gnu`.
    package let server: String
    package private(set) var tables: [Table] = []
    /// What would be refused, each with what to do about it.
    package private(set) var problems: [PublicationError] = []

    /// Connects and looks.
    ///
    /// - Parameters:
    ///   - path: The file; nil if there is none yet.
    ///   - streams: The streams with their tables, for what stands in the place of these if there is no file yet.
    ///   - countsRows: True if the rows of both sides are counted, which takes a while with large tables.
    /// - Throws: `PublicationError` if there is no connection, `PersistenceError` if the file cannot be read.
    package init(
        of target: Publisher.Target, path: String?, streams: [(name: String, table: String)] = [],
        countsRows: Bool = false
    ) async throws {
        do {
            let connection = try await PostgresConnection.open(target.url)
            do {
                server = await connection.server.version
                problems = try await connection.inTransaction {
                    try await Self.rightProblems(target.schema, connection)
                }
                do {
                    try await PublishedSchema.check(on: connection)
                } catch let error as PublicationError {
                    problems.append(error)
                }
                if let path, problems.isEmpty {
                    try await examineTables(target, path, connection, countsRows: countsRows)
                } else if problems.isEmpty {
                    let tables = streams.filter { target.publishes($0.name) }.map(\.table)
                    try await examinePlaces(of: tables, in: target.schema, connection)
                }
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
        } catch let error as PostgresError {
            throw PublicationError(error)
        }
    }

    private static func rightProblems(
        _ schema: String, _ connection: PostgresConnection
    ) async throws -> [PublicationError] {
        var problems: [PublicationError] = []
        let facts = try await connection.execute(
            """
            SELECT quote_ident(current_user), has_database_privilege(current_database(), 'CREATE'),
                to_regnamespace('_garner') IS NOT NULL, to_regnamespace($1) IS NOT NULL
            """, .text(SQLText.name(schema))
        ).rows.first
        let yes = facts?.map { $0 == .boolean(true) } ?? [false, false, false, false]
        let (user, mayMake) = (facts?.first?.text ?? "", yes[1])
        for (name, exists) in [("_garner", yes[2]), (SQLText.name(schema), yes[3])] {
            let may: Bool
            if exists {
                let found = try await connection.execute(
                    """
                    SELECT has_schema_privilege(space, 'CREATE') AND has_schema_privilege(space, 'USAGE')
                    FROM to_regnamespace($1) AS space
                    """, .text(name))
                may = found.value == .boolean(true)
            } else {
                may = mayMake
            }
            guard !may else { continue }
            problems.append(
                PublicationError(
                    .refused,
                    exists
                        ? "\(user) may not make tables in the schema \(name)"
                        : "\(user) may not make the schema \(name)",
                    hint: "Have the owner of the \(exists ? "schema" : "database") run: "
                        + (exists
                            ? "GRANT USAGE, CREATE ON SCHEMA \(name) TO \(user)"
                            : "CREATE SCHEMA \(name) AUTHORIZATION \(user)")))
        }
        return problems
    }

    /// Notes what stands in the places of tables that are still to be made.
    private mutating func examinePlaces(
        of tables: [String], in schema: String, _ connection: PostgresConnection
    ) async throws {
        for table in tables {
            let place = PublishedPlace(schema: schema, name: PublishedNames.table(table, taken: []))
            let owner = try await connection.inTransaction {
                guard try await TableWriting.exists(place, on: connection) else { return nil as String? }
                return try await TableWriting.owner(of: place, for: nil, on: connection)
            }
            if let owner { problems.append(PublicationError(.refused, owner)) }
        }
    }

    private mutating func examineTables(
        _ target: Publisher.Target, _ path: String, _ connection: PostgresConnection, countsRows: Bool
    ) async throws {
        let reader = try OutboxReader(path: path)
        defer { reader.close() }
        let snapshot = try reader.beginSnapshot()
        defer { snapshot.end() }
        let file = try snapshot.file().flatMap { PostgresUUID($0) }
        let server = try await connection.inTransaction {
            guard let file, try await PublishedSchema.hasTables(on: connection) else { return ServerTables() }
            return try await ServerTables.read(of: file, on: connection)
        }
        let published = try snapshot.tables().filter { target.publishes($0.stream) }
        for match in server.matches(of: published, in: target.schema) {
            let table = match.table
            var columns = table.fileColumns { target.isNumeric(table.stream, $0) }
            if match.server == nil { try columns.findInstants(in: snapshot, of: table) }
            let place = match.server?.place ?? match.place
            let (exists, owner, other) = try await connection.inTransaction {
                let exists = try await TableWriting.exists(place, on: connection)
                guard exists else { return (false, nil as String?, nil as OtherRelation?) }
                guard match.server != nil else {
                    return (true, try await TableWriting.owner(of: place, for: file, on: connection), nil)
                }
                if let other = try await TableWriting.other(at: place, on: connection) {
                    return (true, nil, other)
                }
                let may = try await connection.execute(
                    """
                    SELECT has_table_privilege(place, 'SELECT') AND has_table_privilege(place, 'INSERT')
                        AND has_table_privilege(place, 'UPDATE') AND has_table_privilege(place, 'DELETE')
                    FROM to_regclass($1) AS place
                    """, .text(place.sql)
                ).value
                guard may == .boolean(true) else {
                    let words = try await BehindReason.right(to: place, connection)
                    return (true, "\(place.sql): \(words)", nil)
                }
                return (true, nil, nil)
            }
            let isCounted = countsRows && exists && owner == nil && other == nil && match.server != nil
            var (count, lock): (Int?, String?) = (nil, nil)
            if isCounted { (count, lock) = try await Self.count(place, connection) }
            if let owner { problems.append(PublicationError(.refused, owner)) }
            let definition = match.server?.definition ?? TableDefinition(for: columns)
            let loss: String? =
                if let other {
                    other.reason(at: place)
                } else if match.server != nil, !exists {
                    "it is not in PostgreSQL any more. It is made again when rows are published"
                } else if match.server?.isReplaced == true {
                    "another table has its name now. It is made again when rows are published"
                } else {
                    nil
                }
            tables.append(
                Table(
                    name: table.name, stream: table.stream, place: match.place.sql,
                    columns: definition.columns.map { "\($0.name) \($0.type.rawValue)" },
                    isThere: match.server != nil && exists,
                    behindReason: loss ?? match.server?.behindReason, isLost: loss != nil,
                    rowsInFile: countsRows ? try snapshot.count(of: table) : nil, rows: count, lock: lock))
        }
    }

    /// Counts the rows of a table, or says who has locked it. It waits hardly at all: many tables may be locked.
    private static func count(
        _ place: PublishedPlace, _ connection: PostgresConnection
    ) async throws -> (rows: Int?, lock: String?) {
        do {
            let count = try await connection.inTransaction {
                try await connection.executeScript("SET LOCAL lock_timeout = '200ms'")
                return try await connection.execute("SELECT count(*) FROM ONLY \(place.sql)", rows: .max).value
            }
            return (count?.integer.map { Int(clamping: $0) }, nil)
        } catch let error as PostgresError where error.kind == .lockTimeout {
            return (nil, try await connection.inTransaction { try await BehindReason.lock(on: place, connection) })
        }
    }
}
