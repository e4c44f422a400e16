package import Catalog

/// The instants of one stream's `every:`, anchored at the epoch plus a phase of the stream's own.
///
/// Nominal instants are 1970-01-01T00:00:00Z + phase + n × every, for every integer n that `Timestamp` can hold.
/// The phase is a stable hash of the stream's full name modulo `every`, so that streams of one interval do not leave
/// together, and neither a slow run nor a restart moves any instant.
package struct IntervalSchedule: Sendable, Equatable {
    /// In milliseconds, at least 1; shorter intervals are taken as 1 ms.
    private let interval: Int64
    /// In milliseconds, in `0..<interval`.
    private let phase: Int64
    /// In milliseconds, in `0..<interval`.
    private let largestJitter: Int64
    private let nameHash: StableHash

    package init(_ schedule: Schedule, for stream: StreamName) {
        var hash = StableHash()
        hash.combine(stream.description.utf8)
        nameHash = hash
        interval = max(1, schedule.every.wholeMilliseconds)
        phase = Int64(hash.value % UInt64(interval))
        largestJitter = min(max(0, schedule.jitter.wholeMilliseconds), interval - 1)
    }

    /// The first nominal instant after `instant`; nil beyond the end of `Timestamp`.
    package func next(after instant: Timestamp) -> Timestamp? {
        let start = instant.millisecondsSince1970
        let (sum, overflow) = start.addingReportingOverflow(interval - elapsed(at: start))
        return overflow ? nil : Timestamp(millisecondsSince1970: sum)
    }

    /// The last nominal instant that is not after `instant`; nil before the beginning of `Timestamp`.
    package func latest(atOrBefore instant: Timestamp) -> Timestamp? {
        let end = instant.millisecondsSince1970
        let (difference, overflow) = end.subtractingReportingOverflow(elapsed(at: end))
        return overflow ? nil : Timestamp(millisecondsSince1970: difference)
    }

    /// The delay of a nominal instant, in `0...jitter` and below `every`; a function of the stream and the instant only.
    package func jitter(for nominal: Timestamp) -> Duration {
        var hash = nameHash
        hash.combine(nominal.millisecondsSince1970)
        return .milliseconds(Int64(hash.value % UInt64(largestJitter + 1)))
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

    /// The nominal instant before `nominal`, which is one itself.
    func predecessor(of nominal: Timestamp) -> Timestamp? {
        let (difference, overflow) = nominal.millisecondsSince1970.subtractingReportingOverflow(interval)
        return overflow ? nil : Timestamp(millisecondsSince1970: difference)
    }

    /// How many nominal instants a range has whose ends are nominal instants.
    func count(in nominals: ClosedRange<Timestamp>) -> Int {
        let (first, last) = (nominals.lowerBound.millisecondsSince1970, nominals.upperBound.millisecondsSince1970)
        // As unsigned, the wrapped difference is the true one even where it exceeds Int64.
        let steps = UInt64(bitPattern: last &- first) / UInt64(interval)
        return Int(clamping: steps.addingReportingOverflow(1).overflow ? steps : steps + 1)
    }

    /// The milliseconds from the last nominal instant to `milliseconds`, in `0..<interval`.
    private func elapsed(at milliseconds: Int64) -> Int64 {
        let remainder = milliseconds % interval
        let difference = (remainder < 0 ? remainder + interval : remainder) - phase
        return difference < 0 ? difference + interval : difference
    }
}
