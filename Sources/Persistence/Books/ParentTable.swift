import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// The stored records of a stream's parent, as needed to request its children and store them.
struct ParentTable {
    private let parent: Parent
    private let parentID: StreamID
    private let schema: TableSchema
    private let connection: Connection
    /// The fields that fill placeholders; `included` has those that are stored with the children.
    private let bound: [(field: String, column: Column)]
    private let included: [(field: String, column: Column)]
    /// The fields that columns of the children are made of.
    private let composed: [(field: String, column: Column)]

    /// Returns nil if the parent was read and had no record. Throws if it was never read or lacks such a field.
    init?(of stream: StreamConfiguration, parent: Parent, on connection: Connection) throws {
        let known = try connection.firstRow(
            "SELECT stream_id, table_name, baseline_run IS NOT NULL FROM _garner_streams WHERE name = ?1",
            [.text(parent.stream.description)]
        ) { (id: StreamID($0.integer(at: 0)), table: $0.text(at: 1), wasRead: $0.integer(at: 2) == 1) }
        let schema = try known.flatMap { try TableSchema(streamID: $0.id, table: $0.table, on: connection) }
        guard let schema else {
            if known?.wasRead == true { return nil }
            throw PersistenceError(
                .missing, "the parent \(parent.stream) has no stored records yet, so there is nothing to request",
                hint: "sync \(parent.stream) first")
        }
        self.parent = parent
        self.schema = schema
        self.connection = connection
        parentID = known?.id ?? 0
        bound = try stream.request.parentFields.map { ($0, try Self.column($0, of: schema, parent)) }
        included = try parent.include.map { ($0, try Self.column($0, of: schema, parent)) }
        composed = try stream.fields.composed.flatMap(\.parentFields).map {
            ($0, try Self.column($0, of: schema, parent))
        }
    }

    /// Returns the judgement on the parent's stored records, as its latest run left them.
    static func verdict(on parent: StreamName, _ connection: Connection) throws -> Verdict {
        try verdict(onStream: parent.description, connection)
    }

    static func verdict(onStream parent: String, _ connection: Connection) throws -> Verdict {
        let last = try connection.firstRow(
            """
            SELECT status, verdict, completeness_reason FROM _garner_runs JOIN _garner_streams USING (stream_id)
            WHERE name = ?1 AND NOT is_retry AND status NOT IN ('skipped', 'running') ORDER BY run_id DESC LIMIT 1
            """, [.text(parent)]
        ) { row in
            (
                hasSucceeded: row.text(at: 0) == RunRecord.Status.succeeded.rawValue,
                verdict: Verdict(stored: row.optionalText(at: 1), reason: row.optionalText(at: 2))
            )
        }
        guard let last, last.hasSucceeded else {
            return Verdict(.silent, "the last run of \(parent) was not successful")
        }
        guard let verdict = last.verdict else {
            return Verdict(.silent, "the last read may not have returned all of \(parent)")
        }
        guard verdict.completeness != .complete else { return .complete }
        return Verdict(
            verdict.kind, "\(parent): \(verdict.cause?.finding ?? verdict.completeness.rawValue)",
            advice: verdict.cause?.advice)
    }

    /// Returns the judgement on the other streams to which the tables belong, or the versions of their rows, or the arrays in them.
    static func verdict(
        onTables tables: Set<String>, readBy reader: StreamName, _ connection: Connection
    ) throws -> Verdict {
        let prefix = HistoryTable.name(of: "")
        var owners: Set<String> = []
        for table in tables {
            let table = table.lowercased().hasPrefix(prefix) ? String(table.dropFirst(prefix.count)) : table
            owners.formUnion(
                try connection.rows(
                    """
                    SELECT coalesce(owner.name, found.name) FROM _garner_streams AS found
                    LEFT JOIN _garner_children AS child USING (stream_id)
                    LEFT JOIN _garner_streams AS owner ON owner.stream_id = child.parent_id
                    WHERE found.table_name = ?1 COLLATE NOCASE
                    """, [.text(table)]
                ) { $0.text(at: 0) })
        }
        return try owners.subtracting([reader.description]).sorted().reduce(Verdict.complete) {
            $0.worse(try verdict(onStream: $1, connection))
        }
    }

    /// Returns the judgement on the streams whose tables the condition of the parent reads.
    func verdictOnCondition(of stream: StreamName) throws -> Verdict {
        guard parent.condition != nil else { return .complete }
        let tables = Set(connection.columnsRead(by: query(for: .chosen)).map(\.table))
        return try Self.verdict(onTables: tables, readBy: stream, connection)
    }

    var boundFields: [String] { bound.map(\.field) }

