import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerPostgres

/// What a batch does to one table.
struct TableWork {
    let match: ServerTables.Match
    let fileColumns: [FileColumn]
    /// The columns that the table is to have.
    var definition: TableDefinition
    /// Those of them that it has not yet.
    var added: [TableDefinition.Column] = []
    /// What is noted of it; nil if nothing is.
    let changes: OutboxChanges?
    /// True if it is made again, whatever is noted.
    var isWhole: Bool
    /// True if its columns get the types that a new table would have.
    var retypes = false
    /// True if its rows are not those that the notes speak of.
    private(set) var isMismatched = false
    /// True if PostgreSQL has lost all of its rows.
    var wasEmptied = false
    /// False if a constraint that has kept it behind before may do so again, without all rows being tried.
    var triesAllRows = true

    var name: String { match.place.name }

    mutating func beMadeAgain() { (isWhole, isMismatched) = (true, true) }

    /// True if a key that is there already may be of rows that are not those that the notes speak of.
    func isToBeMadeAgain(for error: PostgresError) -> Bool {
        guard !isWhole, error.kind == .uniqueViolation else { return false }
        guard !triesAllRows, let name = error.constraint else { return true }
        return match.server?.behindReason?.contains(SQLText.name(name)) != true
    }

    /// The work with those columns only that its table has before.
    var withoutAdded: TableWork {
        var work = self
        work.definition.columns.removeAll { added.contains($0) }
        return work
    }
}

/// What a batch has done to one table.
struct TableOutcome {
    var sent = PublicationReport.Sent()
    var notes = ConversionNotes()
    var definition: TableDefinition
    var wasDropped = false
    /// Where the table is that was made before, if somebody has renamed or moved it.
    var former: PublishedPlace?
    /// True if somebody had put another table in its place.
    var wasReplaced = false
    /// The columns of a user's whose values have gone with the rows.
    var emptied: [String] = []
    /// True if the rows were not those that the notes speak of.
    var isCorrected = false
    /// What of a user's may be why they were not, in words for people.
    var changers: String?
    /// The number by which PostgreSQL knows it.
    var serverNumber: Int64?
    /// The number of the file that PostgreSQL keeps its rows in.
    var storage: Int64?
}

/// Why a table cannot be written as it was meant.
enum TableTrouble: Error {
    /// The rows in PostgreSQL are not those that the notes speak of, or somebody has dropped the table.
    case mismatch
    /// Whole sentences for people.
    case behind(String)
}

/// Writes one table within an open transaction.
struct TableWriting {
    let connection: PostgresConnection
    let file: PostgresUUID
    let snapshot: OutboxSnapshot

    func write(_ work: TableWork) async throws -> TableOutcome {
        try requireRoomInLog()
        var work = work
        if !work.definition.hasKey(of: work.fileColumns) {
            let place = work.match.server?.place ?? work.match.place
            guard try await !Self.exists(place, on: connection) else {
                throw TableTrouble.behind(
                    "the key of its rows is another one now. To have it made again, drop it: DROP TABLE \(place.sql)")
            }
            work.definition = TableDefinition(for: work.fileColumns)
            work.isWhole = true
        }
        try await requireFreeNames(of: work)
        do {
            let outcome = try await work.isWhole ? make(work) : follow(work)
            if let server = work.match.server, server.isLeftOut || server.stream != work.match.table.stream {
                try await comment(on: work)
            }
            return outcome
        } catch let error as PostgresError
            where error.kind == .undefinedTable && !work.isWhole || work.isToBeMadeAgain(for: error)
        {
            throw TableTrouble.mismatch
        } catch let error as KeyMisfit {
            throw TableTrouble.behind(
                "\(error). Its column has to change its type: garner publish \(work.match.table.name)")
        }
    }

    /// Throws if the state of the file that is read keeps the log from being made shorter, which pages need.
    private func requireRoomInLog() throws {
        guard snapshot.mustMakeRoomInLog else { return }
        throw PublicationError(
            .away, "the write-ahead log of the file has grown while PostgreSQL took its rows; they are sent later")
    }

    // MARK: - The whole table

