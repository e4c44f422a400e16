import Catalog

/// The instants of a cron expression in a time zone, from the year 1 to 9999.
///
/// Where clocks on walls are changed by less than three hours it does as cronie does. What says `*` for the minute or
/// the hour follows elapsed time: it comes whenever a wall's clock shows a time that matches. All else is a time of day:
/// one that is left out comes at the first instant after the gap, and one that is shown twice comes the first time.
struct CronSchedule: Sendable, Equatable {
    private let expression: CronExpression
    private let calendar: CronCalendar
    private let zone: Zone

    /// In seconds: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    private static let horizon: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// cron.c, `MINUTE_COUNT` times three; a larger change is a new calendar and not a new season.
    private static let seasonalChange: Range<Int64> = -10_800..<10_800

    init(_ expression: CronExpression, in zone: Zone) {
        self.expression = expression
        calendar = CronCalendar(expression)
        self.zone = zone
    }

    static func == (left: CronSchedule, right: CronSchedule) -> Bool {
        left.expression == right.expression && left.zone === right.zone
    }

    func next(after instant: Timestamp) -> Timestamp? {
        let start = max(instant.millisecondsSince1970.flooredDivision(by: 1000).quotient, Self.horizon.lowerBound - 1)
        guard start < Self.horizon.upperBound else { return nil }
        var span = zone.span(at: start)
        while true {
            if span.start > start, fallsIntoGap(before: span) { return timestamp(span.start) }
            let earliest = max(firstLocalSecond(of: span), start + 1 + span.offset)
            guard let minute = calendar.first(atOrAfter: (earliest + 59).flooredDivision(by: 60).quotient) else {
                return nil
            }
            let second = minute * 60 - span.offset
            if second < span.end { return timestamp(second) }
            span = zone.span(at: span.end)
        }
    }

    func latest(atOrBefore instant: Timestamp) -> Timestamp? {
        let end = min(instant.millisecondsSince1970.flooredDivision(by: 1000).quotient, Self.horizon.upperBound)
        guard end >= Self.horizon.lowerBound else { return nil }
        var span = zone.span(at: end)
        while true {
            let latest = min(end, span.end - 1) + span.offset
            guard let minute = calendar.last(atOrBefore: latest.flooredDivision(by: 60).quotient) else { return nil }
            if minute * 60 >= firstLocalSecond(of: span) { return timestamp(minute * 60 - span.offset) }
            if fallsIntoGap(before: span) { return timestamp(span.start) }
            span = zone.span(at: span.start - 1)
        }
    }

    /// The first second of local time that counts: a time of day that was shown before the start does not, again.
    private func firstLocalSecond(of span: Zone.Span) -> Int64 {
        let isRepeated = !expression.isWild && Self.seasonalChange.contains(span.change)
        return span.start + (isRepeated ? max(span.offset, span.offsetBefore) : span.offset)
    }

    /// Whether the start of a span leaves a time of day out that was meant.
    private func fallsIntoGap(before span: Zone.Span) -> Bool {
        guard !expression.isWild, span.change > 0, Self.seasonalChange.contains(span.change) else { return false }
        let first = (span.start + span.offsetBefore + 59).flooredDivision(by: 60).quotient
        guard let minute = calendar.first(atOrAfter: first) else { return false }
        return minute * 60 < span.start + span.offset
    }

    private func timestamp(_ second: Int64) -> Timestamp? {
        Self.horizon.contains(second) ? Timestamp(millisecondsSince1970: second * 1000) : nil
    }
}
