package import GarnerCatalog
package import GarnerModel

/// The instants of one stream's schedule after a given one.
///
/// With `anchor: finish` they are the end of the previous run plus one pause, two pauses, and so on. The first
/// is the one to run; the others are those that could have run.
struct Occurrences: Sendable, Equatable {
    let schedule: Schedule
    let dueTimes: DueTimes
    private let pause: Int64?

    init(_ schedule: Schedule, for stream: StreamName) {
        self.schedule = schedule
        dueTimes = DueTimes(schedule, for: stream)
        pause = dueTimes.pause.map { max(1, $0.wholeMilliseconds) }
    }

    var countsFromFinish: Bool { pause != nil }

    /// True if a stream that never ran starts at once: `every` asks for records now, `cron` for its own times only.
    var startsAtOnce: Bool {
        if case .cron = schedule.rhythm { false } else { true }
    }

    func interval(after instant: Timestamp) -> Duration {
        pause.map { .milliseconds($0) } ?? dueTimes.interval(after: instant)
    }

    func occurrence(_ nominal: Timestamp) -> Occurrence {
        Occurrence(nominal: nominal, due: dueTimes.dueTime(of: nominal), end: nominal)
    }

    /// Returns the first instant after `base`: an instant, the end of a run, or the start of a schedule.
    func next(after base: Timestamp) -> Occurrence? {
        dueTimes.next(after: base).map(occurrence)
    }

    /// Returns the first undecided instant for a state, or nil for a stream that never ran.
    func next(after state: ScheduleState) -> Occurrence? {
        base(of: state).flatMap(next(after:))
    }

    /// Returns the first instant that is not yet due at `instant`.
    func firstDue(after instant: Timestamp, _ state: ScheduleState) -> Occurrence? {
        guard let first = next(after: state) else { return nil }
        guard first.due <= instant else { return first }
        return next(after: latestDue(at: instant, from: first).end)
    }

    /// Returns the latest nominal instant, due or not. A stream's first run stands for it.
    func current(at now: Timestamp) -> Timestamp {
        countsFromFinish ? now : dueTimes.latest(atOrBefore: now) ?? now
    }

    /// Returns the last instant at or before `now`. `first`, the one to begin with, is an instant itself.
    func latest(at now: Timestamp, from first: Occurrence) -> Occurrence {
        let due = latestDue(at: now, from: first)
        guard let next = next(after: due.end), next.nominal <= now else { return due }
        return next
    }

    /// Returns the last instant that is due by `now`. `first`, the one to begin with, is due itself.
    func latestDue(at now: Timestamp, from first: Occurrence) -> Occurrence {
        // There is almost always only one, and looking forward once is cheaper than looking back.
        guard let second = next(after: first.end), second.due <= now else { return first }
        let nominal: Timestamp?
        if let pause {
            let steps = (now.millisecondsSince1970 - second.nominal.millisecondsSince1970) / pause
            let last = second.nominal.advanced(by: .milliseconds(steps * pause))
            nominal = dueTimes.dueTime(of: last) <= now ? last : last.advanced(by: .milliseconds(-pause))
        } else {
            nominal = dueTimes.latestDue(at: now)
        }
        guard let nominal, nominal > second.nominal else { return second }
        return occurrence(nominal)
    }

    /// Returns the instant before `occurrence`, but none before `first`.
    func predecessor(of occurrence: Occurrence, from first: Occurrence) -> Timestamp {
        let before =
            pause.map { occurrence.nominal.advanced(by: .milliseconds(-$0)) }
            ?? dueTimes.predecessor(of: occurrence.nominal)
        guard let before, before > first.end else { return first.nominal }
        return before
    }

    /// Returns the number of instants from `first` to `last`. By cron, 10,000 also stands for any larger number.
    func count(from first: Occurrence, through last: Timestamp) -> Int {
        guard let second = dueTimes.next(after: first.end), second <= last else { return 1 }
        if let pause {
            return Int(clamping: (last.millisecondsSince1970 - second.millisecondsSince1970) / pause + 2)
        }
        return 1 + dueTimes.count(in: second...last, upTo: 9999)
    }

    private func base(of state: ScheduleState) -> Timestamp? {
        guard countsFromFinish, let endedAt = state.endedAt else { return state.settled }
        return state.settled.map { max($0, endedAt) } ?? endedAt
    }
}

extension Schedule {
    /// Returns the time at which a service that starts now would run a stream of this schedule next; nil if it never would. The
    /// stream is not paused.
    ///
    /// - Parameter state: The stream's stored state, of this schedule or of one before it; nil if there is none.
    package func due(for stream: StreamName, after state: ScheduleState?, startingAt now: Timestamp) -> Timestamp? {
        let occurrences = Occurrences(self, for: stream)
        guard let state, state.settled != nil || state.endedAt != nil else {
            return occurrences.startsAtOnce ? now : occurrences.next(after: now)?.due
        }
        return occurrences.next(after: state).map { state.start(ofRunDueAt: $0.due) }
    }
}

/// An instant of a stream with its due time.
struct Occurrence: Sendable, Equatable {
    let nominal: Timestamp
    let due: Timestamp
    /// The time after which the next instant is looked for: the nominal instant, or the time at which another
    /// schedule took over.
    var end: Timestamp
    /// True if the instant runs however late it is, exempt from the grace of `catch_up: none`.
    var isExcused = false
}

/// The runs of some streams that are due at or after an instant, ordered by due time, then by stream name.
///
/// If runs count from the end of the previous one, the first comes one pause after the instant, as if a run
/// ended there. The sequence is practically endless: take a prefix. Complexity: O(streams) for each element.
package struct UpcomingRuns: Sequence, IteratorProtocol, Sendable {
    private var heads: [(dueTimes: DueTimes, run: UpcomingRun)] = []

    package init(of streams: [(StreamName, Schedule)], from start: Timestamp) {
        for (stream, schedule) in streams {
            let dueTimes = DueTimes(schedule, for: stream)
            let latest = dueTimes.pause == nil ? dueTimes.latest(atOrBefore: start) : nil
            let current = latest.filter { dueTimes.dueTime(of: $0) >= start }
            guard let nominal = current ?? dueTimes.next(after: start) else { continue }
            heads.append((dueTimes, UpcomingRun(stream, nominal, dueTimes)))
        }
    }

    package mutating func next() -> UpcomingRun? {
        let earliest = heads.indices.min { left, right in
            let (left, right) = (heads[left].run, heads[right].run)
            return (left.dueAt, left.stream) < (right.dueAt, right.stream)
        }
        guard let earliest else { return nil }
        let (dueTimes, run) = heads[earliest]
        if let nominal = dueTimes.next(after: run.nominal) {
            heads[earliest].run = UpcomingRun(run.stream, nominal, dueTimes)
        } else {
            heads.remove(at: earliest)
        }
        return run
    }
}

extension UpcomingRun {
    fileprivate init(_ stream: StreamName, _ nominal: Timestamp, _ dueTimes: DueTimes) {
        self.init(stream: stream, nominal: nominal, dueAt: dueTimes.dueTime(of: nominal))
    }
}

extension Optional {
    fileprivate func filter(_ isIncluded: (Wrapped) -> Bool) -> Wrapped? {
        flatMap { isIncluded($0) ? $0 : nil }
    }
}

/// A future run.
package struct UpcomingRun: Sendable, Hashable {
    package let stream: StreamName
    package let nominal: Timestamp
    /// The nominal instant plus its jitter.
    package let dueAt: Timestamp
}
