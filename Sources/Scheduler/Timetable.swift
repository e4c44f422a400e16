package import Catalog

/// Decides which runs start when: events in, actions out, no clock and no input or output of its own.
///
/// A stream never overlaps itself, and no nominal instant is decided on twice, wherever the clock goes. Runs beyond
/// `maximumConcurrentRuns` wait: sources take turns, and within a source the stream that was due first goes first.
/// A failed run changes nothing: its stream waits for the next regular instant.
package struct Timetable: Sendable {
    /// Before this instant (2020-01-01T00:00:00Z) the clock has not been set, and nothing starts.
    package static let earliestPlausibleNow = Timestamp(millisecondsSince1970: 1_577_836_800_000)

    /// In the order of their names.
    private var lines: [Line]
    private let indices: [StreamName: Int]
    private let maximumConcurrentRuns: Int
    private var stage = Stage.unstarted
    private var runsInFlight = 0
    private var runsStarted = 0
    /// The number of each source's latest start; the lowest has the next turn.
    private var turns: [String: Int] = [:]

    private enum Stage {
        case unstarted
        /// The clock has not been plausible yet.
        case starting(lastNominal: [StreamName: Timestamp])
        case going
        case stopping
        case finished
    }

    /// Of streams with the same name the first counts; `maximumConcurrentRuns` is at least 1.
    ///
    /// - Parameter parents: by stream, the one whose records it is asked for with: its first run is waited for.
    package init(
        _ streams: [(StreamName, Schedule)], parents: [StreamName: StreamName] = [:], maximumConcurrentRuns: Int = 8
    ) {
        let schedules = Dictionary(streams, uniquingKeysWith: { first, _ in first })
        lines = schedules.sorted { $0.key < $1.key }.map { Line($0.key, $0.value, parent: parents[$0.key]) }
        indices = Dictionary(uniqueKeysWithValues: zip(lines.map(\.stream), lines.indices))
        self.maximumConcurrentRuns = max(1, maximumConcurrentRuns)
    }

    /// Every call reads the clock anew: whatever the event was, what has come due by `now` is decided on.
    ///
    /// Complexity: O(streams), and again for every run started.
    package mutating func handle(_ event: Event, at now: Timestamp) -> [Action] {
        switch event {
        case .started(let lastNominal):
            if case .unstarted = stage { stage = .starting(lastNominal: lastNominal) }
        case .woke:
            break
        case .finished(let stream, let nominal, let result):
            if let index = indices[stream], lines[index].finish(nominal, result) { runsInFlight -= 1 }
        case .stopRequested:
            return stop()
        case .graceEnded:
            if case .stopping = stage { return [.cancelRuns] }
        }
        return decide(at: now)
    }

    private mutating func stop() -> [Action] {
        switch stage {
        case .unstarted, .starting, .going:
            stage = .stopping
            return runsInFlight == 0 ? finish() : [.startGrace]
        case .stopping, .finished:
            return []
        }
    }

    private mutating func finish() -> [Action] {
        stage = .finished
        return [.finish]
    }

    private mutating func decide(at now: Timestamp) -> [Action] {
        switch stage {
        case .unstarted, .finished:
            return []
        case .stopping:
            return runsInFlight == 0 ? finish() : []
        case .starting, .going:
            guard now >= Self.earliestPlausibleNow else { return [.wake(at: Self.earliestPlausibleNow)] }
            return takeDue(at: now).map(Action.skip) + startWaiting() + nextWake()
        }
    }

    private mutating func takeDue(at now: Timestamp) -> [Skip] {
        guard case .starting(let lastNominal) = stage else {
            return lines.indices.compactMap { lines[$0].takeDue(at: now) }
        }
        stage = .going
        return lines.indices.compactMap { lines[$0].start(after: lastNominal[lines[$0].stream], at: now) }
    }

    private mutating func startWaiting() -> [Action] {
        var actions: [Action] = []
        while runsInFlight < maximumConcurrentRuns, let (index, nominal) = nextInTurn() {
            lines[index].run(nominal)
            runsInFlight += 1
            runsStarted += 1
            turns[lines[index].stream.source] = runsStarted
            actions.append(.run(lines[index].stream, nominal: nominal))
        }
        return actions
    }

    /// Sources that have not started anything yet go before all others; equals go in the order of their names.
    private func nextInTurn() -> (index: Int, nominal: Timestamp)? {
        var best: (index: Int, nominal: Timestamp, rank: (turn: Int, since: Timestamp))?
        for (index, line) in lines.enumerated() {
            guard case .waiting(let nominal, let since) = line.state, !waitsForParent(line) else { continue }
            let rank = (turn: turns[line.stream.source] ?? 0, since: since)
            if let current = best, current.rank <= rank { continue }
            best = (index, nominal, rank)
        }
        return best.map { ($0.index, $0.nominal) }
    }

    /// Whether its parent has never run, and is about to.
    private func waitsForParent(_ line: Line) -> Bool {
        guard let parent = line.parent.flatMap({ indices[$0] }).map({ lines[$0] }) else { return false }
        return !parent.hasRun && parent.state != .idle
    }

    private func nextWake() -> [Action] {
        lines.compactMap { $0.next?.due }.min().map { [.wake(at: $0)] } ?? []
    }
}
