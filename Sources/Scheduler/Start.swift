import GarnerCatalog
package import GarnerModel

/// A run that must start now.
package struct Start: Sendable, Equatable {
    package let id: ActiveRunID
    package let stream: StreamName
    /// The instant that runs, or all requests that were made before the run started.
    package let occasion: RunOccasion
    /// The time that lateness is measured from: the nominal instant plus its jitter, or the time of the first
    /// request.
    package let dueAt: Timestamp

    /// The state of the stream before this run.
    let state: ScheduleState
    let occurrences: Occurrences?
    /// The stream's next instant after this run's, as known when the run started.
    let following: Occurrence?
    /// The time up to which all instants are decided once the run has ended.
    let settles: Timestamp?
}

extension Start {
    /// The instant that runs; nil for a manual run.
    package var nominal: Timestamp? { occasion.nominal }

    /// The manual requests that the run serves.
    package var requests: [String] { occasion.requests }

    /// Returns the stream's state after the run, to store in the transaction that ends it. The result depends
    /// only on this value and the arguments.
    ///
    /// `isPaused` is as it was at the run's start: do not store it.
    package func state(after result: RunResult, at end: Timestamp) -> ScheduleState {
        var state = state
        if let nominal, result.ending != .stopped {
            state.settle(upTo: max(nominal, settles ?? nominal))
            state.endedAt = end
        }
        switch result.ending {
        case .succeeded:
            (state.failures, state.permanentFailures, state.circuitOpenedAt) = (0, 0, nil)
            (state.heldUntil, state.holdReason) = (nil, nil)
        case .failed(let isPermanent):
            // A manual attempt to see if the source works again must not make the state worse.
            if nominal != nil { fail(isPermanent: isPermanent, at: end, &state) }
        case .cancelled, .stopped:
            break
        }
        if let retryAfter = result.retryAfter { hold(until: retryAfter, at: end, &state) }
        let regular = state.isPaused ? nil : regular(after: end, state)
        state.nextDue = regular.map(state.start(ofRunDueAt:))
        return state
    }

    private func fail(isPermanent: Bool, at end: Timestamp, _ state: inout ScheduleState) {
        state.failures += 1
        let counts = isPermanent || state.circuitOpenedAt != nil
        state.permanentFailures = counts ? state.permanentFailures + 1 : 0
        (state.heldUntil, state.holdReason) = (nil, nil)
        guard let occurrences, let regular = regular(after: end, state) else { return }
        if state.permanentFailures >= Circuit.threshold {
            state.circuitOpenedAt = state.circuitOpenedAt ?? end
            let probe = end.advanced(by: Circuit.probe(afterFailures: state.permanentFailures))
            state.heldUntil = max(regular, probe)
            state.holdReason =
                "suspended after \(state.permanentFailures) permanent failures in a row"
        } else if state.failures > 1 {
            let delay = Backoff.delay(of: stream, failures: state.failures, interval: occurrences.interval(after: end))
            let until = end.advanced(by: delay)
            guard until > regular else { return }
            state.heldUntil = until
            state.holdReason = "backs off after \(state.failures) failures in a row"
        }
    }

    /// The longest time for which the `Retry-After` of a source is honoured.
    static let longestRetryAfter = Duration.seconds(31 * 86_400)

    private func hold(until retryAfter: Timestamp, at end: Timestamp, _ state: inout ScheduleState) {
        let until = min(retryAfter, end.advanced(by: Self.longestRetryAfter))
        guard until > end, until > state.heldUntil ?? end else { return }
        state.heldUntil = until
        state.holdReason = "the source asks to be left alone"
    }

    /// Returns the due time of the first instant that comes due after `end`.
    private func regular(after end: Timestamp, _ state: ScheduleState) -> Timestamp? {
        if let following, following.due > end { return following.due }
        return occurrences?.firstDue(after: end, state)?.due
    }
}

/// The extra delay, beyond the regular instants, of a stream that fails repeatedly.
enum Backoff {
    static let maximum = Duration.seconds(6 * 3600)
    static let maximumIntervals: Int64 = 16

    /// Returns a delay with full jitter (a stable hash of stream and failures) of up to interval × 2^(failures
    /// − 1), at most 16 intervals or 6 h, whichever is shorter. Zero after the first failure in a row.
    static func delay(of stream: StreamName, failures: Int, interval: Duration) -> Duration {
        guard failures > 1 else { return .zero }
        let interval = max(1, interval.wholeMilliseconds)
        let factor = min(maximumIntervals, 1 << Int64(min(failures - 1, 62)))
        let (product, overflows) = interval.multipliedReportingOverflow(by: factor)
        let longest = overflows ? maximum.wholeMilliseconds : min(product, maximum.wholeMilliseconds)
        var hash = StableHash()
        hash.add(stream.description.utf8)
        hash.add(integer: Int64(failures))
        return .milliseconds(Int64(hash.mixed % UInt64(longest + 1)))
    }
}

/// The circuit breaker: after permanent failures, a stream is left alone except for occasional probes.
enum Circuit {
    /// The number of consecutive permanent failures that opens the circuit. A success closes it.
    static let threshold = 5
    static let firstProbe = Duration.seconds(3600)
    static let longestProbe = Duration.seconds(24 * 3600)

    /// Returns the wait before a probe: 1 h, 2 h, 4 h … at most 24 h.
    static func probe(afterFailures permanentFailures: Int) -> Duration {
        let doublings = min(max(0, permanentFailures - threshold), 5)
        return min(longestProbe, firstProbe * (1 << doublings))
    }
}
