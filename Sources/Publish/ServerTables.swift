import GarnerModel
import GarnerPersistence
import GarnerPostgres

/// A published table as PostgreSQL knows it: a row of `_garner.tables`.
struct ServerTable: Sendable, Equatable {
    /// The table's number in the file; nil if the file may have given it to another table.
    var id: StreamID?
    var place: PublishedPlace
    var stream: String
    var definition: TableDefinition
    /// The last note that its rows are as.
    var position: Int64
    var behindReason: String?
    /// True if its stream is published no longer.
    var isLeftOut = false
    /// False if somebody has dropped the table, or if something else has its name, such as a view.
    var exists = true
    /// The number that PostgreSQL had given it when it was written; nil if that says nothing of the one that is there.
    var serverNumber: Int64?
    /// True if another table has its name now, such as one of an older backup.
    var isReplaced = false
    /// The number of the file that PostgreSQL keeps its rows in. TRUNCATE gives it another one, and so do VACUUM FULL and CLUSTER.
    var storage: Int64?
    /// True if it was looked at and had no byte, as after TRUNCATE.
    var isEmpty = false
    /// True if a crash of the server empties it.
    var isUnlogged = false
}

/// The published tables of a file, as PostgreSQL knows them.
struct ServerTables: Sendable, Equatable {
    private(set) var tables: [ServerTable] = []

    /// Reads them in one trip, and sees which are empty.
    ///
    /// The catalog knows no page of a table that TRUNCATE has emptied. So only such tables, and those that a crash empties, are asked for
    /// their size, and none that somebody has locked or is about to: nobody waits.
    static func read(of file: PostgresUUID, on connection: PostgresConnection) async throws -> ServerTables {
        let result = try await connection.execute(
            """
            SELECT table_id, schema, name, stream, definition::text, position, behind_reason, left_out_since IS NOT NULL,
                own.oid::bigint,
                CASE WHEN to_jsonb(t) ->> 'books_oid' = '_garner.tables'::regclass::oid::text
                    THEN (to_jsonb(t) ->> 'table_oid')::bigint END,
                relfilenode::bigint, relpersistence = 'u',
                CASE WHEN relpages > 0 AND relpersistence <> 'u'
                    OR own.oid IN (SELECT relation FROM pg_locks WHERE mode = 'AccessExclusiveLock') THEN false
                ELSE pg_relation_size(own.oid) = 0 END
            FROM _garner.tables AS t
            LEFT JOIN (pg_class AS own JOIN pg_namespace AS space ON space.oid = relnamespace)
                ON nspname = t.schema AND relname = t.name AND relkind = 'r'
            WHERE file = $1 ORDER BY schema, name
            """, .uuid(file))
        return ServerTables(
            tables: result.rows.compactMap { row in
                guard let schema = row[1].text, let name = row[2].text, let stream = row[3].text,
                    let definition = row[4].text.flatMap({ TableDefinition(json: $0) }), let position = row[5].integer
                else { return nil }
                let (current, former) = (row[8].integer, row[9].integer)
                return ServerTable(
                    id: row[0].integer.map { StreamID($0) }, place: PublishedPlace(schema: schema, name: name),
                    stream: stream, definition: definition,
                    position: position, behindReason: row[6].text, isLeftOut: row[7] == .boolean(true),
                    exists: current != nil, serverNumber: former,
                    isReplaced: current != nil && former != nil && former != current,
                    storage: row[10].integer, isEmpty: row[12] == .boolean(true), isUnlogged: row[11] == .boolean(true))
            })
    }

    subscript(_ place: PublishedPlace) -> ServerTable? { tables.first { $0.place == place } }

    mutating func replace(_ old: PublishedPlace?, with table: ServerTable) {
        tables.removeAll { $0.place == old || $0.place == table.place }
        // A number names one table.
        for index in tables.indices where tables[index].id == table.id { tables[index].id = nil }
        tables.append(table)
    }

    /// Has the tables begin anew that say that they are further than the file's row: they are of another history, such as that of a
    /// backup of which only a part was restored.
    mutating func distrust(beyond position: Int64) {
        for index in tables.indices where tables[index].position > position {
            (tables[index].position, tables[index].id) = (0, nil)
        }
    }

    mutating func leaveOut(_ places: Set<PublishedPlace>) {
        for index in tables.indices where places.contains(tables[index].place) { tables[index].isLeftOut = true }
    }

    /// A table of the file, and where it is in PostgreSQL.
    struct Match: Sendable, Equatable {
        let table: PublishedTable
        /// What PostgreSQL has of it; nil if nothing yet.
        let server: ServerTable?
        /// Where it is to be. It is another place if the file's table has another name now.
        let place: PublishedPlace
    }

    /// Finds the published tables of the file's tables.
    ///
    /// A table is known by its number once it was confirmed: its name may have changed. Before, the number may be that of a dropped one,
    /// and the table is known by its name.
    func matches(of tables: [PublishedTable], in schema: String) -> [Match] {
        let candidates = self.tables.filter { $0.place.schema == schema }
        let byName = Dictionary(candidates.map { (ExactText($0.place.name), $0) }) { first, _ in first }
        let byNumber = Dictionary(candidates.compactMap { table in table.id.map { ($0, table) } }) { first, _ in first }
        let known = tables.map { ($0.position ?? 0) > 0 ? byNumber[$0.id] : nil }
        var taken = Set(known.compactMap { $0.map { ExactText($0.place.name) } })
        return zip(tables, known).map { table, own in
            if let own { taken.remove(ExactText(own.place.name)) }
            let name = PublishedNames.table(table.name, taken: taken)
            taken.insert(ExactText(name))
            return Match(
                table: table, server: own ?? byName[ExactText(name)], place: PublishedPlace(schema: schema, name: name))
        }
    }

    /// The tables whose streams are published no longer.
    func left(by matches: [Match]) -> [ServerTable] {
        let found = Set(matches.compactMap { $0.server?.place })
        return tables.filter { !$0.isLeftOut && !found.contains($0.place) }
    }
}

extension PublishedTable {
    /// The columns as far as they decide what is published.
    ///
    /// - Parameter isNumeric: Returns true for the path in a record of a field that is to be a `numeric`.
    func fileColumns(_ isNumeric: (_ path: [String]) -> Bool) -> [FileColumn] {
        columns.enumerated().map { index, column in
            var (role, numeric): (FileColumn.Role, Bool) = (.value, false)
            switch column.kind {
            // A key is compared as the file does.
            case .value(let path): numeric = !key.contains(index) && isNumeric(array + path)
            case .content, .other: break
            case .rest: role = .rest
            case .deletedAt: role = .deletedAt
            }
            return FileColumn(
                column.name, column.type, role: role, keyPosition: key.firstIndex(of: index), isNumeric: numeric)
        }
    }
}

extension [FileColumn] {
    /// Finds the columns of texts, other than keys, that have instants only. It reads all values of each column that `isAsked` names.
    mutating func findInstants(
        in snapshot: OutboxSnapshot, of table: PublishedTable, where isAsked: (FileColumn) -> Bool = { _ in true }
    ) throws {
        for index in indices where self[index].publishedType == .text && self[index].keyPosition == nil {
            guard isAsked(self[index]) else { continue }
            self[index].holdsInstants = try snapshot.holdsOnlyInstants(table.columns[index], of: table)
        }
    }
}
