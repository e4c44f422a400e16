import Catalog
import Foundation
import Synchronization

/// The offsets of a time zone from UTC, for all times, in a table: Foundation is asked once for each zone and process.
final class Zone: Sendable {
    /// A stretch of time with one offset. All numbers are seconds, instants count from 1970 in UTC.
    struct Span {
        var start: Int64
        /// Where the next one begins.
        var end: Int64
        let offset: Int64
        /// The offset before `start`; the same one in the first span.
        let offsetBefore: Int64

        /// Negative where clocks on walls are set back at the start.
        var change: Int64 { offset - offsetBefore }
    }

    private let spans: [Span]
    private let starts: [Int64]

    /// The calendar repeats after this many seconds (400 years) with its days of the week, and with it every rule.
    private static let cycle: Int64 = 146_097 * 86_400
    /// 1800-01-01; clocks on walls showed the sun's time.
    private static let beginning: Int64 = -5_364_662_400
    /// 2500-01-01; from here on the table repeats its last 400 years, in which no zone is expected to change its rules.
    private static let horizon: Int64 = 16_725_225_600
    /// No instant of a `Timestamp` with a year of four digits is near, and sums with it do not overflow.
    private static let never: Int64 = 1 << 60

    private static let known = Mutex<[ZoneName: Zone]>([:])

    static func named(_ name: ZoneName) -> Zone {
        known.withLock { known in
            if let zone = known[name] { return zone }
            let zone = Zone(name)
            known[name] = zone
            return zone
        }
    }

    private init(_ name: ZoneName) {
        // A `ZoneName` exists; the data could only be lost while the process runs.
        let zone = TimeZone(identifier: name.description) ?? .gmt
        func offset(at second: Int64) -> Int64 {
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
        }
        var spans: [Span] = []
        var current = offset(at: Self.beginning)
        var span = Span(start: -Self.never, end: Self.never, offset: current, offsetBefore: current)
        var date = Date(timeIntervalSince1970: Double(Self.beginning))
        while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date {
            date = next
            let second = Int64(next.timeIntervalSince1970.rounded())
            let changed = offset(at: second)
            // What changes is the name of the time alone.
            if changed == current { continue }
            span.end = second
            spans.append(span)
            span = Span(start: second, end: Self.never, offset: changed, offsetBefore: current)
            current = changed
            if second > Self.horizon { break }
        }
        if span.start <= Self.horizon { spans.append(span) }
        self.spans = spans
        starts = spans.map(\.start)
    }

    /// Complexity: O(log n) of the zone's spans.
    func span(at second: Int64) -> Span {
        var (second, shift): (Int64, Int64) = (second, 0)
        if second >= Self.horizon, spans[spans.count - 1].end < Self.never {
            shift = ((second - Self.horizon) / Self.cycle + 1) * Self.cycle
            second -= shift
        }
        // The first start is before everything.
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
}
