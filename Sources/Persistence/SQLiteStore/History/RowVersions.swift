import Catalog
import Database
import Model
import SQLite

/// Keeps what the rows of a stream's table were, and when, in the transactions that change them.
final class RowVersions {
    private let streamID: Int64
    private let connection: Connection
    private var schema: TableSchema
    private var statements: VersionStatements
    private var endOfRow: Statement
    private var beginOfRow: Statement

    /// Makes the table of versions where there is none.
    init(of schema: TableSchema, streamID: Int64, on connection: Connection) throws {
        self.streamID = streamID
        self.connection = connection
        self.schema = schema
        statements = try Self.statements(for: schema, streamID, on: connection)
        endOfRow = try Statement(statements.endOfRow, on: connection)
        beginOfRow = try Statement(statements.beginOfRow, on: connection)
    }

    /// Takes over the columns that the stream's table has got since.
    func follow(_ schema: TableSchema) throws {
        self.schema = schema
        let statements = try Self.statements(for: schema, streamID, on: connection)
        guard statements.columns.count != self.statements.columns.count else { return }
        self.statements = statements
        endOfRow = try Statement(statements.endOfRow, on: connection)
        beginOfRow = try Statement(statements.beginOfRow, on: connection)
    }

    /// Notes a row that was inserted or updated; the upsert deletes none.
    func note(_ change: RowChange, in schema: TableSchema, run: Int64, now: Timestamp) throws {
        let row: Int64
        switch change {
        case .none, .deleted: return
        case .inserted(let changed), .updated(let changed): row = changed
        }
        if schema.columns.count != self.schema.columns.count { try follow(schema) }
        for statement in [endOfRow, beginOfRow] {
            try statement.bind([.integer(row), .null, .text(now.description), .integer(run)])
            try statement.run()
        }
    }

    /// Ends what holds of the rows that are about to be deleted.
    ///
    /// - Parameter values: of the condition, for ?1 and ?2.
    func end(where condition: String, _ values: [Value], run: Int64, now: Timestamp) throws {
        try execute(statements.end(where: condition), values + [.text(now.description), .integer(run)])
    }

    /// Begins a version of each row of which none holds.
    func beginAbsent(run: Int64?, now: Timestamp) throws {
        try execute(statements.beginOfAbsent, [.null, .null, .text(now.description), Value(run)])
    }

    /// Makes the versions tell what the rows are now, however they became so. O(rows).
    ///
    /// - Parameter run: that changed them; nil where none is known.
    func catchUp(run: Int64?, now: Timestamp) throws {
        try execute(statements.endOfStale, [.null, .null, .text(now.description), Value(run)])
        try beginAbsent(run: run, now: now)
    }

    private func execute(_ sql: String, _ values: [Value]) throws {
        let statement = try Statement(sql, on: connection)
        try statement.bind(values)
        try statement.run()
    }

    private static func statements(
        for schema: TableSchema, _ streamID: Int64, on connection: Connection
    ) throws -> VersionStatements {
        let history = HistoryTable(of: schema.table, on: connection)
        let columns = try history.keptColumns(of: schema)
        try history.make(with: columns, of: schema, streamID: streamID)
        return VersionStatements(schema: schema, columns: columns)
    }
}

/// The SQL that ends versions of rows and begins new ones.
///
/// ?1 and ?2 are for conditions, ?3 is the instant and ?4 the run.
struct VersionStatements {
    let schema: TableSchema
    /// Of the rows.
    let columns: [String]

    /// Ends what holds of one row, whose number is ?1. Without a key no row is ever another one's successor.
    var endOfRow: String { end(schema.key.isEmpty ? "FALSE" : "\(tuple("")) = (\(keys(where: "_rowid_ = ?1")))") }

    /// Ends what holds of the rows for which a condition is true. Without a key these are all but those of this run.
    func end(where condition: String) -> String {
        end(schema.key.isEmpty ? "_garner_run IS NOT ?4" : "\(tuple("")) IN (\(keys(where: condition)))")
    }

    /// Ends what holds of rows that are no longer so. Without a key they cannot be told from others: then all.
    var endOfStale: String {
        guard !schema.key.isEmpty else { return end("TRUE") }
        let present = columns.map { "record.\(quoted($0))" }.joined(separator: ", ")
        let noted = columns.map { "\(history).\(quoted($0))" }.joined(separator: ", ")
        return end(
            """
            NOT EXISTS (
                SELECT 1 FROM \(table) AS record WHERE \(tuple("record.")) = \(tuple("\(history).")) AND (\(present)) IS (\(noted)))
            """)
    }

    /// Begins a version of one row, whose number is ?1.
    var beginOfRow: String { begin("record._rowid_ = ?1") }

    /// Begins a version of each row of which none holds.
    var beginOfAbsent: String {
        guard !schema.key.isEmpty else { return begin("TRUE") }
        return begin(
            """
            NOT EXISTS (
                SELECT 1 FROM \(history) AS earlier
                WHERE \(tuple("earlier.")) = \(tuple("+record.")) AND earlier._garner_valid_to IS NULL)
            """)
    }

    private var table: String { quoted(schema.table) }
    private var history: String { quoted(HistoryTable.name(of: schema.table)) }

    private func tuple(_ prefix: String) -> String {
        "(\(schema.key.map { "\(prefix)\(quoted($0.name))" }.joined(separator: ", ")))"
    }

    /// The plus keeps the columns' affinity away, for which the index of the versions could not be used.
    private func keys(where condition: String) -> String {
        "SELECT \(schema.key.map { "+\(quoted($0.name))" }.joined(separator: ", ")) FROM \(table) WHERE \(condition)"
    }

    /// A version does not end before it began, wherever the clock has been set.
    private func end(_ condition: String) -> String {
        """
        UPDATE \(history) SET _garner_valid_to = max(?3, _garner_valid_from), _garner_end_run = ?4
        WHERE _garner_valid_to IS NULL AND \(condition)
        """
    }

    /// A version does not begin before the one before it ended.
    private func begin(_ condition: String) -> String {
        let names = columns.map(quoted)
        let since =
            schema.key.isEmpty
            ? "?3"
            : """
            max(?3, coalesce((
                SELECT max(_garner_valid_to) FROM \(history) AS earlier
                WHERE \(tuple("earlier.")) = \(tuple("+record."))), ''))
            """
        return """
            INSERT INTO \(history) (_garner_valid_from, _garner_run, \(names.joined(separator: ", ")))
            SELECT \(since), ?4, \(names.map { "record.\($0)" }.joined(separator: ", "))
            FROM \(table) AS record WHERE \(condition)
            """
    }
}
