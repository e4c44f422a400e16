import GarnerCatalog
import GarnerDatabase
import GarnerLibC
package import GarnerModel
import GarnerSQLite

/// The parts of a stream's state that a reset forgets, besides its unfinished read.
package struct ResetParts: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let cursors = ResetParts(rawValue: 1)
    package static let pages = ResetParts(rawValue: 2)
}

/// The state that a reset has removed.
package struct ResetOutcome: Sendable, Equatable {
    package let hadUnfinishedRead: Bool
    package let cursors: Int
    package let pages: Int
}

extension DatabaseWriter {
    /// Forgets how far a stream has been read, so that its next run begins with the first page. Its rows stay.
    ///
    /// Returns nil if the stream was never run.
    package func reset(_ parts: ResetParts, of stream: StreamName) async throws -> ResetOutcome? {
        try await perform {
            try connection.transaction {
                let known = "SELECT stream_id FROM _garner_streams WHERE name = ?1"
                guard let id: StreamID = try connection.id(known, .text(stream.description)) else { return nil }
                func delete(_ sql: String) throws -> Int {
                    try connection.execute(sql, .id(id))
                    return connection.changes
                }
                let isThere = "SELECT 1 FROM _garner_reads WHERE stream_id = ?1"
                let hadRead = try connection.integer(isThere, .id(id)) != nil
                try UnfinishedRead.remove(of: id, on: connection)
                try ReadScope.forget(of: id, on: connection)
                let cursors =
                    parts.contains(.cursors) ? try delete("DELETE FROM _garner_cursors WHERE stream_id = ?1") : 0
                guard parts.contains(.pages) else {
                    return ResetOutcome(hadUnfinishedRead: hadRead, cursors: cursors, pages: 0)
                }
                _ = try delete(
                    """
                    DELETE FROM _garner_members WHERE page_id IN (SELECT page_id FROM _garner_pages WHERE stream_id = ?1)
                    """)
                let pages = try delete("DELETE FROM _garner_pages WHERE stream_id = ?1")
                return ResetOutcome(hadUnfinishedRead: hadRead, cursors: cursors, pages: pages)
            }
        }
    }
}

extension DatabaseWriter {
    /// Removes a database and its other files, if it exists. Throws if another process writes to it.
    package static func remove(_ path: String) throws {
        guard FileCreation.exists(path) else { return }
        let lock = try WriterLock(database: path)
        for suffix in ["-wal", "-shm", ""] where unlink(path + suffix) != 0 && errno != ENOENT {
            throw PersistenceError(
                .permission, "\(path) cannot be removed: \(String(cString: strerror(errno)))",
                hint: "check the permissions of its folder")
        }
        withExtendedLifetime(lock) {}
    }
}
