import GarnerDatabase
import GarnerModel
import GarnerSQLite

/// Decides if a page that was not read again still describes the rows that the table holds.
///
/// It does as long as no record is on two pages, where one page overwrites the other, and nobody else writes
/// the table's rows. If that is not certain, every page is read again.
struct PageOverlap {
    private let streamID: StreamID
    private let connection: Connection
    /// True if no record is known to be on two pages. Changes to the rows by others do not affect this.
    private(set) var areApart: Bool

    init(streamID: StreamID, connection: Connection) throws {
        (self.streamID, self.connection) = (streamID, connection)
        let sql = "SELECT pages_are_apart FROM _garner_streams WHERE stream_id = ?1"
        areApart = try connection.integer(sql, .id(streamID)) == 1
    }

    mutating func note(areApart: Bool) throws {
        self.areApart = areApart
        try connection.execute(
            "UPDATE _garner_streams SET pages_are_apart = ?2 WHERE stream_id = ?1 AND pages_are_apart <> ?2",
            .id(streamID), .integer(areApart ? 1 : 0))
    }

    /// Runs `body`, which may change rows of the table. If others changed rows before, all cached pages are forgotten.
    func writing<R>(_ body: () throws -> R) throws -> R {
        try silence()
        if try isTouched {
            try Self.clearCache(of: streamID, on: connection)
            try clear()
        }
        let result = try body()
        if try isTouched { try clear() }
        return result
    }

    /// Records changes of a table's rows from now on. If others went unnoticed, all cached pages are forgotten.
    ///
    /// - Parameters:
    ///   - key: The columns of the table's key. Without one no page is remembered, so that there is nothing to record.
    ///   - number: The number of the table, if it is not the stream's own.
    ///   - isNew: True for a table that was just created.
    /// - Returns: False if someone has made the table anew.
    @discardableResult
    func watch(_ table: String, key: [String], numbered number: StreamID? = nil, isNew: Bool = false) throws -> Bool {
        guard !key.isEmpty else { return true }
        let watch = RowWatch(
            streamID: streamID, table: table, key: key, number: number ?? streamID, connection: connection)
        // A table that was just created has none.
        let state: RowWatch.State = try isNew ? .lost : watch.state
        guard state != .whole else { return true }
        try watch.renew()
        if !isNew { try Self.clearCache(of: streamID, on: connection) }
        return isNew || state != .lost
    }

    /// Turns the triggers off for the connection that stores pages, unless the owner has other triggers: with a
    /// trigger after it, an upsert makes SQLite journal each row's page in case the trigger fails, which costs
    /// a fifth of the time.
    private func silence() throws {
        try connection.set(runsTriggers: connection.hasTriggers(besides: RowWatch.prefix))
    }

    /// Forgets all cached pages of the stream, so that each is read again.
    static func clearCache(of streamID: StreamID, on connection: Connection) throws {
        try connection.execute(
            "UPDATE _garner_pages SET validator = NULL, fingerprint = NULL, summary = NULL WHERE stream_id = ?1",
            .id(streamID))
    }

    private var isTouched: Bool {
        get throws {
            try connection.integer("SELECT is_touched FROM _garner_streams WHERE stream_id = ?1", .id(streamID))
                == 1
        }
    }

    private func clear() throws {
        try connection.execute("UPDATE _garner_streams SET is_touched = 0 WHERE stream_id = ?1", .id(streamID))
    }
}
