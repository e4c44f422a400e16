package import GarnerCatalog
package import GarnerModel

/// The nominal instants of one stream's schedule, and the times at which they are due.
///
/// A nominal instant runs at its due time, which is later by the jitter. Neither a slow run nor a restart moves
/// any instant, unless the schedule counts from the end of runs (`pause`).
package struct DueTimes: Sendable, Equatable {
    private let rhythm: Rhythm
    /// The schedule's jitter in milliseconds, at least 0.
    private let largestJitter: Int64
    private let nameHash: StableHash

    private enum Rhythm: Sendable, Equatable {
        case every(IntervalSchedule)
        case afterFinish(IntervalSchedule)
        case cron(CronSchedule)
    }

    package init(_ schedule: Schedule, for stream: StreamName) {
        var hash = StableHash()
        hash.add(stream.description.utf8)
        nameHash = hash
        largestJitter = max(0, schedule.jitter.wholeMilliseconds)
        rhythm =
            switch schedule.rhythm {
            case .every(let interval): .every(IntervalSchedule(interval, phase: hash.mixed))
            case .afterFinish(let pause): .afterFinish(IntervalSchedule(pause, phase: 0))
            case .cron(let expression, let zone): .cron(CronSchedule(expression, in: zone.table))
            }
    }

    /// Returns the first nominal instant after `instant`, or nil if there is none.
    ///
    /// If runs count from the end of the previous one, any instant is nominal, and the result is one pause later.
    package func next(after instant: Timestamp) -> Timestamp? {
        switch rhythm {
        case .every(let intervals): intervals.next(after: instant)
        case .afterFinish(let intervals): intervals.successor(of: instant)
        case .cron(let cron): cron.next(after: instant)
        }
    }

    /// Returns the last nominal instant at or before `instant`, or nil before the first.
    package func latest(atOrBefore instant: Timestamp) -> Timestamp? {
        switch rhythm {
        case .every(let intervals): intervals.latest(atOrBefore: instant)
        case .afterFinish: instant
        case .cron(let cron): cron.latest(atOrBefore: instant)
        }
    }

    /// Returns the nominal instant before `nominal`, which must be one itself.
    package func predecessor(of nominal: Timestamp) -> Timestamp? {
        switch rhythm {
        case .every(let intervals), .afterFinish(let intervals): intervals.predecessor(of: nominal)
        case .cron(let cron): cron.latest(atOrBefore: nominal.advanced(by: .milliseconds(-1)))
        }
    }

    /// Returns the number of nominal instants in a range whose ends are nominal instants.
    ///
    /// Exact for intervals. Cron instants are counted one by one, up to `limit`.
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

    /// The pause between the end of a run and the next run; nil if runs do not count from ends.
    package var pause: Duration? {
        guard case .afterFinish(let intervals) = rhythm else { return nil }
        return intervals.length
    }

    /// Returns the distance between two instants, by which delays are measured; by cron, between the next two
    /// after `instant`.
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

extension DueTimes {
    /// Returns the delay of a nominal instant, from zero to the schedule's jitter. It depends only on the
    /// stream and the instant.
    package func jitter(for nominal: Timestamp) -> Duration {
        let largest = largestJitter(for: nominal)
        guard largest > 0 else { return .zero }
        var hash = nameHash
        hash.add(integer: nominal.millisecondsSince1970)
        return .milliseconds(Int64(hash.mixed % (UInt64(largest) + 1)))
    }

    /// Returns the time at which a nominal instant is due: never before it, always before the next one.
    package func dueTime(of nominal: Timestamp) -> Timestamp {
        nominal.advanced(by: jitter(for: nominal))
    }

    /// Returns the last nominal instant that is due by `instant`.
    package func latestDue(at instant: Timestamp) -> Timestamp? {
        guard let nominal = latest(atOrBefore: instant) else { return nil }
        return dueTime(of: nominal) <= instant ? nominal : predecessor(of: nominal)
    }

    /// Returns true if an instant is more than an interval and five minutes in the future. It then comes from a
    /// clock that was ahead or has been set back since.
    package func isAhead(_ instant: Timestamp, of now: Timestamp) -> Bool {
        let plausible = now.advanced(by: .seconds(300))
        return instant > plausible && instant > plausible.advanced(by: interval(after: now))
    }

    /// Returns the largest jitter in milliseconds, below the distance to the next nominal instant.
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

/// The instants of `every:`, anchored at the epoch plus a phase: 1970-01-01T00:00:00Z + phase + n × every, for
/// every integer n that `Timestamp` can hold.
struct IntervalSchedule: Sendable, Equatable {
    /// The interval in milliseconds, at least 1. Shorter ones count as 1 ms.
    private let interval: Int64
    /// The phase in milliseconds, in `0..<interval`.
    private let phase: Int64

    /// - Parameter phase: A stable hash of the stream's name, taken modulo the interval, so that streams with
    ///   the same interval do not start together.
    init(_ length: Duration, phase: UInt64) {
        interval = max(1, length.wholeMilliseconds)
        self.phase = Int64(phase % UInt64(interval))
    }

    var length: Duration { .milliseconds(interval) }

    /// Returns the first instant after `instant`, or nil beyond the end of `Timestamp`.
    func next(after instant: Timestamp) -> Timestamp? {
        let start = instant.millisecondsSince1970
        let (sum, overflow) = start.addingReportingOverflow(interval - elapsed(at: start))
        return overflow ? nil : Timestamp(millisecondsSince1970: sum)
    }

    /// Returns the last instant at or before `instant`, or nil before the beginning of `Timestamp`.
    func latest(atOrBefore instant: Timestamp) -> Timestamp? {
        let end = instant.millisecondsSince1970
        let (difference, overflow) = end.subtractingReportingOverflow(elapsed(at: end))
        return overflow ? nil : Timestamp(millisecondsSince1970: difference)
    }

    /// Returns the instant one interval later, whatever the phase.
    func successor(of instant: Timestamp) -> Timestamp? {
        let (sum, overflow) = instant.millisecondsSince1970.addingReportingOverflow(interval)
        return overflow ? nil : Timestamp(millisecondsSince1970: sum)
    }

    /// Returns the instant one interval earlier, whatever the phase.
    func predecessor(of instant: Timestamp) -> Timestamp? {
        let (difference, overflow) = instant.millisecondsSince1970.subtractingReportingOverflow(interval)
        return overflow ? nil : Timestamp(millisecondsSince1970: difference)
    }

    /// Returns the number of instants in a range whose ends are instants of this schedule.
    func count(in nominals: ClosedRange<Timestamp>) -> Int {
        let (first, last) = (nominals.lowerBound.millisecondsSince1970, nominals.upperBound.millisecondsSince1970)
        // Taken as unsigned, the wrapped difference is correct even if it exceeds Int64.
        let steps = UInt64(bitPattern: last &- first) / UInt64(interval)
        return Int(clamping: steps.addingReportingOverflow(1).overflow ? steps : steps + 1)
    }

    /// Returns the milliseconds from the last instant to `milliseconds`, in `0..<interval`.
    private func elapsed(at milliseconds: Int64) -> Int64 {
        let remainder = milliseconds % interval
        let difference = (remainder < 0 ? remainder + interval : remainder) - phase
        return difference < 0 ? difference + interval : difference
    }
}
