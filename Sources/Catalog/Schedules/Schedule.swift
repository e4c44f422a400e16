/// The configured schedule of a stream's runs.
package struct Schedule: Sendable, Equatable {
    package var rhythm: Rhythm
    /// The largest delay added to a nominal instant.
    package var jitter: Duration = .zero
    package var overlap = Overlap.skip
    /// The delay after which an instant counts as missed. Only `catchUp: .none` uses it.
    package var misfireGrace: Duration = .seconds(60)
    package var catchUp = CatchUp.latest

    package init(_ rhythm: Rhythm) {
        self.rhythm = rhythm
    }

    package init(every: Duration, jitter: Duration = .zero) {
        rhythm = .every(every)
        self.jitter = jitter
    }

    /// The rule for the nominal instants.
    package enum Rhythm: Sendable, Equatable {
        /// The multiples of the interval since the epoch, plus a phase of the stream's own.
        case every(Duration)
        /// A pause of this length after the end of the previous run.
        case afterFinish(Duration)
        case cron(CronExpression, zone: ZoneName)
    }

    /// The treatment of an instant that comes while an earlier run goes on.
    package enum Overlap: String, Sendable, Equatable, CaseIterable {
        case skip
        case queueOne = "queue_one"
        case cancelRunning = "cancel_running"
    }

    /// The treatment of the instants that passed while no service was running.
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
