import GarnerCatalog
import GarnerModel

extension Timetable {
    /// The place of one stream in the timetable.
    struct StreamSlot: Sendable {
        var stream: ScheduledStream
        /// The index of the parent stream's slot.
        var parent: Int?
        /// True if the stream is no longer configured and only finishes its run.
        var isRemoved = false
        var occurrences: Occurrences?
        var state: ScheduleState
        /// The first undecided instant.
        var occurrence: Occurrence?
        /// True if the instant is due and waits for a place.
        var isDue = false
        /// The manual requests that no run serves yet. The first was made at `askedAt`.
        var requests: [String] = []
        var askedAt: Timestamp?
        var activeRun: ActiveRun?
        /// True if a run has ended, with any result.
        var hasRun: Bool
        /// The earliest start, set when a start spreads its due runs.
        var notBefore: Timestamp?
        /// The reason recorded for instants that are skipped because a later one is due.
        var lateness = Skip.Reason.missed
        /// The schedule to apply when the active run has ended.
        var revision: Revision?
        /// The end of a pause that began and ended during the active run.
        var resumedAt: Timestamp?
        private var lastWasManual = false

        struct ActiveRun: Sendable {
            let id: ActiveRunID
            let nominal: Timestamp?
            let startedAt: Timestamp
            var isCancelled = false
        }

        struct Revision: Sendable {
            let schedule: Schedule?
        }

        var name: StreamName { stream.name }

        init(_ stream: ScheduledStream, state: ScheduleState) {
            self.stream = stream
            self.state = state
            occurrences = stream.schedule.map { Occurrences($0, for: stream.name) }
            hasRun = state.settled != nil || state.endedAt != nil
        }
    }
}

extension Timetable.StreamSlot {
    /// The time at which the slot must be looked at next; nil if time alone changes nothing.
    var wake: Timestamp? {
        guard let occurrence, !state.isPaused, !isRemoved else { return nil }
        if let activeRun {
            // An instant that was late when the run started waits for its end. One that comes due during the
            // run cancels it.
            let cancels =
                occurrences?.schedule.overlap == .cancelRunning && activeRun.nominal != nil && !activeRun.isCancelled
            return cancels && occurrence.due > activeRun.startedAt ? occurrence.due : nil
        }
        guard !isDue else { return nil }
        return max(state.start(ofRunDueAt: occurrence.due), notBefore ?? occurrence.due)
    }

    /// The time since which the slot waits for a place; nil if it does not wait.
    var waitsSince: Timestamp? {
        guard activeRun == nil, !isRemoved else { return nil }
        let due = isDue ? occurrence?.due : nil
        return askedAt.map { min($0, due ?? $0) } ?? due
    }

    /// True if the stream's first run is about to start by itself, so that child streams wait for it.
    func isAboutToRunFirst(at now: Timestamp) -> Bool {
        guard !hasRun, !isRemoved else { return false }
        guard activeRun == nil, !isDue, requests.isEmpty else { return true }
        guard let occurrence, !state.isPaused, occurrence.due <= now else { return false }
        return state.heldUntil.map { $0 <= now } ?? true
    }

    /// Finds the first instant to decide. A stream that never ran is due at once, or at the first time of its
    /// cron expression.
    mutating func open(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        (occurrence, isDue, notBefore) = (nil, false, nil)
        guard let occurrences else { return }
        moveBack(to: now, &actions)
        if state.settled != nil || state.endedAt != nil {
            occurrence = occurrences.next(after: state)
            // The schedule may have been changed while no service ran.
            if let stored = state.nextDue, stored != nextDue { remember(&actions) }
        } else if occurrences.startsAtOnce {
            let nominal = occurrences.current(at: now)
            occurrence = Occurrence(nominal: nominal, due: now, end: nominal, isExcused: true)
        } else {
            state.settle(upTo: now)
            occurrence = occurrences.next(after: state)
            remember(&actions)
        }
    }

