package import Catalog

/// A run that is to start.
package struct Start: Sendable, Equatable {
    package enum Occasion: Sendable, Equatable {
        case nominal(Timestamp)
        /// One run serves all requests that came before it started.
        case manual(requests: [String])
    }

    package let id: RunID
    package let stream: StreamName
    package let occasion: Occasion
    /// What lateness is measured from: the nominal instant plus its jitter, or when the first of the requests came.
    package let dueAt: Timestamp

    /// What the stream knew before this run.
    let memory: StreamMemory
    let course: Course?
    /// The stream's instant after this run's, as far as it was known when the run started.
    let following: Departure?
    /// Nothing up to here is to be decided on once the run has ended.
    let settles: Timestamp?
}

extension Start {
    /// The instant that is run; nil where people asked for it.
    package var nominal: Timestamp? {
        if case .nominal(let nominal) = occasion { nominal } else { nil }
    }

    /// Those that it serves.
    package var requests: [String] {
        if case .manual(let requests) = occasion { requests } else { [] }
    }

    /// What the stream is to know once the run has ended, for the transaction that ends it; a function of its arguments.
    ///
    /// `isPaused` is as it was when the run started: whoever stores this leaves that alone.
    package func memory(after result: RunResult, at end: Timestamp) -> StreamMemory {
        var memory = memory
        if case .nominal(let nominal) = occasion, result.ending != .stopped {
            memory.settle(upTo: max(nominal, settles ?? nominal))
            memory.endedAt = end
        }
        switch result.ending {
        case .succeeded:
            (memory.failures, memory.permanentFailures, memory.circuitOpenedAt) = (0, 0, nil)
            (memory.heldUntil, memory.holdReason) = (nil, nil)
        case .failed(let isPermanent):
            // A person who tries whether it works again makes nothing worse.
            if case .nominal = occasion { fail(isPermanent: isPermanent, at: end, &memory) }
        case .cancelled, .stopped:
            break
        }
        if let wish = result.leftAlone { leaveAlone(until: wish, at: end, &memory) }
        let regular = memory.isPaused ? nil : regular(after: end, memory)
        memory.nextDue = regular.map { max($0, memory.heldUntil ?? $0) }
        return memory
    }

    private func fail(isPermanent: Bool, at end: Timestamp, _ memory: inout StreamMemory) {
        memory.failures += 1
        let counts = isPermanent || memory.circuitOpenedAt != nil
        memory.permanentFailures = counts ? memory.permanentFailures + 1 : 0
        (memory.heldUntil, memory.holdReason) = (nil, nil)
        guard let course, let regular = regular(after: end, memory) else { return }
        if memory.permanentFailures >= Circuit.threshold {
            memory.circuitOpenedAt = memory.circuitOpenedAt ?? end
            let probe = end.advanced(by: Circuit.probe(afterFailures: memory.permanentFailures))
            memory.heldUntil = max(regular, probe)
            memory.holdReason =
                "the circuit is open after \(memory.permanentFailures) failures in a row that trying again does not mend"
        } else if memory.failures > 1 {
            let delay = Backoff.delay(of: stream, failures: memory.failures, interval: course.interval(after: end))
            let until = end.advanced(by: delay)
            guard until > regular else { return }
            memory.heldUntil = until
            memory.holdReason = "backs off after \(memory.failures) failures in a row"
        }
    }

    /// The longest that a source is left alone for at its own wish.
    static let longestWish = Duration.seconds(31 * 86_400)

    private func leaveAlone(until wish: Timestamp, at end: Timestamp, _ memory: inout StreamMemory) {
        let until = min(wish, end.advanced(by: Self.longestWish))
        guard until > end, until > memory.heldUntil ?? end else { return }
        memory.heldUntil = until
        memory.holdReason = "the source asks to be left alone"
    }

    /// The due time of the first instant that comes due after the end.
    private func regular(after end: Timestamp, _ memory: StreamMemory) -> Timestamp? {
        if let following, following.due > end { return following.due }
        return course?.firstDue(after: end, memory)?.due
    }
}
