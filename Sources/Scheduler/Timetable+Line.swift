import Catalog

extension Timetable {
    /// One stream's place in the timetable.
    struct Line: Sendable {
        var stream: ScheduledStream
        /// The line of the stream whose records this one is asked for with.
        var parent: Int?
        /// It is not configured any more, and only ends its run.
        var isRemoved = false
        var course: Course?
        var memory: StreamMemory
        /// The first instant that is not decided on yet.
        var departure: Departure?
        /// It is due, and waits for a place.
        var hasArrived = false
        /// Manual requests that no run serves yet, the first of them since `askedAt`.
        var requests: [String] = []
        var askedAt: Timestamp?
        var flight: Flight?
        /// Whether a run has ended, well or not.
        var hasRun: Bool
        /// The spread of a start.
        var notBefore: Timestamp?
        /// Why instants before the latest one are left out when it arrives.
        var lateness = Skip.Reason.missed
        /// The schedule to be taken up when the run in flight has ended.
        var revision: Revision?
        /// When the pause ended, which began before the run in flight did end.
        var resumedAt: Timestamp?
        /// Up to where instants were decided on before the clock was set back, and the line came back with it.
        var decidedBefore: Timestamp?
        private var lastWasManual = false

        struct Flight: Sendable {
            let id: RunID
            let nominal: Timestamp?
            let startedAt: Timestamp
            var isCancelled = false
        }

        struct Revision: Sendable {
            let schedule: Schedule?
        }

        var name: StreamName { stream.name }

        init(_ stream: ScheduledStream, memory: StreamMemory) {
            self.stream = stream
            self.memory = memory
            course = stream.schedule.map { Course($0, for: stream.name) }
            hasRun = memory.settled != nil || memory.endedAt != nil
        }
    }
}

extension Timetable.Line {
    /// When this line is to be looked at next, if time alone changes anything about it.
    var wake: Timestamp? {
        guard let departure, !memory.isPaused, !isRemoved else { return nil }
        if let flight {
            // What was late already when the run started waits for its end; what comes due during it cancels it.
            let cancels = course?.schedule.overlap == .cancelRunning && flight.nominal != nil && !flight.isCancelled
            return cancels && departure.due > flight.startedAt ? departure.due : nil
        }
        guard !hasArrived else { return nil }
        return max(departure.due, notBefore ?? departure.due, memory.heldUntil ?? departure.due)
    }

    /// What it waits for a place since; nil if it waits for none.
    var waitsSince: Timestamp? {
        guard flight == nil, !isRemoved else { return nil }
        let due = hasArrived ? departure?.due : nil
        return askedAt.map { min($0, due ?? $0) } ?? due
    }

    /// Whether the first run of all is about to start by itself, and children wait for it.
    func isAboutToRunFirst(at now: Timestamp) -> Bool {
        guard !hasRun, !isRemoved else { return false }
        guard flight == nil, !hasArrived, requests.isEmpty else { return true }
        guard let departure, !memory.isPaused, departure.due <= now else { return false }
        return memory.heldUntil.map { $0 <= now } ?? true
    }

    /// Finds the first instant to decide on. A stream that never ran is due at once, or waits for the first time of its cron.
    mutating func open(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        (departure, hasArrived, notBefore) = (nil, false, nil)
        guard let course else { return }
        comeBack(to: now, &actions)
        if memory.settled != nil || memory.endedAt != nil {
            departure = course.next(after: memory)
        } else if course.startsAtOnce {
            let nominal = course.current(at: now)
            departure = Departure(nominal: nominal, due: now, end: nominal, isExcused: true)
        } else {
            memory.settle(upTo: now)
            departure = course.next(after: memory)
            remember(&actions)
        }
    }

