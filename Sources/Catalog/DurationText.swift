/// Durations as people write them: `30s`, `15m`, `1h30m`, `500ms`, `2d`, and ISO 8601's `PT15M` and `P1D`.
package enum DurationText {
    package enum ParseError: Error, Equatable, Sendable {
        /// A number alone, which could be seconds or minutes.
        case missingUnit
        case negative
        /// Years and months have no fixed length.
        case calendarUnit
        /// Beyond 2⁶³ nanoseconds, about 292 years.
        case outOfRange
        case malformed
    }

    package static func parse(_ text: String) throws(ParseError) -> Duration {
        if text.hasPrefix("-") { throw .negative }
        if text.hasPrefix("P") { return try parseISO(text.dropFirst()) }
        return try parseUnits(text)
    }

    /// Returns a spelling that `parse` reads back as the same nanoseconds. A negative duration begins with `-`.
    package static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        var rest = seconds.magnitude
        var text = ""
        for (unit, length): (String, UInt64) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] where rest >= length
        {
            text += "\(rest / length)\(unit)"
            rest %= length
        }
        let (milliseconds, fraction) = attoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        if fraction > 0 {
            let digits = String(
                String(fraction + 1_000_000_000_000_000).dropFirst().reversed().drop { $0 == "0" }.reversed())
            text += "\(milliseconds).\(digits)ms"
        } else if milliseconds > 0 {
            text += "\(milliseconds)ms"
        }
        if text.isEmpty { return "0s" }
        return duration < .zero ? "-" + text : text
    }

    /// Returns the spelling of a duration that is written in words, such as `1 month`, `2 weeks` and `daily`; nil for others.
    static func spelling(of words: String) -> String? {
        let text = words.lowercased()
        let periods = ["hourly": 1, "daily": 24, "weekly": 7 * 24, "monthly": 30 * 24, "yearly": 365 * 24]
        if let hours = periods[text] { return format(.seconds(hours * 3600)) }
        // A capital M is a month in many programs, and never a minute.
        if let months = words.wholeMatch(of: /([0-9]{1,3})M/)?.1 {
            return Int(months).map { format(.seconds($0 * 30 * 86_400)) }
        }
        guard let match = text.wholeMatch(of: /(?:([0-9]{1,6})|an?|one|every|per|)[ _-]?([a-z]+)/) else { return nil }
        let units = [
            "year": 365 * 86_400, "y": 365 * 86_400, "month": 30 * 86_400, "mo": 30 * 86_400, "week": 7 * 86_400,
            "wk": 7 * 86_400, "w": 7 * 86_400, "day": 86_400, "d": 86_400, "hour": 3600, "hr": 3600, "h": 3600,
            "minute": 60, "min": 60, "m": 60, "second": 1, "sec": 1, "s": 1,
        ]
        let unit = String(match.2)
        guard unit != "ms", let seconds = units[unit] ?? units[String(unit.dropLast(unit.hasSuffix("s") ? 1 : 0))]
        else {
            return nil
        }
        let whole = (match.1.flatMap { Int($0) } ?? 1) * seconds
        return (1..<9_000_000_000).contains(whole) ? format(.seconds(whole)) : nil
    }

    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
        ("ms", 1_000_000),
    ]

    /// Parses numbers with units, each unit once and from the largest to the smallest.
    private static func parseUnits(_ text: String) throws(ParseError) -> Duration {
        var rest = text[...]
        var total = Nanoseconds()
        var remaining = units[...]
        guard !rest.isEmpty else { throw .malformed }
        while !rest.isEmpty {
            let number = try takeNumber(from: &rest)
            let name = rest.prefix { $0.isLetter }
            rest.removeFirst(name.count)
            if name.isEmpty { throw rest.isEmpty ? .missingUnit : .malformed }
            guard let index = remaining.firstIndex(where: { $0.name == name }) else { throw .malformed }
            try total.add(number, of: remaining[index].nanoseconds)
            remaining = remaining[(index + 1)...]
        }
        return .nanoseconds(total.count)
    }

    private static func parseISO(_ text: Substring) throws(ParseError) -> Duration {
        var rest = text
        var total = Nanoseconds()
        var remaining: ArraySlice<(Character, Int64)> = [("W", 604_800_000_000_000), ("D", 86_400_000_000_000)]
        var isTime = false
        guard !rest.isEmpty, rest.last != "T" else { throw .malformed }
        while !rest.isEmpty {
            if !isTime, rest.first == "T" {
                isTime = true
                remaining = [("H", 3_600_000_000_000), ("M", 60_000_000_000), ("S", 1_000_000_000)]
                rest.removeFirst()
            }
            let number = try takeNumber(from: &rest)
            guard let unit = rest.popFirst() else { throw .malformed }
            if !isTime, unit == "Y" || unit == "M" { throw .calendarUnit }
            guard let index = remaining.firstIndex(where: { $0.0 == unit }) else { throw .malformed }
            try total.add(number, of: remaining[index].1)
            remaining = remaining[(index + 1)...]
        }
        return .nanoseconds(total.count)
    }

    private static func takeNumber(from rest: inout Substring) throws(ParseError) -> (
        whole: Substring, fraction: Substring
    ) {
        let whole = takeDigits(from: &rest)
        guard !whole.isEmpty else { throw .malformed }
        guard rest.first == "." else { return (whole, "") }
        rest.removeFirst()
        let fraction = takeDigits(from: &rest)
        guard !fraction.isEmpty else { throw .malformed }
        return (whole, fraction)
    }

    private static func takeDigits(from rest: inout Substring) -> Substring {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        rest.removeFirst(digits.count)
        return digits
    }

    /// A sum that reports an overflow instead of trapping.
    private struct Nanoseconds {
        var count: Int64 = 0

        mutating func add(_ number: (whole: Substring, fraction: Substring), of unit: Int64) throws(ParseError) {
            guard let whole = Int64(number.whole) else { throw .outOfRange }
            var term = whole.multipliedReportingOverflow(by: unit)
            if term.overflow { throw .outOfRange }
            var digitUnit = unit
            for digit in number.fraction {
                // Digits below a nanosecond could not be kept.
                guard digitUnit % 10 == 0, let value = digit.wholeNumberValue else { throw .malformed }
                digitUnit /= 10
                term = term.partialValue.addingReportingOverflow(Int64(value) * digitUnit)
                if term.overflow { throw .outOfRange }
            }
            let sum = count.addingReportingOverflow(term.partialValue)
            if sum.overflow { throw .outOfRange }
            count = sum.partialValue
        }
    }
}
