package import GarnerPersistence
import GarnerCatalog
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// The values that `garner prune --dropped` has removed from one stream, or would remove.
package struct DroppedOutcome: Sendable, Equatable {
    /// A column, with the values of its rows and of their versions.
    package struct Field: Sendable, Equatable {
        package let table: String
        package let column: String
        package var removed = 0
        package var hashed = 0
    }

    package let stream: StreamName
    package var fields: [Field] = []
    /// The records that left the quarantine.
    package var quarantined = 0
    /// The pages of an unfinished read, which begins anew.
    package var pages = 0
    /// The links to files, whose URLs are values.
    package var links = 0
    /// The slices that were requested with values of the parent.
    package var slices = 0

    package var isEmpty: Bool { fields.isEmpty && quarantined + pages + links + slices == 0 }
}

/// Removes what the rows of a stream, and all that follows them, hold of fields that must not be stored.
///
/// Values become NULL, and columns stay: views and queries of others that name them go on, and a read of a source that no
/// longer has the field leaves a table in the same state.
struct DroppedFields {
    let hidden: HiddenFields
    let connection: Connection
    private let streamID: StreamID
    private let tables: [Table]

    private struct Table {
        let id: StreamID
        let schema: TableSchema
        let history: String?
        let columns: [(column: Column, treatment: FieldTree.Treatment)]
    }

    /// Returns nil if the database does not know the stream.
    init?(_ hidden: HiddenFields, on connection: Connection) throws {
        self.hidden = hidden
        self.connection = connection
        let known = try connection.firstRow(
            "SELECT stream_id, table_name FROM _garner_streams WHERE name = ?1", [.text(hidden.stream.description)]
        ) { (id: StreamID($0.integer(at: 0)), table: $0.text(at: 1)) }
        guard let known else { return nil }
        streamID = known.id
        var family: [(id: StreamID, table: String, path: [String])] = [(known.id, known.table, [])]
        family += try ChildRegistry(connection: connection).children(of: known.id).map { ($0.id, $0.table, $0.path) }
        tables = try family.compactMap { member in
            guard try connection.hasTable(member.table),
                let schema = try TableSchema(streamID: member.id, table: member.table, on: connection)
            else { return nil }
            let history = HistoryTable(of: member.table, on: connection)
            return Table(
                id: member.id, schema: schema, history: try history.exists() ? history.name : nil,
                columns: schema.columns.compactMap { column in
                    // A digest, a place in an array and the key of the record around it are no fields.
                    guard !column.path.isEmpty, column.outer == nil else { return nil }
                    let treatment = hidden.treatment(of: member.path + column.path)
                    if case .keep = treatment { return nil }
                    return (column, treatment)
                })
        }
    }

    /// Returns what `remove` would remove.
    ///
    /// - Parameter limit: The number of values and records of a kind after which they are no longer counted.
    func found(limit: Int = .max) throws -> DroppedOutcome { try sweep(writes: false, limit) }

    /// Removes the values, inside the caller's transaction.
    func remove() throws -> DroppedOutcome {
        let outcome: DroppedOutcome
        do {
            outcome = try sweep(writes: true, .max)
        } catch let error as SQLiteError where error.kind == .constraint {
            throw try refusal(error)
        }
        // A cursor of an earlier read may be such a value, and begins no read any more.
        try connection.execute(
            "DELETE FROM _garner_cursors WHERE stream_id = ?1 AND identity <> ?2", .id(streamID),
            .text(OpenRun.digest(of: hidden.readIdentity)))
        // With the memory of a page, a server would not send its records again.
        try PageTable(streamID: streamID, connection: connection).clearCache()
        for table in tables { try renewIndexes(of: table) }
        try Outbox.noteWhole(tables.map(\.id), on: connection)
        _ = connection.takeRowChange()
        return outcome
    }