    /// The clock was ahead, or was set back: where that is too far to be waited for, the schedule goes on from now.
    mutating func comeBack(to now: Timestamp, _ actions: inout [Timetable.Action]) {
        guard let course else { return }
        // An instant that was kept from the schedule before stands for all up to its end.
        if hasRun, let departure, departure.end > departure.nominal, course.timeline.isAhead(departure.end, of: now) {
            memory.settle(upTo: departure.end)
        }
        let instant = memory.comeBack(to: now, on: course.timeline)
        if let instant {
            decidedBefore = max(decidedBefore ?? instant, instant)
            (departure, hasArrived, notBefore) = (course.next(after: memory), false, nil)
        }
        let held = memory.endImplausibleHold(at: now, on: course.timeline)
        guard let farthest = instant ?? held else { return }
        actions.append(.clockWasAhead(name, until: farthest))
        remember(&actions)
    }

    /// The clock was set back: what never ran does not wait until it has caught up, and no spread does.
    mutating func turnBack(to now: Timestamp, _ actions: inout [Timetable.Action]) {
        askedAt = askedAt.map { min($0, now) }
        guard flight == nil else { return }
        comeBack(to: now, &actions)
        guard let departure else { return }
        notBefore = nil
        if max(departure.due, memory.heldUntil ?? departure.due) > now { hasArrived = false }
        guard departure.due > now else { return }
        guard memory.settled == nil, memory.endedAt == nil else { return }
        if departure.end > departure.nominal {
            // It was kept from the schedule before.
            let nominal = min(departure.nominal, now)
            self.departure = Departure(nominal: nominal, due: now, end: departure.end, isExcused: true)
        } else {
            open(at: now, &actions)
        }
    }

    /// Lets what is due already wait for its share of the spread; an instant that comes due meanwhile leaves on time.
    mutating func spread(at now: Timestamp) {
        guard let course, let departure, departure.due <= now else { return }
        let longest = min(Timetable.longestSpread, course.interval(after: now) / 10)
        var hash = StableHash()
        hash.combine(name.description.utf8)
        let share = Int64(hash.value % UInt64(max(0, longest.wholeMilliseconds) + 1))
        let fresh = course.next(after: course.latestDue(at: now, from: departure).end)
        let spread = now.advanced(by: .milliseconds(share))
        notBefore = fresh.map { min(spread, $0.due) } ?? spread
    }

    /// Lets the instant that is due wait for a place, or leaves it out.
    mutating func arrive(at now: Timestamp, _ actions: inout [Timetable.Action]) {
        thinOut(at: now, because: lateness, &actions)
        (lateness, notBefore) = (.missed, nil)
        hasArrived = departure.map { $0.due <= now } ?? false
    }

    /// Starts the manual run that is asked for, or that of the instant that waits; in turns, where both are there.
    ///
    /// - Returns: nil if there is none after all: the clock was set back, or it became too late.
    mutating func depart(
        _ id: RunID, at now: Timestamp, isBlocked: Bool, _ actions: inout [Timetable.Action]
    ) -> Start? {
        let isAutomatic = hasArrived && !isBlocked
        if !requests.isEmpty, !(lastWasManual && isAutomatic) { return departManually(id, at: now) }
        guard isAutomatic else { return nil }
        hasArrived = false
        thinOut(at: now, because: .overtaken, &actions)
        guard let course, let this = departure, this.due <= now else {
            return requests.isEmpty ? nil : departManually(id, at: now)
        }
        departure = course.countsFromFinish ? nil : course.next(after: this.end)
        flight = Flight(id: id, nominal: this.nominal, startedAt: now)
        lastWasManual = false
        return Start(
            id: id, stream: name, occasion: .nominal(this.nominal), dueAt: this.due, memory: memory, course: course,
            following: departure, settles: this.end)
    }

    private mutating func departManually(_ id: RunID, at now: Timestamp) -> Start {
        let start = Start(
            id: id, stream: name, occasion: .manual(requests: requests), dueAt: askedAt ?? now, memory: memory,
            course: course, following: departure, settles: nil)
        (requests, askedAt, hasArrived, lastWasManual) = ([], nil, false, true)
        flight = Flight(id: id, nominal: nil, startedAt: now)
        return start
    }
}
