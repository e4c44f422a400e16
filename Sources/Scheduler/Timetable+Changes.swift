import Catalog

extension Timetable.Line {
    /// Takes back the line from a run that has ended.
    mutating func finish(
        _ result: RunResult, _ learnt: StreamMemory, at now: Timestamp, isStopping: Bool,
        _ actions: inout [Timetable.Action]
    ) {
        guard let ended = flight else { return }
        (flight, hasRun) = (nil, true)
        let (wasPaused, settled) = (memory.isPaused, memory.settled)
        memory = learnt
        memory.isPaused = wasPaused
        if let settled { memory.settle(upTo: settled) }
        guard !isRemoved, !isStopping else { return }
        if let course, course.countsFromFinish, let nominal = ended.nominal {
            // What was stopped is the next start's; in this one it goes on after the pause.
            departure = result.ending == .stopped ? course.next(after: max(now, nominal)) : course.next(after: memory)
        }
        if !memory.isPaused {
            if let resumedAt { leaveOutPaused(until: resumedAt, &actions) }
            settleOverlap(ended, at: now, &actions)
        }
        resumedAt = nil
        turnBack(to: now, &actions)
        if let revision {
            self.revision = nil
            revise(revision.schedule, at: now, &actions)
        }
    }

    mutating func ask(_ request: String, at now: Timestamp) {
        requests.append(request)
        askedAt = askedAt ?? now
    }

    mutating func pause(_ actions: inout [Timetable.Action]) {
        (memory.isPaused, hasArrived, resumedAt) = (true, false, nil)
        remember(&actions)
    }

    /// Goes on from now: what has come due meanwhile is left out, after the run in flight if there is one.
    mutating func resume(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        if memory.isPaused {
            memory.isPaused = false
            if flight == nil {
                leaveOutPaused(until: now, &actions)
            } else {
                resumedAt = now
            }
        }
        remember(&actions)
    }

    /// Takes up another schedule from now on. The latest instant of the one before that is not decided on keeps its due
    /// time and is the only one that still runs: no change can make it run twice, or not at all.
    mutating func revise(_ schedule: Schedule?, at now: Timestamp, _ actions: inout [Timetable.Action]) {
        guard flight == nil else {
            revision = schedule == course?.schedule ? nil : Revision(schedule: schedule)
            return
        }
        guard schedule != course?.schedule else { return }
        let revised = schedule.map { Course($0, for: name) }
        defer { course = revised }
        guard let old = course, let revised else {
            course = revised
            (departure, hasArrived, notBefore) = (nil, false, nil)
            if revised != nil { begin(at: now, &actions) }
            return
        }
        if old.schedule.rhythm == revised.schedule.rhythm, old.schedule.jitter == revised.schedule.jitter { return }
        if memory.isPaused { leaveOutPaused(until: now, &actions) }
        if let first = departure, first.nominal <= now, !memory.isPaused {
            leaveOut(before: old.latest(at: now, from: first), .missed, &actions)
            departure?.end = now
            hasArrived = hasArrived && departure.map { $0.due <= now } ?? false
            return
        }
        // An instant that was kept from the schedule before, and is not yet after all: the clock was set back.
        if let departure, departure.end > departure.nominal { memory.settle(upTo: departure.end) }
        course = revised
        (departure, hasArrived, notBefore) = (nil, false, nil)
        begin(at: now, &actions)
    }

    /// Opens a line that was not there before `now`: of what it has passed nothing is caught up.
    mutating func begin(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        guard memory.settled != nil || memory.endedAt != nil else { return open(at: now, &actions) }
        comeBack(to: now, &actions)
        memory.settle(upTo: now)
        departure = course?.next(after: memory)
        remember(&actions)
    }
}
