import Database
package import Model
import SQLite

/// The tables, rows and runs that a renamed stream keeps.
package struct RenameOutcome: Sendable, Equatable {
    package let old: StreamName
    package let new: StreamName
    /// The tables of the stream and of its arrays, with their rows together.
    package var tables: [String] = []
    package var rows = 0
    package var runs = 0
}

/// Gives streams other names. Rows, history, runs, schedule and progress stay.
struct StreamRenaming {
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
    }
}

extension ReadOnlyDatabase {
    /// Returns what renaming streams would keep, in their order.
    package func renamePreview(of names: [(old: StreamName, new: StreamName)]) throws -> [RenameOutcome] {
        try reading { try names.map { try StreamRenaming(connection: connection).outcome(of: $0.old, to: $0.new) } }
    }
}

extension DatabaseWriter {
    /// Gives streams other names, all or none. Returns what each has kept, in their order.
    package func rename(_ names: [(old: StreamName, new: StreamName)]) async throws -> [RenameOutcome] {
        try await perform {
            // As in `drop`: a check of each run would read the notes of changes of all streams.
            try connection.set(checksForeignKeys: false)
            let result = Result {
                try connection.transaction {
                    let renaming = StreamRenaming(connection: connection)
                    return try names.map { names in
                        let outcome = try renaming.outcome(of: names.old, to: names.new)
                        try renaming.rename(names.old, to: names.new)
                        return outcome
                    }
                }
            }
            try connection.set(checksForeignKeys: true)
            return try result.get()
        }
    }
}
