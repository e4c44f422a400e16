import GarnerCatalog
package import GarnerModel

extension Timetable.StreamSlot {
    /// Takes over the state of a run that has ended.
    mutating func finish(
        _ result: RunResult, _ learnt: ScheduleState, at now: Timestamp, isStopping: Bool,
        _ actions: inout [Timetable.Action]
    ) {
        guard let ended = activeRun else { return }
        (activeRun, hasRun) = (nil, true)
        let (pausedAt, settled) = (state.pausedAt, state.settled)
        state = learnt
        state.pausedAt = pausedAt
        if let settled { state.settle(upTo: settled) }
        guard !isRemoved, !isStopping else { return }
        if let occurrences, occurrences.countsFromFinish, let nominal = ended.nominal {
            // A stopped instant is left to the next process. In this one the stream continues after the pause.
            occurrence =
                result.ending == .stopped ? occurrences.next(after: max(now, nominal)) : occurrences.next(after: state)
        }
        if !state.isPaused {
            // The clock may have been set back since: what is not yet due comes due after the pause.
            if let resumedAt { skipPaused(until: min(resumedAt, now), &actions) }
            settleOverlap(ended, at: now, &actions)
        }
        resumedAt = nil
        clockWentBack(to: now, &actions)
        if let revision {
            self.revision = nil
            revise(revision.schedule, at: now, &actions)
        }
    }

    mutating func ask(_ request: String, at now: Timestamp) {
        requests.append(request)
        askedAt = askedAt ?? now
    }

    mutating func pause(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        (state.pausedAt, isDue, resumedAt) = (state.pausedAt ?? now, false, nil)
        remember(&actions)
    }

    /// Continues from now. Instants that came due meanwhile are skipped, after the active run if there is one.
    mutating func resume(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        if state.isPaused {
            state.pausedAt = nil
            if activeRun == nil {
                skipPaused(until: now, &actions)
            } else {
                resumedAt = now
            }
        }
        remember(&actions)
    }

    /// Applies another schedule from now on. The latest undecided instant of the old schedule keeps its due
    /// time and is its only one that still runs, so that no change makes it run twice or not at all.
    mutating func revise(_ schedule: Schedule?, at now: Timestamp, _ actions: inout [Timetable.Action]) {
        guard activeRun == nil else {
            revision = schedule == occurrences?.schedule ? nil : Revision(schedule: schedule)
            return
        }
        guard schedule != occurrences?.schedule else { return }
        let revised = schedule.map { Occurrences($0, for: name) }
        defer { occurrences = revised }
        guard let old = occurrences, let revised else {
            occurrences = revised
            (occurrence, isDue, notBefore) = (nil, false, nil)
            if revised != nil { begin(at: now, &actions) }
            return
        }
        if old.schedule.rhythm == revised.schedule.rhythm, old.schedule.jitter == revised.schedule.jitter { return }
        if state.isPaused { skipPaused(until: now, &actions) }
        if let first = occurrence, first.nominal <= now, !state.isPaused {
            skip(before: old.latest(at: now, from: first), .missed, &actions)
            occurrence?.end = now
            isDue = isDue && occurrence.map { $0.due <= now } ?? false
            return
        }
        // An instant kept from the previous schedule is in the future after all, because the clock was set back.
        if let occurrence, occurrence.end > occurrence.nominal { state.settle(upTo: occurrence.end) }
        occurrences = revised
        (occurrence, isDue, notBefore) = (nil, false, nil)
        begin(at: now, &actions)
    }

    /// Opens a slot that did not exist before `now`. It catches up on nothing.
    mutating func begin(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        guard state.settled != nil || state.endedAt != nil else { return open(at: now, &actions) }
        moveBack(to: now, &actions)
        state.settle(upTo: now)
        occurrence = occurrences?.next(after: state)
        remember(&actions)
    }
}

extension Timetable.StreamSlot {
    /// Skips due instants that must not run. Afterwards `occurrence` is the one to run, or is not due.
    mutating func skipMisfires(at now: Timestamp, because reason: Skip.Reason, _ actions: inout [Timetable.Action]) {
        skipHeld(at: now, &actions)
        guard let occurrences, let first = occurrence, first.due <= now else { return }
        let last = occurrences.latestDue(at: now, from: first)
        switch occurrences.schedule.catchUp {
        case .latest:
            skip(before: last, reason, &actions)
        case .none:
            let isExcused = first.isExcused && last.nominal == first.nominal
            if isExcused || last.due.advanced(by: occurrences.schedule.misfireGrace) >= now {
                skip(before: last, reason, &actions)
            } else {
                skip(through: last, reason, &actions)
            }
        }
    }

