import GarnerDatabase
package import GarnerModel
package import GarnerSQLite

/// The unfinished read of a stream: `_garner_reads`.
package struct UnfinishedRead {
    /// The run that began it.
    let id: ReadID
    /// The start of the read, which no cursor passes.
    let beganAt: Timestamp
    /// The worst judgement on the slices read so far.
    var verdict: Verdict
    /// The part of the source that it covers.
    let scope: ReadScope
    /// The judgement that was stored last, and when; nil if this process has stored none.
    private(set) var saved: (verdict: Verdict, at: Timestamp)?

    /// The time in which a judgement that stays the same is not stored again.
    private static let savedFor = Duration.zero..<Duration.seconds(60)

    init(id: ReadID, beganAt: Timestamp, verdict: Verdict, scope: ReadScope) {
        (self.id, self.beganAt, self.verdict, self.scope) = (id, beganAt, verdict, scope)
    }

    /// The age beyond which the read's first pages are too old to be completed by its last ones. A read saved
    /// that far in the future comes from a clock that was ahead, so its age is unknown.
    private static let maximumAge = Duration.seconds(24 * 3600)

    /// Returns the stored read; nil if it has another identity, is too old, or has one slice without a stored page.
    ///
    /// - Parameter now: The current time; nil for a read of any age.
    static func load(
        of streamID: StreamID, identity: String, now: Timestamp?, on connection: Connection
    ) throws -> Self? {
        try connection.firstRow(
            """
            SELECT read_id, began_at, verdict, verdict_reason, is_full, parent_through FROM _garner_reads
            WHERE stream_id = ?1 AND identity = ?2 AND (?3 IS NULL OR saved_at > ?3 AND saved_at < ?4 AND (NOT (
                SELECT count(*) > 0 AND max(pages) = 0 FROM _garner_runs AS run
                WHERE run.stream_id = ?1 AND run.run_id >= _garner_reads.read_id AND run.read_id = _garner_reads.read_id
            ) OR (
                SELECT count(*) <> 1 OR max(next_position) IS NOT NULL FROM _garner_slices WHERE stream_id = ?1
            )))
            """,
            [
                .id(streamID), .text(identity), Value(now?.advanced(by: .zero - maximumAge).description),
                Value(now?.advanced(by: maximumAge).description),
            ]
        ) {
            try UnfinishedRead(
                id: $0.id(at: 0), beganAt: $0.timestamp(at: 1), verdict: $0.verdict(at: 2, reason: 3),
                scope: ReadScope(isFull: $0.integer(at: 4) == 1, parentThrough: $0.optionalInteger(at: 5)))
        }
    }

    func insert(of streamID: StreamID, identity: String, on connection: Connection) throws {
        try connection.execute(
            """
            INSERT INTO _garner_reads
            (stream_id, read_id, identity, began_at, saved_at, verdict, verdict_reason, is_full, parent_through)
            VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8)
            """, .id(streamID), .id(id), .text(identity), .text(beganAt.description),
            .text(verdict.kind.rawValue), Value(verdict.reason), .integer(scope.isFull ? 1 : 0),
            Value(scope.parentThrough))
    }

    /// Stores the progress of the read.
    mutating func save(of streamID: StreamID, at now: Timestamp, on connection: Connection) throws {
        if let saved, saved.verdict == verdict, Self.savedFor.contains(saved.at.duration(to: now)) { return }
        try connection.execute(
            "UPDATE _garner_reads SET saved_at = ?2, verdict = ?3, verdict_reason = ?4 WHERE stream_id = ?1",
            .id(streamID), .text(now.description), .text(verdict.kind.rawValue), Value(verdict.reason))
        saved = (verdict, now)
    }

    /// Removes the read with its remaining slices and staged pages.
    package static func remove(of streamID: StreamID, on connection: Connection) throws {
        try StagedPages(streamID: streamID, connection: connection).removeAll()
        try connection.execute("DELETE FROM _garner_slices WHERE stream_id = ?1", .id(streamID))
        try connection.execute("DELETE FROM _garner_reads WHERE stream_id = ?1", .id(streamID))
    }
}

extension ReadContext {
    /// Creates the context that the stream's earlier reads have left.
    ///
    /// - Parameter identity: The digest of the read's identity.
    init(of streamID: StreamID, identity: String, isFirst: Bool, on connection: Connection) throws {
        let stored = try connection.firstRow(
            """
            SELECT follows_as_before, paging_place_identity, whole_identity, full_page, answer_shape FROM _garner_streams
            WHERE stream_id = ?1
            """, [.id(streamID)]
        ) {
            (
                followsAsBefore: $0.integer(at: 0) == 1, place: $0.optionalText(at: 1), whole: $0.optionalText(at: 2),
                fullPage: $0.optionalInteger(at: 3), shape: $0.optionalText(at: 4)
            )
        }
        self.init(
            isFirst: isFirst, followsAsBefore: stored?.followsAsBefore ?? false,
            fullPage: stored?.place == identity ? stored?.fullPage.map { Int($0) } : nil,
            hasEndedWithoutMore: stored?.whole == identity, shape: stored?.shape)
        asksAnew = stored?.whole != nil && !hasEndedWithoutMore
        namedFields = try NamedFieldTable(streamID: streamID, connection: connection).sightings
    }

    /// Notes what a page with records has shown beside them; nil for none.
    mutating func note(shape: String?, of streamID: StreamID, on connection: Connection) throws {
        guard let shape, self.shape != shape else { return }
        self.shape = shape
        try connection.execute(
            "UPDATE _garner_streams SET answer_shape = ?2 WHERE stream_id = ?1", .id(streamID), .text(shape))
    }

    /// Notes that a first page with so many records led to another one.
    mutating func note(fullPage: Int, of streamID: StreamID, identity: String, on connection: Connection) throws {
        guard self.fullPage != fullPage else { return }
        self.fullPage = fullPage
        try connection.execute(
            "UPDATE _garner_streams SET paging_place_identity = ?2, full_page = ?3 WHERE stream_id = ?1",
            .id(streamID), .text(identity), .integer(Int64(fullPage)))
    }

    /// Notes that a read has ended without a sign of more.
    mutating func noteWholeRead(of streamID: StreamID, identity: String, on connection: Connection) throws {
        guard !hasEndedWithoutMore else { return }
        hasEndedWithoutMore = true
        try connection.execute(
            "UPDATE _garner_streams SET whole_identity = ?2 WHERE stream_id = ?1", .id(streamID), .text(identity))
    }
}
