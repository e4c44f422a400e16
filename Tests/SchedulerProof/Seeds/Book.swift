import GarnerCatalog
import GarnerModel
import GarnerScheduler

/// An observer's record of one stream, which counts the instants one by one, independently of the timetable.
struct Book: Sendable {
    private(set) var stream: ScheduledStream
    private(set) var timeline: DueTimes?
    /// Every instant up to here is decided on, as far as this process knows.
    private(set) var watermark: Timestamp?
    /// An instant of an older schedule that is still to be decided on.
    private(set) var owed: Timestamp?
    private(set) var owedDue: Timestamp?
    /// True if `owed` is the first instant of all: the one that was current when the stream was opened.
    private(set) var owesFirst = false
    var endedAt: Timestamp?
    /// The hold that the latest end of a run left.
    var heldUntil: Timestamp?
    var isPaused = false
    var hasRun = false
    var isRemoved = false
    /// The schedule that takes over when the active run has ended.
    var revision: ScheduledStream?
    /// The state that the database holds.
    var stored: ScheduleState?
    var committed: Set<Timestamp> = []
    /// The stream came back from there, and the full disk did not take that.
    private(set) var unstoredReturn: Timestamp?
    /// The instants that the database says were left out together: the first of them, and the last.
    var leftOut: [Timestamp: Timestamp] = [:]
    var failures = 0
    /// A start's spread may hold it back until then.
    var spreadsUntil: Timestamp?

    init(_ stream: ScheduledStream) {
        self.stream = stream
        timeline = stream.schedule.map { DueTimes($0, for: stream.name) }
    }

    var schedule: Schedule? { stream.schedule }
    var pause: Duration? { timeline?.pause }

    /// True if the stream never ran and is therefore due at once.
    var isFirst: Bool {
        guard watermark == nil, endedAt == nil, let schedule else { return false }
        if case .cron = schedule.rhythm { return false }
        return true
    }

    /// Returns the instant that the next decision has to begin with.
    func first(at now: Timestamp) -> Timestamp? {
        if let owed { return owed }
        guard let timeline else { return nil }
        if isFirst { return pause == nil ? timeline.latest(atOrBefore: now) : now }
        guard let base = [watermark, pause == nil ? nil : endedAt].compactMap({ $0 }).max() else { return nil }
        return timeline.next(after: base)
    }

    func firstDue(at now: Timestamp) -> Timestamp? {
        // What never ran does not wait for a clock that was set back.
        if let owedDue { return owesFirst ? min(owedDue, now) : owedDue }
        if isFirst { return now }
        return first(at: now).flatMap { timeline?.dueTime(of: $0) }
    }

    /// Returns the objection to these instants; nil if they are consecutive and begin with the first undecided one.
    func objection(to nominals: ClosedRange<Timestamp>, count: Int, at now: Timestamp) -> String? {
        guard let timeline else { return "has no schedule" }
        var last = nominals.lowerBound
        if isFirst || owesFirst {
            if last > now || nominals.upperBound > now { return "\(nominals) is not yet" }
        } else if first(at: now) != last {
            return "\(nominals) does not begin with \(first(at: now)?.description ?? "nothing")"
        }
        if owed != nil, let watermark, count > 1 { last = max(last, watermark) }
        var counted = 1
        while counted < min(count, 10_000), let next = timeline.next(after: last), next <= nominals.upperBound {
            (last, counted) = (next, counted + 1)
        }
        // Very many are not counted one by one.
        if count < 10_000, counted != count || (counted > 1 && last != nominals.upperBound) {
            return "\(nominals) are \(counted), not \(count)"
        }
        return count == 1 && nominals.lowerBound != nominals.upperBound ? "\(nominals) is more than one" : nil
    }

