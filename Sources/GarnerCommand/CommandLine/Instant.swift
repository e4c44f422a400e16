import ArgumentParser
import GarnerCatalog
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSync

/// The notation of an instant on the command line.
enum Instant {
    /// Parses an age before `now` such as `24h` or `3 days ago`, a day or a time in local time, or RFC 3339.
    static func parse(_ text: String, now: Timestamp, in local: LocalTime) throws -> Timestamp {
        switch text.lowercased() {
        case "now": return now
        case "today": return local.midnight(of: now)
        case "yesterday": return local.midnight(of: now, days: -1)
        default: break
        }
        if let instant = local.instant(text) ?? Timestamp(rfc3339: text) { return instant }
        if let age = (try? DurationText.parse(text)) ?? age(text) { return now.advanced(by: .zero - age) }
        throw CommandError.usage(
            "'\(text)' is neither an age nor an instant",
            hint: "write 24h, '2 days', today, yesterday, '2026-01-31 08:00' in local time, or 2026-01-31T08:00:00Z")
    }

    /// Parses `24h ago`, and `2 days` or `1 hour 30 minutes` with or without `ago`.
    private static func age(_ text: String) -> Duration? {
        var words = text.lowercased().split(separator: " ").map(String.init)
        if words.count > 1, words.last == "ago" { words.removeLast() }
        guard words.count > 1 else { return words.first.flatMap { try? DurationText.parse($0) } }
        guard words.count.isMultiple(of: 2) else { return nil }
        var short = ""
        for index in stride(from: 0, to: words.count, by: 2) {
            let number = ["a", "an"].contains(words[index]) ? "1" : words[index]
            let unit = words[index + 1]
            if ["week", "weeks"].contains(unit) {
                guard let weeks = Int(number), (0...10_000).contains(weeks) else { return nil }
                short += "\(weeks * 7)d"
            } else {
                guard let letter = units[unit.hasSuffix("s") ? String(unit.dropLast()) : unit] else { return nil }
                short += number + letter
            }
        }
        return try? DurationText.parse(short)
    }

    private static let units = [
        "day": "d", "hour": "h", "hr": "h", "minute": "m", "min": "m", "second": "s", "sec": "s",
    ]
}

/// The option for the moment whose rows are read.
struct AsOfOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read the rows as of an age such as 24h, yesterday, an instant, or the end of the run with this number.",
            valueName: "when"))
    var asOf: String?

    /// Runs `body`. If a moment is given, the reader shows the rows as they were then.
    func viewing(_ reader: ReadOnlyDatabase, _ setup: Setup, _ body: () throws -> Void) throws {
        guard let asOf else { return try body() }
        try reader.viewing(asOf: instant(asOf, of: reader, setup), body)
    }

    /// Returns the instant of a text. A number is a run, and means the instant of its end.
    private func instant(_ text: String, of reader: ReadOnlyDatabase, _ setup: Setup) throws -> Timestamp {
        guard let run = RunID(text) else { return try setup.pastInstant(text) }
        guard let end = try reader.run(run).endedAt else {
            throw CommandError.usage("run \(run) has not ended", hint: "name one that has: garner runs")
        }
        return end
    }
}

/// The option for times in UTC.
struct UTCOption: ParsableArguments {
    @Flag(help: "Show times in UTC. JSON, CSV and TSV always have them in UTC.")
    var utc = false

    /// Returns the fields with times as the user wants to read them.
    func shown(_ fields: [Report.Field], _ setup: Setup) -> [Report.Field] {
        guard !utc, setup.format == .table else { return fields }
        return fields.map { $0.inLocalTime(.system) }
    }
}

extension LocalTime {
    /// The local time of this machine, or of the variable TZ.
    static let system: LocalTime = {
        tzset()
        return LocalTime { second in
            var (time, parts) = (time_t(second), tm())
            return localtime_r(&time, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
        }
    }()
}

extension Setup {
    func instant(_ text: String) throws -> Timestamp { try Instant.parse(text, now: now(), in: .system) }

    /// Returns the instant of a text that asks for what has been. Nothing is known of the future, so that an answer on it
    /// would be one on the present.
    func pastInstant(_ text: String) throws -> Timestamp {
        let (instant, now) = (try instant(text), now())
        guard instant > now else { return instant }
        throw CommandError.usage(
            "'\(text)' lies in the future; it is \(now) now",
            hint: "name a time that has been, such as 24h, yesterday or \(now)")
    }
}
