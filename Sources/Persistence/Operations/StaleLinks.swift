import SQLite

/// The rows of `_garner_attachments` whose URL no record has any longer, nor had in a version that is kept.
///
/// Those of a field that no column is known of stay.
struct StaleLinks {
    private var parts: [(stream: Int64, field: String, urls: String)] = []

    init(connection: Connection) throws {
        let fields = try connection.rows(
            """
            SELECT DISTINCT stream_id, field, table_name FROM _garner_attachments JOIN _garner_streams USING (stream_id)
            WHERE table_name IN (SELECT name FROM sqlite_schema WHERE type = 'table')
            """
        ) { (stream: $0.integer(at: 0), field: $0.text(at: 1), table: $0.text(at: 2)) }
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

    /// - Parameter prefix: what stands before the table's columns, with its dot.
    func condition(_ prefix: String) -> String {
        let conditions = parts.enumerated().map { index, part in
            """
            (\(prefix)stream_id = ?\(2 * index + 1) AND \(prefix)field = ?\(2 * index + 2)
            AND \(prefix)url NOT IN (\(part.urls)))
            """
        }
        return conditions.isEmpty ? "FALSE" : conditions.joined(separator: " OR ")
    }

    var values: [Value] { parts.flatMap { [.integer($0.stream), .text($0.field)] } }
}
