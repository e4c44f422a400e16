import Catalog

/// The instants of an `every:`, anchored at the epoch plus a phase: 1970-01-01T00:00:00Z + phase + n × every, for every
/// integer n that `Timestamp` can hold.
struct IntervalSchedule: Sendable, Equatable {
    /// In milliseconds, at least 1; shorter intervals are taken as 1 ms.
    private let interval: Int64
    /// In milliseconds, in `0..<interval`.
    private let phase: Int64

    /// - Parameter phase: Taken modulo the interval: a stable hash of the stream's name, so that streams of one interval
    ///   do not leave together.
    init(_ length: Duration, phase: UInt64) {
        interval = max(1, length.wholeMilliseconds)
        self.phase = Int64(phase % UInt64(interval))
    }

    var length: Duration { .milliseconds(interval) }

    /// nil beyond the end of `Timestamp`.
    func next(after instant: Timestamp) -> Timestamp? {
        let start = instant.millisecondsSince1970
        let (sum, overflow) = start.addingReportingOverflow(interval - elapsed(at: start))
        return overflow ? nil : Timestamp(millisecondsSince1970: sum)
    }

    /// nil before the beginning of `Timestamp`.
    func latest(atOrBefore instant: Timestamp) -> Timestamp? {
        let end = instant.millisecondsSince1970
        let (difference, overflow) = end.subtractingReportingOverflow(elapsed(at: end))
        return overflow ? nil : Timestamp(millisecondsSince1970: difference)
    }

    /// The instant one interval later, whatever the phase.
    func successor(of instant: Timestamp) -> Timestamp? {
        let (sum, overflow) = instant.millisecondsSince1970.addingReportingOverflow(interval)
        return overflow ? nil : Timestamp(millisecondsSince1970: sum)
    }

    /// The instant one interval earlier, whatever the phase.
    func predecessor(of instant: Timestamp) -> Timestamp? {
        let (difference, overflow) = instant.millisecondsSince1970.subtractingReportingOverflow(interval)
        return overflow ? nil : Timestamp(millisecondsSince1970: difference)
    }

    /// How many instants a range has whose ends are instants of this schedule.
    func count(in nominals: ClosedRange<Timestamp>) -> Int {
        let (first, last) = (nominals.lowerBound.millisecondsSince1970, nominals.upperBound.millisecondsSince1970)
        // As unsigned, the wrapped difference is the true one even where it exceeds Int64.
        let steps = UInt64(bitPattern: last &- first) / UInt64(interval)
        return Int(clamping: steps.addingReportingOverflow(1).overflow ? steps : steps + 1)
    }

    /// The milliseconds from the last instant to `milliseconds`, in `0..<interval`.
    private func elapsed(at milliseconds: Int64) -> Int64 {
        let remainder = milliseconds % interval
        let difference = (remainder < 0 ? remainder + interval : remainder) - phase
        return difference < 0 ? difference + interval : difference
    }
}
