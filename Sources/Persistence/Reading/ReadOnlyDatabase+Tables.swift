package import GarnerCatalog
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// A stored table, or a view of the database's owner.
package struct TableSummary: Sendable, Equatable {
    package let table: String
    /// The full name of the stream that fills it; nil for a view.
    package let stream: String?
    /// The number of its rows; nil for a view, whose rows are not counted.
    package let count: RowCount?
    /// The instant at which a run last inserted, updated or deleted a row.
    package let lastChangedAt: Timestamp?

    /// False if the configuration has no such stream any more; nil if none is known, and for a view.
    package var isConfigured: Bool?

    package var isView: Bool { stream == nil }

    init(table: String, stream: String, count: RowCount, lastChangedAt: Timestamp?) {
        (self.table, self.stream, self.count, self.lastChangedAt) = (table, stream, count, lastChangedAt)
    }

    package init(view: String) { (table, stream, count, lastChangedAt) = (view, nil, nil, nil) }
}

/// The columns and the key of a stored table, or the columns of a view.
package struct TableDescription: Sendable, Equatable {
    package let table: String
    package var isView = false
    package let primaryKey: [String]
    /// The columns with values of records.
    package let columns: [Column]
    /// The other columns: those of `fields.add`, and those that another program has added.
    package let others: [OtherColumn]

    package struct OtherColumn: Sendable, Equatable {
        package let name: String
        /// The declared type, which may be any text.
        package let type: String
    }
}

extension ReadOnlyDatabase {
    /// Returns the stored tables, in the order of their names.
    package func tables() throws -> [TableSummary] {
        if hasParts {
            return try inEachPart { try $0.tables() }.flatMap(\.self)
                .sorted { $0.table.foldedSQLName.lexicographicallyPrecedes($1.table.foldedSQLName) }
        }
        return try reading {
            let streams = try connection.rows(
                """
                SELECT coalesce(parent.name, stream.name), stream.table_name, (
                    SELECT ended_at FROM _garner_runs
                    WHERE _garner_runs.stream_id = coalesce(parent.stream_id, stream.stream_id)
                    AND inserted + updated + deleted > 0 AND ended_at IS NOT NULL ORDER BY run_id DESC LIMIT 1)
                FROM _garner_streams AS stream LEFT JOIN _garner_children USING (stream_id)
                LEFT JOIN _garner_streams AS parent ON parent.stream_id = parent_id
                WHERE stream.table_name IN \(Connection.tableNames)
                ORDER BY stream.table_name
                """
            ) { (name: $0.text(at: 0), table: $0.text(at: 1), changedAt: $0.optionalText(at: 2)) }
            return try streams.map { stream in
                try TableSummary(
                    table: stream.table, stream: stream.name, count: rowCount(of: stream.table),
                    lastChangedAt: stream.changedAt.map { try Timestamp(stored: $0) })
            }
        }
    }

    /// Throws if there is no table or view with that name. Names ignore case, as SQL's do. A broken view has no columns.
    package func description(of name: String) throws -> TableDescription {
        try reading {
            if let view = try view(name) {
                let columns = (try? relationColumns(of: view)) ?? []
                return TableDescription(
                    table: view, isView: true, primaryKey: [], columns: [],
                    others: columns.map { TableDescription.OtherColumn(name: $0.name, type: $0.type) })
            }
            let (streamID, table) = try streamTable(name)
            guard let schema = try TableSchema(streamID: streamID, table: table, on: connection) else {
                throw unknownTable(name)
            }
            let rest = try schema.keepsRest ? [restColumn(streamID)] : []
            return try TableDescription(
                table: table, primaryKey: schema.key.map(\.name), columns: schema.columns + rest,
                others: otherColumns(of: table, streamID))
        }
    }

    private func otherColumns(of table: String, _ streamID: StreamID) throws -> [TableDescription.OtherColumn] {
        // Generated columns are listed, too.
        try connection.rows(
            """
            SELECT name, type FROM pragma_table_xinfo(?1) WHERE name NOT IN (?2, ?3)
            AND name COLLATE NOCASE NOT IN (SELECT name FROM _garner_columns WHERE stream_id = ?4) ORDER BY cid
            """, [.text(table), .text(TableSchema.deletionColumn), .text(TableSchema.restColumn), .id(streamID)]
        ) { TableDescription.OtherColumn(name: $0.text(at: 0), type: $0.text(at: 1)) }
    }

