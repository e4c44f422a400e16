package import Catalog

/// Decides which runs start when: events in, actions out, no clock and no input or output of its own.
///
/// A stream never overlaps itself, and no nominal instant is decided on twice, wherever the clock goes. Runs beyond
/// `maximumConcurrentRuns` wait: sources take turns, and within a source the stream that was due first goes first.
package struct Timetable: Sendable {
    /// Before this instant (2020-01-01T00:00:00Z) the clock has not been set, and nothing starts.
    package static let earliestPlausibleNow = Timestamp(millisecondsSince1970: 1_577_836_800_000)
    /// What a start finds due, where that is more than there are places, leaves within this time.
    package static let longestSpread = Duration.seconds(10)

    /// In the order of their names; behind them those that are removed and end their runs.
    var lines: [Line] = []
    var indices: [StreamName: Int] = [:]
    /// By line: those that are asked for with its records.
    var children: [[Int]] = []
    /// Of streams that are not configured now.
    var retired: [StreamName: StreamMemory] = [:]
    var alarms = Alarms(lines: 0)
    var turns: Turns
    var flights: [RunID: Flight] = [:]
    var requests = Requests()
    let maximumConcurrentRuns: Int
    private(set) var stage = Stage.unstarted
    private var lastRun = 0
    private var latestNow = Timestamp(millisecondsSince1970: .min)

    struct Flight: Sendable {
        var line: Int
        let host: String
        /// What the run is for, where people asked for it.
        let requests: [String]
    }

    enum Stage: Sendable {
        case unstarted
        /// The clock has not been plausible yet.
        case starting
        case going
        case stopping
        case finished
    }

    /// Of streams with the same name the first counts; the limits are at least 1.
    ///
    /// - Parameter maximumRunsPerHost: half of `maximumConcurrentRuns` by default.
    package init(_ streams: [ScheduledStream], maximumConcurrentRuns: Int = 8, maximumRunsPerHost: Int? = nil) {
        self.maximumConcurrentRuns = max(1, maximumConcurrentRuns)
        turns = Turns(maximumRunsPerHost: maximumRunsPerHost ?? self.maximumConcurrentRuns / 2)
        replaceLines(Self.sorted(streams).map { Line($0, memory: StreamMemory()) })
    }

    /// Every call reads the clock anew: whatever the event was, what has come due by `now` is decided on.
    ///
    /// Complexity: O(log streams) for each instant that has come due, O(sources that wait) for each run started.
    package mutating func handle(_ event: Event, at now: Timestamp) -> [Action] {
        var actions: [Action] = []
        if case .going = stage, now >= Self.earliestPlausibleNow {
            if now < latestNow { turnBack(to: now, &actions) }
        }
        switch event {
        case .started(let memories):
            if case .unstarted = stage { recall(memories) }
        case .woke: break
        case .finished(let id, let result, let memory): finish(id, result, memory, at: now, &actions)
        case .wanted(let stream, let request): want(stream, request, at: now, &actions)
        case .paused(let stream): pause(stream, at: now, &actions)
        case .resumed(let stream): resume(stream, at: now, &actions)
        case .reloaded(let streams): reload(streams, at: now, &actions)
        case .stopRequested: stop(&actions)
        case .graceEnded:
            if case .stopping = stage { actions.append(.cancelRuns) }
        }
        decide(at: now, &actions)
        return actions
    }

    private mutating func recall(_ memories: [StreamName: StreamMemory]) {
        stage = .starting
        retired = memories
        for index in lines.indices {
            guard let memory = retired.removeValue(forKey: lines[index].name) else { continue }
            lines[index].memory = memory
            lines[index].hasRun = memory.settled != nil || memory.endedAt != nil
        }
    }

    private mutating func stop(_ actions: inout [Action]) {
        switch stage {
        case .unstarted, .starting, .going:
            stage = .stopping
            for index in lines.indices { refuse(index, &actions) }
            if !flights.isEmpty { actions.append(.startGrace) }
        case .stopping, .finished: break
        }
    }

    private mutating func decide(at now: Timestamp, _ actions: inout [Action]) {
        switch stage {
        case .unstarted, .finished: return
        case .stopping:
            guard flights.isEmpty else { return }
            stage = .finished
            actions.append(.finish)
        case .starting, .going:
            guard now >= Self.earliestPlausibleNow else {
                return actions.append(.wake(at: Self.earliestPlausibleNow))
            }
            if case .starting = stage {
                stage = .going
                open(Array(lines.indices), at: now, &actions)
            }
            latestNow = now
            while let index = alarms.removeDue(at: now) { look(at: index, now, &actions) }
            startWaiting(at: now, &actions)
            if let earliest = alarms.earliest { actions.append(.wake(at: earliest)) }
        }
    }

    private mutating func startWaiting(at now: Timestamp, _ actions: inout [Action]) {
        while flights.count < maximumConcurrentRuns, let index = turns.next() {
            let id = RunID(lastRun + 1)
            if let start = lines[index].depart(id, at: now, isBlocked: waitsForParent(index, at: now), &actions) {
                lastRun += 1
                flights[id] = Flight(line: index, host: turns.started(index), requests: start.requests)
                actions.append(.run(start))
            } else {
                release(childrenOf: index, at: now)
            }
            alarms.set(index, lines[index].wake)
            // Too late, and the next one is due already.
            if let wake = lines[index].wake, wake <= now, lines[index].flight == nil { look(at: index, now, &actions) }
        }
    }
}
