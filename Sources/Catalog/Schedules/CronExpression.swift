/// Five cron fields in cronie's syntax, which match at least one minute of some year.
package struct CronExpression: Sendable, Equatable, CustomStringConvertible {
    /// The fields as they are written, with one space between them.
    package let description: String
    /// The bits 0 to 59.
    package let minutes: UInt64
    /// The bits 0 to 23.
    package let hours: UInt64
    /// The bits 1 to 31.
    package let days: UInt64
    /// The bits 1 to 12.
    package let months: UInt64
    /// The bits 0, for Sunday, to 6.
    package let weekdays: UInt64
    /// True if both the day of month and the day of week must match. Otherwise one of them is enough.
    ///
    /// crontab(5): "If both fields are restricted (i.e., do not contain the "*" character), the command will be run when
    /// either field matches the current time." A field counts as `*` if it begins with `*`.
    package let needsBothDays: Bool
    /// True if the minute or the hour begins with `*`. Such jobs follow elapsed time when the clocks change.
    ///
    /// cron(8): "Local time changes of less than three hours, such as those caused by the Daylight Saving changes, are
    /// handled in a special way. This only applies to jobs that run at a specific time and jobs that run with a
    /// granularity greater than one hour. Jobs that run more frequently are scheduled normally."
    package let isWild: Bool

    /// The reason why a text is no expression, and the advice for the user.
    package struct ParseError: Error, Sendable, Equatable {
        package let message: String
        package let hint: String
    }

    package init(_ text: String) throws(ParseError) {
        let words = text.split(whereSeparator: \.isWhitespace)
        description = words.joined(separator: " ")
        let fields = try Self.fields(words)
        minutes = try CronField.minute.bits(of: fields[0])
        hours = try CronField.hour.bits(of: fields[1])
        days = try CronField.day.bits(of: fields[2])
        months = try CronField.month.bits(of: fields[3])
        let written = try CronField.weekday.bits(of: fields[4])
        weekdays = (written | written >> 7) & 0b111_1111
        needsBothDays = fields[2].hasPrefix("*") || fields[4].hasPrefix("*")
        isWild = fields[0].hasPrefix("*") || fields[1].hasPrefix("*")
        if needsBothDays, !(1...12).contains(where: { months.hasBit($0) && days.hasBit(upTo: Self.longest($0)) }) {
            throw ParseError(
                message: "'\(description)' names a day that no month has",
                hint: "change the day of the month or the month")
        }
    }

    private static let nicknames = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    private static func fields(_ words: [Substring]) throws(ParseError) -> [Substring] {
        if let word = words.first, word.hasPrefix("@") {
            if words.count == 1, let fields = nicknames[word.lowercased()] { return fields.split(separator: " ") }
            let near = Suggestion.closest(to: String(word), among: nicknames.keys.sorted())
            let isEvery = word == "@every" && words.count == 2 && (try? DurationText.parse(String(words[1]))) != nil
            throw ParseError(
                message: "'\(shown(words.joined(separator: " ")))' is no schedule of cron",
                hint: isEvery
                    ? "write schedule: { every: \(words[1]) }"
                    : near.map { "did you mean '\($0)'?" }
                        ?? "write one of \(nicknames.keys.sorted().joined(separator: ", "))")
        }
        if let zone = words.first?.wholeMatch(of: /(?:CRON_)?TZ=([\w\/+-]{1,40})/)?.1 {
            throw ParseError(
                message: "a zone stands in front of the five fields",
                hint: "write timezone: \(zone) beside cron: \"\(shown(words.dropFirst().joined(separator: " ")))\"")
        }
        guard words.count == 5 else {
            let hint = words.count == 6 ? "leave the seconds out: minute, hour, day of month, month, day of week" : nil
            throw ParseError(
                message: "'\(shown(words.joined(separator: " ")))' has \(words.count) fields, and cron has five",
                hint: hint ?? "write minute, hour, day of month, month and day of week, such as 0 6 * * *")
        }
        return words
    }

    /// Returns the text on one line, and not too long.
    static func shown(_ text: String) -> String {
        let line = text.map { $0.isWhitespace || $0 == "\0" ? " " : $0 }
        return line.count > 60 ? String(line.prefix(60)) + "…" : String(line)
    }

    /// Returns the number of the month's days in a leap year.
    private static func longest(_ month: Int) -> Int {
        month == 2 ? 29 : [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}

extension UInt64 {
    package func hasBit(_ bit: Int) -> Bool { self >> UInt64(bit) & 1 == 1 }

    /// Returns true if a bit is set, from the lowest to this one.
    fileprivate func hasBit(upTo bit: Int) -> Bool { self & (2 << UInt64(bit) - 1) != 0 }
}

/// One of the five fields of a cron expression, with its numbers and the names for them.
struct CronField {
    let name: String
    let range: ClosedRange<Int>
    var names: [String] = []
    /// The number of the first name.
    var firstName = 0
    let example: String

    typealias ParseError = CronExpression.ParseError

    static let minute = CronField(name: "minute", range: 0...59, example: "0, 5-55/10 or *")
    static let hour = CronField(name: "hour", range: 0...23, example: "6, 8-18/2 or *")
    static let day = CronField(name: "day of month", range: 1...31, example: "1, 1,15 or *")
    static let month = CronField(
        name: "month", range: 1...12,
        names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], firstName: 1,
        example: "6, MAR-OCT or *")
    static let weekday = CronField(
        name: "day of week", range: 0...7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
        example: "1, MON-FRI or *")

    /// Returns the numbers of a list of ranges as bits.
    func bits(of text: Substring) throws(ParseError) -> UInt64 {
        var bits: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let range = try range(pieces[0])
            guard pieces.count == 2 else {
                for number in range { bits |= 1 << UInt64(number) }
                continue
            }
            guard pieces[0] == "*" || pieces[0].contains("-") else {
                throw problem(
                    "'\(CronExpression.shown(String(part)))' has a step without a range",
                    hint: "write \(pieces[0])-\(self.range.upperBound)/\(pieces[1])")
            }
            for number in stride(from: range.lowerBound, through: range.upperBound, by: try step(pieces[1])) {
                bits |= 1 << UInt64(number)
            }
        }
        return bits
    }

    private func range(_ text: Substring) throws(ParseError) -> ClosedRange<Int> {
        // The numbers 0 and 7 are the same day. A step must not count it twice.
        if text == "*" { return names.isEmpty || firstName == 1 ? range : 0...6 }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try number(ends[0])
        guard ends.count == 2 else { return first...first }
        var last = try number(ends[1])
        // A range of weekdays may end with SUN.
        if last == 0, first > 0, range.upperBound == 7 { last = 7 }
        guard first <= last else {
            throw problem(
                "'\(text)' goes backwards", hint: "write \(ends[0])-\(range.upperBound),\(range.lowerBound)-\(ends[1])")
        }
        return first...last
    }

    private func number(_ text: Substring) throws(ParseError) -> Int {
        if let index = names.firstIndex(of: text.lowercased()) { return index + firstName }
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw ParseError(
                message: "'\(CronExpression.shown(String(text)))' is no \(name)", hint: "write \(example)")
        }
        guard let number = Int(text), range.contains(number) else {
            throw problem(
                "'\(CronExpression.shown(String(text)))' is out of range",
                hint: "write a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func step(_ text: Substring) throws(ParseError) -> Int {
        guard let step = Int(text), step >= 1, !text.hasPrefix("+") else {
            throw problem("'/\(CronExpression.shown(String(text)))' is no step", hint: "write a step such as */5")
        }
        guard step <= range.upperBound else {
            throw problem(
                "the step of '/\(step)' is longer than the field", hint: "write a smaller one, or use 'every: 90m'")
        }
        return step
    }

    private func problem(_ message: String, hint: String) -> ParseError {
        ParseError(message: "\(message) (\(name))", hint: hint)
    }
}