    /// Returns the column for members that have none. They come from anywhere in the record.
    private func restColumn(_ streamID: StreamID) throws -> Column {
        let run = try connection.firstRow(
            "SELECT min(run_id) FROM _garner_schema_changes WHERE stream_id = ?1 AND column_name = ?2",
            [.id(streamID), .text(TableSchema.restColumn)]
        ) { RunID($0.integer(at: 0)) }
        return Column(name: TableSchema.restColumn, path: [], type: .text, keyPosition: nil, firstSeenRun: run ?? 0)
    }

    /// Returns all table names, for suggestions.
    package func tableNames() throws -> [String] { try tables().map(\.table) }

    func streamTable(_ name: String) throws -> (streamID: StreamID, table: String) {
        let found = try connection.firstRow(
            "SELECT stream_id, table_name FROM _garner_streams WHERE table_name = ?1", [.text(name)]
        ) { (streamID: StreamID($0.integer(at: 0)), table: $0.text(at: 1)) }
        guard let found, try connection.hasTable(found.table) else { throw unknownTable(name) }
        return found
    }

    /// The views that the user has made, in the order of their names.
    package func viewNames() throws -> [String] {
        try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY 1") { $0.text(at: 0) }
    }

    /// The definitions of the views by their names.
    package func viewDefinitions() throws -> [String: String] { try reading { try connection.viewDefinitions() } }

    /// Returns the name of the view as it was made; names ignore case. Returns nil if there is no such view.
    package func view(_ name: String) throws -> String? {
        try connection.text(
            "SELECT name FROM sqlite_schema WHERE type = 'view' AND name = ?1 COLLATE NOCASE", .text(name))
    }

    /// Returns the names of the columns of a table or a view, in their order.
    package func columnNames(of relation: String) throws -> [String] {
        try connection.rows("SELECT name FROM pragma_table_info(?1)", [.text(relation)]) { $0.text(at: 0) }
    }

    private func unknownTable(_ name: String) -> UnknownTableError {
        let names = try? connection.rows(
            """
            SELECT table_name FROM _garner_streams WHERE stream_id IN (SELECT stream_id FROM _garner_columns)
            AND table_name IN \(Connection.tableNames) ORDER BY 1
            """
        ) { $0.text(at: 0) }
        let view = try? view(name)
        let ofStream = try? connection.text(
            """
            SELECT table_name FROM _garner_streams WHERE name = ?1 COLLATE NOCASE
            OR substr(name, instr(name, '.') + 1) = ?1 COLLATE NOCASE ORDER BY name = ?1 COLLATE NOCASE DESC LIMIT 1
            """, .text(name))
        return UnknownTableError(
            name: name, isView: view != nil, known: names ?? [], ofStream: ofStream,
            unmade: reasonOfNoTable(name, orAny: names?.isEmpty ?? true))
    }

    /// Returns why a stream that was synchronised has no table yet; nil if its sync failed, or there is no such stream.
    ///
    /// - Parameters:
    ///   - name: The table; nil for any.
    ///   - orAny: True if a stream with another table counts, too.
    package func reasonOfNoTable(_ name: String? = nil, orAny: Bool = true) -> Hint? {
        // A database that cannot be read tells so elsewhere.
        let latest = try? connection.firstRow(
            """
            SELECT stream.name, iif(quarantined > 0, 'quarantined', status) FROM _garner_streams AS stream JOIN _garner_runs USING (stream_id)
            WHERE (?2 OR table_name = ?1 COLLATE NOCASE) AND table_name NOT IN \(Connection.tableNames)
            AND stream_id NOT IN (SELECT stream_id FROM _garner_columns) AND status <> 'skipped' ORDER BY table_name IS NOT ?1, run_id DESC LIMIT 1
            """, [Value(name), .integer(orAny ? 1 : 0)]
        ) { (stream: $0.text(at: 0), status: $0.text(at: 1)) }
        switch latest?.status {
        case "succeeded"?: return latest.map { .noRecordCame(stream: $0.stream) }
        case "quarantined"?:
            return latest.map { "the last sync could store no record: garner quarantine list \($0.stream)" }
        // A run that a dead process has left does not go on.
        case "running"? where WriterLock.state(of: path) != .free:
            return latest.map { .firstSyncRuns(stream: $0.stream) }
        default: return nil
        }
    }
}

