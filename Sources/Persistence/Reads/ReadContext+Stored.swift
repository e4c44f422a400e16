import Model
import SQLite

extension ReadContext {
    /// As the stream's earlier reads have left it.
    ///
    /// - Parameters:
    ///   - identity: the digest of what the read is made from.
    ///   - isFirst: whether the stream has no table yet.
    init(of streamID: Int64, identity: String, isFirst: Bool, on connection: Connection) throws {
        let stored = try connection.firstRow(
            "SELECT follows_as_before, paging_place_identity, whole_identity FROM _garner_streams WHERE stream_id = ?1",
            [.integer(streamID)]
        ) { (followsAsBefore: $0.integer(at: 0) == 1, place: $0.optionalText(at: 1), whole: $0.optionalText(at: 2)) }
        self.init(
            isFirst: isFirst, followsAsBefore: stored?.followsAsBefore ?? false,
            hasSeenPagingPlace: stored?.place == identity, hasEndedWithoutMore: stored?.whole == identity)
    }

    /// Notes that a page had the place at which its paginator looks.
    mutating func notePagingPlace(of streamID: Int64, identity: String, on connection: Connection) throws {
        guard !hasSeenPagingPlace else { return }
        hasSeenPagingPlace = true
        try connection.execute(
            "UPDATE _garner_streams SET paging_place_identity = ?2 WHERE stream_id = ?1", .integer(streamID),
            .text(identity))
    }

    /// Notes that a read has ended without a sign of more.
    mutating func noteWholeRead(of streamID: Int64, identity: String, on connection: Connection) throws {
        guard !hasEndedWithoutMore else { return }
        hasEndedWithoutMore = true
        try connection.execute(
            "UPDATE _garner_streams SET whole_identity = ?2 WHERE stream_id = ?1", .integer(streamID), .text(identity))
    }
}