    private func make(_ work: TableWork) async throws -> TableOutcome {
        let place = work.match.server?.place ?? work.match.place
        let exists = try await Self.exists(place, on: connection)
        var outcome = TableOutcome(definition: work.definition)
        if work.match.server == nil, let owner = try await Self.owner(of: place, for: file, on: connection) {
            throw TableTrouble.behind(owner)
        }
        if exists {
            if work.match.server != nil { try await requireOwnComment(on: work, at: place) }
            try await rename(work)
            if let reason = try await BehindReason.followers(of: work.match.place, connection) {
                throw TableTrouble.behind(reason)
            }
            // Nothing changes a table whose rows a key that waits for the end is still to look for.
            try await addColumns(work)
            let there = try await standing(of: work.match.place)
            if work.retypes, there.foreignKeys { try await retype(work, rows: there.rows) }
            outcome.isCorrected = work.isMismatched
            if work.isMismatched {
                outcome.changers = try await BehindReason.changers(of: work.match.place, connection)
            }
            outcome.emptied = try await Self.ownColumns(at: work.match.place, beside: work.definition, on: connection)
            try await connection.execute("DELETE FROM ONLY \(work.match.place.sql)", rows: there.rows)
            try await requireNone(
                "SELECT FROM ONLY \(work.match.place.sql) LIMIT 1", rows: there.rows, of: work)
            if work.retypes, !there.foreignKeys {
                // So does a trigger. Rows that are gone need no room, and lack no value.
                if let triggers = there.triggers {
                    try await connection.execute("SET CONSTRAINTS \(triggers) IMMEDIATE")
                }
                try await retype(work, rows: there.rows)
                if let triggers = there.triggers {
                    try await connection.execute("SET CONSTRAINTS \(triggers) DEFERRED")
                }
            }
        } else {
            if place != work.match.place { try await requireFree(work.match.place) }
            outcome.wasDropped = work.match.server != nil
            if let number = work.match.server?.serverNumber { outcome.former = try await self.place(of: number) }
            try await connection.execute(work.definition.createTable(work.match.place))
            try await comment(on: work)
        }
        outcome.sent.isMade = true
        var converter = RowConverter(work.definition, of: work.fileColumns)
        outcome.sent.inserted = try await copy(work, in: nil, &converter)
        outcome.notes = converter.notes
        return outcome
    }

    /// Returns the name that a table has now; nil if it is gone.
    private func place(of number: Int64) async throws -> PublishedPlace? {
        let names = try await connection.execute(
            """
            SELECT nspname::text, relname::text FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
            WHERE pg_class.oid = $1::oid AND relkind = 'r'
            """, .integer(number)
        ).rows.first
        guard let schema = names?.first?.text, let name = names?.last?.text else { return nil }
        return PublishedPlace(schema: schema, name: name)
    }

    static func exists(_ place: PublishedPlace, on connection: PostgresConnection) async throws -> Bool {
        try await connection.execute("SELECT to_regclass($1) IS NOT NULL", .text(place.sql)).value == .boolean(true)
    }

    /// Names the columns of a user's that have values: those go when the rows are deleted.
    static func ownColumns(
        at place: PublishedPlace, beside definition: TableDefinition, on connection: PostgresConnection
    ) async throws -> [String] {
        let names = try await connection.execute(
            """
            SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
                AND attgenerated = '' AND attidentity = '' AND attname::text <> ALL ($2::text[]) ORDER BY attnum
            """, .text(place.sql), .texts(definition.columns.map(\.name))
        ).texts
        guard !names.isEmpty else { return [] }
        let isFilled = names.map { "EXISTS (SELECT FROM ONLY \(place.sql) WHERE \(SQLText.name($0)) IS NOT NULL)" }
        let found = try await connection.execute("SELECT \(isFilled.joined(separator: ", "))", rows: .max).rows.first
        return zip(names, found ?? []).filter { $0.1 == .boolean(true) }.map(\.0)
    }

