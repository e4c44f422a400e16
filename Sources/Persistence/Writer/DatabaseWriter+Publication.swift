import GarnerDatabase
package import GarnerModel
import GarnerSQLite

// Published tables: the writer notes changed rows if `init` had a token (`publishingAs`).
extension DatabaseWriter {
    /// True if changes of published tables are noted.
    package var isPublished: Bool { recorder != nil }

    /// Begins to note the changes of tables, and notes that all their rows have to be published. For tables that are published already, it
    /// does the latter only. Tables that are not there any more are left out.
    ///
    /// - Parameter tables: `PublishedTable.id`, or `OutboxNote.runs`.
    package func publish(_ tables: [StreamID]) async throws {
        try await perform {
            guard let recorder else { return }
            try connection.transactionWithoutSync {
                for id in tables {
                    try connection.execute(
                        """
                        INSERT INTO _garner_published (stream_id) SELECT ?1
                        WHERE ?1 = 0 OR EXISTS (SELECT 1 FROM _garner_streams WHERE stream_id = ?1) ON CONFLICT DO NOTHING
                        """, .id(id))
                }
                recorder.markWhole(tables)
            }
        }
    }

    /// Ends to note the changes of tables, and forgets what waits of them.
    package func stopPublishing(_ tables: [StreamID]) async throws {
        try await perform {
            guard let recorder else { return }
            try connection.transactionWithoutSync {
                for table in ["_garner_published", "_garner_outbox"] {
                    for id in tables {
                        try connection.execute("DELETE FROM \(table) WHERE stream_id = ?1", .id(id))
                    }
                }
                recorder.forgetTables()
            }
        }
    }

    /// Notes that PostgreSQL has these tables as they were in a snapshot. Their notes up to there go, now or with the next page.
    ///
    /// - Parameters:
    ///   - position: The number of the snapshot's last note.
    ///   - tables: The tables that had notes and are not behind. They are no longer behind.
    ///   - instant: When the snapshot began.
    package func confirm(_ position: Int64, _ tables: [StreamID], asOf instant: Timestamp) async throws {
        try await storeLater { $0.confirm(position, tables, asOf: instant) }
    }

    /// Notes why tables are behind. A table that was behind before keeps the instant since when it is.
    package func noteBehind(_ reasons: [StreamID: String]) async throws {
        let instant = now().description
        try await storeLater { recorder in
            recorder.storeLater { connection in
                for (id, reason) in reasons.sorted(by: { $0.key < $1.key }) {
                    try connection.execute(
                        """
                        UPDATE _garner_published SET behind_since = coalesce(behind_since, ?2), behind_reason = ?3
                        WHERE stream_id = ?1 AND behind_reason IS NOT ?3
                        """, .id(id), .text(instant), .text(reason))
                }
            }
        }
    }

    /// Notes where the tables are, as people may read it: without a password.
    package func setTarget(_ target: String) async throws {
        try await storeLater { recorder in
            recorder.storeLater { try $0.execute("UPDATE _garner_publication SET target = ?1", .text(target)) }
        }
    }

    /// Notes why nothing is published until somebody changes something; nil once it goes on. The instant since when stays until then.
    package func noteRefusal(_ reason: String?) async throws {
        let instant = now().description
        try await storeLater { recorder in
            recorder.storeLater { connection in
                try connection.execute(
                    """
                    UPDATE _garner_publication SET refusal = ?1, refused_since = iif(?1 IS NULL, NULL, coalesce(refused_since, ?2))
                    WHERE refusal IS NOT ?1
                    """, Value(reason), .text(instant))
            }
        }
    }

    /// Stores something that may get lost: with the pages that share an open transaction, or else now.
    private func storeLater(_ body: (OutboxRecorder) -> Void) async throws {
        try await perform(inGroup: true) {
            guard let recorder else { return }
            body(recorder)
            if !connection.isInTransaction { try connection.transactionWithoutSync {} }
        }
    }
}
