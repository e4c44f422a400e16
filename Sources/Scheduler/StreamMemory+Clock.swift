package import Catalog

// A clock that was ahead, or was set back since, leaves instants behind that are not yet.
extension StreamMemory {
    /// The instant behind what the next one is looked for, where it lies too far in the future to be waited for.
    package func instantAhead(of now: Timestamp, on timeline: Timeline) -> Timestamp? {
        let counted = timeline.pause == nil ? [settled] : [settled, endedAt]
        guard let latest = counted.compactMap(\.self).max() else { return nil }
        return timeline.isAhead(latest, of: now) ? latest : nil
    }

    /// Takes back to now what lies too far in the future, so that the schedule goes on from now.
    ///
    /// Nothing up to now is decided on again that was before. A hold begins anew: it counts from the end of a run.
    ///
    /// - Returns: the instant that was taken back; nil where none was.
    mutating func comeBack(to now: Timestamp, on timeline: Timeline) -> Timestamp? {
        guard let instant = instantAhead(of: now, on: timeline) else { return nil }
        let heldSince = endedAt ?? instant
        heldUntil = heldUntil.map { now.advanced(by: max(.zero, heldSince.duration(to: $0))) }
        settled = settled.map { min($0, now) }
        endedAt = endedAt.map { min($0, now) }
        circuitOpenedAt = circuitOpenedAt.map { min($0, now) }
        return instant
    }

    /// Ends a hold that is longer than any that begins now.
    ///
    /// - Returns: when it would have ended; nil where there is no such hold.
    mutating func endImplausibleHold(at now: Timestamp, on timeline: Timeline) -> Timestamp? {
        let wished = now.advanced(by: Start.longestWish)
        guard let held = heldUntil, timeline.isAhead(held, of: wished) else { return nil }
        (heldUntil, holdReason) = (nil, nil)
        return held
    }
}
