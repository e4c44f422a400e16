import GarnerCatalog
import GarnerModel
import GarnerScheduler
import TestSupport

/// A world with a clock that leaps, runs that dawdle and fail, people who pause and ask, files that change, a disk that is
/// full at times, and a process that is killed and restarted.
///
/// It drives a timetable as the service does, and checks every action against books that are kept by other means.
package struct Simulation {
    package internal(set) var violations: [String] = []
    package internal(set) var tally = Tally()
    /// The same for the same seed: a hash of every action, in order.
    package internal(set) var journal: UInt64 = 0xcbf2_9ce4_8422_2325

    package struct Tally: Sendable {
        package var runs = 0
        package var manualRuns = 0
        package var cancels = 0
        package var skips: [String: Int] = [:]
        package var restarts = 0
        package var leaps = 0
        /// The number of times that a stream went on from now because the clock had been ahead.
        package var returns = 0
        package var reloads = 0
    }

    struct SimulatedRun {
        let start: Start
        let host: String
        let startedAt: Timestamp
        var ends: Int64
        var isCancelled = false
        var isStopped = false
    }

    var world: World
    var timetable: Timetable
    var configured: [ScheduledStream]
    var books: [StreamName: Book] = [:]
    let places: Int
    let placesPerHost: Int

    var wall: Timestamp
    var monotonic: Int64 = 0
    var timer: (rings: Int64, wake: Timestamp)?
    var activeRuns: [ActiveRunID: SimulatedRun] = [:]
    var latestWall: Timestamp
    /// The lead of the clock until it is set right.
    private var lead: Int64 = 0
    var turns: [String: Int] = [:]
    var lastTurn = 0
    var isStopping = false
    var isDiskFull = false
    /// Requests that the database knows and no ended run has served.
    var asked: [String: StreamName] = [:]
    /// The requests in `asked` that this process was told about.
    var told: Set<String> = []
    /// The requests in `told` for which no run was started.
    var waiting: Set<String> = []
    var served: Set<String> = []
    var names: [ActiveRunID: StreamName] = [:]
    let crashes: Crashes
    /// The process was killed, and the next one has not begun.
    var isDead = false
    /// The number of moments so far at which the process could have been killed.
    package internal(set) var steps = 0
    let keepsLog: Bool
    package internal(set) var log: [String] = []
    private var lastRequest = 0

    package init(seed: UInt64, keepsLog: Bool = false, crashes: Crashes = .atRandom) {
        (self.keepsLog, self.crashes) = (keepsLog, crashes)
        world = World(random: SplitMix64(seed: seed))
        configured = world.streams()
        places = .random(in: 1...6, using: &world.random)
        placesPerHost = max(1, places / 2)
        wall = Timestamp(
            millisecondsSince1970: 1_769_846_700_000 + .random(in: 0..<31_536_000_000, using: &world.random))
        latestWall = wall
        timetable = Timetable([])
        begin()
    }

    package mutating func beat() {
        if isDead { return begin() }
        switch Int.random(in: 0..<1000, using: &world.random) {
        case 0..<10: leap()
        case 10..<20: crash()
        case 20..<26: stop()
        case 26..<40 where !isCalm: reload()
        case 40..<65: pauseOrResume()
        case 65..<100: ask()
        case 100..<103 where !isCalm: isDiskFull.toggle()
        default: step()
        }
    }

    // The world

    /// Lets time pass until the next run ends or the timer rings.
    private mutating func step() {
        if let ending = nextEnd, ending.ends <= timer?.rings ?? .max {
            pass(until: ending.ends)
            end(ending.start.id)
        } else if let rings = timer?.rings {
            pass(until: rings)
            timer = nil
            send(.woke)
        } else {
            pass(until: monotonic + 60_000)
        }
    }

    private var nextEnd: SimulatedRun? {
        activeRuns.values.min { ($0.ends, $0.start.id) < ($1.ends, $1.start.id) }
    }

    private mutating func pass(until instant: Int64) {
        wall = wall.advanced(by: .milliseconds(max(0, instant - monotonic)))
        monotonic = max(monotonic, instant)
    }

    private mutating func end(_ id: ActiveRunID) {
        guard let activeRun = activeRuns.removeValue(forKey: id) else { return }
        let result = result(of: activeRun)
        let memory = activeRun.start.state(after: result, at: wall)
        keep(activeRun, result, memory)
        if lives(after: .commit) { send(.finished(id, result, memory)) }
    }

    private mutating func result(of activeRun: SimulatedRun) -> RunResult {
        if activeRun.isStopped { return RunResult(.stopped) }
        if activeRun.isCancelled { return RunResult(world.chance(5) ? .succeeded : .cancelled) }
        // Every third stream is a poor one, every ninth is dead.
        let kind = activeRun.start.stream.description.utf8.reduce(0) { $0 &+ Int($1) } % 9
        let wish = world.chance(40) ? wall.advanced(by: .seconds(world.pick([1, 90, 7200], 1))) : nil
        if isDiskFull { return RunResult(.failed(isPermanent: false), retryAfter: wish) }
        switch kind {
        case 0:
            return RunResult(world.chance(12) ? .succeeded : .failed(isPermanent: !world.chance(9)), retryAfter: wish)
        case 3, 6:
            return RunResult(world.chance(2) ? .succeeded : .failed(isPermanent: world.chance(5)), retryAfter: wish)
        default: return RunResult(world.chance(20) ? .failed(isPermanent: false) : .succeeded, retryAfter: wish)
        }
    }

    private mutating func leap() {
        tally.leaps += 1
        let distance: Int64 = world.pick([1000, 60_000, 3_600_000, 3_600_000, 21_600_000, 31_536_000_000], 1)
        let day: Int64 = 86_400_000
        if lead > 0 {
            // The clock was ahead for a while, and is set right.
            (wall, lead) = (wall.advanced(by: .milliseconds(-lead)), 0)
        } else if world.chance(4) {
            lead = world.pick([7_200_000, 3 * day, 400 * day], day)
            wall = wall.advanced(by: .milliseconds(lead))
        } else {
            wall = wall.advanced(by: .milliseconds(Bool.random(using: &world.random) ? distance : -distance))
        }
        // The slices of a wait notice it.
        if let timer { self.timer = (min(timer.rings, monotonic + 30_000), timer.wake) }
    }

    private mutating func crash() {
        pass(until: monotonic + world.pick([0, 3000, 7_200_000, 200_000_000], 0))
        begin()
    }

    private mutating func stop() {
        isStopping = true
        send(.stopRequested)
        if Bool.random(using: &world.random), !activeRuns.isEmpty {
            send(.graceEnded)
            for id in activeRuns.keys { activeRuns[id]?.isStopped = true }
        }
        while !isDead, let activeRun = nextEnd {
            pass(until: activeRun.ends)
            end(activeRun.start.id)
        }
        pass(until: monotonic + world.pick([0, 3000, 7_200_000], 0))
        begin()
    }

    /// A process begins: it knows what is stored, and nothing else.
    private mutating func begin() {
        tally.restarts += 1
        (isDead, activeRuns) = (false, [:])
        (timer, isStopping, told, waiting, turns, lastTurn) = (nil, false, [], [], [:], 0)
        latestWall = wall
        timetable = Timetable(configured, maximumConcurrentRuns: places, maximumRunsPerHost: placesPerHost)
        var states: [StreamName: ScheduleState] = [:]
        for (name, book) in books { states[name] = book.stored }
        for stream in configured {
            var book = Book(stream)
            if let old = books[stream.name] { book.inherit(from: old) }
            book.restart()
            book.open(at: wall)
            book.spreadsUntil = wall.advanced(by: Timetable.longestSpread)
            books[stream.name] = book
        }
        let names = Set(configured.map(\.name))
        for name in books.keys where !names.contains(name) {
            books[name]?.restart()
            books[name]?.isRemoved = true
        }
        send(.started(states: states))
        for request in asked.keys.sorted() { tell(request) }
    }

    private mutating func reload() {
        tally.reloads += 1
        for _ in 0..<Int.random(in: 1...3, using: &world.random) {
            switch Int.random(in: 0..<3, using: &world.random) {
            case 0 where configured.count > 2:
                configured.remove(at: .random(in: configured.indices, using: &world.random))
            case 1:
                let place = Int.random(in: configured.indices, using: &world.random)
                let changed = world.schedule()
                if world.chance(3), var schedule = configured[place].schedule {
                    (schedule.overlap, schedule.catchUp) = (changed.overlap, changed.catchUp)
                    configured[place].schedule = schedule
                } else {
                    configured[place].schedule = world.chance(10) ? nil : changed
                }
            default:
                let added = world.stream(.random(in: 0..<16, using: &world.random))
                if !configured.contains(where: { $0.name == added.name }) { configured.append(added) }
            }
        }
        send(.reloaded(configured))
    }

    private mutating func pauseOrResume() {
        guard let name = configured.randomElement(using: &world.random)?.name else { return }
        if books[name]?.isPaused == true {
            send(.resumed(name))
        } else if world.chance(2) {
            send(.paused(name))
        }
    }

    private mutating func ask() {
        if world.chance(4), let again = asked.keys.sorted().randomElement(using: &world.random) { return tell(again) }
        let stranger = StreamName(source: "source_0", stream: "nobody")
        let name = world.chance(20) ? stranger : configured.randomElement(using: &world.random)?.name ?? stranger
        lastRequest += 1
        asked["request \(lastRequest)"] = name
        tell("request \(lastRequest)")
    }

    private mutating func tell(_ request: String) {
        // A request book lets no request through twice.
        guard let stream = asked[request], told.insert(request).inserted else { return }
        waiting.insert(request)
        send(.wanted(stream, request: request))
    }
}
