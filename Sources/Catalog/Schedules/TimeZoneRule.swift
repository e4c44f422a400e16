import GarnerModel

/// The rule of a time zone for all years: the POSIX TZ string at the end of a compiled time zone file.
///
/// `CET-1CEST,M3.5.0,M10.5.0/3`, or `<+03>-3`, with the hours to 167 of RFC 9636. All offsets are seconds east of UTC, which
/// the text counts to the west.
package struct TimeZoneRule: Sendable, Equatable {
    package let standardOffset: Int64
    package let daylight: Daylight?

    package struct Daylight: Sendable, Equatable {
        /// The offset, which is less than that of standard time where winter has a time of its own, as in Dublin.
        package let offset: Int64
        /// The beginning, in standard time.
        let start: YearlyTime
        /// The end, in daylight-saving time. In the south it is earlier in the year than the beginning.
        let end: YearlyTime
    }

    /// A time on one day of each year.
    struct YearlyTime: Sendable, Equatable {
        let day: Day
        /// The seconds since the day's midnight, which may be negative, and more than a day.
        let seconds: Int64
    }

    enum Day: Sendable, Equatable {
        /// Day 1 to 365, without a 29 February.
        case julian(Int64)
        /// Day 0 to 365, with the 29 February of leap years.
        case ofYear(Int64)
        /// A weekday from 0 (Sunday) to 6 in the first to fourth or last (5) week of a month.
        case weekday(month: Int64, week: Int64, weekday: Int64)
    }

    /// Returns nil if the text is no TZ string, or names a daylight-saving time without its rule: which one is meant depends
    /// on the system.
    package init?(_ text: some Collection<UInt8>) {
        var reader = RuleReader(text)
        guard reader.name(), let west = reader.time(hours: 24) else { return nil }
        standardOffset = -west
        guard !reader.isAtEnd else {
            daylight = nil
            return
        }
        guard reader.name() else { return nil }
        var offset = standardOffset + 3600
        if reader.next != UInt8(ascii: ",") {
            guard let west = reader.time(hours: 24) else { return nil }
            offset = -west
        }
        guard let start = reader.yearlyTime(), let end = reader.yearlyTime(), reader.isAtEnd else { return nil }
        daylight = Daylight(offset: offset, start: start, end: end)
    }

    /// Returns the instants at which daylight-saving time begins in these years and ends, in ascending order.
    func changes(in years: ClosedRange<Int64>) -> [TimeZoneFile.Transition] {
        guard let daylight else { return [] }
        var changes: [TimeZoneFile.Transition] = []
        for year in years {
            let start = daylight.start.seconds(in: year) - standardOffset
            var end = daylight.end.seconds(in: year) - daylight.offset
            if end <= start { end = daylight.end.seconds(in: year + 1) - daylight.offset }
            guard end > start else { continue }
            // Daylight-saving time that begins when it ends goes on: so a rule says that it is in force all year.
            if let last = changes.last, start <= last.time {
                end = max(end, last.time)
                changes.removeLast()
            } else {
                changes.append(.init(time: start, offset: daylight.offset))
            }
            changes.append(.init(time: end, offset: standardOffset))
        }
        return changes
    }
}

extension TimeZoneRule.YearlyTime {
    /// Returns the local time in a year, in seconds since 1970.
    fileprivate func seconds(in year: Int64) -> Int64 {
        func first(of month: Int64) -> Int64 { CivilDate(year: year, month: month, day: 1).daysSince1970 ?? 0 }
        let date: Int64
        switch day {
        case .julian(let day):
            let isAfterLeapDay = day >= 60 && first(of: 3) - first(of: 1) == 60
            date = first(of: 1) + day - 1 + (isAfterLeapDay ? 1 : 0)
        case .ofYear(let day):
            date = first(of: 1) + day
        case .weekday(let month, let week, let weekday):
            let first = first(of: month)
            let next = CivilDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1).daysSince1970 ?? 0
            // 1970-01-01 was a Thursday, which is 4.
            let match = first + (weekday - first - 4).flooredDivision(by: 7).remainder + (week - 1) * 7
            date = match < next ? match : match - 7
        }
        return date * 86_400 + seconds
    }
}

/// Reads the parts of a TZ string.
private struct RuleReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: some Collection<UInt8>) { rest = Array(text)[...] }

    var isAtEnd: Bool { rest.isEmpty }
    var next: UInt8? { rest.first }

    /// Skips a name of at least three letters, or of letters, digits and signs in angle brackets.
    mutating func name() -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        if take("<") {
            let name = rest.prefix { isLetter($0) || PercentEncoding.isDigit($0) || "+-".utf8.contains($0) }
            rest = rest.dropFirst(name.count)
            return name.count >= 3 && take(">")
        }
        let name = rest.prefix(while: isLetter)
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    /// Reads `[+-]h[:m[:s]]` with hours up to a limit, in seconds.
    mutating func time(hours limit: Int64) -> Int64? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hours = number(0...limit) else { return nil }
        var seconds = hours * 3600
        if take(":") {
            guard let minutes = number(0...59) else { return nil }
            seconds += minutes * 60
            if take(":") {
                guard let rest = number(0...59) else { return nil }
                seconds += rest
            }
        }
        return isNegative ? -seconds : seconds
    }

    /// Reads `,day[/time]`. The usual time is two o'clock.
    mutating func yearlyTime() -> TimeZoneRule.YearlyTime? {
        guard take(","), let day = day() else { return nil }
        guard take("/") else { return TimeZoneRule.YearlyTime(day: day, seconds: 7200) }
        return time(hours: 167).map { TimeZoneRule.YearlyTime(day: day, seconds: $0) }
    }

    private mutating func day() -> TimeZoneRule.Day? {
        if take("J") { return number(1...365).map { .julian($0) } }
        guard take("M") else { return number(0...365).map { .ofYear($0) } }
        guard let month = number(1...12), take("."), let week = number(1...5), take("."), let weekday = number(0...6)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
    }

    /// Reads a number of up to three digits.
    private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        let digits = rest.prefix(3).prefix(while: PercentEncoding.isDigit)
        rest = rest.dropFirst(digits.count)
        let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        return !digits.isEmpty && range.contains(number) ? number : nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