    /// The rows for which a read sends requests.
    enum Part {
        /// All rows, also those that `where` leaves out.
        case present
        /// The rows that meet the condition of the parent.
        case chosen
        /// Those of them that runs of the parent have changed since this one, and those that lack a value for the request, which stay due.
        case changed(after: Int64)
        /// The rows that meet the condition or do not. For others, it is NULL: they lack what it compares.
        case judged
    }

    /// Calls `body` with a statement at each row. Its columns are those of `bound`, `included` and `composed`.
    ///
    /// Throws `PersistenceError` if the condition of the parent is none.
    func forEachRow(of part: Part, _ body: (Statement) throws -> Void) throws {
        let statement = try statement(of: part)
        while try nextRow(of: statement) { try body(statement) }
    }

    /// Returns true if there is no such row. Throws as `forEachRow` does.
    func isEmpty(_ part: Part) throws -> Bool { try !nextRow(of: statement(of: part)) }

    private func statement(of part: Part) throws -> Statement {
        let statement: Statement
        do throws(SQLiteError) {
            statement = try Statement(query(for: part), on: connection)
        } catch {
            guard let condition = parent.condition else { throw error }
            throw PersistenceError(
                .configuration,
                "'parent.where' is no condition on the rows of \(schema.table): \(condition): \(error.message)",
                hint: .text(
                    Self.withText(condition, error.message).map { "write where: \(YAMLText.quoted($0))" }
                        ?? "write an SQL expression over its columns: \(schema.columns.map(\.name).joined(separator: ", "))"
                ))
        }
        if let condition = parent.condition { try requireNoParameters(in: condition) }
        if case .changed(let run) = part { try statement.bind([.id(parentID), .integer(run)]) }
        return statement
    }