    /// Moves the schedule back to now if the clock was ahead or was set back too far to wait.
    mutating func moveBack(to now: Timestamp, _ actions: inout [Timetable.Action]) {
        guard let occurrences else { return }
        // An instant kept from the previous schedule stands for all instants up to its end.
        if hasRun, let occurrence, occurrence.end > occurrence.nominal,
            occurrences.dueTimes.isAhead(occurrence.end, of: now)
        {
            state.settle(upTo: occurrence.end)
        }
        let instant = state.moveBack(to: now, on: occurrences.dueTimes)
        if instant != nil {
            (occurrence, isDue, notBefore) = (occurrences.next(after: state), false, nil)
        }
        let held = state.endImplausibleHold(at: now, on: occurrences.dueTimes)
        guard let farthest = instant ?? held else { return }
        actions.append(.clockWasAhead(name, until: farthest))
        remember(&actions)
    }

    /// Adapts to a clock that was set back: neither a stream that never ran nor a spread start waits for it to
    /// catch up.
    mutating func clockWentBack(to now: Timestamp, _ actions: inout [Timetable.Action]) {
        askedAt = askedAt.map { min($0, now) }
        guard activeRun == nil else { return }
        moveBack(to: now, &actions)
        guard let occurrence else { return }
        notBefore = nil
        if state.start(ofRunDueAt: occurrence.due) > now { isDue = false }
        guard occurrence.due > now else { return }
        guard state.settled == nil, state.endedAt == nil else { return }
        if occurrence.end > occurrence.nominal {
            // It was kept from the previous schedule.
            let nominal = min(occurrence.nominal, now)
            self.occurrence = Occurrence(nominal: nominal, due: now, end: occurrence.end, isExcused: true)
        } else {
            open(at: now, &actions)
        }
    }

    /// Delays what is already due by its share of the spread. An instant that comes due meanwhile starts on time.
    mutating func spread(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        skipMisfires(at: now, because: lateness, &actions)
        lateness = .overtaken
        guard let occurrences, let occurrence, occurrence.due <= now else { return }
        let longest = min(Timetable.longestSpread, occurrences.interval(after: now) / 10)
        var hash = StableHash()
        hash.add(name.description.utf8)
        let share = Int64(hash.mixed % UInt64(max(0, longest.wholeMilliseconds) + 1))
        let fresh = occurrences.next(after: occurrences.latestDue(at: now, from: occurrence).end)
        let spread = now.advanced(by: .milliseconds(share))
        notBefore = fresh.map { min(spread, $0.due) } ?? spread
    }

    /// Lets the due instant wait for a place, or skips it.
    mutating func becomeDue(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        skipMisfires(at: now, because: lateness, &actions)
        (lateness, notBefore) = (.missed, nil)
        isDue = occurrence.map { $0.due <= now } ?? false
    }

    /// Starts the requested manual run or the due scheduled one; they alternate if both wait.
    ///
    /// - Returns: nil if neither is left because the clock was set back or it became too late.
    mutating func start(
        _ id: ActiveRunID, at now: Timestamp, isBlocked: Bool, _ actions: inout [Timetable.Action]
    ) -> Start? {
        let isAutomatic = isDue && !isBlocked
        if !requests.isEmpty, !(lastWasManual && isAutomatic) { return startManually(id, at: now, &actions) }
        guard isAutomatic else { return nil }
        isDue = false
        skipMisfires(at: now, because: .overtaken, &actions)
        guard let occurrences, let this = occurrence, this.due <= now else {
            return requests.isEmpty ? nil : startManually(id, at: now, &actions)
        }
        occurrence = occurrences.countsFromFinish ? nil : occurrences.next(after: this.end)
        activeRun = ActiveRun(id: id, nominal: this.nominal, startedAt: now)
        lastWasManual = false
        return Start(
            id: id, stream: name, occasion: .scheduled(nominal: this.nominal, dueAt: this.due), dueAt: this.due,
            state: state, occurrences: occurrences, following: occurrence, settles: this.end)
    }

    private mutating func startManually(
        _ id: ActiveRunID, at now: Timestamp, _ actions: inout [Timetable.Action]
    ) -> Start {
        // The run may end the hold, and with it the reason.
        if !state.isPaused { skipHeld(at: now, &actions) }
        let start = Start(
            id: id, stream: name, occasion: .manual(requests: requests), dueAt: askedAt ?? now, state: state,
            occurrences: occurrences, following: occurrence, settles: nil)
        (requests, askedAt, isDue, lastWasManual) = ([], nil, false, true)
        activeRun = ActiveRun(id: id, nominal: nil, startedAt: now)
        return start
    }
}