    /// Skips what came due during a hold, whatever `catch_up` says. The last instant stays.
    mutating func skipHeld(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        guard let occurrences, let held = state.heldUntil, let first = occurrence, first.due < held, first.due <= now
        else { return }
        let last = occurrences.latestDue(at: min(held, now), from: first)
        skip(before: last, .held(state.holdReason ?? "the stream was held"), &actions)
    }

    /// Skips what came due during the run that has just ended, as `overlap` says.
    mutating func settleOverlap(_ ended: ActiveRun, at now: Timestamp, _ actions: inout [Timetable.Action]) {
        guard let occurrences, let first = occurrence, first.due <= now else { return }
        guard first.due > ended.startedAt else {
            lateness = .overtaken
            return
        }
        // With `anchor: finish` only a manual run can overlap, and nothing is gained by losing a turn.
        guard !occurrences.countsFromFinish else { return }
        let last = occurrences.latestDue(at: now, from: first)
        switch occurrences.schedule.overlap {
        case .skip:
            skip(through: last, .stillRunning(nominal: ended.nominal), &actions)
        case .queueOne, .cancelRunning:
            skip(before: last, .stillRunning(nominal: ended.nominal), &actions)
            occurrence?.isExcused = true
        }
    }

    /// Skips what has come due up to `instant`.
    mutating func skipPaused(until instant: Timestamp, _ actions: inout [Timetable.Action]) {
        guard let occurrences, let first = occurrence, first.due <= instant else { return }
        skip(through: occurrences.latestDue(at: instant, from: first), .paused, &actions)
    }

    /// Skips everything before an instant, which becomes the one to run.
    mutating func skip(before last: Occurrence, _ reason: Skip.Reason, _ actions: inout [Timetable.Action]) {
        guard let occurrences, let first = occurrence, first.nominal < last.nominal else { return }
        let end = occurrences.predecessor(of: last, from: first)
        skip(first, through: end, then: last, reason, &actions)
    }

    mutating func skip(through last: Occurrence, _ reason: Skip.Reason, _ actions: inout [Timetable.Action]) {
        guard let occurrences, let first = occurrence else { return }
        skip(first, through: last.nominal, then: occurrences.next(after: last.end), reason, &actions)
    }

    private mutating func skip(
        _ first: Occurrence, through last: Timestamp, then next: Occurrence?, _ reason: Skip.Reason,
        _ actions: inout [Timetable.Action]
    ) {
        let count = occurrences?.count(from: first, through: last) ?? 1
        occurrence = next
        state.settle(upTo: max(last, first.end))
        state.nextDue = nextDue
        let skip = Skip(stream: name, nominals: first.nominal...last, count: count, reason: reason)
        actions.append(.skip(skip, state))
    }

    mutating func remember(_ actions: inout [Timetable.Action]) {
        state.nextDue = nextDue
        actions.append(.remember(name, state))
    }

    var nextDue: Timestamp? {
        state.isPaused ? nil : occurrence.map { state.start(ofRunDueAt: $0.due) }
    }
}

/// Consecutive nominal instants of one stream that do not run, all for the same reason.
package struct Skip: Sendable, Hashable {
    package let stream: StreamName
    /// The first and the last skipped instant.
    package let nominals: ClosedRange<Timestamp>
    /// The number of instants. By cron, 10,000 also stands for any larger number.
    package let count: Int
    package let reason: Reason

    package init(stream: StreamName, nominals: ClosedRange<Timestamp>, count: Int, reason: Reason) {
        self.stream = stream
        self.nominals = nominals
        self.count = count
        self.reason = reason
    }

    package enum Reason: Sendable, Hashable {
        /// They came due during another run of the stream, scheduled or manual.
        case stillRunning(nominal: Timestamp?)
        /// They passed while no scheduler ran: before a start, or when the clock leapt forward. The instant of a run that
        /// was stopped before it ended is one of them, and so are those that passed during that run.
        case missed
        /// They waited for a free place until it was too late, or until a later instant came due and replaced them.
        case overtaken
        /// They came due while the stream was held, for this reason.
        case held(String)
        case paused
    }
}

extension Skip.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .stillRunning(let nominal?): "the run of \(nominal) was still active"
        case .stillRunning(nil): "a manual run went on"
        case .missed: "missed: the service or the clock stood still, or a run was stopped before it ended"
        case .overtaken: "waited for a free place until it was too late"
        case .held(let reason): reason
        case .paused: "the stream was paused"
        }
    }
}
