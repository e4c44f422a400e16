import GarnerModel

/// Times in the patterns of `strftime`, with Airbyte's additions. An instant is in microseconds since 1970; zones are offsets.
enum JinjaTime {
    /// The years 1 to 9999, as Python has them.
    private static let instants = -62_135_596_800_000_000...253_402_300_799_999_999

    private static let longMonths = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    /// The conversions of more than one letter.
    private static let longConversions = ["epoch_microseconds", "s_as_float", "_ms", "ms", ":z"]

    /// Cuts a pattern into literals and conversions.
    private static func parts(of format: String) throws(JinjaError) -> [(conversion: String?, literal: UInt8)] {
        var parts: [(conversion: String?, literal: UInt8)] = []
        var rest = Array(format.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                parts.append((nil, byte))
                continue
            }
            if let long = longConversions.first(where: { rest.starts(with: $0.utf8) }) {
                parts.append((long, 0))
                rest = rest.dropFirst(long.utf8.count)
            } else if let letter = rest.popFirst() {
                for letter in letter == UInt8(ascii: "F") ? "Y-m-d" : letter == UInt8(ascii: "T") ? "H:M:S" : "" {
                    parts.append(letter.isLetter ? (String(letter), 0) : (nil, letter.asciiValue ?? 0))
                }
                guard !"FT".utf8.contains(letter) else { continue }
                parts.append(
                    letter == UInt8(ascii: "%") ? (nil, letter) : (String(decoding: [letter], as: UTF8.self), 0))
            } else {
                throw .value("a format of times ends with %")
            }
        }
        return parts
    }

    // MARK: Arithmetic

    static func instant(_ instant: Int, after seconds: Int) throws(JinjaError) -> Int {
        let (microseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, leaves) = instant.addingReportingOverflow(microseconds)
        guard !overflows, !leaves, instants.contains(sum) else { throw .value("a time is out of range") }
        return sum
    }

    /// Returns a time that is later by a length of time. Of a month with too few days, the last one counts.
    static func instant(
        _ instant: Int, after duration: JinjaValue.CalendarDuration
    ) throws(JinjaError) -> Int {
        guard duration.months != 0 else { return try self.instant(instant, after: duration.seconds) }
        let (date, days, _, _) = fields(of: instant)
        let (sum, overflows) = (date.year * 12 + date.month - 1).addingReportingOverflow(Int64(duration.months))
        let (year, month) = sum.flooredDivision(by: 12)
        let found = (Int64(0)...3).lazy.compactMap { missing in
            CivilDate(year: year, month: month + 1, day: date.day - missing).daysSince1970
        }
        guard !overflows, (1...9999).contains(year), let later = found.first else {
            throw .value("a time is out of range")
        }
        return try self.instant(instant + Int(later - days) * 86_400_000_000, after: duration.seconds)
    }

    private static func fields(of instant: Int) -> (date: CivilDate, days: Int64, second: Int64, microsecond: Int64) {
        let (seconds, microsecond) = Int64(instant).flooredDivision(by: 1_000_000)
        let (days, second) = seconds.flooredDivision(by: 86_400)
        return (CivilDate(daysSince1970: days), days, second, microsecond)
    }

    /// A time's part, such as its `year`.
    static func part(_ name: String, of instant: Int) -> Int? {
        let (date, _, second, microsecond) = fields(of: instant)
        let parts: [String: Int64] = [
            "year": date.year, "month": date.month, "day": date.day, "hour": second / 3600, "minute": second / 60 % 60,
            "second": second % 60, "microsecond": microsecond,
        ]
        return parts[name].map { Int($0) }
    }

    static let partNames = ["year", "month", "day", "hour", "minute", "second", "microsecond"]

    /// Returns the time with these parts, in the order of `partNames`; nil if the calendar has none.
    static func instant(of parts: [Int]) -> Int? {
        guard parts.count == 7, (1...9999).contains(parts[0]), (0...23).contains(parts[3]), (0...59).contains(parts[4]),
            (0...59).contains(parts[5]), (0...999_999).contains(parts[6]),
            let days = CivilDate(year: Int64(parts[0]), month: Int64(parts[1]), day: Int64(parts[2])).daysSince1970
        else { return nil }
        return ((Int(days) * 24 + parts[3]) * 60 + parts[4]) * 60_000_000 + parts[5] * 1_000_000 + parts[6]
    }

    // MARK: Writing

    /// Returns a time as Python prints it.
    static func text(of instant: Int, separator: String = " ") -> String {
        let format = "%Y-%m-%d\(separator)%H:%M:%S" + (instant % 1_000_000 == 0 ? "" : ".%f") + "%:z"
        return (try? text(of: instant, in: format)) ?? ""
    }

    static func text(of instant: Int, in format: String) throws(JinjaError) -> String {
        let (date, days, second, microsecond) = fields(of: instant)
        let seconds = days * 86_400 + second
        let weekday = Int((days + 3).flooredDivision(by: 7).remainder)
        let month = Int(date.month) - 1
        var bytes: [UInt8] = []
        func write(_ value: Int64, _ width: Int) {
            let digits = String(value)
            bytes += String(repeating: "0", count: max(0, width - digits.utf8.count)).utf8
            bytes += digits.utf8
        }
        for (conversion, literal) in try parts(of: format) {
            guard bytes.count <= JinjaEvaluator.longestText else { throw .limit }
            switch conversion {
            case nil: bytes.append(literal)
            case "Y": write(date.year, 4)
            case "y": write(date.year % 100, 2)
            case "m": write(date.month, 2)
            case "d": write(date.day, 2)
            case "j": write(days - (CivilDate(year: date.year, month: 1, day: 1).daysSince1970 ?? days) + 1, 3)
            case "H": write(second / 3600, 2)
            case "I": write((second / 3600 + 11) % 12 + 1, 2)
            case "p": bytes += (second < 43_200 ? "AM" : "PM").utf8
            case "M": write(second / 60 % 60, 2)
            case "S": write(second % 60, 2)
            case "f": write(microsecond, 6)
            case "_ms": write(microsecond / 1000, 3)
            case "z": bytes += "+0000".utf8
            case ":z": bytes += "+00:00".utf8
            case "Z": bytes += "UTC".utf8
            case "B": bytes += longMonths[month].utf8
            case "b": bytes += longMonths[month].prefix(3).utf8
            case "A": bytes += longDays[weekday].utf8
            case "a": bytes += longDays[weekday].prefix(3).utf8
            case "s": write(seconds, 1)
            case "ms": write(Int64(instant).flooredDivision(by: 1000).quotient, 1)
            case "epoch_microseconds": write(Int64(instant), 1)
            case "s_as_float": bytes += PythonText.text(of: Double(instant) / 1e6).utf8
            case let conversion?: throw .value("the format of times %\(conversion)")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Reading

    /// The ways in which times are written that need no format.
    private static let usualFormats = [
        "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%dT%H:%M%z",
        "%Y-%m-%dT%H:%M", "%Y-%m-%d", "%Y%m%dT%H%M%S%z", "%Y%m%d", "%Y-%m", "%Y",
    ]

    /// Reads a time that is written in a format, or else as is usual: ISO 8601, or seconds or milliseconds since 1970.
    ///
    /// A time without a zone is in UTC.
    static func instant(of text: String, format: String? = nil) throws(JinjaError) -> Int {
        let text = text.trimmingSpace()
        guard text.utf8.count <= 100 else { throw .value("a time is too long") }
        if let format, let instant = try read(text, format) { return instant }
        var bytes = Array(text.utf8)
        if bytes.count > 10, bytes[10] == 32 || bytes[10] == UInt8(ascii: "t") { bytes[10] = UInt8(ascii: "T") }
        let usual = String(decoding: bytes, as: UTF8.self)
        for format in usualFormats {
            if let instant = try read(usual, format) { return instant }
        }
        let digits = bytes.allSatisfy(isDigit) ? Int(text) : nil
        switch (digits, bytes.count) {
        case (let seconds?, 9...10): return seconds * 1_000_000
        case (let milliseconds?, 13): return milliseconds * 1000
        default: throw .value("a time cannot be read")
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// Returns nil if the text is not written in this format.
    private static func read(_ text: String, _ format: String) throws(JinjaError) -> Int? {
        var reader = TimeReader(rest: Array(text.utf8)[...])
        // In the order of `partNames`.
        var fields = [1900, 1, 1, 0, 0, 0, 0]
        var (offset, dayOfYear, isAfternoon) = (0, Int?.none, Bool?.none)
        var epoch: Int?
        for (conversion, literal) in try parts(of: format) {
            var value: Int?
            switch conversion {
            case nil: value = reader.take(literal) ? 0 : nil
            case "Y":
                value = reader.number(4...4)
                fields[0] = value ?? 0
            case "y":
                value = reader.number(2...2)
                fields[0] = value.map { $0 + ($0 < 69 ? 2000 : 1900) } ?? 0
            case "m":
                value = reader.number(1...2)
                fields[1] = value ?? 0
            case "B", "b":
                value = reader.word(of: longMonths, isShort: conversion == "b")
                fields[1] = (value ?? 0) + 1
            case "A", "a": value = reader.word(of: longDays, isShort: conversion == "a")
            case "d":
                value = reader.number(1...2)
                fields[2] = value ?? 0
            case "j":
                value = reader.number(1...3)
                dayOfYear = value
            case "H":
                value = reader.number(1...2)
                fields[3] = value ?? 0
            case "I":
                value = reader.number(1...2)
                fields[3] = (value ?? 0) % 12
            case "p":
                value = reader.word(of: ["AM", "PM"], isShort: false)
                isAfternoon = value == 1
            case "M":
                value = reader.number(1...2)
                fields[4] = value ?? 0
            case "S":
                value = reader.number(1...2)
                fields[5] = value ?? 0
            case "f", "_ms":
                value = reader.fraction()
                fields[6] = value ?? 0
            case "z", ":z":
                value = reader.offset()
                offset = value ?? 0
            case "Z": value = reader.word(of: ["UTC", "GMT", "Z"], isShort: false)
            case "s":
                value = reader.number(1...11)
                epoch = value.map { $0 * 1_000_000 }
            case "ms":
                value = reader.number(1...14)
                epoch = value.map { $0 * 1000 }
            case "epoch_microseconds":
                value = reader.number(1...17)
                epoch = value
            case "s_as_float":
                value = reader.number(1...11)
                epoch = value.map { $0 * 1_000_000 }
                if value != nil, reader.take(UInt8(ascii: ".")) { epoch = epoch.map { $0 + (reader.fraction() ?? 0) } }
            case let conversion?: throw .value("the format of times %\(conversion)")
            }
            guard value != nil else { return nil }
        }
        guard reader.rest.isEmpty else { return nil }
        if let epoch { return epoch }
        if let isAfternoon, isAfternoon { fields[3] += 12 }
        guard var instant = instant(of: fields) else { return nil }
        if let dayOfYear {
            guard let first = self.instant(of: [fields[0], 1, 1] + fields[3...]), (1...366).contains(dayOfYear) else {
                return nil
            }
            instant = first + (dayOfYear - 1) * 86_400_000_000
        }
        instant -= offset * 1_000_000
        return instants.contains(instant) ? instant : nil
    }

    /// Reads a duration of ISO 8601. A part of a month is one of 30 days, and a part of a year one of 365.
    static func duration(of text: String) throws(JinjaError) -> JinjaValue.CalendarDuration {
        var reader = TimeReader(rest: Array(text.trimmingSpace().utf8)[...])
        let isNegative = reader.take(UInt8(ascii: "-"))
        guard reader.take(UInt8(ascii: "P")), !reader.rest.isEmpty else { throw .value("a duration cannot be read") }
        var units: [(sign: UInt8, seconds: Double, months: Int)] = [
            (UInt8(ascii: "Y"), 365 * 86_400, 12), (UInt8(ascii: "M"), 30 * 86_400, 1),
            (UInt8(ascii: "W"), 7 * 86_400, 0), (UInt8(ascii: "D"), 86_400, 0),
        ]
        var sum = 0.0
        var months = 0
        while !reader.rest.isEmpty {
            if reader.take(UInt8(ascii: "T")) {
                units = [(UInt8(ascii: "H"), 3600, 0), (UInt8(ascii: "M"), 60, 0), (UInt8(ascii: "S"), 1, 0)]
            }
            guard let whole = reader.number(1...9) else { throw .value("a duration cannot be read") }
            let hasFraction = reader.take(UInt8(ascii: "."))
            let fraction = hasFraction ? Double(reader.fraction() ?? 0) / 1e6 : 0
            guard let place = units.firstIndex(where: { reader.rest.first == $0.sign }) else {
                throw .value("a duration cannot be read")
            }
            reader.rest = reader.rest.dropFirst()
            months += whole * units[place].months
            sum += ((units[place].months == 0 ? Double(whole) : 0) + fraction) * units[place].seconds
            units.removeSubrange(...place)
        }
        let sign = isNegative ? -1 : 1
        return .init(months: sign * months, seconds: sign * Int(sum))
    }
}

/// Reads the parts of times from ASCII.
private struct TimeReader {
    var rest: ArraySlice<UInt8>

    mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func number(_ digits: ClosedRange<Int>) -> Int? {
        let found = rest.prefix(digits.upperBound).prefix { (48...57).contains($0) }
        guard found.count >= digits.lowerBound else { return nil }
        rest = rest.dropFirst(found.count)
        return found.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    /// Reads digits of a fraction, in millionths. More than six are dropped.
    mutating func fraction() -> Int? {
        let found = rest.prefix { (48...57).contains($0) }
        guard !found.isEmpty else { return nil }
        rest = rest.dropFirst(found.count)
        return (found.prefix(6) + Array(repeating: 48, count: max(0, 6 - found.count))).reduce(0) {
            $0 * 10 + Int($1 - 48)
        }
    }

    /// Reads one of these words, in any case, and returns its place.
    mutating func word(of words: [String], isShort: Bool) -> Int? {
        for (index, word) in words.enumerated() {
            let word = isShort ? String(word.prefix(3)) : word
            if String(decoding: rest.prefix(word.utf8.count), as: UTF8.self).lowercased() == word.lowercased() {
                rest = rest.dropFirst(word.utf8.count)
                return index
            }
        }
        return nil
    }

    /// Reads `Z`, `+0100`, `+01:00` or `+01`, in seconds.
    mutating func offset() -> Int? {
        if take(UInt8(ascii: "Z")) || take(UInt8(ascii: "z")) { return 0 }
        let isWest = take(UInt8(ascii: "-"))
        guard isWest || take(UInt8(ascii: "+")), let hours = number(2...2), hours < 24 else { return nil }
        _ = take(UInt8(ascii: ":"))
        let minutes = number(2...2) ?? 0
        guard minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
