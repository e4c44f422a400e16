import GarnerDatabase
import GarnerModel
package import GarnerSQLite

/// The triggers by which Garner notices that others change rows of a table.
///
/// Who makes a table anew leaves its triggers behind. So a trigger that is missing, or is not the one that the table needs now,
/// says as much as one that has fired: rows may have changed.
package struct RowWatch {
    /// The stream whose pages the rows belong to.
    let streamID: StreamID
    let table: String
    /// The columns of the table's key.
    let key: [String]
    /// The number of the table, which is in the names of the triggers.
    let number: StreamID
    let connection: Connection

    /// The beginning of the names of all triggers.
    static let prefix = "_garner_touched_"

    enum State {
        /// None of the triggers is on the table.
        case lost
        /// A trigger is missing, or is not the one that the table needs now.
        case outdated
        case whole
    }

    var state: State {
        get throws {
            let found = try connection.triggers(of: table)
            let triggers = try triggers()
            guard found.contains(where: { found in triggers.contains { $0.name == found.name } }) else { return .lost }
            let isWhole = triggers.allSatisfy { trigger in
                found.contains { $0.name == trigger.name && $0.sql.utf8.elementsEqual(trigger.sql.utf8) }
            }
            return isWhole ? .whole : .outdated
        }
    }

    /// Makes the triggers as the table needs them now, also where one of them went away with a renamed table.
    func renew() throws {
        for trigger in try triggers() {
            try connection.execute("DROP TRIGGER IF EXISTS \(trigger.name)")
            try connection.execute(trigger.sql)
        }
    }

    /// The triggers, as `sqlite_schema` spells them.
    ///
    /// Other inserts are not recorded: no page knows of the row. One that replaces a row deletes it without its trigger
    /// (sqlite.org/lang_conflict.html), so that it is recorded itself.
    private func triggers() throws -> [(name: String, sql: String)] {
        let replaces = try replacement.map { "WHEN EXISTS (SELECT 1 FROM \(quoted(table)) WHERE \($0))" } ?? ""
        return [("AFTER", "UPDATE", ""), ("AFTER", "DELETE", ""), ("BEFORE", "INSERT", replaces)].map {
            time, event, condition in
            let name = "\(Self.prefix)\(number)_\(event.lowercased())"
            return (
                name,
                """
                CREATE TRIGGER \(name) \(time) \(event) ON \(quoted(table)) \(condition) BEGIN
                    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = \(streamID) AND NOT is_touched;
                END
                """
            )
        }
    }

    /// The condition for a row that an insert may replace; nil if any insert may, as far as is known.
    private var replacement: String? {
        get throws {
            var ways = [key.map { Self.isSame($0) }]
            for index in try uniqueIndexes() {
                guard let columns = index.columns else { return nil }
                ways.append(columns.map { Self.isSame($0.name, by: $0.collation) })
            }
            return ways.map { $0.joined(separator: " AND ") }.joined(separator: " OR ")
        }
    }

    private static func isSame(_ column: String, by collation: String? = nil) -> String {
        "\(quoted(column)) = NEW.\(quoted(column))" + (collation.map { " COLLATE \($0)" } ?? "")
    }

    /// Returns the unique indexes besides that of the key, most of which the owner made. Their columns are nil if rows may
    /// conflict in another way: by an expression, in a part of the table, or by an order of the owner's own.
    private func uniqueIndexes() throws -> [(name: String, columns: [(name: String, collation: String)]?)] {
        let parts = try connection.rows(
            """
            SELECT list.name, list.partial, part.name, part.coll
            FROM pragma_index_list(?1) AS list, pragma_index_xinfo(list.name) AS part
            WHERE list."unique" AND part.key ORDER BY list.name, part.seqno
            """, [.text(table)]
        ) { row in
            (
                index: row.text(at: 0), isPartial: row.integer(at: 1) == 1, column: row.optionalText(at: 2),
                collation: row.optionalText(at: 3) ?? "BINARY"
            )
        }
        var indexes: [(name: String, columns: [(name: String, collation: String)]?)] = []
        for part in parts {
            if indexes.last?.name.utf8.elementsEqual(part.index.utf8) != true { indexes.append((part.index, [])) }
            let isPlain = !part.isPartial && ["BINARY", "NOCASE", "RTRIM"].contains(part.collation)
            guard isPlain, let column = part.column else {
                indexes[indexes.count - 1].columns = nil
                continue
            }
            indexes[indexes.count - 1].columns?.append((column, part.collation))
        }
        return indexes.filter { index in
            index.columns.map { !$0.map(\.name).isSamePath(as: key) } ?? true
        }
    }
}

extension RowWatch {
    /// The triggers of a stream's table, or of a table of its arrays; nil if it has no key, so that no page is remembered.
    init?(of number: StreamID, table: String, streamID: StreamID? = nil, on connection: Connection) throws {
        guard let schema = try TableSchema(streamID: number, table: table, on: connection), !schema.key.isEmpty else {
            return nil
        }
        self.init(
            streamID: streamID ?? number, table: table, key: schema.key.map(\.name), number: number,
            connection: connection)
    }

    /// Returns the names of the tables that lack a trigger, of those that have the columns of their stream.
    package static func unwatchedTables(on connection: Connection) throws -> [String] {
        let tables = try connection.rows(
            """
            SELECT stream_id, coalesce(parent_id, stream_id), table_name
            FROM _garner_streams LEFT JOIN _garner_children USING (stream_id)
            WHERE table_name IN \(Connection.tableNames) ORDER BY table_name
            """
        ) { (number: StreamID($0.integer(at: 0)), streamID: StreamID($0.integer(at: 1)), table: $0.text(at: 2)) }
        return try tables.filter {
            guard try TableSchema.lostColumns(of: $0.table, $0.number, on: connection) == nil,
                let watch = try RowWatch(of: $0.number, table: $0.table, streamID: $0.streamID, on: connection)
            else { return false }
            return try watch.state != .whole
        }.map(\.table)
    }
}