    /// Says who has a table of that name already; nil if nobody does, or if it is a table of this file.
    static func owner(
        of place: PublishedPlace, for file: PostgresUUID?, on connection: PostgresConnection
    ) async throws -> String? {
        if try await PublishedSchema.hasTables(on: connection) {
            let owner = try await connection.execute(
                "SELECT file FROM _garner.tables WHERE schema = $1 AND name = $2 AND to_regclass($3) IS NOT NULL",
                .text(place.schema), .text(place.name), .text(place.sql)
            ).value
            if let owner {
                return owner == file.map(PostgresValue.uuid)
                    ? nil
                    : "the table \(place.sql) is there already, and another file of Garner's is published as it. \(otherNames). "
                        + "If that file is gone, drop its tables: DROP TABLE \(place.sql)"
            }
        }
        return switch try await hasOwnComment(place, on: connection) {
        case nil: nil
        case true?:
            "the table \(place.sql) is there already, and its comment says that Garner made it, but the schema _garner knows "
                + "nothing of it: somebody has dropped that, or what was in it. Drop the table with its views, and Garner makes it again: DROP TABLE \(place.sql)"
        default: "the table \(place.sql) is there already, and Garner has not made it. \(otherNames)"
        }
    }

    /// Throws if somebody has put a table of theirs in the place of Garner's: its rows would go.
    private func requireOwnComment(on work: TableWork, at place: PublishedPlace) async throws {
        if let other = try await Self.other(at: place, on: connection) {
            throw TableTrouble.behind(other.reason(at: place))
        }
        guard try await Self.hasOwnComment(place, on: connection) == false else { return }
        throw TableTrouble.behind(
            "the table \(place.sql) has no comment of Garner's, so it may be somebody's own. Rename it, and Garner makes one anew; or, "
                + "if Garner may empty it: "
                + TableDefinition.comment(on: place, stream: work.match.table.stream))
    }

    /// Returns what stands in the place of a table and is none.
    static func other(at place: PublishedPlace, on connection: PostgresConnection) async throws -> OtherRelation? {
        try await connection.execute(
            "SELECT relkind::text FROM pg_class WHERE oid = to_regclass($1)", .text(place.sql)
        ).value?.text.flatMap(OtherRelation.init(relkind:))
    }

    /// Says if a table's comment is one that Garner writes; nil if there is no such table.
    private static func hasOwnComment(_ place: PublishedPlace, on connection: PostgresConnection) async throws -> Bool?
    {
        let found = try await connection.execute(
            """
            SELECT coalesce(obj_description(place, 'pg_class') ~ '^The stream .*, (published by|which) Garner', false)
            FROM to_regclass($1) AS place WHERE place IS NOT NULL
            """, .text(place.sql)
        ).value
        return found.map { $0 == .boolean(true) }
    }

    private static let otherNames =
        "Name another schema (publish: { url: …, schema: NAME }) or another table for the stream (table: NAME)"

    private func comment(on work: TableWork) async throws {
        try await connection.execute(
            TableDefinition.comment(on: work.match.place, stream: work.match.table.stream))
    }

    private func retype(_ work: TableWork, rows: Int) async throws {
        let place = work.match.place
        let computed = try await Self.computedColumns(of: work.definition, at: place, on: connection)
        if !computed.isEmpty {
            let changes = computed.map { "ALTER COLUMN \(SQLText.name($0.name)) \($0.change)" }
            try await connection.execute("ALTER TABLE ONLY \(place.sql) \(changes.joined(separator: ", "))")
        }
        let types = try await ServerColumns.read(of: [place], on: connection)[place]
        let added = Set(work.added.map(\.name))
        let lost = work.definition.columns.filter { types[ExactText($0.name)] == nil && !added.contains($0.name) }
        if !lost.isEmpty { try await connection.execute(TableDefinition.addColumns(lost, to: place)) }
        if let statement = work.definition.changeTypes(of: place, from: types) {
            try await connection.execute(statement, rows: rows)
        }
        // It has gone with a column of it.
        let key = try await connection.execute(
            "SELECT FROM pg_constraint WHERE contype = 'p' AND conrelid = to_regclass($1)", .text(place.sql))
        if key.count == 0 { try await connection.execute(work.definition.addKey(to: place), rows: rows) }
    }

