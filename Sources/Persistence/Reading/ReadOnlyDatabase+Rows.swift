import GarnerCatalog
package import GarnerDatabase
package import GarnerModel
import GarnerSQLite

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
    /// Selects only rows that were changed by a run that ended at this instant or later, or has not ended.
    package var changedSince: Timestamp?
    package var deleted: DeletedRows

    package init(
        table: String, columns: [String]? = nil, condition: String? = nil, order: String? = nil, limit: Int? = nil,
        changedSince: Timestamp? = nil, deleted: DeletedRows = .leftOut
    ) {
        self.table = table
        self.columns = columns
        self.condition = condition
        self.order = order
        self.limit = limit
        self.changedSince = changedSince
        self.deleted = deleted
    }

    /// The parts that the user has written in SQL.
    fileprivate var sql: [String] { [condition, order].compactMap(\.self) }
}

extension ReadOnlyDatabase {
    package func rows(for request: RowRequest) throws -> RowCursor {
        try translatingErrors(of: "the rows of \(request.table)", in: request.sql, on: request.table) {
            let place = try place(of: request)
            var columns = try request.columns?.map { try column($0, of: place.relation) }
            let shown = columns?.count
            if !place.isView, columns != nil, try columnNames(of: place.relation).contains(TableSchema.restColumn) {
                columns?.append(TableSchema.restColumn)
            }
            var sql = place.select(columns?.joined(separator: ", ") ?? "*", request.deleted)
            if let order = request.order { sql += " ORDER BY \(order)\n" }
            // One more tells whether there are more.
            if let limit = request.limit, limit < .max { sql += " LIMIT \(limit + 1)" }
            return RowCursor(
                of: try readOnlyStatement(sql, place.values), on: self, limit: request.limit, isWhole: !place.isView,
                columns: shown)
        }
    }

    /// Returns the number of rows that a request leaves out because the source has their records no more.
    package func rowsLeftOut(by request: RowRequest) throws -> Int {
        try translatingErrors(of: "the rows of \(request.table)", in: request.sql, on: request.table) {
            let place = try place(of: request)
            guard request.deleted == .leftOut, place.mark != nil else { return 0 }
            let statement = try readOnlyStatement(place.select("count(*)", .alone), place.values)
            return try statement.step() ? Int(statement.integer(at: 0)) : 0
        }
    }

    /// The place where the rows of a request are, and the conditions that they meet.
    private struct RowPlace {
        let relation: String
        var isView = false
        var mark: DeletionMark?
        var conditions: [String] = []
        var values: [Value] = []

        func select(_ what: String, _ deleted: DeletedRows) -> String {
            let conditions = [mark?.condition(deleted, of: quoted(relation))].compactMap(\.self) + conditions
            return "SELECT \(what) FROM \(quoted(relation))"
                + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
        }
    }

    private func place(of request: RowRequest) throws -> RowPlace {
        let condition = request.condition.map { ["(\($0)\n)"] } ?? []
        if let view = try view(request.table) {
            guard request.changedSince == nil else {
                throw PersistenceError(
                    .request, "\(view) is a view, and the changes of its rows are not recorded",
                    hint: "query the tables that the view reads")
            }
            return RowPlace(relation: view, isView: true, conditions: condition)
        }
        let (streamID, table) = try streamTable(request.table)
        let mark = try DeletionMark(of: streamID, table: table, on: connection)
        var place = RowPlace(relation: table, mark: mark, conditions: condition)
        if let since = request.changedSince,
            let schema = try TableSchema(streamID: streamID, table: table, on: connection)
        {
            let parent = "SELECT parent_id FROM _garner_children WHERE stream_id = ?1"
            let changed: StreamID = try connection.id(parent, .id(streamID)) ?? streamID
            place.conditions.append(changeCondition(schema))
            place.values = [.id(changed), .text(since.description)]
        }
        return place
    }

    /// Returns the rows of a statement from the user, which must not change anything.
    ///
    /// - Parameter parameters: The values by name, without prefix.
    package func rows(_ sql: String, parameters: [String: Value] = [:]) throws -> RowCursor {
        try translatingErrors(of: "the query", in: [sql]) {
            let statement = try readOnlyStatement(sql, [])
            for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
                let indices = [":", "@", "$", "?"].compactMap { statement.parameterIndex(named: $0 + name) }
                guard !indices.isEmpty else {
                    let names = statement.parameterNames.compactMap { $0.map { String($0.unicodeScalars.dropFirst()) } }
                    let meant = Suggestion.closest(to: name, among: names)
                    throw PersistenceError(
                        .request, "the query has no parameter :\(name)",
                        hint: meant.map { Hint.giveParameter($0) } ?? "write it as :\(name) in the SQL")
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

    /// Returns a condition for rows changed since the instant in parameter 2: all, if the first complete read ended later.
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
            let members = names.filter { $0.lowercased().hasPrefix(name.lowercased() + "__") }.joined(separator: ",")
            let closest = members.isEmpty ? Suggestion.closest(to: name, among: names) : members
            throw PersistenceError(
                .request, "\(table) has no column '\(name)'",
                hint: "it has: \(names.joined(separator: ", "))\(closest.map { "; did you mean '\($0)'?" } ?? "")")
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
    ///
    /// - Parameters:
    ///   - sql: The parts that the user has written.
    ///   - relation: The table or view that they are about; nil if they name it.
    func translatingErrors<R>(
        of what: String, in sql: [String] = [], on relation: String? = nil, hint: Hint = .listColumns,
        _ body: () throws -> R
    ) throws -> R {
        for text in sql { try UnquotedDate.refuse(in: text) }
        do {
            return try body()
        } catch let error as SQLiteError {
            switch error.kind {
            case .other, .constraint, .readOnly, .denied:
                // A query that fails as it runs has been looked at before, unless it is Garner's own.
                let texts = sql.isEmpty && hint == .listColumns ? [error.sql].compactMap(\.self) : sql
                throw PersistenceError(
                    .request, "\(what): \(error.shortMessage)",
                    hint: meaning(of: error.message, in: texts, on: relation) ?? hint)
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