    private func sweep(writes: Bool, _ limit: Int) throws -> DroppedOutcome {
        var outcome = DroppedOutcome(stream: hidden.stream)
        for table in tables { try requireOtherKey(table) }
        for table in tables {
            // A column that becomes text gets back the values that were set aside, so that those are cleaned first.
            var rest = DroppedOutcome.Field(table: table.schema.table, column: TableSchema.restColumn)
            if table.schema.keepsRest {
                let treatments = Dictionary(table.columns.map { ($0.column.name, $0.treatment) }) { $1 }
                for name in [table.schema.table] + (table.history.map { [$0] } ?? []) {
                    try clean(TableSchema.restColumn, of: name, "", writes: writes, limit, &rest) { text in
                        hidden.cleanedRest(text, columns: treatments)
                    }
                }
            }
            for (column, treatment) in table.columns {
                if writes { try forgetExamples(of: column, in: table) }
                let field = try sweep(column, treatment, of: table, writes: writes, limit)
                if field.removed + field.hashed > 0 { outcome.fields.append(field) }
            }
            if rest.removed + rest.hashed > 0 { outcome.fields.append(rest) }
        }
        outcome.links = try sweepLinks(writes: writes)
        outcome.quarantined = try sweepQuarantine(writes: writes, limit)
        outcome.pages = try sweepStaged(writes: writes, limit)
        outcome.slices = try sweepSlices(writes: writes, limit)
        return outcome
    }

    /// Returns the error for rows that an index or a constraint of others does not allow without the values.
    private func refusal(_ error: SQLiteError) throws -> PersistenceError {
        let names = try tables.flatMap { [$0.schema.table] + ($0.history.map { [$0] } ?? []) }.flatMap { table in
            try connection.rows(
                "SELECT name FROM pragma_index_list(?1) WHERE \"unique\" AND origin = 'c'", [.text(table)]
            ) { $0.text(at: 0) }
        }
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        return PersistenceError(
            .configuration,
            "the values of \(hidden.stream) cannot be removed, since an index or a constraint that is not Garner's needs them: "
                + error.message,
            hint: .text(
                names.isEmpty
                    ? "remove the constraint, and repeat the command; nothing of this stream was changed"
                    : "drop the unique index \(list) if it is on such values, and repeat the command; "
                        + "nothing of this stream was changed"))
    }

    private func sweep(
        _ column: Column, _ treatment: FieldTree.Treatment, of table: Table, writes: Bool, _ limit: Int
    ) throws -> DroppedOutcome.Field {
        var field = DroppedOutcome.Field(table: table.schema.table, column: column.name)
        let name = quoted(column.name)
        // The versions come first: how they spell a value depends on the type that the column had.
        for source in (table.history.map { [$0] } ?? []) + [table.schema.table] {
            guard try has(source, column.name) else { continue }
            switch treatment {
            case .keep: break
            case .remove: field.removed += try empty(name, of: source, writes: writes, limit)
            case .hash:
                let condition = HiddenFields.isPlain(name)
                guard writes else {
                    field.hashed += try count(source, condition, limit)
                    continue
                }
                guard try count(source, condition, 1) > 0 else { continue }
                if source == table.schema.table { try widen(column, of: table) }
                try clean(column.name, of: source, " AND \(condition)", writes: true, limit, &field, column.type) {
                    HiddenFields.Cleaned(text: hidden.hash(of: $0), hashed: 1)
                }
            case .inside(let tree):
                try clean(column.name, of: source, "", writes: writes, limit, &field, column.type) {
                    hidden.cleaned($0, by: tree)
                }
            }
        }
        return field
    }

    /// Forgets the values that were examples of what does not fit a column.
    private func forgetExamples(of column: Column, in table: Table) throws {
        if let position = table.schema.columns.firstIndex(of: column) {
            try OddColumns(streamID: table.id, connection: connection).forget(columnAt: position)
        }
        try connection.execute(
            "UPDATE _garner_runs SET warning = NULL WHERE stream_id = ?1 AND instr(warning, ?2)", .id(streamID),
            .text("\(table.schema.table).\(column.name): "))
    }

    private func empty(_ name: String, of source: String, writes: Bool, _ limit: Int) throws -> Int {
        guard writes else { return try count(source, "\(name) IS NOT NULL", limit) }
        try connection.execute("UPDATE \(quoted(source)) SET \(name) = NULL WHERE \(name) IS NOT NULL")
        return connection.changes
    }

    private func count(_ source: String, _ condition: String, _ limit: Int) throws -> Int {
        let rows = "SELECT 1 FROM \(quoted(source)) WHERE \(condition) LIMIT \(limit)"
        return Int(try connection.integer("SELECT count(*) FROM (\(rows))") ?? 0)
    }

