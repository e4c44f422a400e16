import SQLite

/// Whether a commit waits for the disk.
package enum Synchronous: String, Sendable, CaseIterable {
    /// What was committed outlives a loss of power.
    case full
    /// A loss of power may undo the latest commits, never a part of one.
    case normal
}

/// How large the write-ahead log may become while a reader holds on to an old state of the database, in bytes.
package struct WALLimits: Sendable {
    /// From here on readers are waited for, each time the log has doubled.
    package var noticed: Int
    /// Between runs it may stay this long: folding it in makes the disk write twice, and is waited for.
    package var kept: Int
    /// Beyond this no page is stored.
    package var maximum: Int
    /// How long readers are waited for.
    package var patience: Duration

    package init(
        kept: Int = 4 << 20, noticed: Int = 64 << 20, maximum: Int = 1 << 30, patience: Duration = .seconds(2)
    ) {
        (self.kept, self.noticed, self.maximum, self.patience) = (kept, noticed, maximum, patience)
    }
}

/// Keeps the write-ahead log small.
///
/// SQLite itself folds it into the database from time to time, but a log that is being read cannot begin anew and grows
/// with each commit. "Avoid long-running readers" (sqlite.org/wal.html) is for their users; here they are waited for.
struct WALCheckpointer {
    private let limits: WALLimits
    /// The size at which readers are waited for next.
    private var threshold: Int

    init(_ limits: WALLimits) {
        self.limits = limits
        threshold = limits.noticed
    }

    /// A log that was larger is cut when it begins anew.
    var settings: String { "PRAGMA journal_size_limit = \(limits.noticed)" }

    /// To be called between transactions: gives a warning where a reader lets the log grow.
    ///
    /// A log that cannot be folded in for another reason is kept, as SQLite itself does: what is in it is committed.
    ///
    /// - Parameter isIdle: whether nothing is about to be written.
    mutating func tend(on connection: Connection, isIdle: Bool) -> String? {
        let bytes = connection.logBytes
        if isIdle {
            if bytes > limits.kept { fold(on: connection) }
            return nil
        }
        guard bytes >= threshold else { return nil }
        if (try? connection.checkpoint(waiting: limits.patience)) ?? false {
            threshold = limits.noticed
            return nil
        }
        let (doubled, overflow) = bytes.multipliedReportingOverflow(by: 2)
        threshold = overflow ? .max : doubled
        return "a reader holds on to an old state of the database, so that its write-ahead log has grown to "
            + "\(bytes >> 20) MiB; it gets smaller when the reader has ended"
    }

    /// Folds the log in where nobody is in the way; otherwise it stays, as what is in it is committed.
    func fold(on connection: Connection) {
        guard !connection.isInTransaction, connection.logBytes > 0 else { return }
        _ = try? connection.checkpoint(waiting: .zero)
    }

    /// Throws where the log is as large as it may become, and its readers do not end.
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

extension DatabaseWriter {
    func checkpointLog() {
        // A rehearsal has a transaction from its beginning to its end.
        guard !connection.isInTransaction, let warning = log.tend(on: connection, isIdle: runs.isEmpty) else { return }
        for id in runs.keys { runs[id]?.logWarning = warning }
    }
}
