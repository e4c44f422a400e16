import GarnerCatalog
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

extension ReadOnlyDatabase {
    /// Runs `body`, which sees streams as they were at `instant`, or are if it is nil. Later questions to this reader do, too.
    ///
    /// Views with the tables' names hide the tables; `main.` before a name selects the current rows. A query of a
    /// stream whose old rows are unknown fails.
    package func viewing<R>(asOf instant: Timestamp?, _ body: () throws -> R) throws -> R {
        guard let instant else { return try body() }
        try hideTables(behind: reading { try pastViews(at: instant) })
        do {
            return try body()
        } catch let error as PersistenceError {
            let unknown = try reading { try unknownPast(in: error.message, at: instant) }
            throw unknown ?? error
        }
    }

    /// Creates the views for this connection only. The file itself stays read-only.
    private func hideTables(behind views: [PastView]) throws {
        do {
            try connection.makeViews(views.map { ($0.name, $0.definition) })
        } catch {
            throw PersistenceError(error, path: connection.path)
        }
    }

    private struct PastView {
        let name: String
        /// The text after CREATE VIEW.
        let definition: String
    }

    /// The prefix of the names of missing tables. A view reads from such a table if its old rows are unknown.
    private static let nothing = "_garner_unknown_past_"

    private func pastViews(at instant: Timestamp) throws -> [PastView] {
        let streams = try connection.rows(
            """
            SELECT stream_id, table_name, EXISTS (
                SELECT 1 FROM _garner_histories AS period WHERE period.stream_id = _garner_streams.stream_id
                AND since <= ?1 AND (until IS NULL OR until > ?1))
            FROM _garner_streams WHERE table_name IN \(Connection.tableNames)
            """, [.text(instant.description)]
        ) { (id: StreamID($0.integer(at: 0)), table: $0.text(at: 1), isKnown: $0.integer(at: 2) != 0) }
        let tables = try streams.map { stream in
            let rows = stream.isKnown ? try rows(of: stream.table, streamID: stream.id, at: instant) : nil
            let source = rows ?? "SELECT * FROM main.\(Self.nothing)\(stream.id)"
            return PastView(name: stream.table, definition: "\(quoted(stream.table)) AS \(source)")
        }
        // A view of the owner would read the tables in `main`.
        let own = try connection.rows(
            "SELECT name, substr(sql, length('CREATE VIEW ') + 1) FROM sqlite_schema WHERE type = 'view'"
        ) { PastView(name: $0.text(at: 0), definition: $0.text(at: 1)) }
        return tables + own
    }

    /// Returns a query for the rows at an instant; nil if there is no table of versions.
    private func rows(of table: String, streamID: StreamID, at instant: Timestamp) throws -> String? {
        let history = HistoryTable(of: table, on: connection)
        guard try history.exists() else { return nil }
        let part = try connection.schema(of: history.name)
        // A cast gives the view's column the affinity of the table's column, so that comparisons have the same result.
        // A column that was widened gets no cast, which would change older values; keys are respelled.
        let columns = try connection.rows(
            """
            SELECT now.name, now.type, now.pk = 0 AND now.name IN (
                SELECT column_name FROM _garner_schema_changes WHERE stream_id = ?3 AND old_type IS NOT NULL)
            FROM pragma_table_info(?1, '\(part)') AS now
            WHERE now.name IN (SELECT name FROM pragma_table_info(?2, '\(part)'))
            """, [.text(table), .text(history.name), .id(streamID)]
        ) { row in
            let name = quoted(row.text(at: 0))
            let type = row.text(at: 1)
            let isWidened = row.integer(at: 2) != 0
            return (
                value: isWidened ? name : "CAST(\(name) AS \(type)) AS \(name)", type: isWidened ? "NULL" : name,
                isBoolean: type == ColumnType.boolean.rawValue
            )
        }
        let then = "'\(instant)'"
        let rows = """
            SELECT \(columns.map(\.value).joined(separator: ", ")) FROM \(part).\(quoted(history.name))
            WHERE _garner_valid_from <= \(then) AND (_garner_valid_to IS NULL OR _garner_valid_to > \(then))
            """
        guard columns.contains(where: \.isBoolean) else { return rows }
        // A cast has no declared type, which tells that 0 is false. That of a compound select is the one of its last part.
        return
            "\(rows) UNION ALL SELECT \(columns.map(\.type).joined(separator: ", ")) FROM \(part).\(quoted(table)) WHERE FALSE"
    }

    /// Returns the error for a view whose rows are unknown; nil for other errors.
    private func unknownPast(in message: String, at instant: Timestamp) throws -> PersistenceError? {
        guard let place = message.firstRange(of: Self.nothing),
            let streamID = Int64(message[place.upperBound...].prefix { $0.isNumber }).map({ StreamID($0) }),
            let table = try connection.text(
                "SELECT table_name FROM _garner_streams WHERE stream_id = ?1", .id(streamID))
        else { return nil }
        let times = try connection.rows(
            "SELECT since, until FROM _garner_histories WHERE stream_id = ?1 ORDER BY since", [.id(streamID)]
        ) { row in
            row.optionalText(at: 1).map { "from \(row.text(at: 0)) to \($0)" } ?? "from \(row.text(at: 0)) on"
        }
        if times.isEmpty { return try unkeptVersions(of: table, streamID: streamID) }
        return PersistenceError(
            .request, "what the rows of \(table) were at \(instant) is not known",
            hint: "their versions were kept \(times.joined(separator: ", and ")); choose an instant in that period")
    }
}
