package import GarnerPersistence
package import GarnerCatalog
import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// The tables, rows and runs that a renamed stream keeps.
package struct RenameOutcome: Sendable, Equatable {
    package let old: StreamName
    package let new: StreamName
    /// The tables of the stream and of its arrays, with their rows together.
    package var tables: [String] = []
    package var rows = 0
    package var runs = 0
    /// The words on the table; nil if it keeps its name.
    package var renamedTable: String?
}

/// Gives streams other names. Rows, history, runs, schedule and progress stay.
package struct StreamRenaming {
    let connection: Connection

    /// Returns what the stream would keep.
    ///
    /// - Throws: `PersistenceError` if there is no such stream, or if the new name is that of a stream with a table or a run that stored
    ///   something.
    func outcome(of old: StreamName, to new: StreamName) throws -> RenameOutcome {
        guard let removal = try StreamRemoval(of: old, on: connection) else {
            throw PersistenceError(
                .request, "the database knows no stream \(old)", hint: "compare the name with those of: garner tables")
        }
        if let other = try StreamRemoval(of: new, on: connection)?.outcome(), !other.tables.isEmpty {
            throw PersistenceError(
                .request, "\(new) has a table of its own: \(other.tables.joined(separator: ", "))",
                hint: .dropBeforeRename(stream: new.description))
        }
        let kept = try removal.outcome()
        return RenameOutcome(old: old, new: new, tables: kept.tables, rows: kept.rows, runs: kept.runs)
    }

    /// Renames the stream, inside the caller's transaction. What the new name has, which are runs without a table, goes.
    func rename(_ old: StreamName, to new: StreamName) throws {
        try StreamRemoval(of: new, on: connection)?.remove()
        // The names of tables of arrays begin with that of their stream.
        try connection.execute(
            """
            WITH RECURSIVE family (id) AS (
                SELECT stream_id FROM _garner_streams WHERE name = ?1
                UNION SELECT stream_id FROM _garner_children JOIN family ON parent_id = id)
            UPDATE _garner_streams SET name = ?2 || substr(name, length(?1) + 1) WHERE stream_id IN family
            """, .text(old.description), .text(new.description))
        try connection.execute(
            "UPDATE _garner_streams SET table_name = ?2 WHERE table_name = ?1", .text(StreamRegistry.noTable(of: old)),
            .text(StreamRegistry.noTable(of: new)))
    }

    /// Renames the columns in which a child stores fields of its parent, as `_animals_id`, where the parent has another name now.
    ///
    /// Returns the numbers of the tables that have such columns.
    func renameColumns(of child: StreamConfiguration, since old: StreamName) throws -> [StreamID] {
        guard let parent = child.parent, parent.stream.stream != old.stream else { return [] }
        var changed: [StreamID] = []
        let former = Parent(stream: old, include: parent.include)
        for field in parent.include {
            let names = [former, parent].map { [$0.memberName(for: field)] }
            let found = try connection.firstRow(
                """
                SELECT stream_id, table_name, part.name, position FROM _garner_columns AS part
                JOIN _garner_streams AS stream USING (stream_id) WHERE stream.name = ?1 AND part.path = ?2
                """, [.text(child.name.description), .text(Column.normalized(names[0]))]
            ) {
                (
                    id: StreamID($0.integer(at: 0)), table: $0.text(at: 1), column: $0.text(at: 2),
                    place: $0.integer(at: 3)
                )
            }
            guard let found, let column = ColumnNaming.name(for: names[1], taken: []) else { continue }
            let history = HistoryTable(of: found.table, on: connection)
            for table in [found.table] + (try history.exists() ? [history.name] : []) {
                try connection.execute(
                    "ALTER TABLE \(quoted(table)) RENAME COLUMN \(quoted(found.column)) TO \(quoted(column))")
            }
            try connection.execute(
                "UPDATE _garner_columns SET name = ?3, path = ?4 WHERE stream_id = ?1 AND position = ?2", .id(found.id),
                .integer(found.place), .text(column), .text(Column.normalized(names[1])))
            try connection.execute(
                "UPDATE _garner_schema_changes SET column_name = ?3 WHERE stream_id = ?1 AND column_name = ?2",
                .id(found.id), .text(found.column), .text(column))
            changed.append(found.id)
        }
        return changed
    }
}

extension StreamRenaming {
    /// Returns what renaming streams would keep, in their order.
    package static func preview(
        of names: [(old: StreamName, new: StreamName)], in database: ReadOnlyDatabase
    ) throws -> [RenameOutcome] {
        try database.reading {
            let renaming = StreamRenaming(connection: database.connection)
            return try names.map { try renaming.outcome(of: $0.old, to: $0.new) }
        }
    }

    /// Gives streams other names, all or none. Returns what each has kept, in their order.
    ///
    /// - Parameter streams: The streams of the file, which has the names of their tables. Some may store fields of renamed ones.
    package static func rename(
        _ names: [(old: StreamName, new: StreamName)], among streams: [StreamConfiguration] = [],
        with writer: DatabaseWriter
    ) async throws -> [RenameOutcome] {
        try await writer.maintaining { connection in
            let renaming = StreamRenaming(connection: connection)
            var outcomes = try names.map { names in
                let outcome = try renaming.outcome(of: names.old, to: names.new)
                try renaming.rename(names.old, to: names.new)
                return outcome
            }
            for (index, pair) in names.enumerated() {
                guard let stream = streams.first(where: { $0.name == pair.new }) else { continue }
                outcomes[index].renamedTable = try StreamRegistry.renameTable(of: stream, on: connection)
            }
            var changed: [StreamID] = []
            for (old, new) in names {
                for child in streams where child.parent?.stream == new {
                    changed += try renaming.renameColumns(of: child, since: old)
                }
            }
            return (outcomes, changed)
        }
    }
}
