package import GarnerCatalog
package import GarnerModel

/// The instants of a cron expression in a time zone, from the year 1 to 9999.
///
/// Daylight-saving changes, that is changes of less than three hours, are handled as in cronie. An expression
/// with `*` for the minute or the hour follows elapsed time: it fires whenever the local clock matches. Any
/// other expression is a time of day: if the change skips it, it fires at the first instant after the gap; if
/// the change repeats it, it fires the first time only.
struct CronSchedule: Sendable, Equatable {
    private let expression: CronExpression
    private let calendar: CronCalendar
    private let zone: Zone

    /// The supported range in seconds: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    private static let horizon: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// The range of daylight-saving changes: cron.c, `MINUTE_COUNT` times three. A larger change means a new
    /// calendar.
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

    /// Returns the first second of local time that counts in a span. Times of day already shown before it do
    /// not count again.
    private func firstLocalSecond(of span: Zone.Span) -> Int64 {
        let isRepeated = !expression.isWild && Self.seasonalChange.contains(span.change)
        return span.start + (isRepeated ? max(span.offset, span.offsetBefore) : span.offset)
    }

    /// Returns true if the start of a span skips a time of day that the expression names.
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

/// The minutes of local time that a cron expression names, without a zone: minute 0 is 1970-01-01 00:00.
struct CronCalendar: Sendable {
    private let expression: CronExpression
    private let firstOfDay: Int64
    private let lastOfDay: Int64

    /// The years that are searched. Local time is never more than a day from UTC.
    private static let years: ClosedRange<Int64> = 0...10_000

    init(_ expression: CronExpression) {
        self.expression = expression
        firstOfDay = Int64(expression.hours.trailingZeroBitCount * 60 + expression.minutes.trailingZeroBitCount)
        lastOfDay = Int64(expression.hours.highestBit * 60 + expression.minutes.highestBit)
    }

    /// Returns the first matching minute, or nil beyond the year 10000. Complexity: O(months) to the day.
    func first(atOrAfter minute: Int64) -> Int64? {
        let (day, rest) = minute.flooredDivision(by: 1440)
        var date = CivilDate(daysSince1970: day)
        var monthStart = day - date.day + 1
        if days(of: date, from: monthStart).hasBit(Int(date.day)), let later = firstOfDay(from: Int(rest)) {
            return day * 1440 + later
        }
        date.day += 1
        while date.year <= Self.years.upperBound {
            let bits = days(of: date, from: monthStart).bits(from: Int(date.day))
            if bits != 0 { return (monthStart + Int64(bits.trailingZeroBitCount) - 1) * 1440 + firstOfDay }
            monthStart += date.daysOfMonth
            date =
                date.month == 12
                ? CivilDate(year: date.year + 1, month: 1, day: 1)
                : CivilDate(year: date.year, month: date.month + 1, day: 1)
        }
        return nil
    }

    /// Returns the last matching minute, or nil before the year 0. Complexity: O(months) to the day.
    func last(atOrBefore minute: Int64) -> Int64? {
        let (day, rest) = minute.flooredDivision(by: 1440)
        var date = CivilDate(daysSince1970: day)
        var monthStart = day - date.day + 1
        if days(of: date, from: monthStart).hasBit(Int(date.day)), let earlier = lastOfDay(upTo: Int(rest)) {
            return day * 1440 + earlier
        }
        while date.year >= Self.years.lowerBound {
            let bits = days(of: date, from: monthStart).bits(before: Int(date.day))
            if bits != 0 { return (monthStart + Int64(bits.highestBit) - 1) * 1440 + lastOfDay }
            date =
                date.month == 1
                ? CivilDate(year: date.year - 1, month: 12, day: 32)
                : CivilDate(year: date.year, month: date.month - 1, day: 32)
            monthStart -= date.daysOfMonth
        }
        return nil
    }

    /// Returns the matching days of a date's month as bits 1 to 31.
    private func days(of date: CivilDate, from monthStart: Int64) -> UInt64 {
        guard expression.months.hasBit(Int(date.month)) else { return 0 }
        // 1970-01-01 was a Thursday, which is 4.
        let first = UInt64((monthStart + 4).flooredDivision(by: 7).remainder)
        let week = (expression.weekdays >> first | expression.weekdays << (7 - first)) & 0b111_1111
        // Five weeks, one after another.
        let weekdays = week * 0b1_0000001_0000001_0000001_0000001 << 1
        let bits = expression.needsBothDays ? expression.days & weekdays : expression.days | weekdays
        return bits.bits(from: 1).bits(before: Int(date.daysOfMonth) + 1)
    }

    private func firstOfDay(from minute: Int) -> Int64? {
        let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
        let minutes = expression.minutes.bits(from: rest)
        if expression.hours.hasBit(hour), minutes != 0 { return Int64(hour * 60 + minutes.trailingZeroBitCount) }
        let hours = expression.hours.bits(from: hour + 1)
        return hours == 0 ? nil : Int64(hours.trailingZeroBitCount * 60 + expression.minutes.trailingZeroBitCount)
    }

    private func lastOfDay(upTo minute: Int) -> Int64? {
        let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
        let minutes = expression.minutes.bits(before: rest + 1)
        if expression.hours.hasBit(hour), minutes != 0 { return Int64(hour * 60 + minutes.highestBit) }
        let hours = expression.hours.bits(before: hour)
        return hours == 0 ? nil : Int64(hours.highestBit * 60 + expression.minutes.highestBit)
    }
}

extension CivilDate {
    fileprivate var daysOfMonth: Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}

extension UInt64 {
    /// The position of the highest set bit. The number must not be zero.
    fileprivate var highestBit: Int { 63 - leadingZeroBitCount }

    fileprivate func bits(from bit: Int) -> UInt64 { (self >> UInt64(bit)) << UInt64(bit) }
    fileprivate func bits(before bit: Int) -> UInt64 { self & ((1 << UInt64(bit)) - 1) }
}

extension Timestamp {
    /// Returns RFC 3339 text with the offset of a time zone: `2026-03-29T03:00:00.000+02:00`.
    package func text(in zone: ZoneName) -> String {
        let second = millisecondsSince1970.flooredDivision(by: 1000).quotient
        let offset = zone.table.offset(at: second)
        let local = advanced(by: .seconds(offset)).description.dropLast()
        let minutes = offset.magnitude / 60
        let (hour, minute) = (String(minutes / 60), String(minutes % 60))
        let sign = offset < 0 ? "-" : "+"
        return "\(local)\(sign)\(hour.count < 2 ? "0" : "")\(hour):\(minute.count < 2 ? "0" : "")\(minute)"
    }
}
