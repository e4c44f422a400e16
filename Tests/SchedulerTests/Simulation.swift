import Catalog
import Scheduler
import TestSupport

/// A world with a clock that leaps, runs that dawdle and fail, and a process that is killed and restarted; it drives a
/// timetable as the service does and checks every action against rules that know nothing of the timetable's insides.
struct Simulation {
    private(set) var violations: [String] = []
    private(set) var tally = Tally()

    struct Tally {
        var runs = 0
        var stillRunning = 0
        var missed = 0
        var overtaken = 0
        var restarts = 0
        var leaps = 0
    }

    private let streams: [(StreamName, Schedule)]
    private let schedules: [StreamName: Timeline]
    private let intervals: [StreamName: Duration]
    private let places: Int
    private var random: SplitMix64
    private var timetable: Timetable

    private var wall: Timestamp
    private var monotonic: Int64 = 0
    private var alarm: (rings: Int64, wake: Timestamp)?
    private var inFlight: [StreamName: (nominal: Timestamp, ends: Int64)] = [:]

    /// The last instant of each stream that was decided on: every decision has to begin with the one after it.
    private var frontier: [StreamName: Timestamp] = [:]
    /// What a database would remember: the last instant that was run to its end or skipped.
    private var remembered: [StreamName: Timestamp] = [:]
    private var committed: [StreamName: Set<Timestamp>] = [:]
    /// True from a start or a leap until the alarm is set by the new clock: until then lateness is not the timetable's.
    private var clockIsOff = true
    private var wasFull = false

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let streams: [(StreamName, Schedule)] = (0..<40).map { number in
            let every = [5, 7, 30, 60, 61, 300, 900, 3600].randomElement(using: &random) ?? 60
            let jitter = [0, 1, every / 2, every * 2].randomElement(using: &random) ?? 0
            return (
                StreamName(source: "source_\(number % 5)", stream: "stream_\(number)"),
                Schedule(every: .seconds(every), jitter: .seconds(jitter))
            )
        }
        self.streams = streams
        schedules = Dictionary(uniqueKeysWithValues: streams.map { ($0.0, Timeline($0.1, for: $0.0)) })
        intervals = schedules.mapValues { $0.interval(after: Timestamp(millisecondsSince1970: 0)) }
        wall = Timestamp(millisecondsSince1970: 1_769_846_700_000 + .random(in: 0..<86_400_000, using: &random))
        places = .random(in: 2...8, using: &random)
        self.random = random
        timetable = Timetable(streams, maximumConcurrentRuns: places)
        send(.started(lastNominal: [:]))
    }

    mutating func beat() {
        switch Int.random(in: 0..<1000, using: &random) {
        case 0..<8: leap()
        case 8..<12: crash()
        case 12..<15: stop()
        default: step()
        }
    }

    // The world

    /// Lets time pass until the next run ends or the alarm rings.
    private mutating func step() {
        let ending = inFlight.min { ($0.value.ends, $0.key) < ($1.value.ends, $1.key) }
        if let ending, ending.value.ends <= alarm?.rings ?? .max {
            pass(until: ending.value.ends)
            end(ending.key)
        } else if let rings = alarm?.rings {
            pass(until: rings)
            alarm = nil
            send(.woke)
        } else {
            fail("asleep for ever")
        }
    }

    private mutating func pass(until instant: Int64) {
        wall = wall + .milliseconds(max(0, instant - monotonic))
        monotonic = max(monotonic, instant)
    }

    private mutating func end(_ stream: StreamName) {
        guard let run = inFlight.removeValue(forKey: stream) else { return }
        committed[stream, default: []].insert(run.nominal)
        remember(run.nominal, of: stream)
        let result: RunResult = Int.random(in: 0..<10, using: &random) == 0 ? .failed : .succeeded
        send(.finished(stream, nominal: run.nominal, result))
    }

    private mutating func leap() {
        tally.leaps += 1
        let distance = Int64.random(
            in: 1...([1000, 60_000, 21_600_000].randomElement(using: &random) ?? 1), using: &random)
        wall = wall + .milliseconds(Bool.random(using: &random) ? distance : -distance)
        clockIsOff = true
    }

    private mutating func crash() {
        inFlight = [:]
        restart()
    }

    private mutating func stop() {
        send(.stopRequested)
        if Bool.random(using: &random) {
            send(.graceEnded)
        }
        while let run = inFlight.min(by: { ($0.value.ends, $0.key) < ($1.value.ends, $1.key) }) {
            pass(until: run.value.ends)
            end(run.key)
        }
        restart()
    }

    private mutating func restart() {
        tally.restarts += 1
        pass(
            until: monotonic
                + .random(in: 0...([0, 3000, 7_200_000].randomElement(using: &random) ?? 0), using: &random))
        alarm = nil
        frontier = remembered
        (clockIsOff, wasFull) = (true, false)
        timetable = Timetable(streams, maximumConcurrentRuns: places)
        send(.started(lastNominal: remembered))
    }

    private mutating func remember(_ nominal: Timestamp, of stream: StreamName) {
        remembered[stream] = max(remembered[stream] ?? nominal, nominal)
    }

    // The rules

    private mutating func send(_ event: Timetable.Event) {
        let actions = timetable.handle(event, at: wall)
        if case .stopRequested = event {
            return expect(actions == (inFlight.isEmpty ? [.finish] : [.startGrace]), "stop")
        }
        if case .graceEnded = event { return expect(actions == (inFlight.isEmpty ? [] : [.cancelRuns]), "grace") }
        if actions == [.finish] { return expect(inFlight.isEmpty, "finish before the end") }
        for action in actions {
            switch action {
            case .run(let stream, let nominal): start(stream, nominal)
            case .skip(let skip): note(skip)
            case .wake(let instant): setAlarm(instant)
            case .startGrace, .cancelRuns, .finish: fail("\(action) out of place")
            }
        }
        if !actions.isEmpty { expectNobodyWaits() }
        wasFull = inFlight.count == places
    }

    private mutating func start(_ stream: StreamName, _ nominal: Timestamp) {
        tally.runs += 1
        expect(inFlight[stream] == nil, "\(stream) overlaps itself")
        expect(inFlight.count < places, "too many runs")
        expect(committed[stream]?.contains(nominal) != true, "\(stream) \(nominal) doubled")
        expect(nominal <= wall, "\(stream) \(nominal) too early")
        advance(stream, over: nominal...nominal, count: 1)
        if let schedule = schedules[stream], let interval = intervals[stream] {
            expect(schedule.dueTime(of: nominal + interval) > wall, "\(stream) \(nominal) is not the latest")
            if !clockIsOff, !wasFull {
                expect(schedule.dueTime(of: nominal) == wall, "\(stream) \(nominal) late")
            }
        }
        let slow = Int.random(in: 0..<12, using: &random) == 0
        inFlight[stream] = (nominal, monotonic + .random(in: slow ? 20_000...900_000 : 0...1500, using: &random))
    }

    private mutating func note(_ skip: Skip) {
        advance(skip.stream, over: skip.nominals, count: skip.count)
        remember(skip.nominals.upperBound, of: skip.stream)
        switch skip.reason {
        case .stillRunning(let nominal):
            tally.stillRunning += 1
            expect(inFlight[skip.stream]?.nominal == nominal, "\(skip) without a run")
        case .missed:
            tally.missed += 1
            expect(clockIsOff, "\(skip) without a gap")
        case .overtaken:
            tally.overtaken += 1
            expect(wasFull, "\(skip) with places free")
        }
    }

    /// No instant is doubled and none is lost: what is decided begins where the last decision ended.
    private mutating func advance(_ stream: StreamName, over nominals: ClosedRange<Timestamp>, count: Int) {
        guard let interval = intervals[stream] else { return fail("unknown \(stream)") }
        if let last = frontier[stream] {
            expect(nominals.lowerBound == last + interval, "\(stream) \(nominals) does not follow \(last)")
        }
        expect(nominals.lowerBound + interval * (count - 1) == nominals.upperBound, "\(stream) \(nominals) ≠ \(count)")
        frontier[stream] = nominals.upperBound
    }

    private mutating func setAlarm(_ instant: Timestamp) {
        expect(instant > wall, "woken for the past")
        guard alarm?.wake != instant else { return }
        alarm = (monotonic + min(wall.duration(to: instant).wholeMilliseconds, 30_000), instant)
        clockIsOff = false
    }

    /// A stream whose instant is due and undecided is only left waiting where there is no place free.
    private mutating func expectNobodyWaits() {
        guard inFlight.count < places else { return }
        for (stream, _) in streams where inFlight[stream] == nil {
            guard let last = frontier[stream], let interval = intervals[stream], let schedule = schedules[stream] else {
                fail("\(stream) never started")
                continue
            }
            expect(schedule.dueTime(of: last + interval) > wall, "\(stream) waits beside a free place")
        }
    }

    private mutating func expect(_ condition: Bool, _ violation: @autoclosure () -> String) {
        if !condition { fail(violation()) }
    }

    private mutating func fail(_ violation: String) {
        violations.append("\(wall): \(violation)")
    }
}
