import Catalog

/// The instants of one stream behind a given one, by its schedule.
///
/// With `anchor: finish` they are the end of the run before plus the pause, once, twice, …: the first is the one to be run,
/// the others are those that could have been.
struct Course: Sendable, Equatable {
    let schedule: Schedule
    let timeline: Timeline
    private let pause: Int64?

    init(_ schedule: Schedule, for stream: StreamName) {
        self.schedule = schedule
        timeline = Timeline(schedule, for: stream)
        pause = timeline.pause.map { max(1, $0.wholeMilliseconds) }
    }

    var countsFromFinish: Bool { pause != nil }

    /// Whether a stream that never ran runs at once: who says `every` wants records now, who says `cron` means those times.
    var startsAtOnce: Bool {
        if case .cron = schedule.rhythm { false } else { true }
    }

    func interval(after instant: Timestamp) -> Duration {
        pause.map { .milliseconds($0) } ?? timeline.interval(after: instant)
    }

    func departure(_ nominal: Timestamp) -> Departure {
        Departure(nominal: nominal, due: timeline.dueTime(of: nominal), end: nominal)
    }

    /// The first instant after `base`: an instant, the end of a run, or where a schedule begins.
    func next(after base: Timestamp) -> Departure? {
        timeline.next(after: base).map(departure)
    }

    /// The first instant to decide on with this memory; nil for a stream that never ran, too.
    func next(after memory: StreamMemory) -> Departure? {
        base(of: memory).flatMap(next(after:))
    }

    /// The first instant that is not due by `instant` yet.
    func firstDue(after instant: Timestamp, _ memory: StreamMemory) -> Departure? {
        guard let first = next(after: memory) else { return nil }
        guard first.due <= instant else { return first }
        return next(after: latestDue(at: instant, from: first).end)
    }

    /// The latest instant whether it is due or not: what the first run of all stands for.
    func current(at now: Timestamp) -> Timestamp {
        countsFromFinish ? now : timeline.latest(atOrBefore: now) ?? now
    }

    /// The last instant at or before `now`, of those from `first` on, which is one of them.
    func latest(at now: Timestamp, from first: Departure) -> Departure {
        let due = latestDue(at: now, from: first)
        guard let next = next(after: due.end), next.nominal <= now else { return due }
        return next
    }

    /// The last instant that is due by `now`, of those from `first` on, which is due.
    func latestDue(at now: Timestamp, from first: Departure) -> Departure {
        // Almost always there is but one; to look forward once is cheaper than to look back.
        guard let second = next(after: first.end), second.due <= now else { return first }
        let nominal: Timestamp?
        if let pause {
            let steps = (now.millisecondsSince1970 - second.nominal.millisecondsSince1970) / pause
            let last = second.nominal.advanced(by: .milliseconds(steps * pause))
            nominal = timeline.dueTime(of: last) <= now ? last : last.advanced(by: .milliseconds(-pause))
        } else {
            nominal = timeline.latestDue(at: now)
        }
        guard let nominal, nominal > second.nominal else { return second }
        return departure(nominal)
    }

    /// The instant before `departure`, of those from `first` on.
    func predecessor(of departure: Departure, from first: Departure) -> Timestamp {
        let before =
            pause.map { departure.nominal.advanced(by: .milliseconds(-$0)) }
            ?? timeline.predecessor(of: departure.nominal)
        guard let before, before > first.end else { return first.nominal }
        return before
    }

    /// How many instants there are from `first` to `last`; by cron the limit stands for more, too.
    func count(from first: Departure, through last: Timestamp, upTo limit: Int = 10_000) -> Int {
        guard let second = timeline.next(after: first.end), second <= last else { return 1 }
        if let pause {
            return Int(clamping: (last.millisecondsSince1970 - second.millisecondsSince1970) / pause + 2)
        }
        return 1 + timeline.count(in: second...last, upTo: limit - 1)
    }

    private func base(of memory: StreamMemory) -> Timestamp? {
        guard countsFromFinish, let endedAt = memory.endedAt else { return memory.settled }
        return memory.settled.map { max($0, endedAt) } ?? endedAt
    }
}