    /// The published columns that take no values since they are generated, or count by themselves, each with the change that ends that.
    static func computedColumns(
        of definition: TableDefinition, at place: PublishedPlace, on connection: PostgresConnection
    ) async throws -> [(name: String, change: String)] {
        try await connection.execute(
            """
            SELECT attname::text, CASE WHEN attgenerated <> '' THEN 'DROP EXPRESSION' ELSE 'DROP IDENTITY' END
            FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
                AND (attgenerated <> '' OR attidentity <> '') AND attname::text = ANY ($2::text[]) ORDER BY attnum
            """, .text(place.sql), .texts(definition.columns.filter { !$0.isKey }.map(\.name))
        ).rows.compactMap { row in row[0].text.flatMap { name in row[1].text.map { (name: name, change: $0) } } }
    }

    /// What of a user's looks at the end for rows that are deleted, keys that lead to the table, and triggers by their names; and the most
    /// rows that the table may have.
    private func standing(
        of place: PublishedPlace
    ) async throws -> (foreignKeys: Bool, triggers: String?, rows: Int) {
        let found = try await connection.execute(
            """
            SELECT coalesce(bool_or(contype = 'f'), false),
                string_agg(format('%I.%I', nspname, conname), ', ') FILTER (WHERE contype = 't'),
                pg_relation_size(to_regclass($1)) / 32
            FROM pg_constraint JOIN pg_namespace AS space ON space.oid = connamespace
            WHERE condeferrable AND CASE contype WHEN 'f' THEN confrelid WHEN 't' THEN conrelid END = to_regclass($1)
            """, .text(place.sql)
        ).rows.first
        guard let found, case .integer(let rows) = found[2] else { return (false, nil, .max) }
        return (found[0] == .boolean(true), found[1].text, Int(clamping: rows))
    }

    // MARK: - Changes

    private func follow(_ work: TableWork) async throws -> TableOutcome {
        try await rename(work)
        try await addColumns(work)
        var outcome = TableOutcome(definition: work.definition)
        var converter = RowConverter(work.definition, of: work.fileColumns)
        outcome.sent.deleted = try await delete(work, &converter)
        outcome.sent.updated = try await update(work, &converter)
        if let ranges = work.changes?.replaced, !ranges.isEmpty {
            outcome.sent.inserted = try await copy(work, in: ranges, &converter)
        }
        outcome.notes = converter.notes
        return outcome
    }

    private func rename(_ work: TableWork) async throws {
        guard let old = work.match.server?.place, old != work.match.place else { return }
        try await requireFree(work.match.place)
        try await connection.execute(TableDefinition.rename(old, to: work.match.place.name))
        try await comment(on: work)
    }

    /// Throws if a table has the name that another one is to have now.
    private func requireFree(_ place: PublishedPlace) async throws {
        guard try await Self.exists(place, on: connection) else { return }
        let left = try await connection.execute(
            """
            SELECT FROM _garner.tables WHERE schema = $1 AND name = $2 AND file = $3 AND left_out_since IS NOT NULL
            """, .text(place.schema), .text(place.name), .uuid(file))
        throw TableTrouble.behind(
            left.count > 0
                ? "the table \(place.sql) is there still, whose stream is published no longer. If nobody needs it: DROP TABLE \(place.sql)"
                : "the table \(place.sql) is there already, under the name that this one is to have. \(Self.otherNames)"
        )
    }

    private func addColumns(_ work: TableWork) async throws {
        guard !work.added.isEmpty else { return }
        try await connection.execute(TableDefinition.addColumns(work.added, to: work.match.place))
    }

    /// Throws if a column of somebody's has the name of one that is to be added.
    private func requireFreeNames(of work: TableWork) async throws {
        guard !work.added.isEmpty, let place = work.match.server?.place else { return }
        let there = try await ServerColumns.read(of: [place], on: connection)[place]
        let lines = work.added.filter { there[ExactText($0.name)] != nil }.map { column in
            let name = PublishedNames.column(column.name + "_own", taken: Set(there.keys))
            return
                "ALTER TABLE \(place.sql) RENAME COLUMN \(SQLText.plainName(column.name)) TO \(SQLText.plainName(name))"
        }
        guard !lines.isEmpty else { return }
        throw TableTrouble.behind(
            "a column of yours has the name of a new field, which is to have one of its own. Rename yours: "
                + lines.joined(separator: "; "))
    }

