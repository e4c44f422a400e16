/// When the server, by its own word, takes another request.
struct ServerLimit: Sendable {
    /// Until then it takes none.
    private(set) var closedUntil: Duration = .zero
    /// What is left of the server's window, where that is little.
    private var pace: Pace?

    /// Nobody starts for that long, 24 hours at most, whatever a later response says.
    mutating func close(for wait: Duration, at now: Duration) {
        closedUntil = max(closedUntil, now + min(max(wait, .zero), .seconds(24 * 3600)))
    }

    /// Takes over what a response says. `inFlight` requests may not be counted in it; of those that remain, it spreads
    /// up to `few` over the time left, unless that is more than `longest`.
    mutating func update(
        with report: RateLimitReport, inFlight: Int, few: Int, longest: Duration, at now: Duration
    ) {
        guard let remaining = report.remaining, let reset = report.reset else { return }
        pace = nil
        if remaining == 0 {
            close(for: reset, at: now)
        } else if remaining <= few {
            pace = Pace(remaining: max(0, remaining - inFlight), end: now + reset, longest: longest, from: now)
        }
    }

    mutating func started(at now: Duration) {
        guard let pace, now < pace.end else { return }
        self.pace = Pace(
            remaining: max(0, pace.remaining - 1), end: pace.end, longest: pace.longest, from: now)
    }

    /// When the next request may start that has so many others before it, but not before `now`.
    func due(at now: Duration, behind others: Int) -> Duration {
        max(now, closedUntil, pace?.due(behind: others) ?? now)
    }

    /// The times, evenly spread, for the few requests that remain.
    private struct Pace {
        let remaining: Int
        /// When the window begins anew.
        let end: Duration
        let longest: Duration
        private let start: Duration
        private let interval: Duration

        init(remaining: Int, end: Duration, longest: Duration, from start: Duration) {
            self.remaining = remaining
            self.end = end
            self.longest = longest
            self.start = start
            // What the server would take is never refused for the sake of even spacing.
            interval = end - start > longest ? .zero : (end - start) / (remaining + 1)
        }

        func due(behind others: Int) -> Duration {
            others < remaining ? start + interval * (others + 1) : end
        }
    }
}
