package import Catalog

/// The instants of one stream's schedule, from the first to the last that there is.
///
/// A nominal instant is what the schedule means; it is run at its due time, which is later by the jitter. Neither a slow
/// run nor a restart moves any instant, unless the schedule counts from the end of runs (`pause`).
package struct Timeline: Sendable, Equatable {
    private let rhythm: Rhythm
    /// In milliseconds, at least 0.
    private let largestJitter: Int64
    private let nameHash: StableHash

    private enum Rhythm: Sendable, Equatable {
        case every(IntervalSchedule)
        case afterFinish(IntervalSchedule)
        case cron(CronSchedule)
    }

    package init(_ schedule: Schedule, for stream: StreamName) {
        var hash = StableHash()
        hash.combine(stream.description.utf8)
        nameHash = hash
        largestJitter = max(0, schedule.jitter.wholeMilliseconds)
        rhythm =
            switch schedule.rhythm {
            case .every(let interval): .every(IntervalSchedule(interval, phase: hash.value))
            case .afterFinish(let pause): .afterFinish(IntervalSchedule(pause, phase: 0))
            case .cron(let expression, let zone): .cron(CronSchedule(expression, in: Zone.named(zone)))
            }
    }

    /// The first nominal instant after `instant`; nil where there is none any more.
    ///
    /// Where runs count from the end of the one before, any instant is nominal, and this is the one a pause later.
    package func next(after instant: Timestamp) -> Timestamp? {
        switch rhythm {
        case .every(let intervals): intervals.next(after: instant)
        case .afterFinish(let intervals): intervals.successor(of: instant)
        case .cron(let cron): cron.next(after: instant)
        }
    }

    /// The last nominal instant that is not after `instant`; nil before the first.
    package func latest(atOrBefore instant: Timestamp) -> Timestamp? {
        switch rhythm {
        case .every(let intervals): intervals.latest(atOrBefore: instant)
        case .afterFinish: instant
        case .cron(let cron): cron.latest(atOrBefore: instant)
        }
    }

    /// The nominal instant before `nominal`, which is one itself.
    package func predecessor(of nominal: Timestamp) -> Timestamp? {
        switch rhythm {
        case .every(let intervals), .afterFinish(let intervals): intervals.predecessor(of: nominal)
        case .cron(let cron): cron.latest(atOrBefore: nominal.advanced(by: .milliseconds(-1)))
        }
    }

    /// How many nominal instants a range has whose ends are nominal instants.
    ///
    /// Exact for intervals; by cron they are counted one by one, and no further than `limit`.
    package func count(in nominals: ClosedRange<Timestamp>, upTo limit: Int = 10_000) -> Int {
        switch rhythm {
        case .every(let intervals), .afterFinish(let intervals): return intervals.count(in: nominals)
        case .cron(let cron):
            var (count, last) = (1, nominals.lowerBound)
            while count < limit, let next = cron.next(after: last), next <= nominals.upperBound {
                (count, last) = (count + 1, next)
            }
            return count
        }
    }

    /// How long after the end of a run the next one is; nil where runs do not count from ends.
    package var pause: Duration? {
        guard case .afterFinish(let intervals) = rhythm else { return nil }
        return intervals.length
    }

    /// The distance of two instants, by which delays are measured; by cron, that of the next two after `instant`.
    package func interval(after instant: Timestamp) -> Duration {
        switch rhythm {
        case .every(let intervals), .afterFinish(let intervals): return intervals.length
        case .cron(let cron):
            guard let first = cron.next(after: instant), let second = cron.next(after: first) else {
                return .seconds(60)
            }
            return first.duration(to: second)
        }
    }
}

extension Timeline {
    /// The delay of a nominal instant, from zero to the schedule's jitter; a function of the stream and the instant only.
    package func jitter(for nominal: Timestamp) -> Duration {
        let largest = largestJitter(for: nominal)
        guard largest > 0 else { return .zero }
        var hash = nameHash
        hash.combine(nominal.millisecondsSince1970)
        return .milliseconds(Int64(hash.value % (UInt64(largest) + 1)))
    }

    /// When a nominal instant is to be run: never before it, always before the next one.
    package func dueTime(of nominal: Timestamp) -> Timestamp {
        nominal.advanced(by: jitter(for: nominal))
    }

    /// The last nominal instant whose due time is not after `instant`.
    package func latestDue(at instant: Timestamp) -> Timestamp? {
        guard let nominal = latest(atOrBefore: instant) else { return nil }
        return dueTime(of: nominal) <= instant ? nominal : predecessor(of: nominal)
    }

    /// True of an instant that lies in the future by more than an interval and five minutes: what was decided on up to it,
    /// or ended then, was so by a clock that was ahead, or has been set back since.
    package func isAhead(_ instant: Timestamp, of now: Timestamp) -> Bool {
        let plausible = now.advanced(by: .seconds(300))
        return instant > plausible && instant > plausible.advanced(by: interval(after: now))
    }

    /// In milliseconds; below the distance to the next nominal instant.
    private func largestJitter(for nominal: Timestamp) -> Int64 {
        guard largestJitter > 0 else { return 0 }
        switch rhythm {
        case .every(let intervals), .afterFinish(let intervals):
            return min(largestJitter, intervals.length.wholeMilliseconds - 1)
        case .cron(let cron):
            guard let next = cron.next(after: nominal) else { return largestJitter }
            return min(largestJitter, nominal.duration(to: next).wholeMilliseconds - 1)
        }
    }
}
