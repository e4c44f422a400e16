import Catalog
package import Database
package import Model
import SQLite

/// The selection of a table's rows and columns.
package struct RowRequest: Sendable {
    /// The name of a table or a view.
    package var table: String
    /// The names of the columns; nil for all, in the table's order.
    package var columns: [String]?
    /// An SQL expression.
    package var condition: String?
    /// SQL ordering terms.
    package var order: String?
    package var limit: Int?
    /// Only rows are selected that a run changed which ended at this instant or later, or has not ended.
    package var changedSince: Timestamp?

    package init(
        table: String, columns: [String]? = nil, condition: String? = nil, order: String? = nil, limit: Int? = nil,
        changedSince: Timestamp? = nil
    ) {
        self.table = table
        self.columns = columns
        self.condition = condition
        self.order = order
        self.limit = limit
        self.changedSince = changedSince
    }
}

extension ReadOnlyDatabase {
    /// Returns the selected rows.
    package func rows(for request: RowRequest) throws -> RowCursor {
        try translatingErrors(of: "the rows of \(request.table)") {
            if let view = try view(request.table) {
                guard request.changedSince == nil else {
                    throw PersistenceError(
                        .request, "\(view) is a view, and the changes of its rows are not recorded",
                        hint: "query the tables that the view reads")
                }
                return try rows(for: request, of: view)
            }
            let (streamID, table) = try streamTable(request.table)
            guard let since = request.changedSince,
                let schema = try TableSchema(streamID: streamID, table: table, on: connection)
            else { return try rows(for: request, of: table) }
            let parent = "SELECT parent_id FROM _garner_children WHERE stream_id = ?1"
            let changed: StreamID = try connection.id(parent, .id(streamID)) ?? streamID
            return try rows(
                for: request, of: table, changeCondition(schema), [.id(changed), .text(since.description)])
        }
    }

    private func rows(
        for request: RowRequest, of relation: String, _ changeCondition: String? = nil, _ values: [Value] = []
    ) throws -> RowCursor {
        var columns = try request.columns?.map { try column($0, of: relation) }
        let shown = columns?.count
        let isTable = try view(relation) == nil
        if isTable, columns != nil, try columnNames(of: relation).contains(TableSchema.restColumn) {
            columns?.append(TableSchema.restColumn)
        }
        var sql = "SELECT \(columns?.joined(separator: ", ") ?? "*") FROM \(quoted(relation))"
        let conditions = [request.condition.map { "(\($0)\n)" }, changeCondition].compactMap(\.self)
        if !conditions.isEmpty { sql += " WHERE \(conditions.joined(separator: " AND "))" }
        if let order = request.order { sql += " ORDER BY \(order)\n" }
        // One more tells whether there are more.
        if let limit = request.limit, limit < .max { sql += " LIMIT \(limit + 1)" }
        return RowCursor(
            of: try readOnlyStatement(sql, values), on: self, limit: request.limit, isWhole: isTable, columns: shown)
    }

    /// Returns the rows of a statement from the user, which must not change anything.
    ///
    /// - Parameter parameters: The values by name, without prefix.
    package func rows(_ sql: String, parameters: [String: Value] = [:]) throws -> RowCursor {
        try translatingErrors(of: "the query") {
            let statement = try readOnlyStatement(sql, [])
            for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
                let indices = [":", "@", "$", "?"].compactMap { statement.parameterIndex(named: $0 + name) }
                guard !indices.isEmpty else {
                    throw PersistenceError(
                        .request, "the query has no parameter :\(name)", hint: "write it as :\(name) in the SQL")
                }
                for index in indices { try statement.bind(value, at: index) }
            }
            guard !statement.parameterNames.contains(nil) else {
                throw PersistenceError(
                    .request, "the query has a parameter without a name",
                    hint: .nameParameters)
            }
            let given = Set(parameters.keys.map { Array($0.utf8) })
            let missing = statement.parameterNames.compactMap { $0 }.first {
                !given.contains(Array($0.utf8.dropFirst()))
            }
            if let missing {
                throw PersistenceError(
                    .request, "the query's parameter \(missing) has no value",
                    hint: .giveParameter(String(missing.unicodeScalars.dropFirst())))
            }
            return RowCursor(of: statement, on: self)
        }
    }

    /// Returns a condition for rows with an entry in the journal since then. If the first complete read had not ended
    /// by then, it holds for all rows.
    private func changeCondition(_ schema: TableSchema) -> String {
        """
        (\(schema.changedKeyExpression) IN (
            SELECT record_key FROM _garner_changes JOIN _garner_runs USING (run_id)
            WHERE _garner_changes.stream_id = ?1 AND (ended_at IS NULL OR ended_at >= ?2))
        OR NOT EXISTS (
            SELECT 1 FROM _garner_streams JOIN _garner_runs ON run_id = baseline_run
            WHERE _garner_streams.stream_id = ?1 AND ended_at < ?2))
        """
    }

    private func column(_ name: String, of table: String) throws -> String {
        let names = try columnNames(of: table)
        let exact = names.first { $0.utf8.elementsEqual(name.utf8) }
        guard let column = exact ?? names.first(where: { $0.isSameSQLName(as: name) }) else {
            throw PersistenceError(
                .request, "\(table) has no column '\(name)'", hint: "it has: \(names.joined(separator: ", "))"
            )
        }
        return quoted(column)
    }

    private func readOnlyStatement(_ sql: String, _ values: [Value]) throws -> Statement {
        let statement = try Statement(sql, on: connection)
        guard statement.isReadOnly else {
            throw PersistenceError(.request, "the query would change the database", hint: .onlyRead)
        }
        try statement.bind(values)
        return statement
    }

    /// Runs `body`, and describes SQLite's errors in a statement of the user as errors of the request.
    func translatingErrors<R>(of what: String, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SQLiteError {
            switch error.kind {
            case .other, .constraint, .readOnly, .denied:
                throw PersistenceError(.request, "\(what): \(error.shortMessage)", hint: .listColumns)
            case .tooBig:
                throw PersistenceError(
                    .limit, "\(what): \(error.shortMessage)", hint: "no statement, text or blob may be that long")
            case .outOfMemory:
                throw PersistenceError(
                    .limit, "\(what) needs more memory than it may have", hint: "ask for less at a time")
            default: throw PersistenceError(error, path: connection.path)
            }
        }
    }
}

extension SQLiteError {
    /// The message in at most 300 characters, since it may quote a long word of the statement.
    fileprivate var shortMessage: String { message.count > 300 ? message.prefix(300) + "…" : message }
}
