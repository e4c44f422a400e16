import GarnerModel

/// The offsets of a time zone from UTC, for all times, in a table.
package final class Zone: Sendable {
    /// A stretch of time with one offset. All numbers are seconds, instants count from 1970 in UTC.
    package struct Span: Sendable, Equatable {
        package var start: Int64
        /// The start of the next span.
        package var end: Int64
        package let offset: Int64
        /// The offset before `start`; equal to `offset` in the first span.
        package let offsetBefore: Int64

        /// The change of the offset at the start; negative if clocks are set back.
        package var change: Int64 { offset - offsetBefore }
    }

    private let spans: [Span]
    private let starts: [Int64]
    /// The instant from which on the table repeats its last 400 years, in which no zone is expected to change its rules.
    private let horizon: Int64

    package static let utc = Zone(spans: [Span(start: -never, end: never, offset: 0, offsetBefore: 0)])

    /// The seconds of 400 years, after which the calendar repeats with its days of the week, and with it every rule.
    private static let cycle: Int64 = 146_097 * 86_400
    /// 2500-01-01, the horizon of zones whose last transition is more than 410 years before it.
    private static let usualHorizon: Int64 = 16_725_225_600
    /// The years 0 to 9999. What a file says of others does not count.
    private static let years: Range<Int64> = -62_167_219_200..<253_402_300_800
    /// A time far from every `Timestamp` with a four-digit year, yet small enough that sums with it do not overflow.
    private static let never: Int64 = 1 << 60

    private init(spans: [Span], horizon: Int64 = usualHorizon) {
        self.spans = spans
        self.horizon = horizon
        starts = spans.map(\.start)
    }

    /// Makes the table of a file's transitions, and of its rule after the last of them.
    package convenience init(_ file: TimeZoneFile) {
        var table = Table(first: file.firstOffset)
        let transitions = file.transitions.prefix { $0.time < Self.years.upperBound }
        for transition in transitions { table.change(at: transition.time, to: transition.offset) }
        let last = max(transitions.last?.time ?? Self.years.lowerBound, Self.years.lowerBound)
        // The years that repeat begin ten years after the last transition, when the rule alone is in force.
        let horizon = max(Self.usualHorizon, last + Self.cycle + Self.cycle / 40)
        if let rule = file.rule, transitions.count == file.transitions.count {
            table.apply(rule, from: last, beyond: horizon)
        }
        self.init(spans: table.spans, horizon: horizon)
    }

    /// A table that grows at its end.
    private struct Table {
        private(set) var spans: [Span]

        init(first offset: Int64) {
            spans = [Span(start: -never, end: never, offset: offset, offsetBefore: offset)]
        }

        /// Ends the last span with a change of the offset. If that is no later than its start, the change takes its place.
        mutating func change(at second: Int64, to offset: Int64) {
            if second <= spans[spans.count - 1].start {
                spans.removeLast()
                guard !spans.isEmpty else {
                    self = Table(first: offset)
                    return
                }
                spans[spans.count - 1].end = never
            }
            let last = spans.count - 1
            // Only the name of the time changes.
            guard offset != spans[last].offset else { return }
            spans[last].end = second
            spans.append(Span(start: second, end: never, offset: offset, offsetBefore: spans[last].offset))
        }

        /// Adds what a rule says from an instant on. The last span ends with the first change after the horizon.
        mutating func apply(_ rule: TimeZoneRule, from start: Int64, beyond horizon: Int64) {
            func year(of second: Int64) -> Int64 {
                CivilDate(daysSince1970: second.flooredDivision(by: 86_400).quotient).year
            }
            // Daylight-saving time may have begun in the year before.
            let changes = rule.changes(in: year(of: start) - 2...year(of: horizon) + 1)
            // Daylight-saving time that never ends does so after the last of these years.
            guard changes.count > 2 else { return change(at: start, to: changes.first?.offset ?? rule.standardOffset) }
            let later = changes.firstIndex { $0.time > start } ?? changes.endIndex
            change(at: start, to: later == 0 ? rule.standardOffset : changes[later - 1].offset)
            for next in changes[later...] where spans[spans.count - 1].start <= horizon {
                change(at: next.time, to: next.offset)
            }
            if spans[spans.count - 1].start > horizon { spans.removeLast() }
        }
    }

    /// Returns the span that contains a second, which must be one of a `Timestamp`. Complexity: O(log n) of the zone's spans.
    package func span(at second: Int64) -> Span {
        var (second, shift): (Int64, Int64) = (second, 0)
        if second >= horizon, spans[spans.count - 1].end < Self.never {
            shift = ((second - horizon) / Self.cycle + 1) * Self.cycle
            second -= shift
        }
        // The first span starts before everything.
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= second { low = middle } else { high = middle }
        }
        var span = spans[low]
        span.start += shift
        span.end += shift
        return span
    }

    /// Returns the offset at an instant, in seconds.
    package func offset(at second: Int64) -> Int64 { span(at: second).offset }
}