    /// The clock was set back: where the instant behind what the next one is looked for is further in the future than an
    /// interval and five minutes, the stream goes on from now.
    mutating func comeBack(to now: Timestamp) {
        guard let timeline, !owesFirst else { return }
        let base = pause == nil ? watermark : [watermark, endedAt].compactMap { $0 }.max()
        if let base, base > now.advanced(by: timeline.interval(after: now)).advanced(by: .seconds(300)) {
            unstoredReturn = [unstoredReturn, base].compactMap { $0 }.max()
            let heldSince = endedAt ?? base
            heldUntil = heldUntil.map { now.advanced(by: max(.zero, heldSince.duration(to: $0))) }
            watermark = watermark.map { min($0, now) }
            endedAt = endedAt.map { min($0, now) }
            (owed, owedDue, owesFirst) = (nil, nil, false)
        }
        // No source is left alone for longer than a month.
        let month = now.advanced(by: .seconds(31 * 86_400))
        let latestHold = month.advanced(by: timeline.interval(after: month)).advanced(by: .seconds(300))
        if let held = heldUntil, held > latestHold { heldUntil = nil }
    }

    /// Returns true if an instant that was decided while the clock was ahead may be decided again.
    func mayComeAgain(_ nominal: Timestamp, at now: Timestamp) -> Bool {
        let limits = [stored?.settled.flatMap { $0 > now ? $0 : nil }, unstoredReturn]
        return limits.contains { $0.map { nominal <= $0 } ?? false }
    }

    /// Keeps what the database has taken of a memory.
    mutating func store(_ row: ScheduleState, of memory: ScheduleState) {
        stored = row
        if row.settled == memory.settled { unstoredReturn = nil }
    }

    /// The database forgets that instants from this one on were decided on: they come again.
    mutating func forget(from instant: Timestamp) {
        committed = committed.filter { $0 < instant }
        leftOut = leftOut.filter { $0.key < instant }
        for (first, last) in leftOut where last >= instant {
            leftOut[first] = timeline?.latest(atOrBefore: instant.advanced(by: .milliseconds(-1)))
        }
    }

    mutating func decide(upTo instant: Timestamp) {
        watermark = watermark.map { max($0, instant) } ?? instant
        (owed, owedDue, owesFirst) = (nil, nil, false)
    }

    /// Takes over what the database holds, since that outlives the process of the older book.
    mutating func inherit(from old: Book) {
        (stored, committed, leftOut) = (old.stored, old.committed, old.leftOut)
    }

    /// A process that begins knows what was stored.
    mutating func restart() {
        watermark = stored?.settled
        unstoredReturn = nil
        endedAt = stored?.endedAt
        heldUntil = stored?.heldUntil
        isPaused = stored?.isPaused ?? false
        hasRun = watermark != nil || endedAt != nil
        failures = stored?.failures ?? 0
        (owed, owedDue, owesFirst, revision, spreadsUntil) = (nil, nil, false, nil, nil)
    }

    /// A stream by cron that never ran waits for its first time from now on.
    mutating func open(at now: Timestamp) {
        comeBack(to: now)
        guard schedule != nil, watermark == nil, endedAt == nil, !isFirst else { return }
        decide(upTo: now)
    }

    mutating func relocate(to revised: ScheduledStream) {
        (stream.host, stream.parent) = (revised.host, revised.parent)
    }

    /// Another schedule holds from `now` on.
    mutating func revise(to revised: ScheduledStream, at now: Timestamp) {
        relocate(to: revised)
        guard revised.schedule != stream.schedule else { return }
        let (old, wasFirst) = (stream.schedule, isFirst)
        let (first, firstDue) = (first(at: now), firstDue(at: now))
        stream.schedule = revised.schedule
        timeline = revised.schedule.map { DueTimes($0, for: stream.name) }
        guard let schedule = revised.schedule else {
            (owed, owedDue, owesFirst) = (nil, nil, false)
            return
        }
        guard let old else { return begin(at: now) }
        if old.rhythm == schedule.rhythm, old.jitter == schedule.jitter { return }
        if !isPaused, let first, let firstDue, first <= now {
            // What came before the latest was left out in the reload itself.
            let owesFirst = wasFirst || owesFirst
            decide(upTo: now)
            (owed, owedDue, self.owesFirst) = (first, firstDue, owesFirst)
        } else {
            begin(at: now)
        }
    }

    /// Begins from `now`, without catching up on the instants before.
    mutating func begin(at now: Timestamp) {
        guard watermark != nil || endedAt != nil else { return open(at: now) }
        comeBack(to: now)
        decide(upTo: now)
    }
}
