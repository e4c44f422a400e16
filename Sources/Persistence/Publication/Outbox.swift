import GarnerDatabase
package import GarnerModel
package import GarnerSQLite

/// The tables of the publication, as one that writes them needs them.
package enum Outbox {
    /// The most changes of a table that wait. Beyond them, all of it is published again.
    package static let mostNotes = 100_000
    /// The number of processes whose tokens are kept.
    private static let keptTokens = 10_000

    /// The greatest number that any note has had; 0 for none.
    static func lastNote(on connection: Connection) throws -> Int64 {
        try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = '_garner_outbox'") ?? 0
    }

    /// Gives a file its identity if it has none: a random UUID (RFC 9562, section 5.4).
    package static func identify(on connection: Connection) throws {
        try connection.execute(
            """
            INSERT INTO main._garner_publication (id, file, schema_version)
            SELECT 1, printf('%s-%s-4%s-%s%s-%s', substr(x, 1, 8), substr(x, 9, 4), substr(x, 14, 3),
            substr('89ab', 1 + (random() & 3), 1), substr(x, 18, 3), substr(x, 21)), ?1
            FROM (SELECT lower(hex(randomblob(16))) AS x)
            WHERE NOT EXISTS (SELECT 1 FROM main._garner_publication)
            """, .integer(try connection.integer("PRAGMA main.schema_version") ?? 0))
    }

    /// Begins to note changes on a connection, for a process with a new token.
    static func begin(
        _ token: String, on connection: Connection, limit: Int, now: @escaping @Sendable () -> Timestamp
    ) throws -> OutboxRecorder {
        guard Connection.canObserveRows else {
            throw PersistenceError(
                .configuration,
                "this system's libsqlite3 cannot tell which rows change: it was built without SQLITE_ENABLE_PREUPDATE_HOOK",
                hint:
                    "remove 'publish:', or install a libsqlite3 that has it, such as the one of Debian, Ubuntu, Fedora or macOS"
            )
        }
        let recorder = try OutboxRecorder(on: connection, limit: limit, now: now)
        try connection.observe(with: recorder)
        try connection.transaction {
            try connection.execute(
                "INSERT INTO _garner_publishers (token, first_note) VALUES (?1, ?2)", .text(token),
                .integer(try lastNote(on: connection) + 1))
            try connection.execute(
                "DELETE FROM _garner_publishers WHERE rowid <= (SELECT max(rowid) FROM _garner_publishers) - \(keptTokens)"
            )
        }
        return recorder
    }

    /// Notes that the file is written without notes, so that all tables are published again if it is published once more.
    static func noteUnnoted(on connection: Connection) throws {
        guard try connection.integer("SELECT 1 FROM _garner_published LIMIT 1") != nil,
            try connection.integer("SELECT is_unnoted FROM _garner_publication") == 0
        else { return }
        try connection.transaction { try connection.execute("UPDATE _garner_publication SET is_unnoted = 1") }
    }

    /// Notes that all rows of tables may have changed, of those that are published, on a connection that notes nothing by itself. Call
    /// this in the transaction that changes them.
    package static func noteWhole(_ tables: [StreamID], on connection: Connection) throws {
        for id in tables {
            try connection.execute(
                "INSERT INTO _garner_outbox (stream_id, kind) SELECT stream_id, 'whole' FROM _garner_published WHERE stream_id = ?1",
                .id(id))
        }
    }
}