/// An error for a table that no stream has made.
package struct UnknownTableError: FailureConvertible, Equatable {
    package let name: String
    /// True if there is a view of that name.
    package let isView: Bool
    /// The existing tables.
    package let known: [String]
    /// The table that a stream of that name has or will have.
    var ofStream: String?
    /// Why a stream that was synchronised has no such table; nil if none was.
    package let unmade: Hint?

    package var failure: RunFailure {
        guard !isView else {
            return RunFailure(.usage, kind: "unknown_table", message: "'\(name)' is a view", hint: .nameTable)
        }
        let closest = known.first { $0 == ofStream } ?? Suggestion.closest(to: name, among: known)
        let others: Hint = known.isEmpty ? .syncFirst : "the tables are: \(known.joined(separator: ", "))"
        return RunFailure(
            .usage, kind: "unknown_table", message: "there is no table '\(name)'",
            hint: unmade ?? closest.map { "did you mean '\($0)'?" } ?? others)
    }
}

/// The beginning of the schema history that is requested.
package enum HistoryStart: Sendable, Equatable {
    case run(RunID)
    case instant(Timestamp)
}

extension ReadOnlyDatabase {
    /// Returns the added columns and widened types, oldest first, of one table or of all.
    ///
    /// - Parameter start: The first run, or the instant after which runs began; nil for all.
    package func schemaChanges(of name: String? = nil, since start: HistoryStart? = nil) throws -> [SchemaChange] {
        try reading {
            let tables =
                try name.map { [try streamTable($0)] }
                ?? connection.rows("SELECT stream_id, table_name FROM _garner_streams ORDER BY table_name") {
                    (streamID: StreamID($0.integer(at: 0)), table: $0.text(at: 1))
                }
            let changes = try tables.flatMap { try schemaChanges(of: $0.table, $0.streamID) }
            var first: PlaceInTime?
            if hasParts, case .run(let run) = start {
                first = PlaceInTime(time: try self.run(run).startedAt, number: run.number)
            }
            func place(_ change: SchemaChange) -> PlaceInTime {
                PlaceInTime(time: change.at, number: change.run.number)
            }
            let wanted = changes.filter { change in
                switch start {
                case .run(let run): first.map { place(change) >= $0 } ?? (change.run >= run)
                case .instant(let instant): change.at >= instant
                case nil: true
                }
            }
            // The sort is stable: within a run, each table's changes keep their order.
            return wanted.sorted { hasParts ? place($0) < place($1) : $0.run < $1.run }
        }
    }

    private func schemaChanges(of table: String, _ streamID: StreamID) throws -> [SchemaChange] {
        let columns = try connection.rows(
            """
            SELECT name, type, first_seen_run, started_at FROM _garner_columns
            JOIN _garner_runs ON run_id = first_seen_run WHERE _garner_columns.stream_id = ?1 ORDER BY position
            """, [.id(streamID)]
        ) { try ($0.text(at: 0), $0.columnType(at: 1), run: RunID($0.integer(at: 2)), $0.timestamp(at: 3)) }
        let steps = try SchemaStep.all(ofTable: streamID, on: connection)
        var changes: [SchemaChange] = []
        // The columns with which the table was made have no note.
        for (name, type, run, at) in columns {
            let own = steps.filter { $0.isOf(name) && $0.run >= run }
            if let first = own.first, first.isArrival, first.run == run { continue }
            changes.append(
                SchemaChange(
                    table: table, column: name, kind: .added, oldType: nil, newType: own.first.map(\.old) ?? type,
                    run: run, at: at))
        }
        return changes + steps.changes
    }
}

extension ReadOnlyDatabase {
    /// Throws if the stream cannot have the table that it has or will get, as the next sync does.
    package func requireTable(of stream: StreamConfiguration) throws {
        try reading {
            let registry = StreamRegistry(connection: connection)
            _ = try registry.table(of: stream)
            let known = try registry.registration(of: stream)
            guard try connection.hasTable(known.table),
                let schema = try TableSchema(streamID: known.id, table: known.table, on: connection)
            else { return }
            try schema.requireForm(of: stream)
        }
    }
}
