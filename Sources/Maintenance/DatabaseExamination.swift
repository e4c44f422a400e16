import GarnerPersistence
import GarnerDatabase
import GarnerMigrations
package import GarnerModel
import GarnerSQLite

/// Checks a database and the files beside it without changes.
package struct DatabaseExamination {
    private let path: String
    private let isFull: Bool
    private let cancellation: Cancellation

    /// - Parameter isFull: True if every index is compared with its table, which takes time.
    package init(of path: String, isFull: Bool = false, cancellation: Cancellation = Cancellation()) {
        (self.path, self.isFull, self.cancellation) = (path, isFull, cancellation)
    }

    /// Returns the findings. Throws only `CancellationError`: every other error is a finding.
    package func findings() throws -> [Finding] {
        guard FileCreation.exists(path) else {
            return [
                .warning("database", "there is no database \(path) yet", hint: .syncOrNameDatabase)
            ]
        }
        var findings = DatabaseFiles(path: path).findings()
        do {
            let connection = try Connection(path: path, mode: .readOnly)
            defer { connection.close() }
            findings += try cancellation.running(on: connection) { try look(at: connection) }
        } catch let error as SQLiteError {
            findings.append(problem("database", PersistenceError(error, path: path)))
        } catch let error as PersistenceError {
            findings.append(problem("database", error))
        }
        return findings
    }

    private func look(at connection: Connection) throws -> [Finding] {
        try connection.uniteBooks()
        let version = try Migrator.verify(connection)
        guard version > 0 else {
            return [.warning("database", "the database \(path) is empty", hint: .sync)]
        }
        var findings: [Finding] = [.ok("database", "\(path) is a database of Garner's"), schema(version)]
        let checks: [(name: String, look: () throws -> Finding)] =
            [
                ("migrations", { try migrations(upTo: version, on: connection) }),
                ("integrity", { try integrity(of: connection) }), ("foreign_keys", { try foreignKeys(of: connection) }),
                ("search", { try search(in: connection) }), ("columns", { try columns(in: connection) }),
            ] + (version >= Self.versionWithTriggers ? [("triggers", { try triggers(in: connection) })] : [])
        // The rest of a damaged file proves nothing.
        for check in checks where !findings.contains(where: { $0.level == .problem }) {
            do {
                findings.append(try check.look())
            } catch let error as SQLiteError where error.kind != .interrupted {
                findings.append(problem(check.name, PersistenceError(error, path: path)))
            }
        }
        return findings
    }

    private func problem(_ check: String, _ error: PersistenceError) -> Finding {
        .problem(check, error.message, hint: error.hint)
    }

    private func schema(_ version: Int) -> Finding {
        let newest = Migrator.newestVersion
        return version == newest
            ? .ok("schema", "its schema \(version) is the newest that this garner knows")
            : .warning("schema", "its schema is \(version), and \(newest) is the newest", hint: .migrate)
    }

    private func migrations(upTo version: Int, on connection: Connection) throws -> Finding {
        let others = try Migration.all.filter {
            try $0.version <= version && !Migrator.isRecorded($0, on: connection)
        }
        guard let first = others.first else { return .ok("migrations", "its migrations are those of this garner") }
        return .warning("migrations", "it was made with another \(first.name) than this garner's", hint: .seeMigrations)
    }

    private func integrity(of connection: Connection) throws -> Finding {
        let problems = try IntegrityCheck(isFull: isFull).problems(of: connection)
        guard let first = problems.first else {
            return .ok(
                "integrity",
                isFull ? "every page and index is intact" : "every page is intact; --full checks the indexes, too")
        }
        let more = problems.count == 1 ? "" : " (and \(problems.count - 1) more)"
        return .problem("integrity", "the file is not intact: \(first)\(more)", hint: .restoreOrSync)
    }

    private func foreignKeys(of connection: Connection) throws -> Finding {
        let tables = try connection.schemas.flatMap { schema in
            try connection.rows(
                "SELECT \"table\", count(*) FROM pragma_foreign_key_check(NULL, '\(schema)') GROUP BY 1 ORDER BY 1"
            ) { "\($0.text(at: 0)) (\($0.integer(at: 1)))" }
        }
        guard !tables.isEmpty else { return .ok("foreign_keys", "no foreign key is broken") }
        return .problem(
            "foreign_keys", "foreign keys are broken in: \(tables.joined(separator: ", "))",
            hint: "restore the file from a backup; another program has changed it")
    }

    private func search(in connection: Connection) throws -> Finding {
        let count = Int(
            try connection.integer(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE% USING fts5%'"
            )
                ?? 0)
        guard count > 0 else { return .ok("search", "there is no full-text index") }
        // "The integrity_check and quick_check pragmas now call the xIntegrity method" (sqlite.org/releaselog/3_44_0.html).
        return Library.versionNumber >= 3_044_000
            ? .ok("search", "\(count) full-text indexes were checked with the file")
            : .ok("search", "\(count) full-text indexes, which only SQLite 3.44 or newer can check without writing")
    }

    /// The first schema whose tables have all triggers after a sync, and in which tables of arrays are noted.
    private static let versionWithTriggers = 7

    private func triggers(in connection: Connection) throws -> Finding {
        let tables = try RowWatch.unwatchedTables(on: connection)
        guard let first = tables.first else { return .ok("triggers", "what other programs change is noticed") }
        let more = tables.count == 1 ? "" : " (and \(tables.count - 1) more tables)"
        return .warning(
            "triggers",
            "another program has made the table \(first) anew or changed its indexes, and what it changes is not noticed\(more)",
            hint: .syncOnce(effect: "reads its stream anew, and notices changes from then on"))
    }

    private func columns(in connection: Connection) throws -> Finding {
        let tables = try connection.rows(
            """
            SELECT stream_id, table_name FROM _garner_streams
            WHERE table_name IN \(Connection.tableNames) ORDER BY table_name
            """
        ) { (streamID: StreamID($0.integer(at: 0)), table: $0.text(at: 1)) }
        let problems = try tables.compactMap { try TableSchema.lostColumns(of: $0.table, $0.streamID, on: connection) }
        guard let first = problems.first else { return .ok("columns", "every table has the columns of its stream") }
        let more = problems.count == 1 ? "" : " (and \(problems.count - 1) more tables)"
        // The table of a removed stream may belong to the user.
        return .warning("columns", first.message + more, hint: first.hint)
    }
}

/// The result of one check by `garner doctor`.
package struct Finding: Sendable, Equatable {
    package enum Level: String, Sendable {
        case ok, warning, problem
    }

    /// The subject of the check.
    package let check: String
    package let level: Level
    package let message: String
    /// The advice for the user; nil if there is nothing to do.
    package let hint: Hint?

    package static func ok(_ check: String, _ message: String) -> Finding {
        Finding(check: check, level: .ok, message: RemoteDatabase.worded(message), hint: nil)
    }

    package static func warning(_ check: String, _ message: String, hint: Hint) -> Finding {
        Finding(check: check, level: .warning, message: message, hint: hint)
    }

    package static func problem(_ check: String, _ message: String, hint: Hint) -> Finding {
        Finding(check: check, level: .problem, message: message, hint: hint)
    }
}

/// The integrity check of SQLite for a database file.
struct IntegrityCheck {
    /// True if every index is compared with its table.
    let isFull: Bool

    /// Returns at most one hundred problems; none for a sound file.
    func problems(of connection: Connection) throws -> [String] {
        let rows = try connection.rows("PRAGMA \(isFull ? "integrity_check" : "quick_check")(100)") { $0.text(at: 0) }
        return rows == ["ok"] ? [] : rows
    }
}
