import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// Stores the versions of a stream's rows in the transactions that change the rows.
final class RowVersions {
    private let streamID: StreamID
    private let connection: Connection
    private var schema: TableSchema
    private var statements: VersionStatements
    private var endOfRow: Statement
    private var beginOfRow: Statement
    /// The statements for many rows; nil until they are needed.
    private var ofRows: ManyVersions?

    /// Creates the table of versions if it is missing.
    init(of schema: TableSchema, streamID: StreamID, on connection: Connection) throws {
        self.streamID = streamID
        self.connection = connection
        self.schema = schema
        statements = try Self.statements(for: schema, streamID, on: connection)
        endOfRow = try Statement(statements.endOfRow, on: connection)
        beginOfRow = try Statement(statements.beginOfRow, on: connection)
    }

    /// Follows a change of the stream's table: adds its new columns to the table of versions.
    func follow(_ schema: TableSchema) throws {
        self.schema = schema
        let statements = try Self.statements(for: schema, streamID, on: connection)
        guard statements.columns.count != self.statements.columns.count else { return }
        self.statements = statements
        endOfRow = try Statement(statements.endOfRow, on: connection)
        beginOfRow = try Statement(statements.beginOfRow, on: connection)
        ofRows = nil
    }

    /// Notes a row that was inserted or updated. The upsert deletes no row.
    func note(_ change: RowChange, in schema: TableSchema, run: RunID, now: Timestamp) throws {
        guard let row = change.row else { return }
        try followNewColumns(of: schema)
        try endOfRow.bind(row, at: 1)
        try execute(endOfRow, run, now)
        try beginOfRow.bind(row, at: 1)
        try execute(beginOfRow, run, now)
    }

    /// Notes the rows of records that one statement has stored. No row is among them twice.
    func note(_ records: [StoredRecord], in schema: TableSchema, run: RunID, now: Timestamp) throws {
        let changes = records.map(\.change).filter { $0 != .none }
        guard changes.count > 1 else {
            if let change = changes.first { try note(change, in: schema, run: run, now: now) }
            return
        }
        try followNewColumns(of: schema)
        let many = try ofRows ?? ManyVersions(statements, on: connection)
        ofRows = many
        if try changes.allSatisfy(\.isInsertion) && !many.haveVersions(changes) {
            return try many.supply(changes) { try execute(many.beginning, run, now) }
        }
        try many.supply(changes) { try execute(many.end, run, now) }
        try many.supply(changes) { try execute(many.begin, run, now) }
    }

    private func followNewColumns(of schema: TableSchema) throws {
        let hasNewColumn =
            schema.columns.count != self.schema.columns.count || schema.keepsRest != self.schema.keepsRest
        if hasNewColumn { try follow(schema) }
    }

    private func execute(_ statement: Statement, _ run: RunID, _ now: Timestamp) throws {
        try statement.bind(now.description, at: 3)
        try statement.bind(run.number, at: 4)
        try statement.run()
    }

    /// Ends the current versions of rows that are about to be deleted.
    ///
    /// - Parameter values: The values ?1 and ?2 of the condition.
    func end(where condition: String, _ values: [Value], run: RunID, now: Timestamp) throws {
        try execute(statements.end(where: condition), values + [.text(now.description), .id(run)])
    }

    /// Begins a version of each row without a current one.
    func beginAbsent(run: RunID?, now: Timestamp) throws {
        try execute(statements.beginOfAbsent, [.null, .null, .text(now.description), Value(run)])
    }

    /// Makes the current versions equal to the rows, whatever has changed the rows. O(rows).
    ///
    /// - Parameter run: The run that changed them; nil if it is unknown.
    func catchUp(run: RunID?, now: Timestamp) throws {
        try execute(statements.endOfStale, [.null, .null, .text(now.description), Value(run)])
        try beginAbsent(run: run, now: now)
    }

    /// Takes back the versions that a run has begun, if their rows are again as they were before the run. O(versions).
    func takeBackUnchanged(run: RunID) throws {
        guard !schema.key.isEmpty else { return }
        try execute(statements.removalOfUnchanged, [.null, .null, .null, .id(run)])
        try execute(statements.renewalOfEnded, [.null, .null, .null, .id(run)])
    }

    private func execute(_ sql: String, _ values: [Value]) throws {
        let statement = try Statement(sql, on: connection)
        try statement.bind(values)
        try statement.run()
    }

