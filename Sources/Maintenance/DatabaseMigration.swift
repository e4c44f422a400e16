package import GarnerPersistence
import GarnerCatalog
import GarnerDatabase
import GarnerMigrations
package import GarnerModel
import GarnerSQLite

/// The state of a database's migrations, compared with those that this program knows.
package struct MigrationReport: Sendable, Equatable {
    package struct Step: Sendable, Equatable {
        package enum State: String, Sendable {
            /// The migration was applied.
            case applied
            /// Another text of the migration was applied.
            case differs
            case missing
        }

        package let version: Int
        package let name: String
        package let state: State
        package let appliedAt: Timestamp?
    }

    /// The version of the file's schema.
    package let version: Int
    package let newest: Int
    package let steps: [Step]
}

/// Migrates a database to the newest schema, without a sync.
package struct DatabaseMigration {
    private let path: String

    package init(of path: String) { self.path = path }

    /// Returns the state of the file without changing it.
    package func report() throws -> MigrationReport {
        try translating {
            let connection = try Connection(path: try existing(), mode: .readOnly)
            defer { connection.close() }
            return try connection.snapshot { try report(on: connection) }
        }
    }

    /// Runs the missing migrations, each in one transaction.
    ///
    /// - Parameters:
    ///   - isDryRun: True if all changes are undone at the end.
    ///   - commits: The receiver of each commit, if the file is only a copy. The caller waits for it.
    /// - Returns: The state of the file afterwards.
    package func run(
        isDryRun: Bool, commits: (any CommitReceiver)? = nil, now: Timestamp
    ) throws -> MigrationReport {
        try translating {
            let lock = try WriterLock(database: try existing())
            defer { withExtendedLifetime(lock) {} }
            let connection = try Connection(path: path, mode: .readWrite)
            defer { connection.close() }
            guard try Migrator.verify(connection) > 0 else { throw Self.empty(path) }
            if isDryRun {
                try connection.beginDryRun()
            } else {
                try connection.executeScript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
                if let commits { try connection.observeCommits { commits.committed($0) } }
            }
            try Migrator(connection: connection, now: now).migrate()
            return try report(on: connection)
        }
    }

    private func report(on connection: Connection) throws -> MigrationReport {
        let version = try Migrator.verify(connection)
        guard version > 0 else { throw Self.empty(path) }
        let steps = try Migration.all.map { migration in
            let appliedAt = try connection.text(
                "SELECT applied_at FROM _garner_migrations WHERE version = ?1", .integer(Int64(migration.version)))
            let isSame = try Migrator.isRecorded(migration, on: connection)
            return try MigrationReport.Step(
                version: migration.version, name: migration.name,
                state: migration.version > version ? .missing : isSame ? .applied : .differs,
                appliedAt: appliedAt.map { try Timestamp(stored: $0) })
        }
        return MigrationReport(version: version, newest: Migrator.newestVersion, steps: steps)
    }

    private func existing() throws -> String {
        try FileCreation.requireDatabase(path)
        return path
    }

    private static func empty(_ path: String) -> PersistenceError {
        PersistenceError(.missing, "the database \(path) is empty", hint: .syncFirst)
    }

    private func translating<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: path)
        }
    }
}