    /// Gives each text of a column to `clean`, a portion of the rows at a time, and stores what it returns.
    private func clean(
        _ column: String, of source: String, _ condition: String, writes: Bool, _ limit: Int,
        _ field: inout DroppedOutcome.Field, _ type: ColumnType? = nil, _ clean: ([UInt8]) -> HiddenFields.Cleaned
    ) throws {
        guard try has(source, column) else { return }
        let name = quoted(column)
        let select = """
            SELECT _rowid_, \(name) FROM \(quoted(source))
            WHERE _rowid_ >= ?1 AND \(name) IS NOT NULL\(condition) ORDER BY _rowid_ LIMIT 500
            """
        var next: Int64? = .min
        while let first = next, field.removed + field.hashed < limit {
            var last: Int64?
            let cleaned = try connection.rows(select, [.integer(first)]) { row in
                last = row.integer(at: 0)
                return (row: row.integer(at: 0), value: clean(Self.spelling(row, type)))
            }
            for (row, value) in cleaned where value.isChanged {
                field.removed += value.removed
                field.hashed += value.hashed
                guard writes else { continue }
                let update = try connection.statement("UPDATE \(quoted(source)) SET \(name) = ?1 WHERE _rowid_ = ?2")
                if let text = value.text {
                    try update.bind(copyingUTF8: text, at: 1)
                } else {
                    try update.bindNull(at: 1)
                }
                try update.bind(row, at: 2)
                try update.run()
            }
            next = last.flatMap { $0 == .max ? nil : $0 + 1 }
        }
    }

    /// Returns a value as a text column of the stream spells it.
    private static func spelling(_ row: Statement, _ type: ColumnType?) -> [UInt8] {
        switch row.kind(at: 1) {
        case .integer:
            let integer = row.integer(at: 1)
            return Array((type == .boolean ? (integer == 0 ? "false" : "true") : "\(integer)").utf8)
        case .real: return Array("\(row.real(at: 1))".utf8)
        case .text, .blob, .null: return Array(row.bytes(at: 1))
        }
    }

    /// Makes a column hold texts, as the first record with a hash would.
    private func widen(_ column: Column, of table: Table) throws {
        guard column.declaredType != .text else { return }
        let schema = try TableSchema(streamID: table.id, table: table.schema.table, on: connection)
        guard let schema, let index = schema.columns.firstIndex(where: { $0.name == column.name }) else { return }
        var evolution = TableEvolution(streamID: table.id, schema: schema, connection: connection)
        try evolution.widen(columnAt: index, toHold: .text, run: nil)
    }

    /// Throws if a field of the key must not be stored. Without their keys, rows would be others.
    private func requireOtherKey(_ table: Table) throws {
        for (column, treatment) in table.columns where column.keyPosition != nil {
            let name = quoted(column.name)
            switch treatment {
            case .hash: guard try count(table.schema.table, HiddenFields.isPlain(name), 1) > 0 else { continue }
            case .remove: guard try count(table.schema.table, "\(name) IS NOT NULL", 1) > 0 else { continue }
            case .keep, .inside: continue
            }
            throw PersistenceError(
                .configuration,
                "the rows of \(table.schema.table) have the key '\(column.name)', whose values 'fields' keeps out",
                hint: .dropToForgetKeys(stream: hidden.stream.description))
        }
    }

    private func has(_ table: String, _ column: String) throws -> Bool {
        try connection.integer(
            "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2 COLLATE NOCASE", .text(table), .text(column)) != nil
    }
}

