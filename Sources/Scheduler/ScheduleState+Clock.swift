package import GarnerModel

extension ScheduleState {
    /// Returns the start of a run that is due at an instant: not before the hold ends.
    func start(ofRunDueAt due: Timestamp) -> Timestamp { max(due, heldUntil ?? due) }

    /// Marks all instants up to this one as decided. Never moves back.
    mutating func settle(upTo instant: Timestamp) {
        settled = settled.map { max($0, instant) } ?? instant
    }
}

// If the clock was ahead or has been set back, the state may name instants that are still to come.
extension ScheduleState {
    /// Returns the instant after which the next one is looked for, if it is too far in the future to wait for.
    package func instantAhead(of now: Timestamp, on dueTimes: DueTimes) -> Timestamp? {
        let counted = dueTimes.pause == nil ? [settled] : [settled, endedAt]
        guard let latest = counted.compactMap(\.self).max() else { return nil }
        return dueTimes.isAhead(latest, of: now) ? latest : nil
    }

    /// Moves instants that are too far in the future back to now, so that the schedule continues from now.
    ///
    /// No decided instant up to now is decided again. A hold keeps its length, counted from the end of a run,
    /// and begins anew.
    ///
    /// - Returns: The instant that was moved back; nil if none was.
    mutating func moveBack(to now: Timestamp, on dueTimes: DueTimes) -> Timestamp? {
        guard let instant = instantAhead(of: now, on: dueTimes) else { return nil }
        let heldSince = endedAt ?? instant
        heldUntil = heldUntil.map { now.advanced(by: max(.zero, heldSince.duration(to: $0))) }
        settled = settled.map { min($0, now) }
        endedAt = endedAt.map { min($0, now) }
        circuitOpenedAt = circuitOpenedAt.map { min($0, now) }
        return instant
    }

    /// Ends a hold that is longer than any hold that begins now can be.
    ///
    /// - Returns: The end that the hold had; nil if there is no such hold.
    mutating func endImplausibleHold(at now: Timestamp, on dueTimes: DueTimes) -> Timestamp? {
        let latest = now.advanced(by: Start.longestRetryAfter)
        guard let held = heldUntil, dueTimes.isAhead(held, of: latest) else { return nil }
        (heldUntil, holdReason) = (nil, nil)
        return held
    }
}
