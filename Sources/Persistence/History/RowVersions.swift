import Catalog
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