extension DroppedFields {
    /// Removes the links whose URLs are values of hidden fields, and the files to which no other link leads.
    private func sweepLinks(writes: Bool) throws -> Int {
        let names =
            tables.first { $0.id == streamID }?.columns.map { "'\($0.column.name.replacing("'", with: "''"))'" } ?? []
        let links = "_garner_attachments WHERE stream_id = ?1 AND field IN (\(names.joined(separator: ", ")))"
        guard writes else { return Int(try connection.integer("SELECT count(*) FROM \(links)", .id(streamID)) ?? 0) }
        try connection.execute(
            """
            DELETE FROM _garner_blobs WHERE sha256 IN (SELECT sha256 FROM \(links)) AND sha256 NOT IN (
                SELECT sha256 FROM _garner_attachments WHERE sha256 IS NOT NULL
                AND NOT (stream_id = ?1 AND field IN (\(names.joined(separator: ", ")))))
            """, .id(streamID))
        try connection.execute("DELETE FROM \(links)", .id(streamID))
        return connection.changes
    }

    /// Removes quarantined records with hidden values. The next read that meets them has them without.
    private func sweepQuarantine(writes: Bool, _ limit: Int) throws -> Int {
        try sweep("_garner_quarantine", "quarantine_id", "record, added", writes: writes, limit) { row in
            let added = row.kind(at: 2) == .null ? nil : Array(row.bytes(at: 2))
            return hidden.areHeld(byRecord: Array(row.bytes(at: 1)), added: added)
        }
    }

    /// Removes an unfinished read if one of its pages has hidden values.
    private func sweepStaged(writes: Bool, _ limit: Int) throws -> Int {
        let held = try sweep("_garner_staged", "staged_id", "coalesce(records, ''), added", writes: false, limit) {
            row in
            hidden.areHeld(
                byLines: Array(row.bytes(at: 1)), added: row.kind(at: 2) == .null ? nil : Array(row.bytes(at: 2)))
        }
        if writes, held > 0 { try UnfinishedRead.remove(of: streamID, on: connection) }
        return held
    }

    /// Forgets the slices that were requested with hidden values of the parent, or whose records would get some: their
    /// pages and cursors, and an unfinished read. The next read is one of everything.
    private func sweepSlices(writes: Bool, _ limit: Int) throws -> Int {
        let isOfStream = "WHERE stream_id = ?1 AND bindings IS NOT NULL"
        let sources = ["_garner_pages", "_garner_cursors", "_garner_slices", "_garner_due_slices"]
        let held = try connection.rows(
            sources.map { "SELECT bindings FROM \($0) \(isOfStream)" }.joined(separator: " UNION "), [.id(streamID)]
        ) { $0.text(at: 0) }.filter(hidden.areHeld(byBindings:))
        let waiting = try connection.rows(
            "SELECT bindings, added FROM _garner_slices WHERE stream_id = ?1", [.id(streamID)]
        ) { row in
            (
                bindings: row.text(at: 0),
                isHeld: row.kind(at: 1) != .null && hidden.areHeld(byRecord: Array(row.bytes(at: 1)), added: nil)
            )
        }.filter(\.isHeld)
        let slices = Set((held + waiting.map(\.bindings)).map { ExactText($0) })
        guard writes, !slices.isEmpty else { return min(slices.count, limit) }
        try UnfinishedRead.remove(of: streamID, on: connection)
        for bindings in slices {
            try connection.execute(
                "DELETE FROM _garner_cursors WHERE stream_id = ?1 AND bindings = ?2", .id(streamID),
                .text(bindings.text))
        }
        // Without the pages of the other slices, a read of a part could not tell what is missing.
        try PageTable(streamID: streamID, connection: connection).forgetAll()
        try ReadScope.forget(of: streamID, on: connection)
        return slices.count
    }

    /// Counts the rows of the stream that hold hidden values, one after another, and removes them.
    private func sweep(
        _ table: String, _ key: String, _ values: String, writes: Bool, _ limit: Int, _ isHeld: (Statement) -> Bool
    ) throws -> Int {
        var (last, total) = (Int64.min, 0)
        let select =
            "SELECT \(key), \(values) FROM \(table) WHERE stream_id = ?1 AND \(key) > ?2 ORDER BY \(key) LIMIT 1"
        while total < limit,
            let row = try connection.firstRow(
                select, [.id(streamID), .integer(last)], decode: { (id: $0.integer(at: 0), isHeld: isHeld($0)) })
        {
            last = row.id
            guard row.isHeld else { continue }
            total += 1
            if writes { try connection.execute("DELETE FROM \(table) WHERE \(key) = ?1", .integer(row.id)) }
        }
        return total
    }

    /// Makes the search index anew, which keeps words of rows that have changed, and removes samples of the table's indexes.
    private func renewIndexes(of table: Table) throws {
        if try connection.hasTable(SearchIndex.name(of: table.id)) {
            try SearchIndex.drop(of: table.id, on: connection)
            if table.id == streamID, !hidden.search.isEmpty {
                _ = try SearchIndex(of: hidden.search, in: table.schema, streamID: table.id, on: connection)
            }
        }
        if try connection.hasTable("sqlite_stat4") {
            try connection.execute("DELETE FROM sqlite_stat4 WHERE tbl = ?1", .text(table.schema.table))
        }
    }
}

extension HiddenFields {
    /// Returns some of what the database still holds of a stream's hidden fields; nil if it holds nothing.
    package func held(in database: ReadOnlyDatabase) throws -> DroppedOutcome? {
        try database.reading {
            let outcome = try DroppedFields(self, on: database.connection)?.found(limit: 1)
            return outcome?.isEmpty == false ? outcome : nil
        }
    }
}
