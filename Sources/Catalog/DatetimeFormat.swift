package import GarnerModel

/// A way in which an API writes times.
package enum DatetimeFormat: Sendable, Hashable, CustomStringConvertible {
    /// `2026-01-31T08:05:00Z`
    case rfc3339
    /// `2026-01-31`, the beginning of that day.
    case date
    /// Seconds since 1970.
    case epoch
    /// Milliseconds since 1970.
    case epochMilliseconds
    /// `/Date(1769846700000+0000)/`, milliseconds since 1970. The offset says only which zone the writer was in.
    case microsoftJSON
    case pattern(DatetimePattern)

    /// Returns nil if the text is neither a word nor a pattern.
    package init?(_ text: String) {
        if let format = Self.words.first(where: { $0.word == text })?.format {
            self = format
        } else if text.contains("%"), let pattern = DatetimePattern(text) {
            self = .pattern(pattern)
        } else {
            return nil
        }
    }

    private static let words: [(word: String, format: DatetimeFormat)] = [
        ("rfc3339", .rfc3339), ("date", .date), ("epoch", .epoch), ("epoch_ms", .epochMilliseconds),
        ("microsoft_json", .microsoftJSON),
    ]

    /// Returns the format that a text shows by itself; nil for one that may be something else than a time of our days.
    package static func shown(by text: String) -> DatetimeFormat? {
        switch Int64(text) ?? 0 {
        // Seconds and milliseconds from 2001 on.
        case 1_000_000_000..<10_000_000_000: .epoch
        case 1_000_000_000_000..<10_000_000_000_000: .epochMilliseconds
        default: [DatetimeFormat.date, .rfc3339, .microsoftJSON].first { $0.instant(of: text, in: .utc) != nil }
        }
    }

    /// Returns the formats that read all of these texts and have the year behind the day, so that the order of bytes is not that of times.
    package static func withYearBehindDay(in texts: [String]) -> [DatetimeFormat] {
        guard !texts.isEmpty else { return [] }
        return yearsAtEnd.filter { format in texts.allSatisfy { format.instant(of: $0, in: .utc) != nil } }
    }

    /// Returns the formats that read all of these texts, the likeliest first.
    package static func reading(_ texts: [String]) -> [DatetimeFormat] {
        guard let first = texts.first else { return [] }
        let shown = [shown(by: first)].compactMap(\.self)
        return (shown + yearsAtEnd + others).filter { format in
            texts.allSatisfy { format.instant(of: $0, in: .utc) != nil }
        }
    }

    private static let others: [DatetimeFormat] =
        ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d %b %Y", "%d-%b-%Y", "%b %d, %Y", "%b %d %Y"]
        .flatMap { date in
            ["", " %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S", " %H:%M:%S.%f", "T%H:%M:%S.%f", " %H:%M:%S %z"]
                .compactMap { DatetimeFormat(date + $0) }
        } + ["%Y%m%d", "%Y%m%d%H%M%S", "%Y%m%dT%H%M%SZ", "%Y%m%dT%H%M%S"].compactMap(DatetimeFormat.init)

    private static let yearsAtEnd = ["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"]
        .flatMap { date in ["", " %H:%M", " %H:%M:%S"].compactMap { DatetimeFormat(date + $0) } }

    static let hint = "write rfc3339, date, epoch, epoch_ms, microsoft_json or a pattern such as \"%Y-%m-%d %H:%M:%S\""

    package var description: String {
        if case .pattern(let pattern) = self { return pattern.text }
        return Self.words.first { $0.format == self }?.word ?? ""
    }

    /// The format as it is written in the configuration file.
    package var scalar: String { YAMLText.scalar(description) }

    /// The pattern with the day in the place of the month; nil if it does not have both as numbers.
    package var exchangingDayAndMonth: DatetimeFormat? {
        guard case .pattern(let pattern) = self, pattern.text.contains("%d"), pattern.text.contains("%m") else {
            return nil
        }
        let mark = "\u{0}"
        return DatetimeFormat(
            pattern.text.replacing("%d", with: mark).replacing("%m", with: "%d").replacing(mark, with: "%m"))
    }

    /// The local times that are known without a format: RFC 3339 without the offset.
    static let local = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%d %H:%M:%S.%f"]
        .compactMap(DatetimeFormat.init)

    /// Returns the time that a text says; nil if it is not written in this format, or is outside of the years 0 to 9999.
    ///
    /// Digits beyond the milliseconds are dropped.
    package func instant(of text: String, in zone: ZoneName) -> Timestamp? {
        let instant: Timestamp? =
            switch self {
            case .rfc3339: Timestamp(rfc3339: text)
            case .date: DatetimePattern.date.instant(of: text, in: zone)
            case .epoch: Self.milliseconds(of: text, perUnit: 1000)
            case .epochMilliseconds: Self.milliseconds(of: text, perUnit: 1)
            case .microsoftJSON:
                text.wholeMatch(of: /\/Date\((-?\d+)([+-]\d{4})?\)\//)
                    .flatMap { Self.milliseconds(of: String($0.1), perUnit: 1) }
            case .pattern(let pattern): pattern.instant(of: text, in: zone)
            }
        return instant.flatMap { $0.hasFourDigitYear ? $0 : nil }
    }

    /// Returns the text of a time, or of the last time before it that the format can write.
    package func text(of instant: Timestamp, in zone: ZoneName) -> String {
        switch self {
        case .rfc3339:
            let text = instant.description
            return text.hasSuffix(".000Z") ? String(text.dropLast(5)) + "Z" : text
        case .date: return DatetimePattern.date.text(of: instant, in: zone)
        case .epoch: return String(instant.millisecondsSince1970.flooredDivision(by: 1000).quotient)
        case .epochMilliseconds: return String(instant.millisecondsSince1970)
        case .microsoftJSON: return "/Date(\(instant.millisecondsSince1970))/"
        case .pattern(let pattern): return pattern.text(of: instant, in: zone)
        }
    }

    /// A format whose texts this one reads, too, as other or as longer ones; nil if there is none.
    var narrower: DatetimeFormat? {
        switch self {
        case .epochMilliseconds: .epoch
        case .rfc3339: .date
        case .date, .epoch, .microsoftJSON, .pattern: nil
        }
    }

    /// Reads a decimal number of units, without an exponent.
    private static func milliseconds(of text: String, perUnit: Int64) -> Timestamp? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? parts[0].dropFirst() : parts[0]
        guard parts.count <= 2, !digits.isEmpty, parts.dropFirst().allSatisfy({ !$0.isEmpty }),
            (parts.dropFirst() + [digits]).allSatisfy({ $0.utf8.allSatisfy(PercentEncoding.isDigit) }),
            let whole = Int64(parts[0])
        else { return nil }
        let (product, overflows) = whole.multipliedReportingOverflow(by: perUnit)
        guard !overflows else { return nil }
        let fraction = parts.count == 2 ? Array(parts[1].utf8.prefix(3)) : []
        guard perUnit > 1, !fraction.isEmpty else {
            return Timestamp(millisecondsSince1970: product)
        }
        let thousandths = (0..<3).reduce(Int64(0)) { value, place in
            value * 10 + (place < fraction.count ? Int64(fraction[place] - UInt8(ascii: "0")) : 0)
        }
        let (sum, leavesRange) = product.addingReportingOverflow(isNegative ? -thousandths : thousandths)
        return leavesRange ? nil : Timestamp(millisecondsSince1970: sum)
    }
}

