import Foundation

/// When a stream is synchronised, as configured.
package struct Schedule: Sendable, Equatable {
    package var rhythm: Rhythm
    /// The largest delay added to a nominal instant.
    package var jitter: Duration = .zero
    package var overlap = Overlap.skip
    /// What is later than this was missed; it matters for `catchUp: .none` only.
    package var misfireGrace: Duration = .seconds(60)
    package var catchUp = CatchUp.latest

    package init(_ rhythm: Rhythm) {
        self.rhythm = rhythm
    }

    package init(every: Duration, jitter: Duration = .zero) {
        rhythm = .every(every)
        self.jitter = jitter
    }

    /// What the nominal instants are.
    package enum Rhythm: Sendable, Equatable {
        /// The epoch, plus a phase of the stream's own, plus every multiple.
        case every(Duration)
        /// That long after the end of the run before.
        case afterFinish(Duration)
        case cron(CronExpression, zone: ZoneName)
    }

    /// What becomes of an instant that comes due while the run of an earlier one goes on.
    package enum Overlap: String, Sendable, Equatable, CaseIterable {
        case skip
        case queueOne = "queue_one"
        case cancelRunning = "cancel_running"
    }

    /// What becomes of the instants that passed while nobody watched.
    package enum CatchUp: String, Sendable, Equatable, CaseIterable {
        case latest, none
    }
}

extension Schedule.Rhythm: CustomStringConvertible {
    /// `every 15m`, `15m after the end`, `cron 0 6 * * *`, or `cron 0 6 * * * Europe/Berlin`.
    package var description: String {
        switch self {
        case .every(let interval): "every \(DurationText.format(interval))"
        case .afterFinish(let pause): "\(DurationText.format(pause)) after the end"
        case .cron(let expression, .utc): "cron \(expression)"
        case .cron(let expression, let zone): "cron \(expression) \(zone)"
        }
    }
}

/// The name of a time zone that exists, as IANA spells it: `Europe/Berlin`, `UTC`.
package struct ZoneName: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package static let utc = ZoneName(known: "UTC")

    private init(known name: String) {
        description = name
    }

    /// nil where there is no such zone. Abbreviations are none: IST is the time of three countries.
    package init?(_ name: String) {
        // Foundation would read no further than a NUL.
        guard name.contains("/") || ["UTC", "GMT"].contains(name), !name.utf8.contains(0),
            TimeZone(identifier: name) != nil
        else { return nil }
        self.init(known: name)
    }

    /// What someone who wrote this instead of a zone is told; a city is enough to be understood.
    package static func hint(for name: String) -> String {
        let known = TimeZone.knownTimeZoneIdentifiers + [utc.description]
        let city = name.replacing(" ", with: "_").lowercased()
        let meant =
            known.first { $0.lowercased() == city || $0.lowercased().hasSuffix("/" + city) }
            ?? Suggestion.closest(to: name, among: known)
        return meant.map { "did you mean '\($0)'?" } ?? "write an area and a city, such as Europe/Berlin, or UTC"
    }
}
