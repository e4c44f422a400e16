import Catalog

extension Timetable.Line {
    /// Leaves out what is not to be run of the instants that are due: `departure` is the one to run then, or not due.
    mutating func thinOut(at now: Timestamp, because reason: Skip.Reason, _ actions: inout [Timetable.Action]) {
        guard let course, let due = departure, due.due <= now else { return }
        if let held = memory.heldUntil, due.due < held {
            // Whatever `catch_up` says: a source in trouble is not asked for all of them.
            let last = course.latestDue(at: min(held, now), from: due)
            leaveOut(before: last, .held(memory.holdReason ?? "the stream was held"), &actions)
        }
        guard let first = departure, first.due <= now else { return }
        let last = course.latestDue(at: now, from: first)
        switch course.schedule.catchUp {
        case .latest:
            leaveOut(before: last, reason, &actions)
        case .all:
            // An instant that may have run before the clock was set back does not run again because it is late.
            if let decidedBefore, first.nominal <= decidedBefore {
                leaveOut(before: course.latestDue(at: min(decidedBefore, now), from: first), reason, &actions)
            }
            leaveOutOldest(through: last, &actions)
        case .none:
            let isExcused = first.isExcused && last.nominal == first.nominal
            if isExcused || last.due.advanced(by: course.schedule.misfireGrace) >= now {
                leaveOut(before: last, reason, &actions)
            } else {
                leaveOut(through: last, reason, &actions)
            }
        }
    }

    /// Leaves out what came due while a run went on that has ended now, as `overlap` says.
    mutating func settleOverlap(_ ended: Flight, at now: Timestamp, _ actions: inout [Timetable.Action]) {
        guard let course, let first = departure, first.due <= now else { return }
        guard first.due > ended.startedAt else {
            lateness = .overtaken
            return
        }
        // With `anchor: finish` there is only a manual run to overlap, and nothing to be gained from losing a turn.
        guard !course.countsFromFinish else { return }
        let last = course.latestDue(at: now, from: first)
        switch course.schedule.overlap {
        case .skip:
            leaveOut(through: last, .stillRunning(nominal: ended.nominal), &actions)
        case .queueOne, .cancelRunning:
            leaveOut(before: last, .stillRunning(nominal: ended.nominal), &actions)
            departure?.isExcused = true
        }
    }

    /// Leaves out what has come due until `instant`.
    mutating func leaveOutPaused(until instant: Timestamp, _ actions: inout [Timetable.Action]) {
        guard let course, let first = departure, first.due <= instant else { return }
        leaveOut(through: course.latestDue(at: instant, from: first), .paused, &actions)
    }

    /// Leaves out what comes before an instant, which becomes the one to run.
    mutating func leaveOut(before last: Departure, _ reason: Skip.Reason, _ actions: inout [Timetable.Action]) {
        guard let course, let first = departure, first.nominal < last.nominal else { return }
        let end = course.predecessor(of: last, from: first)
        skip(first, through: end, then: last, reason, &actions)
    }

    mutating func leaveOut(through last: Departure, _ reason: Skip.Reason, _ actions: inout [Timetable.Action]) {
        guard let course, let first = departure else { return }
        skip(first, through: last.nominal, then: course.next(after: last.end), reason, &actions)
    }

    private mutating func leaveOutOldest(through last: Departure, _ actions: inout [Timetable.Action]) {
        guard let course, let first = departure else { return }
        let maximum = max(1, course.schedule.maxCatchUp)
        guard course.count(from: first, through: last.nominal, upTo: maximum + 1) > maximum else { return }
        var kept = last
        for _ in 1..<maximum {
            kept = course.departure(course.predecessor(of: kept, from: first))
        }
        leaveOut(before: kept, .beyondCatchUp(maximum: maximum), &actions)
    }

    private mutating func skip(
        _ first: Departure, through last: Timestamp, then next: Departure?, _ reason: Skip.Reason,
        _ actions: inout [Timetable.Action]
    ) {
        let count = course?.count(from: first, through: last) ?? 1
        departure = next
        memory.settle(upTo: max(last, first.end))
        memory.nextDue = nextDue
        let skip = Skip(stream: name, nominals: first.nominal...last, count: count, reason: reason)
        actions.append(.skip(skip, memory))
    }

    mutating func remember(_ actions: inout [Timetable.Action]) {
        memory.nextDue = nextDue
        actions.append(.remember(name, memory))
    }

    private var nextDue: Timestamp? {
        memory.isPaused ? nil : departure.map { max($0.due, memory.heldUntil ?? $0.due) }
    }
}
