/// An instant of the wall clock in UTC, to the millisecond.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let millisecondsSince1970: Int64

    package init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// Returns the instant later by a duration. Saturates at the ends of Int64.
    package func advanced(by duration: Duration) -> Timestamp {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(duration.wholeMilliseconds)
        return Timestamp(millisecondsSince1970: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    package func duration(to other: Timestamp) -> Duration {
        let (difference, overflow) = other.millisecondsSince1970.subtractingReportingOverflow(millisecondsSince1970)
        return .milliseconds(overflow ? (other > self ? .max : .min) : difference)
    }
}

extension Duration {
    /// The duration in milliseconds, rounded towards zero. Saturates at the ends of Int64.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, productOverflows) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return productOverflows || sumOverflows ? (seconds < 0 ? .min : .max) : sum
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds, such as `2026-01-31T08:05:00.000Z`; texts sort as the instants do.
    package var description: String {
        let (day, millisecond) = millisecondsSince1970.flooredDivision(by: 86_400_000)
        let date = CivilDate(daysSince1970: day)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func append(_ value: Int64, digits: Int, after separator: Unicode.Scalar? = nil) {
            if let separator { text.append(UInt8(ascii: separator)) }
            let written = String(value).utf8
            text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, digits - written.count)))
            text.append(contentsOf: written)
        }
        append(date.year, digits: 4)
        append(date.month, digits: 2, after: "-")
        append(date.day, digits: 2, after: "-")
        append(millisecond / 3_600_000, digits: 2, after: "T")
        append(millisecond / 60_000 % 60, digits: 2, after: ":")
        append(millisecond / 1000 % 60, digits: 2, after: ":")
        append(millisecond % 1000, digits: 3, after: ".")
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses RFC 3339 with `Z` or a numeric offset and any fraction, or a date alone, which means its midnight in UTC.
    ///
    /// Digits beyond the milliseconds are dropped. A leap second is read as the first second of the next minute.
    package init?(rfc3339 text: String) {
        var reader = DigitReader(Array(text.utf8))
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), let days = CivilDate(year: year, month: month, day: day).daysSince1970
        else { return nil }
        var milliseconds = days * 86_400_000
        if !reader.isAtEnd {
            guard reader.take("T") || reader.take("t") || reader.take(" "), let time = reader.timeOfDay(),
                let offset = reader.offset(), reader.isAtEnd
            else { return nil }
            milliseconds += time - offset
        }
        self.init(millisecondsSince1970: milliseconds)
    }
}

/// Reads the parts of a time of day from ASCII.
private struct DigitReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { place == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    /// Reads a number of exactly `digits` digits.
    mutating func number(_ digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Reads `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fff…`, in milliseconds.
    mutating func timeOfDay() -> Int64? {
        guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60 else { return nil }
        var milliseconds = (hour * 60 + minute) * 60_000
        guard take(":") else { return milliseconds }
        guard let second = number(2), second <= 60 else { return nil }
        milliseconds += second * 1000
        guard take(".") else { return milliseconds }
        guard var digit = digit() else { return nil }
        for place in [100, 10, 1] as [Int64] {
            milliseconds += digit * place
            digit = self.digit() ?? 0
        }
        while self.digit() != nil {}
        return milliseconds
    }

    /// Reads `Z` or a zone's offset from UTC, in milliseconds.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = number(2), hours < 24 else { return nil }
        // ISO 8601 also has `+0100`, which many servers write.
        _ = take(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        return (hours * 60 + minutes) * (isWest ? -60_000 : 60_000)
    }

    private mutating func digit() -> Int64? {
        guard place < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) else { return nil }
        defer { place += 1 }
        return Int64(bytes[place] - UInt8(ascii: "0"))
    }
}

/// A day of the proleptic Gregorian calendar.
///
/// The conversions are Howard Hinnant's `days_from_civil` and `civil_from_days`.
package struct CivilDate: Sendable {
    package var year: Int64
    package var month: Int64
    package var day: Int64

    package init(year: Int64, month: Int64, day: Int64) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    package init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1970-01-01; nil if the calendar has no such day.
    package var daysSince1970: Int64? {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shiftedYear.flooredDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        let back = CivilDate(daysSince1970: days)
        return back.day == day && back.month == month ? days : nil
    }
}

extension Int64 {
    /// Divides and rounds down: the remainder is never negative. The divisor must be positive.
    package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