extension Timestamp {
    /// True from the year 0 to the year 9999.
    fileprivate var hasFourDigitYear: Bool {
        (-62_167_219_200_000...253_402_300_799_999).contains(millisecondsSince1970)
    }
}

/// A pattern of `strftime` from which a whole time can be read back.
package struct DatetimePattern: Sendable, Hashable {
    /// The pattern as it is written.
    package let text: String
    private let parts: [Part]

    private enum Part: Sendable, Hashable {
        case literal(UInt8)
        case year, month, day, dayOfYear, hour, minute, second, fraction, offset, monthName, epoch

        var beginsWithDigit: Bool {
            switch self {
            case .literal(let byte): PercentEncoding.isDigit(byte)
            case .offset, .monthName: false
            case .year, .month, .day, .dayOfYear, .hour, .minute, .second, .fraction, .epoch: true
            }
        }
    }

    static let date = DatetimePattern(text: "%Y-%m-%d", parts: [.year, .literal(45), .month, .literal(45), .day])

    private static let conversions: [Unicode.Scalar: Part] = [
        "Y": .year, "m": .month, "d": .day, "j": .dayOfYear, "H": .hour, "M": .minute, "S": .second, "f": .fraction,
        "z": .offset, "b": .monthName, "s": .epoch, "%": .literal(37),
    ]

    private init(text: String, parts: [Part]) { (self.text, self.parts) = (text, parts) }

    /// Returns nil if the pattern has an unknown conversion, or does not name a day.
    init?(_ text: String) {
        var parts: [Part] = []
        var rest = Array(text.replacing("%F", with: "%Y-%m-%d").replacing("%T", with: "%H:%M:%S").utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                parts.append(.literal(byte))
                continue
            }
            guard let letter = rest.popFirst() else { return nil }
            guard let part = Self.conversions[Unicode.Scalar(letter)] else { return nil }
            parts.append(part)
        }
        let known = Set(parts)
        let hasDay =
            known.contains(.dayOfYear) || known.contains(.day) && !known.isDisjoint(with: [.month, .monthName])
        guard known.contains(.epoch) || known.contains(.year) && hasDay else { return nil }
        self.init(text: text, parts: parts)
    }

    /// Returns the reason why a text with conversions is no pattern; nil for a pattern and for a text without conversions.
    static func problem(in text: String) -> String? {
        guard text.contains("%"), DatetimePattern(text) == nil else { return nil }
        var letters: [Character] = []
        var rest = text[...]
        while let sign = rest.firstIndex(of: "%") {
            let behind = rest.index(after: sign)
            guard behind < rest.endIndex else { return "a % stands at the end" }
            letters.append(rest[behind])
            rest = rest[behind...].dropFirst()
        }
        guard let unknown = letters.first(where: { !"YmdjHMSfzbs%FT".contains($0) }) else {
            return "the pattern names no day, as %Y-%m-%d, %Y-%j and %s do"
        }
        return "%\(unknown) is not known; write %Y, %m, %d, %j, %H, %M, %S, %f, %z, %b, %s, %F or %T"
    }

    fileprivate func instant(of text: String, in zone: ZoneName) -> Timestamp? {
        var reader = FieldReader(text)
        var (year, month, day, dayOfYear) = (Int64(1970), Int64(1), Int64(1), Int64?.none)
        var (hour, minute, second, milliseconds) = (Int64(0), Int64(0), Int64(0), Int64(0))
        var offset: Int64?
        var epoch: Int64?
        for (place, part) in parts.enumerated() {
            switch part {
            case .literal(let byte): guard reader.take(byte) else { return nil }
            case .year: guard let value = reader.number(4...4) else { return nil }; year = value
            case .month: guard let value = reader.number(1...2) else { return nil }; month = value
            case .monthName: guard let value = reader.month() else { return nil }; month = value
            case .day: guard let value = reader.number(1...2) else { return nil }; day = value
            case .dayOfYear: guard let value = reader.number(1...3) else { return nil }; dayOfYear = value
            case .hour: guard let value = reader.number(1...2), value < 24 else { return nil }; hour = value
            case .minute: guard let value = reader.number(1...2), value < 60 else { return nil }; minute = value
            case .second: guard let value = reader.number(1...2), value <= 60 else { return nil }; second = value
            case .fraction:
                // Before other digits, it has as many as it is written with.
                let isBeforeDigit = place + 1 < parts.count && parts[place + 1].beginsWithDigit
                guard let value = reader.fraction(upTo: isBeforeDigit ? 6 : .max) else { return nil }
                milliseconds = value
            case .offset: guard let value = reader.offset() else { return nil }; offset = value
            case .epoch: guard let value = reader.number(1...12) else { return nil }; epoch = value
            }
        }
        guard reader.isAtEnd else { return nil }
        if let epoch { return Timestamp(millisecondsSince1970: epoch * 1000 + milliseconds) }
        guard var days = CivilDate(year: year, month: month, day: day).daysSince1970 else { return nil }
        if let dayOfYear {
            guard let first = CivilDate(year: year, month: 1, day: 1).daysSince1970, dayOfYear > 0,
                CivilDate(daysSince1970: first + dayOfYear - 1).year == year
            else { return nil }
            days = first + dayOfYear - 1
        }
        let local = days * 86_400 + hour * 3600 + minute * 60 + second
        return Timestamp(
            millisecondsSince1970: (offset.map { local - $0 } ?? zone.table.seconds(ofLocal: local)) * 1000
                + milliseconds)
    }

    fileprivate func text(of instant: Timestamp, in zone: ZoneName) -> String {
        let (seconds, milliseconds) = instant.millisecondsSince1970.flooredDivision(by: 1000)
        let offset = zone.table.offset(at: seconds)
        let (days, time) = (seconds + offset).flooredDivision(by: 86_400)
        let date = CivilDate(daysSince1970: days)
        var bytes: [UInt8] = []
        func write(_ value: Int64, _ width: Int) {
            let digits = String(value)
            bytes += String(repeating: "0", count: max(0, width - digits.utf8.count)).utf8
            bytes += digits.utf8
        }
        for part in parts {
            switch part {
            case .literal(let byte): bytes.append(byte)
            case .year: write(date.year, 4)
            case .month: write(date.month, 2)
            case .monthName: bytes += FieldReader.months[Int(date.month) - 1].utf8
            case .day: write(date.day, 2)
            case .dayOfYear:
                let first = CivilDate(year: date.year, month: 1, day: 1).daysSince1970 ?? days
                write(days - first + 1, 3)
            case .hour: write(time / 3600, 2)
            case .minute: write(time / 60 % 60, 2)
            case .second: write(time % 60, 2)
            case .fraction: write(milliseconds * 1000, 6)
            case .offset:
                bytes.append(UInt8(ascii: offset < 0 ? "-" : "+"))
                write(Int64(offset.magnitude) / 3600, 2)
                write(Int64(offset.magnitude) / 60 % 60, 2)
            case .epoch: write(seconds, 1)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Reads the fields of a pattern from ASCII.
private struct FieldReader {
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads the digits that are there, up to the largest of these numbers of digits.
    mutating func number(_ digits: ClosedRange<Int>) -> Int64? {
        let found = rest.prefix(digits.upperBound).prefix(while: PercentEncoding.isDigit)
        guard found.count >= digits.lowerBound else { return nil }
        rest = rest.dropFirst(found.count)
        return found.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Reads the digits of a fraction of a second, in milliseconds.
    mutating func fraction(upTo digits: Int) -> Int64? {
        let found = rest.prefix(digits).prefix(while: PercentEncoding.isDigit)
        guard !found.isEmpty else { return nil }
        rest = rest.dropFirst(found.count)
        return (found.prefix(3) + Array(repeating: UInt8(ascii: "0"), count: max(0, 3 - found.count)))
            .reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    mutating func month() -> Int64? {
        let name = String(decoding: rest.prefix(3), as: UTF8.self).lowercased()
        guard let index = Self.months.firstIndex(where: { $0.lowercased() == name }) else { return nil }
        rest = rest.dropFirst(3)
        return Int64(index + 1)
    }

    /// Reads `Z`, `+0100`, `+01:00` or `+01`, in seconds.
    mutating func offset() -> Int64? {
        if take(UInt8(ascii: "Z")) { return 0 }
        let isWest = take(UInt8(ascii: "-"))
        guard isWest || take(UInt8(ascii: "+")), let hours = number(2...2), hours < 24 else { return nil }
        _ = take(UInt8(ascii: ":"))
        let minutes = number(2...2) ?? 0
        guard minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}

extension Zone {
    /// Returns the seconds since 1970 at a local time. A time that comes twice is the first of the two. One that a change
    /// of the clock skips is earlier than the change.
    fileprivate func seconds(ofLocal local: Int64) -> Int64 {
        // No zone changes its clock twice in two days.
        let candidates = [-86_400, 86_400].map { local - offset(at: local + $0) }
        let right = candidates.filter { $0 + offset(at: $0) == local }
        return (right.isEmpty ? candidates : right).min() ?? local
    }
}