    private static func statements(
        for schema: TableSchema, _ streamID: StreamID, on connection: Connection
    ) throws -> VersionStatements {
        let history = HistoryTable(of: schema.table, on: connection)
        let columns = try history.keptColumns(of: schema)
        try history.make(with: columns, of: schema, streamID: streamID)
        return VersionStatements(schema: schema, columns: columns)
    }
}

/// The statements that end and begin the versions of many rows, whose numbers they read from a virtual table.
private struct ManyVersions {
    let end: Statement
    let begin: Statement
    /// Begins the first versions of rows.
    let beginning: Statement
    /// Looks for versions of the rows; nil if none can be found, since the table has no key.
    private let earlier: Statement?
    private let rows: VirtualTable

    init(_ sql: VersionStatements, on connection: Connection) throws {
        rows = try VirtualTable(columns: 1, on: connection)
        end = try Statement(sql.endOfRows(from: rows.name), on: connection)
        begin = try Statement(sql.beginOfRows(from: rows.name), on: connection)
        beginning = try Statement(sql.beginOfRows(from: rows.name, areFirst: true), on: connection)
        earlier = try sql.versionsOfRows(from: rows.name).map { try Statement($0, on: connection) }
    }

    /// Returns false if it is known that no version has the key of one of the rows.
    func haveVersions(_ changes: [RowChange]) throws -> Bool {
        guard let earlier else { return false }
        var haveSome = false
        try supply(changes) {
            defer { earlier.reset() }
            haveSome = try earlier.step()
        }
        return haveSome
    }

    /// Calls `read`, which may run one statement that reads the numbers of the rows.
    func supply(_ changes: [RowChange], to read: () throws -> Void) throws {
        var next = changes.makeIterator()
        try rows.supply(
            {
                guard let row = next.next()?.row else { return false }
                rows.values.bind(row, at: 1)
                return true
            }, to: read)
    }
}

extension RowChange {
    /// The number of the row that was inserted or updated.
    fileprivate var row: Int64? {
        switch self {
        case .none, .deleted: nil
        case .inserted(let row), .updated(let row): row
        }
    }
}

/// The SQL that ends and begins versions of rows.
///
/// The parameters ?1 and ?2 are for conditions, ?3 is the instant and ?4 the run.
struct VersionStatements {
    let schema: TableSchema
    let columns: [String]

    /// Ends the current version of one row, whose number is ?1. Without a key, no row replaces another one.
    var endOfRow: String { end(schema.key.isEmpty ? "FALSE" : "\(tuple("")) = (\(keys(where: "_rowid_ = ?1")))") }

    /// Ends the current versions of the rows that meet a condition. Without a key, these are all but those of this run.
    func end(where condition: String) -> String {
        end(schema.key.isEmpty ? "_garner_run IS NOT ?4" : "\(tuple("")) IN (\(keys(where: condition)))")
    }

    /// Ends the versions that differ from their rows. Without a key, rows cannot be matched, so all versions end.
    var endOfStale: String {
        guard !schema.key.isEmpty else { return end("TRUE") }
        return end(
            """
            NOT EXISTS (
                SELECT 1 FROM \(table) AS record WHERE \(tuple("record.")) = \(tuple("\(history).")) AND (\(present("record."))) IS (\(present("\(history)."))))
            """)
    }

    /// Begins a version of one row, whose number is ?1.
    var beginOfRow: String { begin("record._rowid_ = ?1") }

    /// Ends the current versions of the rows whose numbers are in a virtual table.
    func endOfRows(from rows: String) -> String {
        end(schema.key.isEmpty ? "FALSE" : "\(tuple("")) IN (SELECT \(keyParts("+record.")) FROM \(records(rows)))")
    }

    /// Begins a version of each row whose number is in a virtual table.
    ///
    /// - Parameter areFirst: True if the rows have no version.
    func beginOfRows(from rows: String, areFirst: Bool = false) -> String {
        begin("TRUE", from: records(rows), areFirst: areFirst)
    }

    /// Finds a version whose key lies between the least and the greatest key of the rows whose numbers are in a virtual
    /// table; nil if the table has no key.
    ///
    /// If keys come in ascending order, this one look at the index tells for all rows that they have no version.
    func versionsOfRows(from rows: String) -> String? {
        guard let key = schema.key.first.map({ quoted($0.name) }) else { return nil }
        return """
            SELECT 1 FROM (
                SELECT min(record.\(key)) AS least, max(record.\(key)) AS most FROM \(records(rows))
            ) AS page CROSS JOIN \(history) AS version WHERE version.\(key) BETWEEN page.least AND page.most LIMIT 1
            """
    }

