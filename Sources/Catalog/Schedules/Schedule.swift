/// When a stream is synchronised, as configured.
package struct Schedule: Sendable, Equatable {
    package var rhythm: Rhythm
    /// The largest delay added to a nominal instant.
    package var jitter: Duration = .zero
    package var overlap = Overlap.skip
    /// What is later than this was missed; it matters for `catchUp: .none` only.
    package var misfireGrace: Duration = .seconds(60)
    package var catchUp = CatchUp.latest
    /// The most missed instants that `catchUp: .all` runs.
    package var maxCatchUp = 100

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
        case latest, all, none
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
