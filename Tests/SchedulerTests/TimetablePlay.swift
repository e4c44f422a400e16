import GarnerCatalog
import GarnerModel
import GarnerScheduler

/// A timetable on the stage: events at seconds from the curtain, what it does as short lines.
///
/// The curtain is the nominal instant of `zoo.animals`, each minute, after 2026-01-31T08:05:00Z. `run animals@60` is the run
/// of the instant a minute later, `skip animals@0...120 ×3: …` leaves out three.
struct TimetablePlay {
    static let minutely = Schedule(every: .seconds(60))
    static let animals = StreamName.zoo("animals")

    private(set) var timetable: Timetable
    private(set) var states: [StreamName: ScheduleState] = [:]
    private var activeRuns: [StreamName: Start] = [:]
    let curtain: Timestamp

    init(
        _ streams: [ScheduledStream] = [ScheduledStream(animals, minutely)], places: Int = 8, perHost: Int? = 8,
        curtainOf schedule: Schedule = minutely
    ) {
        let noon = Timestamp(millisecondsSince1970: 1_769_846_700_000)
        curtain = DueTimes(schedule, for: Self.animals).next(after: noon) ?? noon
        timetable = Timetable(streams, maximumConcurrentRuns: places, maximumRunsPerHost: perHost)
    }

    /// `zoo.animals` alone.
    init(_ schedule: Schedule) {
        self.init([ScheduledStream(Self.animals, schedule)], curtainOf: schedule)
    }

    static func stream(_ name: String, _ schedule: Schedule? = minutely, parent: String? = nil) -> ScheduledStream {
        ScheduledStream(.zoo(name), schedule, parent: parent.map { .zoo($0) })
    }

    func instant(_ seconds: Double) -> Timestamp {
        curtain.advanced(by: .milliseconds(Int64((seconds * 1000).rounded())))
    }

    /// Starts the process, with all that was remembered until now; `settled` sets that of `zoo.animals` before.
    mutating func start(at seconds: Double, settled: Double? = nil) -> [String] {
        if let settled { states[Self.animals, default: ScheduleState()].settled = instant(settled) }
        return send(.started(states: states), at: seconds)
    }

    mutating func send(_ event: Timetable.Event, at seconds: Double) -> [String] {
        timetable.handle(event, at: instant(seconds)).map { perform($0) }
    }

    mutating func wake(at seconds: Double) -> [String] { send(.woke, at: seconds) }

    mutating func ask(_ request: String, _ name: String = "animals", at seconds: Double) -> [String] {
        send(.wanted(.zoo(name), request: request), at: seconds)
    }

    /// Ends the stream's active run; what the database remembers of it is in `states`.
    mutating func end(
        _ name: String = "animals", _ ending: RunResult.Ending = .succeeded, retryAfter: Double? = nil,
        at seconds: Double
    ) -> [String] {
        end(.zoo(name), ending, retryAfter: retryAfter, at: seconds)
    }

    mutating func end(
        _ name: StreamName, _ ending: RunResult.Ending = .succeeded, retryAfter: Double? = nil, at seconds: Double
    ) -> [String] {
        guard let start = activeRuns.removeValue(forKey: name) else { return ["\(name) does not run"] }
        let result = RunResult(ending, retryAfter: retryAfter.map(instant))
        var memory = start.state(after: result, at: instant(seconds))
        memory.pausedAt = states[start.stream]?.pausedAt
        states[start.stream] = memory
        return send(.finished(start.id, result, memory), at: seconds)
    }

    /// The process is killed, and another one begins with these streams.
    mutating func crash(_ streams: [ScheduledStream] = [ScheduledStream(animals, minutely)]) {
        activeRuns = [:]
        timetable = Timetable(streams, maximumConcurrentRuns: 8, maximumRunsPerHost: 8)
    }

    func memory(_ name: String = "animals") -> ScheduleState { states[.zoo(name)] ?? ScheduleState() }

    func seconds(_ instant: Timestamp?) -> Double? {
        instant.map { Double(curtain.duration(to: $0).wholeMilliseconds) / 1000 }
    }

    private mutating func perform(_ action: Timetable.Action) -> String {
        switch action {
        case .run(let start):
            activeRuns[start.stream] = start
            return switch start.occasion {
            case .scheduled(let nominal, _): "run \(start.stream.stream)@\(text(nominal))"
            case .manual(let requests): "run \(start.stream.stream) for \(requests.joined(separator: ", "))"
            }
        case .cancel(let id): return "cancel \(activeRuns.values.first { $0.id == id }?.stream.stream ?? "nothing")"
        case .skip(let skip, let memory):
            states[skip.stream] = memory
            let (first, last) = (text(skip.nominals.lowerBound), text(skip.nominals.upperBound))
            let range = first == last ? first : "\(first)...\(last)"
            return "skip \(skip.stream.stream)@\(range) ×\(skip.count): \(skip.reason)"
        case .remember(let stream, let memory):
            states[stream] = memory
            return "remember \(stream.stream)"
        case .clockWasAhead(let stream, let instant): return "ahead \(stream.stream) until \(text(instant))"
        case .refuse(let stream, let requests): return "refuse \(stream.stream) \(requests.joined(separator: ", "))"
        case .wake(let instant): return "wake \(text(instant))"
        case .startGrace: return "grace"
        case .cancelRuns: return "cancel all"
        case .finish: return "finish"
        }
    }

    private func text(_ instant: Timestamp) -> String {
        let seconds = seconds(instant) ?? 0
        return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    }
}
