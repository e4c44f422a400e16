/// What earlier reads of a stream have shown, as far as the judgement on the next one depends on it.
package struct ReadContext: Sendable, Hashable {
    /// The stream has no table yet, so that a failure costs nobody a mirror that works.
    package var isFirst: Bool
    /// The stream's table was made by Garner 0.1, whose `auto` followed fewer pagings: no other one is followed.
    package var followsAsBefore: Bool
    /// An earlier read of the same `readIdentity` met the place at which its paginator looks for the next page.
    package var hasSeenPagingPlace: Bool
    /// An earlier read of the same `readIdentity` ended without a sign of records that were left out.
    package var hasEndedWithoutMore: Bool

    package init(
        isFirst: Bool = true, followsAsBefore: Bool = false, hasSeenPagingPlace: Bool = false,
        hasEndedWithoutMore: Bool = false
    ) {
        self.isFirst = isFirst
        self.followsAsBefore = followsAsBefore
        self.hasSeenPagingPlace = hasSeenPagingPlace
        self.hasEndedWithoutMore = hasEndedWithoutMore
    }
}
