import GarnerPersistence
import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// The rows of `_garner_attachments` whose URL no record has, not even in a stored version.
///
/// Rows of a field without a known column stay.
struct StaleLinks {
    private var parts: [(stream: StreamID, field: String, urls: String)] = []

    init(connection: Connection) throws {
        let fields = try connection.rows(
            """
            SELECT DISTINCT stream_id, field, table_name FROM _garner_attachments JOIN _garner_streams USING (stream_id)
            WHERE table_name IN \(Connection.tableNames)
            """
        ) { (stream: StreamID($0.integer(at: 0)), field: $0.text(at: 1), table: $0.text(at: 2)) }
        for (stream, field, table) in fields {
            guard let schema = try TableSchema(streamID: stream, table: table, on: connection),
                let index = schema.index(ofField: field)
            else { continue }
            let column = schema.columns[index].name
            let holders = try connection.rows(
                """
                SELECT t.name FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
                WHERE t.schema = 'main' AND t.name COLLATE NOCASE IN (?1, '_garner_history_' || ?1) AND c.name = ?2
                """, [.text(table), .text(column)]
            ) { quoted($0.text(at: 0)) }
            guard !holders.isEmpty else { continue }
            let name = quoted(column)
            let urls = holders.map { "SELECT \(name) FROM \($0) WHERE \(name) IS NOT NULL" }
            parts.append((stream, field, urls.joined(separator: " UNION ALL ")))
        }
    }

    /// - Parameter prefix: The text before the table's columns, with its dot.
    func condition(_ prefix: String) -> String {
        let conditions = parts.enumerated().map { index, part in
            """
            (\(prefix)stream_id = ?\(2 * index + 1) AND \(prefix)field = ?\(2 * index + 2)
            AND \(prefix)url NOT IN (\(part.urls)))
            """
        }
        return conditions.isEmpty ? "FALSE" : conditions.joined(separator: " OR ")
    }

    var values: [Value] { parts.flatMap { [.id($0.stream), .text($0.field)] } }
}
