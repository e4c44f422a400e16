import GarnerSQLite

/// The limits of the write-ahead log, in bytes, while a reader uses an old state of the database.
package struct WALLimits: Sendable {
    /// The size from which readers are waited for, and again each time that the log has grown by a quarter of it.
    package var noticed: Int
    /// The size that may remain between runs. A checkpoint writes the data a second time and takes time.
    package var kept: Int
    /// The size beyond which no page is stored.
    package var maximum: Int
    /// The time to wait for readers of a log that is not full. Nothing is stored meanwhile, and no run begins.
    package var pause: Duration
    /// The time to wait for readers of a log that is full.
    package var patience: Duration

    package init(
        kept: Int = 4 << 20, noticed: Int = 64 << 20, maximum: Int = 1 << 30, pause: Duration = .milliseconds(20),
        patience: Duration = .seconds(2)
    ) {
        (self.kept, self.noticed, self.maximum) = (kept, noticed, maximum)
        (self.pause, self.patience) = (pause, patience)
    }
}

/// Keeps the write-ahead log small.
///
/// SQLite itself copies the log into the database from time to time, but a log with readers cannot restart and grows
/// with each commit. SQLite advises to "avoid long-running readers" (sqlite.org/wal.html); Garner waits for them.
struct WALCheckpointer {
    private let limits: WALLimits
    /// The size at which readers are waited for next.
    private var threshold: Int
    /// The size at which the next warning is due: twice that of the one before.
    private var warned: Int

    init(_ limits: WALLimits) {
        self.limits = limits
        (threshold, warned) = (limits.noticed, limits.noticed)
    }

    /// The setting that truncates a larger log when it restarts.
    var settings: String { "PRAGMA journal_size_limit = \(limits.noticed)" }

    /// Checkpoints a large log between transactions. Returns a warning if a reader lets it grow.
    ///
    /// If a checkpoint fails for another reason, the log stays, as in SQLite itself: its contents are committed.
    ///
    /// - Parameter isIdle: True if no write is expected.
    mutating func checkpointIfNeeded(on connection: Connection, isIdle: Bool) -> String? {
        let bytes = connection.logBytes
        if isIdle {
            if bytes > limits.kept { checkpoint(on: connection) }
            return nil
        }
        guard bytes >= threshold else { return nil }
        if (try? connection.checkpoint(waiting: limits.pause)) ?? false {
            (threshold, warned) = (limits.noticed, limits.noticed)
            return nil
        }
        threshold = bytes + limits.noticed / 4
        guard bytes >= warned else { return nil }
        warned = 2 * bytes
        return "the write-ahead log has grown because a reader still uses an old state of the database: "
            + "\(bytes >> 20) MiB; it shrinks when the reader ends"
    }

    /// Checkpoints the log if nobody uses it. Otherwise it stays, since its contents are committed.
    func checkpoint(on connection: Connection) {
        guard !connection.isInTransaction, connection.logBytes > 0 else { return }
        _ = try? connection.checkpoint(waiting: .zero)
    }

    /// Throws if the log has its maximum size and its readers do not end.
    func requireRoom(on connection: Connection) throws {
        guard connection.logBytes >= limits.maximum, !connection.isInTransaction,
            try !connection.checkpoint(waiting: limits.patience)
        else { return }
        throw PersistenceError(
            .locked,
            "the write-ahead log of \(connection.path) has grown to \(connection.logBytes >> 20) MiB, since a reader holds "
                + "on to an old state of the database",
            hint: """
                end the reader, which this may find: fuser \(connection.path)-wal; the next sync goes on where this one \
                stopped
                """)
    }
}
