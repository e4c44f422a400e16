package import GarnerCatalog
package import GarnerModel

/// A state machine that decides which run starts when: events in, actions out, no clock and no I/O of its own.
///
/// A stream never overlaps itself, and no nominal instant is decided twice, even if the clock is set. Runs beyond
/// `maximumConcurrentRuns` wait. Sources take turns; within a source, the stream that was due first goes first.
package struct Timetable: Sendable {
    /// The earliest plausible time, 2020-01-01T00:00:00Z. Before it the clock has not been set, and nothing starts.
    package static let earliestPlausibleNow = Timestamp(millisecondsSince1970: 1_577_836_800_000)
    /// The longest time over which a start spreads runs that are already due, if there are more of them than places.
    package static let longestSpread = Duration.seconds(10)

    /// The slots in the order of their names, followed by removed ones whose runs have not ended.
    var slots: [StreamSlot] = []
    var indices: [StreamName: Int] = [:]
    /// The indices of each slot's child streams, which are requested with its records.
    var children: [[Int]] = []
    /// The states of streams that are no longer configured.
    var retired: [StreamName: ScheduleState] = [:]
    var wakeTimes = WakeTimes(slots: 0)
    var queue: FairQueue
    var activeRuns: [ActiveRunID: ActiveRun] = [:]
    let maximumConcurrentRuns: Int
    private(set) var stage = Stage.unstarted
    private var lastRun = 0
    private var latestNow = Timestamp(millisecondsSince1970: .min)

    struct ActiveRun: Sendable {
        var slot: Int
        let host: String
        /// True if the run serves manual requests.
        let isManual: Bool
    }

    enum Stage: Sendable {
        case unstarted
        /// The clock is not plausible yet.
        case starting
        case going
        case stopping
        case finished
    }

    /// Creates a timetable. If several streams have the same name, the first counts. Limits are at least 1.
    ///
    /// - Parameter maximumRunsPerHost: Half of `maximumConcurrentRuns` by default.
    package init(_ streams: [ScheduledStream], maximumConcurrentRuns: Int = 8, maximumRunsPerHost: Int? = nil) {
        self.maximumConcurrentRuns = max(1, maximumConcurrentRuns)
        queue = FairQueue(maximumRunsPerHost: maximumRunsPerHost ?? self.maximumConcurrentRuns / 2)
        replaceSlots(Self.sorted(streams).map { StreamSlot($0, state: ScheduleState()) })
    }

    /// Handles an event, then decides everything that is due by `now`, whatever the event was.
    ///
    /// Complexity: O(log streams) for each due instant, O(waiting sources) for each started run.
    package mutating func handle(_ event: Event, at now: Timestamp) -> [Action] {
        var actions: [Action] = []
        if case .going = stage, now >= Self.earliestPlausibleNow {
            if now < latestNow { clockWentBack(to: now, &actions) }
        }
        switch event {
        case .started(let states):
            if case .unstarted = stage { recall(states) }
        case .woke: break
        case .finished(let id, let result, let state): finish(id, result, state, at: now, &actions)
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

    private mutating func recall(_ states: [StreamName: ScheduleState]) {
        stage = .starting
        retired = states
        for index in slots.indices {
            guard let state = retired.removeValue(forKey: slots[index].name) else { continue }
            slots[index].state = state
            slots[index].hasRun = state.settled != nil || state.endedAt != nil
        }
    }

    private mutating func stop(_ actions: inout [Action]) {
        switch stage {
        case .unstarted, .starting, .going:
            stage = .stopping
            for index in slots.indices { refuse(index, &actions) }
            if !activeRuns.isEmpty { actions.append(.startGrace) }
        case .stopping, .finished: break
        }
    }

    private mutating func decide(at now: Timestamp, _ actions: inout [Action]) {
        switch stage {
        case .unstarted, .finished: return
        case .stopping:
            guard activeRuns.isEmpty else { return }
            stage = .finished
            actions.append(.finish)
        case .starting, .going:
            guard now >= Self.earliestPlausibleNow else {
                return actions.append(.wake(at: Self.earliestPlausibleNow))
            }
            if case .starting = stage {
                stage = .going
                open(Array(slots.indices), at: now, &actions)
            }
            latestNow = now
            while let index = wakeTimes.removeDue(at: now) { look(at: index, now, &actions) }
            startWaiting(at: now, &actions)
            if let earliest = wakeTimes.earliest { actions.append(.wake(at: earliest)) }
        }
    }

    private mutating func startWaiting(at now: Timestamp, _ actions: inout [Action]) {
        while activeRuns.count < maximumConcurrentRuns, let index = queue.next() {
            let id = ActiveRunID(lastRun + 1)
            if let start = slots[index].start(id, at: now, isBlocked: waitsForParent(index, at: now), &actions) {
                lastRun += 1
                activeRuns[id] = ActiveRun(slot: index, host: queue.started(index), isManual: !start.requests.isEmpty)
                actions.append(.run(start))
            } else {
                release(childrenOf: index, at: now)
            }
            wakeTimes.set(index, slots[index].wake)
            // The instant was too late and has been skipped, and the next one is already due.
            if let wake = slots[index].wake, wake <= now, slots[index].activeRun == nil {
                look(at: index, now, &actions)
            }
        }
    }
}

extension Timetable {
    /// An input of the timetable.
    package enum Event: Sendable, Equatable {
        /// The stored states of all streams, configured now or not.
        case started(states: [StreamName: ScheduleState])
        /// Time has passed. The event may come earlier or later than the requested instant.
        case woke
        /// A run has ended, with the state that `Start.state(after:at:)` returned at its end.
        case finished(ActiveRunID, RunResult, ScheduleState)
        /// A request for a run now. A `RequestBook` lets each one through once until it is answered.
        case wanted(StreamName, request: String)
        case paused(StreamName)
        case resumed(StreamName)
        /// The configuration has changed; these are all its streams now.
        case reloaded([ScheduledStream])
        case stopRequested
        /// The grace period of the active runs is over.
        case graceEnded
    }
}

extension Timetable {
    /// A decision of the timetable. Perform actions in the order in which they are returned.
    package enum Action: Sendable, Equatable {
        /// Start a run; answer with `Event.finished`.
        case run(Start)
        /// Cancel the run soon, so that a later instant can run. It still answers with `Event.finished`.
        case cancel(ActiveRunID)
        /// Store the skip and the state in one transaction.
        case skip(Skip, ScheduleState)
        case remember(StreamName, ScheduleState)
        /// Warn that instants were decided up to a time that is still to come. They no longer hold up the stream.
        case clockWasAhead(StreamName, until: Timestamp)
        /// No run will serve these requests: the stream does not exist (any more), or the service is stopping.
        case refuse(StreamName, requests: [String])
        /// Send `Event.woke` at that instant; an earlier or later one does no harm. Replaces the previous wake.
        case wake(at: Timestamp)
        /// Start the grace period; answer with `Event.graceEnded`.
        case startGrace
        case cancelRuns
        /// No run is active, and none will start.
        case finish
    }
}

/// A stream with what the timetable needs of it.
package struct ScheduledStream: Sendable, Equatable {
    package var name: StreamName
    /// The schedule. A stream without one can be triggered and paused, but never starts by itself.
    package var schedule: Schedule?
    /// The stream whose records are needed to request this one. Its first run comes first.
    package var parent: StreamName?
    /// The host that the limit per host counts by; an empty host has no limit.
    package var host: String

    package init(_ name: StreamName, _ schedule: Schedule?, parent: StreamName? = nil, host: String = "") {
        self.name = name
        self.schedule = schedule
        self.parent = parent
        self.host = host
    }
}

/// The number of a run within this process, in order of start.
package struct ActiveRunID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let number: Int

    package init(_ number: Int) {
        self.number = number
    }

    package var description: String { "#\(number)" }

    package static func < (left: ActiveRunID, right: ActiveRunID) -> Bool { left.number < right.number }
}