    /// Returns the condition with a text in single quotes where it stands in double quotes, which mean a column; nil if it has none.
    private static func withText(_ condition: String, _ message: String) -> String? {
        guard let name = message.wholeMatch(of: /no such column: (.+)/)?.1, condition.contains("\"\(name)\"") else {
            return nil
        }
        return condition.replacing("\"\(name)\"", with: "'\(name.replacing("'", with: "''"))'")
    }

    /// Throws `PersistenceError` if the condition cannot be evaluated for a row.
    private func nextRow(of statement: Statement) throws -> Bool {
        do throws(SQLiteError) {
            return try statement.step()
        } catch {
            guard let condition = parent.condition, [.other, .denied, .tooBig].contains(error.kind) else { throw error }
            throw PersistenceError(
                .configuration,
                "'parent.where' cannot be evaluated for the rows of \(schema.table): \(condition): \(error.message)",
                hint: "write a condition that holds for every row, such as json_valid(a) AND json_extract(a, '$.b') = 1"
            )
        }
    }

    /// Throws `PersistenceError` if the condition has a parameter: nothing gives it a value.
    private func requireNoParameters(in condition: String) throws {
        let alone = try Statement("SELECT 1 FROM \(quoted(schema.table)) WHERE (\(condition)\n)", on: connection)
        guard let name = alone.parameterNames.first else { return }
        throw PersistenceError(
            .configuration, "'parent.where' has the parameter \(name ?? "?"), which has no value: \(condition)",
            hint: "write the value itself into the condition")
    }

    /// The number of rows that meet the condition of the parent.
    var chosenCount: Int {
        get throws {
            var count = 0
            try forEachRow(of: .chosen) { _ in count += 1 }
            return count
        }
    }

    /// The texts in the column that the condition compares with one, such as `status is 'open' or 'closed'`; nil if it compares none.
    var comparedTexts: String? {
        get throws {
            let most = 4
            guard let name = parent.condition?.firstMatch(of: /([A-Za-z_]\w*) *==? *'[^']*'/)?.1,
                schema.columns.contains(where: { $0.name == name })
            else { return nil }
            let column = quoted(String(name))
            let statement = try Statement(
                "SELECT DISTINCT \(column) FROM \(quoted(schema.table)) WHERE typeof(\(column)) = 'text' LIMIT \(most + 1)",
                on: connection)
            var texts: [String] = []
            while try statement.step() { texts.append("'\(statement.text(at: 0).prefix(40))'") }
            guard !texts.isEmpty else { return nil }
            return
                "\(name) is \(texts.prefix(most).joined(separator: " or "))\(texts.count > most ? " or another text" : "")"
        }
    }

    private func query(for part: Part) -> String {
        let columns = (bound + included + composed).map { schema.wholeValue(of: $0.column) }.joined(separator: ", ")
        var conditions = schema.marksDeletion ? ["\(TableSchema.deletionColumn) IS NULL"] : []
        if let condition = parent.condition {
            // A comment in it ends with the line.
            switch part {
            case .present: break
            case .chosen, .changed: conditions.append("(\(condition)\n)")
            case .judged: conditions.append("(\(condition)\n) IS NOT NULL")
            }
        }
        if case .changed = part {
            let lacking = lackingConditions.map { " OR \($0)" }.joined()
            conditions.append(
                """
                (\(schema.keyExpression) IN (
                    SELECT record_key FROM _garner_changes WHERE stream_id = ?1 AND run_id > ?2)\(lacking))
                """)
        }
        let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
        return "SELECT \(columns) FROM \(quoted(schema.table))\(filter)"
    }

    /// The conditions on rows that lack a value for the request. No field of the key is NULL.
    private var lackingConditions: [String] {
        bound.filter { $0.column.keyPosition == nil }.map { "(\(schema.wholeValue(of: $0.column))) IS NULL" }
    }

    /// Returns a query for the keys of the children whose record is there and lacks a value for the request, whether or not it meets the
    /// condition; nil if no record can, or if the children do not have the key of theirs.
    func keysOfChildrenWithoutRequest(in children: TableSchema) -> String? {
        let key = included.filter { $0.column.keyPosition != nil }
        let columns = key.compactMap { children.index(ofMember: parent.memberName(for: $0.field)) }
        guard !lackingConditions.isEmpty, !key.isEmpty, key.count == schema.key.count, columns.count == key.count else {
            return nil
        }
        let isThere = schema.marksDeletion ? "\(TableSchema.deletionColumn) IS NULL AND " : ""
        return """
            SELECT \(children.keyExpression) FROM \(quoted(children.table))
            WHERE (\(columns.map { quoted(children.columns[$0].name) }.joined(separator: ", "))) IN (
                SELECT \(key.map { quoted($0.column.name) }.joined(separator: ", ")) FROM \(quoted(schema.table))
                WHERE \(isThere)(\(lackingConditions.joined(separator: " OR "))))
            """
    }

    /// Returns the placeholder values of a row of `query`, or nil if one is missing.
    func bindings(_ row: Statement) -> Bindings? {
        var bindings: Bindings = [:]
        for (index, (field, column)) in bound.enumerated() {
            guard let text = column.text(row.value(at: index)) else { return nil }
            bindings[.parent(field)] = text
        }
        return bindings
    }

    /// Returns the members that a row of `query` adds to the children.
    func added(_ row: Statement) -> [(String, JSONText)] {
        included.enumerated().map { index, item in
            let value = row.value(at: bound.count + index)
            return (parent.memberName(for: item.field), item.column.json(value))
        }
    }

    /// Returns the value of a field in a row of `query`; nil for null.
    func value(ofField field: String, in row: Statement) -> (json: JSONText, text: String)? {
        guard let index = composed.firstIndex(where: { $0.field.utf8.elementsEqual(field.utf8) }) else { return nil }
        let value = row.value(at: bound.count + included.count + index)
        return composed[index].column.text(value).map { (composed[index].column.json(value), $0) }
    }

    /// The included fields that identify the parent's record, by their names in the children.
    var keyMembers: [String] {
        included.filter { $0.column.keyPosition != nil }.map { parent.memberName(for: $0.field) }
    }

    /// The fields that identify the parent's record.
    var keyFields: [String] { schema.key.map { $0.path.isEmpty ? $0.name : $0.path.joined(separator: ".") } }

    private static func column(_ field: String, of schema: TableSchema, _ parent: Parent) throws -> Column {
        let path = Parent.path(ofField: field)
        let index = schema.columns.firstIndex { $0.path.isSamePath(as: path) } ?? schema.index(ofField: field)
        guard let index else {
            throw PersistenceError(
                .configuration, "the parent \(parent.stream) has no field '\(field)'",
                hint: "its fields are: \(schema.columns.map { $0.path.joined(separator: ".") }.joined(separator: ", "))"
            )
        }
        return schema.columns[index]
    }
}

extension Column {
    /// Returns the value as text, or nil for null.
    fileprivate func text(_ value: Value) -> String? {
        switch value {
        case .null: nil
        case .integer(let integer): type == .boolean ? (integer == 0 ? "false" : "true") : "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    fileprivate func json(_ value: Value) -> JSONText {
        switch value {
        case .null: .null
        case .integer: .verbatim(text(value) ?? "null")
        case .real(let real): .number(real)
        case .text(let text) where type == .json: .verbatim(text)
        case .text, .blob: .string(text(value) ?? "")
        }
    }
}
