extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds, such as `2026-01-31T08:05:00.000Z`; texts sort as the instants do.
    package var description: String {
        let (day, millisecond) = millisecondsSince1970.flooredDivision(by: 86_400_000)
        let date = CivilDate(daysSince1970: day)
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
            + "\(padded(millisecond / 3_600_000, 2)):\(padded(millisecond / 60_000 % 60, 2)):"
            + "\(padded(millisecond / 1000 % 60, 2)).\(padded(millisecond % 1000, 3))Z"
    }

    /// Reads RFC 3339 with `Z` or a numeric offset and any fraction; also a date alone, which is its midnight in UTC.
    ///
    /// Digits beyond the milliseconds are dropped; a leap second is the first one of the next minute.
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

    /// A number of exactly so many digits.
    mutating func number(_ digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fff…` in milliseconds.
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

    /// `Z`, or the zone's distance from UTC in milliseconds.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = number(2), hours < 24, take(":"), let minutes = number(2), minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isWest ? -60_000 : 60_000)
    }

    private mutating func digit() -> Int64? {
        guard place < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) else { return nil }
        defer { place += 1 }
        return Int64(bytes[place] - UInt8(ascii: "0"))
    }
}
