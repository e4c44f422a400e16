import Catalog

/// The minutes of local time that a cron expression names, without a zone: minute 0 is 1970-01-01 00:00.
struct CronCalendar: Sendable {
    private let expression: CronExpression
    private let firstOfDay: Int64
    private let lastOfDay: Int64

    /// Local time is never further than a day from UTC.
    private static let years: ClosedRange<Int64> = 0...10_000

    init(_ expression: CronExpression) {
        self.expression = expression
        firstOfDay = Int64(expression.hours.trailingZeroBitCount * 60 + expression.minutes.trailingZeroBitCount)
        lastOfDay = Int64(expression.hours.highestBit * 60 + expression.minutes.highestBit)
    }

    /// nil beyond the year 10000. Complexity: O(months) to the day.
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

    /// nil before the year 0. Complexity: O(months) to the day.
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

    /// The days of a date's month that match, as bits 1 to 31.
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
    /// Of a number that is not zero.
    fileprivate var highestBit: Int { 63 - leadingZeroBitCount }

    fileprivate func bits(from bit: Int) -> UInt64 { (self >> UInt64(bit)) << UInt64(bit) }
    fileprivate func bits(before bit: Int) -> UInt64 { self & ((1 << UInt64(bit)) - 1) }
}
