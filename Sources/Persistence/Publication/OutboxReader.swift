import GarnerDatabase
import GarnerLibC
import GarnerModel
import GarnerSQLite

/// Reads the notes of changes that wait to be published, and their rows, by a connection of its own that cannot write.
///
/// Use it from one task at a time. Its calls block for as long as SQLite reads.
package final class OutboxReader {
    private let connection: Connection
    private let known = KnownTables()
    private let isCopy: Bool
    private let walLimits: WALLimits

    /// Opens a database that a `DatabaseWriter` has made. Throws `PersistenceError`.
    ///
    /// - Parameter isCopy: True if the disk is not waited for, since the file is only a copy (`DatabaseWriter.safe`).
    package init(path: String, isCopy: Bool = false, walLimits: WALLimits = WALLimits()) throws {
        (self.isCopy, self.walLimits) = (isCopy, walLimits)
        do {
            connection = try Connection(path: path, mode: .readOnly)
        } catch {
            throw PersistenceError(error, path: path)
        }
    }

    /// Begins a snapshot: one state of the database, which lasts until `OutboxSnapshot.end`. There is one at a time.
    ///
    /// If notes wait, all that is committed in the snapshot is on the disk when this returns, unless the file is only a copy.
    package func beginSnapshot() throws -> OutboxSnapshot {
        let snapshot = OutboxSnapshot(connection, known, walLimits)
        do {
            try snapshot.begin(syncing: !isCopy)
            return snapshot
        } catch {
            snapshot.end()
            throw error
        }
    }

    /// Calls `body` with a snapshot, and ends the snapshot afterwards.
    package func snapshot<R>(_ body: (OutboxSnapshot) throws -> R) throws -> R {
        let snapshot = try beginSnapshot()
        defer { snapshot.end() }
        return try body(snapshot)
    }

    package func close() { connection.close() }
}

/// A process that has published the file, or may have.
package struct PublisherToken: Sendable, Equatable {
    package let token: String
    /// The number of the first note that it may have made. All its notes come before those of the next token.
    package let firstNote: Int64
    /// The number of its last note; one less than `firstNote` if it has made none.
    package let lastNote: Int64
}
