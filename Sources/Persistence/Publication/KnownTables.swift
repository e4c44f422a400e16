import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The tables that are published or may be, as a connection last found them.
final class KnownTables {
    private var version: Int64?
    private var tables: [PublishedTable] = []

    /// Returns the tables. Reads them again only if another connection has committed anything since the last call.
    ///
    /// Call it in a transaction that has already read something.
    func tables(on connection: Connection) throws -> [PublishedTable] {
        let current = try connection.integer("PRAGMA data_version")
        if current == nil || current != version {
            tables = try Self.read(on: connection)
            version = current
        }
        return tables
    }

    private struct Member {
        let id: StreamID
        let table: String
        let name: String
        let parent: StreamID?
        let array: [String]
        let hasBaseline: Bool
        let position: Int64?
        let behindSince: Timestamp?
        let behindReason: String?
    }

    private static func read(on connection: Connection) throws -> [PublishedTable] {
        let members = try connection.rows(
            """
            SELECT stream_id, table_name, name, parent_id, baseline_run IS NOT NULL, position, behind_since, behind_reason,
                _garner_children.path
            FROM _garner_streams LEFT JOIN _garner_children USING (stream_id) LEFT JOIN _garner_published USING (stream_id)
            ORDER BY stream_id
            """
        ) { row in
            try Member(
                id: row.id(at: 0), table: row.text(at: 1), name: row.text(at: 2),
                parent: row.optionalInteger(at: 3).map { StreamID($0) },
                array: row.optionalText(at: 8).map(Column.path(normalized:)) ?? [],
                hasBaseline: row.integer(at: 4) == 1,
                position: row.optionalInteger(at: 5), behindSince: row.optionalTimestamp(at: 6),
                behindReason: row.optionalText(at: 7))
        }
        let byID = Dictionary(members.map { ($0.id, $0) }) { first, _ in first }
        let columns = try columns(on: connection)
        return try members.compactMap { member in
            var root = member
            // The parent of a nested array is an array, too. The stream is at the top.
            while let parent = root.parent, let next = byID[parent], next.id < root.id { root = next }
            guard root.hasBaseline || member.position != nil, let known = columns[member.id],
                try connection.hasTable(member.table)
            else { return nil }
            // 1 is for hidden columns of virtual tables. Generated columns have other numbers.
            let found = try connection.rows(
                "SELECT name, type FROM pragma_table_xinfo(?1) WHERE hidden <> 1", [.text(member.table)]
            ) { (name: $0.text(at: 0), type: $0.text(at: 1)) }
            // Somebody may have dropped a column.
            let own = known.filter { column in found.contains { $0.name.isSameSQLName(as: column.column.name) } }
            let published = self.columns(own.map(\.column), of: found)
            let key = own.indices.filter { own[$0].keyPosition != nil }
                .sorted { (own[$0].keyPosition ?? 0) < (own[$1].keyPosition ?? 0) }
            return PublishedTable(
                id: member.id, name: member.table, stream: root.name, isChild: member.parent != nil,
                array: member.array, columns: published, key: key, isReady: root.hasBaseline, position: member.position,
                behindSince: member.behindSince, behindReason: member.behindReason)
        }
    }

    /// Returns the columns that Garner has given the tables.
    private static func columns(
        on connection: Connection
    ) throws -> [StreamID: [(column: PublishedColumn, keyPosition: Int64?)]] {
        let rows = try connection.rows(
            "SELECT stream_id, name, path, type, key_position FROM _garner_columns ORDER BY stream_id, position"
        ) { row in
            let path = row.text(at: 2)
            let members = Column.path(normalized: path)
            let isContent = members.isEmpty && Column.outerPlace(normalized: path) == nil
            return (
                id: StreamID(row.integer(at: 0)),
                column: PublishedColumn(
                    name: row.text(at: 1), kind: isContent ? .content : .value(path: members),
                    type: row.columnType(at: 3)),
                keyPosition: row.optionalInteger(at: 4)
            )
        }
        return Dictionary(grouping: rows, by: \.id).mapValues { $0.map { ($0.column, $0.keyPosition) } }
    }

    /// Returns the columns of a table: those that Garner has given it, then those that it has besides.
    private static func columns(
        _ own: [PublishedColumn], of found: [(name: String, type: String)]
    ) -> [PublishedColumn] {
        own
            + found.filter { found in !own.contains { $0.name.isSameSQLName(as: found.name) } }.map { found in
                switch found.name {
                case TableSchema.restColumn: PublishedColumn(name: found.name, kind: .rest, type: .json)
                case TableSchema.deletionColumn: PublishedColumn(name: found.name, kind: .deletedAt, type: .text)
                default: PublishedColumn(name: found.name, kind: .other, type: ColumnType(declaration: found.type))
                }
            }.sorted { $0.kind.place < $1.kind.place }
    }
}

extension PublishedColumn.Kind {
    /// The rank by which the columns that a table has besides are sorted.
    fileprivate var place: Int {
        switch self {
        case .value, .content: 0
        case .rest: 1
        case .deletedAt: 2
        case .other: 3
        }
    }
}

extension ColumnType {
    /// The type of a column that somebody else has declared, by SQLite's rules of affinity (sqlite.org/datatype3.html,
    /// section 3.1); nil if the column keeps any value as it is.
    fileprivate init?(declaration: String) {
        let text = declaration.uppercased()
        func has(_ part: String) -> Bool { text.utf8.count >= part.utf8.count && text.contains(part) }
        if let type = ColumnType(rawValue: text) {
            self = type
        } else if has("INT") {
            self = .integer
        } else if has("CHAR") || has("CLOB") || has("TEXT") {
            self = .text
        } else if has("REAL") || has("FLOA") || has("DOUB") {
            self = .real
        } else {
            return nil
        }
    }
}