    private static let mostRowsOfStatement = 10_000
    private static let mostBytesOfStatement = 4 << 20
    /// Copied rows are sent in pieces of about this size.
    private static let bytesOfPiece = 256 << 10

    private func delete(_ work: TableWork, _ converter: inout RowConverter) async throws -> Int {
        var deleted = 0
        let statement = converter.deleteStatement(work.match.place)
        let remaining = converter.presentStatement(work.match.place)
        var keys = converter.keyArrays()
        let last = work.changes?.deletedKeys.count ?? 0
        for (index, key) in (work.changes?.deletedKeys ?? []).enumerated() {
            _ = try converter.append(key: key, to: &keys)
            guard
                index + 1 == last || keys.count >= Self.mostRowsOfStatement || keys.size >= Self.mostBytesOfStatement
            else { continue }
            let count = try await connection.execute(statement, parameters: keys.parameters, rows: keys.count).count
            // Rows that came and went are not there.
            if count < keys.count { try await requireNone(remaining, keys.parameters, rows: keys.count, of: work) }
            deleted += count
            keys.removeAll()
        }
        guard let ranges = work.changes?.deletedRows, !ranges.isEmpty else { return deleted }
        let column = SQLText.name(TableDefinition.rowNumber)
        let found = "unnest($1::bigint[], $2::bigint[]) AS s (first, last) WHERE t.\(column) BETWEEN s.first AND s.last"
        let bounds: [PostgresValue] = [.integers(ranges.map(\.lowerBound)), .integers(ranges.map(\.upperBound))]
        let rows = ranges.reduce(0) {
            min($0 + Int(clamping: ($1.upperBound &- $1.lowerBound).magnitude) / 2 + 1, 1_000_000)
        }
        deleted += try await connection.execute(
            "DELETE FROM ONLY \(work.match.place.sql) AS t USING \(found)", parameters: bounds, rows: rows
        ).count
        try await requireNone(
            "SELECT FROM ONLY \(work.match.place.sql) AS t, \(found) LIMIT 1", bounds, rows: rows, of: work)
        return deleted
    }

    /// Throws if rows are there that were to be deleted: only something of a user's keeps them.
    private func requireNone(_ query: String, _ parameters: [PostgresValue] = [], rows: Int, of work: TableWork)
        async throws
    {
        guard try await connection.execute(query, parameters: parameters, rows: rows).count > 0 else { return }
        throw TableTrouble.behind(try await BehindReason.omission(at: work.match.place, connection))
    }

    private func update(_ work: TableWork, _ converter: inout RowConverter) async throws -> Int {
        guard let ranges = work.changes?.updated, !ranges.isEmpty else { return 0 }
        let statement = converter.updateStatement(work.match.place)
        let rows = try snapshot.rows(of: work.match.table, in: ranges)
        var arrays = converter.updateArrays()
        var updated = 0
        var isLast = try !rows.next()
        while !isLast {
            try converter.append(rows, to: &arrays)
            isLast = try !rows.next()
            guard isLast || arrays.count >= Self.mostRowsOfStatement || arrays.size >= Self.mostBytesOfStatement
            else { continue }
            try requireRoomInLog()
            let count = try await connection.execute(statement, parameters: arrays.parameters, rows: arrays.count).count
            guard count == arrays.count else { throw TableTrouble.mismatch }
            updated += count
            arrays.removeAll()
        }
        return updated
    }

    /// Copies rows of the file. Returns how many.
    private func copy(
        _ work: TableWork, in ranges: [ClosedRange<Int64>]?, _ converter: inout RowConverter
    ) async throws -> Int {
        let rows = try snapshot.rows(of: work.match.table, in: ranges)
        var isLast = try !rows.next()
        // Rows that came and went need no trip.
        guard !isLast else { return 0 }
        var copying = converter
        defer { converter = copying }
        var given = 0
        let stored = try await connection.copy(converter.copyStatement(work.match.place)) { copied in
            try requireRoomInLog()
            while !isLast, copied.size < Self.bytesOfPiece {
                try copying.append(rows, to: &copied)
                given += 1
                isLast = try !rows.next()
            }
            return !isLast
        }
        guard stored == given else {
            throw TableTrouble.behind(try await BehindReason.omission(at: work.match.place, connection))
        }
        return stored
    }
}
