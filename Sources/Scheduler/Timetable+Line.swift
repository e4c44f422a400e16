import Catalog

extension Timetable {
    /// One stream's place in the timetable.
    struct Line: Sendable {
        let stream: StreamName
        let timeline: Timeline
        /// The stream whose records this one is asked for with.
        let parent: StreamName?
        /// Whether a run has ended, well or not.
        private(set) var hasRun = false
        private(set) var state = State.idle
        /// The latest instant that was run or skipped. It only ever moves forward, so a clock set back repeats nothing.
        private var last: Timestamp?
        /// The next instant to decide on.
        private(set) var next: Departure?

        enum State: Sendable, Equatable {
            case idle
            /// Due, without a place yet; `since` is the due time that counts in the queue.
            case waiting(nominal: Timestamp, since: Timestamp)
            case running(nominal: Timestamp)
        }

        struct Departure: Sendable {
            let nominal: Timestamp
            let due: Timestamp
        }

        init(_ stream: StreamName, _ schedule: Schedule, parent: StreamName?) {
            self.stream = stream
            self.parent = parent
            timeline = Timeline(schedule, for: stream)
        }
    }
}

extension Timetable.Line {
    /// Makes the latest instant due at once unless it, or a later one, is behind the stream already.
    mutating func start(after last: Timestamp?, at now: Timestamp) -> Skip? {
        self.last = last
        hasRun = hasRun || last != nil
        let latest = timeline.latest(atOrBefore: now)
        guard let latest, last.map({ $0 < latest }) ?? true else {
            next = departure(after: last ?? now)
            return nil
        }
        next = departure(after: latest)
        wait(for: latest)
        guard let last, let first = timeline.next(after: last) else { return nil }
        return skip(from: first, before: latest, .missed)
    }

    /// Decides on the instants that have come due: the latest one waits, the others are skipped; all are, during a run.
    mutating func takeDue(at now: Timestamp) -> Skip? {
        if case .waiting(let nominal, _) = state, nominal > now {
            // The clock was set back while it waited: it is not due any more.
            state = .idle
            return start(after: last, at: now)
        }
        guard let first = next, first.due <= now, let latest = timeline.latestDue(at: now) else { return nil }
        next = departure(after: latest)
        switch state {
        case .running(let nominal):
            return skip(first.nominal...latest, .stillRunning(nominal: nominal))
        case .waiting(let nominal, let since):
            state = .waiting(nominal: latest, since: since)
            return skip(from: nominal, before: latest, .overtaken)
        case .idle:
            wait(for: latest)
            return skip(from: first.nominal, before: latest, .missed)
        }
    }

    mutating func run(_ nominal: Timestamp) {
        state = .running(nominal: nominal)
        last = nominal
    }

    /// False if that run is not in flight.
    mutating func finish(_ nominal: Timestamp, _ result: RunResult) -> Bool {
        guard state == .running(nominal: nominal) else { return false }
        state = .idle
        hasRun = true
        if case .leftAlone(let until) = result, let departure = next, departure.nominal < until {
            next = self.departure(after: until.advanced(by: .milliseconds(-1)))
        }
        return true
    }

    private mutating func wait(for nominal: Timestamp) {
        state = .waiting(nominal: nominal, since: timeline.dueTime(of: nominal))
    }

    private func departure(after instant: Timestamp) -> Departure? {
        timeline.next(after: instant).map { Departure(nominal: $0, due: timeline.dueTime(of: $0)) }
    }

    private mutating func skip(from first: Timestamp, before end: Timestamp, _ reason: Skip.Reason) -> Skip? {
        guard first < end, let last = timeline.predecessor(of: end) else { return nil }
        return skip(first...last, reason)
    }

    private mutating func skip(_ nominals: ClosedRange<Timestamp>, _ reason: Skip.Reason) -> Skip {
        last = nominals.upperBound
        return Skip(stream: stream, nominals: nominals, count: timeline.count(in: nominals), reason: reason)
    }
}