    /// The rows, as `record`, whose numbers are in a virtual table, which CROSS JOIN has SQLite read first and once.
    private func records(_ rows: String) -> String {
        "\(rows) CROSS JOIN \(table) AS record ON record._rowid_ = \(rows).c1"
    }

    /// Begins a version of each row without a current one.
    var beginOfAbsent: String {
        guard !schema.key.isEmpty else { return begin("TRUE") }
        return begin(
            """
            NOT EXISTS (
                SELECT 1 FROM \(history) AS earlier
                WHERE \(tuple("earlier.")) = \(tuple("+record.")) AND earlier._garner_valid_to IS NULL)
            """)
    }

    /// Removes the versions that a run has begun of a row whose last one is the same as the one before the run.
    var removalOfUnchanged: String {
        let (before, last) = (present("before."), present("last."))
        return """
            DELETE FROM \(history) WHERE _garner_run = ?4 AND EXISTS (
                SELECT 1 FROM \(history) AS last JOIN \(history) AS before ON \(tuple("before.")) = \(tuple("last."))
                WHERE \(tuple("last.")) = \(tuple("\(history)."))
                AND last._garner_valid_to IS NULL AND last._garner_run = ?4
                AND before._garner_end_run = ?4 AND before._garner_run IS NOT ?4 AND (\(before)) IS (\(last)))
            """
    }

    /// Makes the version before a run current again, if the row is still there and no other version is.
    var renewalOfEnded: String {
        """
        UPDATE \(history) SET _garner_valid_to = NULL, _garner_end_run = NULL
        WHERE _garner_end_run = ?4 AND _garner_run IS NOT ?4
        AND EXISTS (SELECT 1 FROM \(table) AS record WHERE \(tuple("record.")) = \(tuple("+\(history).")))
        AND NOT EXISTS (
            SELECT 1 FROM \(history) AS other
            WHERE \(tuple("other.")) = \(tuple("\(history).")) AND other._garner_valid_to IS NULL)
        """
    }

    private func present(_ prefix: String) -> String {
        columns.map { "\(prefix)\(quoted($0))" }.joined(separator: ", ")
    }

    private var table: String { quoted(schema.table) }
    private var history: String { quoted(HistoryTable.name(of: schema.table)) }

    private func tuple(_ prefix: String) -> String { "(\(keyParts(prefix)))" }

    private func keyParts(_ prefix: String) -> String {
        schema.key.map { "\(prefix)\(quoted($0.name))" }.joined(separator: ", ")
    }

    /// The plus removes the affinity of the columns. With it, SQLite could not use the index of the versions.
    private func keys(where condition: String) -> String {
        "SELECT \(keyParts("+")) FROM \(table) WHERE \(condition)"
    }

    // The next two statements say `OR FAIL`, and call no function that may fail. (`coalesce` and `iif` are none of
    // those.) Otherwise SQLite would keep what a statement overwrites, so that it could undo that statement alone. At
    // the end of the statement, it would look through all that it keeps for the page. Nobody needs this: after an
    // error, the page is undone as a whole.

    /// Ends versions. A version does not end before it began, even if the clock was set back.
    private func end(_ condition: String) -> String {
        """
        UPDATE OR FAIL \(history) SET _garner_valid_to = iif(_garner_valid_from > ?3, _garner_valid_from, ?3), _garner_end_run = ?4
        WHERE _garner_valid_to IS NULL AND \(condition)
        """
    }

    /// Begins versions. A version does not begin before the end of the previous one.
    ///
    /// - Parameters:
    ///   - source: The rows as `record`; nil for all of the table.
    ///   - areFirst: True if there is no previous one.
    private func begin(_ condition: String, from source: String? = nil, areFirst: Bool = false) -> String {
        let names = columns.map(quoted)
        let since =
            areFirst || schema.key.isEmpty
            ? "?3"
            : """
            coalesce((
                SELECT max(_garner_valid_to) FROM \(history) AS earlier
                WHERE \(tuple("earlier.")) = \(tuple("+record.")) AND _garner_valid_to > ?3), ?3)
            """
        return """
            INSERT OR FAIL INTO \(history) (_garner_valid_from, _garner_run, \(names.joined(separator: ", ")))
            SELECT \(since), ?4, \(names.map { "record.\($0)" }.joined(separator: ", "))
            FROM \(source ?? "\(table) AS record") WHERE \(condition)
            """
    }
}
