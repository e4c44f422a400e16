import GarnerCatalog
import Foundation
import GarnerModel
import GarnerScheduler
import TestSupport

/// Years of many schedules of all kinds, in which nothing fails: every instant of every stream is counted by its own timeline
/// and has to be run or skipped exactly once, in order, on time.
package struct Years {
    package private(set) var violations: [String] = []
    package private(set) var runs = 0
    package private(set) var skipped = 0
    package private(set) var cancels = 0

    private struct Track {
        let name: StreamName
        let schedule: Schedule
        let timeline: DueTimes
        let host: String
        let isSlow: Bool
        /// The latest instant that was decided on.
        var cursor: Timestamp?
        var endedAt: Timestamp?
        var activeRun: ActiveRunID?
    }

    private struct SimulatedRun {
        let start: Start
        let track: Int
        var ends: Timestamp
        var isCancelled = false
    }

    private static let places = 64
    private static let placesPerHost = 16
    private let end: Timestamp
    private var now = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    private var random = SplitMix64(seed: 2026)
    private var world = World(random: SplitMix64(seed: 10))
    private var tracks: [Track] = []
    private var numbers: [StreamName: Int] = [:]
    private var activeRuns: [SimulatedRun] = []
    private var runsAtHosts: [String: Int] = [:]
    private var timetable = Timetable([])
    private var wake: Timestamp?

    package init(years: Int, streams count: Int) {
        end = now.advanced(by: .seconds(31_557_600 * years))
        let start = now
        tracks = (0..<count).map { number in
            let name = StreamName(source: "source_\(number % 50)", stream: "stream_\(number)")
            let schedule = world.mixed(number)
            return Track(
                name: name, schedule: schedule, timeline: DueTimes(schedule, for: name), host: "\(number % 25).example",
                isSlow: number % 17 == 0)
        }
        var states: [StreamName: ScheduleState] = [:]
        for index in tracks.indices {
            numbers[tracks[index].name] = index
            tracks[index].cursor = start
            states[tracks[index].name] = ScheduleState(settled: start)
        }
        timetable = Timetable(
            tracks.map { ScheduledStream($0.name, $0.schedule, host: $0.host) }, maximumConcurrentRuns: Self.places,
            maximumRunsPerHost: Self.placesPerHost)
        send(.started(states: states))
    }

    package mutating func pass() {
        while violations.count < 20 {
            let ending = activeRuns.indices.min { activeRuns[$0].ends < activeRuns[$1].ends }
            if let ending, activeRuns[ending].ends <= wake ?? activeRuns[ending].ends {
                guard activeRuns[ending].ends <= end else { break }
                finish(ending)
            } else if let wake {
                guard wake <= end else { break }
                now = wake
                self.wake = nil
                send(.woke)
            } else {
                fail("asleep for ever")
                break
            }
        }
        for track in tracks { expectNoneMissed(track) }
    }

    private mutating func finish(_ index: Int) {
        let activeRun = activeRuns.remove(at: index)
        now = activeRun.ends
        runsAtHosts[tracks[activeRun.track].host, default: 1] -= 1
        tracks[activeRun.track].activeRun = nil
        tracks[activeRun.track].endedAt = now
        let result = RunResult(activeRun.isCancelled ? .cancelled : .succeeded)
        send(.finished(activeRun.start.id, result, activeRun.start.state(after: result, at: now)))
    }

    private mutating func send(_ event: Timetable.Event) {
        for action in timetable.handle(event, at: now) {
            switch action {
            case .run(let start): take(start)
            case .skip(let skip, _): take(skip)
            case .cancel(let id):
                guard let index = activeRuns.firstIndex(where: { $0.start.id == id }) else {
                    fail("\(id) is not active")
                    continue
                }
                cancels += 1
                activeRuns[index].isCancelled = true
                activeRuns[index].ends = min(activeRuns[index].ends, now.advanced(by: .milliseconds(500)))
            case .wake(let instant):
                if instant <= now { fail("woken for the past") }
                wake = instant
            default: fail("\(action) out of place")
            }
        }
    }

    private mutating func take(_ start: Start) {
        guard let index = numbers[start.stream], let nominal = start.nominal else {
            return fail("\(start.stream) out of place")
        }
        runs += 1
        if tracks[index].activeRun != nil { fail("\(start.stream) overlaps itself") }
        if next(of: tracks[index]) != nominal { fail("\(start.stream) \(nominal) is not the next one") }
        if tracks[index].timeline.dueTime(of: nominal) > now { fail("\(start.stream) \(nominal) is too early") }
        if activeRuns.count >= Self.places { fail("too many runs") }
        let atHost = runsAtHosts[tracks[index].host, default: 0]
        if atHost >= Self.placesPerHost { fail("too many runs at \(tracks[index].host)") }
        runsAtHosts[tracks[index].host] = atHost + 1
        tracks[index].cursor = nominal
        tracks[index].activeRun = start.id
        let longest = tracks[index].isSlow && random.next() % 8 == 0 ? 7_200_000 : 15_000
        let ends = now.advanced(by: .milliseconds(Int64(random.next() % UInt64(longest)) + 1))
        activeRuns.append(SimulatedRun(start: start, track: index, ends: ends))
    }

    private mutating func take(_ skip: Skip) {
        guard let index = numbers[skip.stream] else { return fail("\(skip.stream) out of place") }
        if tracks[index].activeRun != nil { fail("\(skip.stream) skips during a run") }
        switch skip.reason {
        case .stillRunning, .overtaken: break
        default: fail("\(skip.stream) \(skip.nominals): \(skip.reason)")
        }
        var count = 0
        while count < skip.count, let nominal = next(of: tracks[index]), nominal <= skip.nominals.upperBound {
            count += 1
            tracks[index].cursor = nominal
        }
        if count != skip.count || tracks[index].cursor != skip.nominals.upperBound {
            fail("\(skip.stream) \(skip.nominals) are not \(skip.count)")
        }
        skipped += count
    }

    private func next(of track: Track) -> Timestamp? {
        guard let cursor = track.cursor else { return nil }
        if track.timeline.pause != nil, let endedAt = track.endedAt {
            return track.timeline.next(after: max(cursor, endedAt))
        }
        return track.timeline.next(after: cursor)
    }

    /// A run may still go on, and an instant wait; but what came before them was decided on.
    private mutating func expectNoneMissed(_ track: Track) {
        guard track.activeRun == nil, let next = next(of: track) else { return }
        let due = track.timeline.dueTime(of: next)
        if due < now, activeRuns.count < Self.places, runsAtHosts[track.host, default: 0] < Self.placesPerHost {
            fail("\(track.name) \(next) was missed")
        }
    }

    private mutating func fail(_ violation: String) {
        violations.append("\(now): \(violation)")
    }
}

extension World {
    /// The kinds in the shares that services have: a few often, most of them daily or several times a day.
    mutating func mixed(_ number: Int) -> Schedule {
        var schedule = Schedule(mixedRhythm(number % 100))
        schedule.overlap = pick(Schedule.Overlap.allCases, .skip)
        schedule.jitter = .seconds(pick([0, 0, 30, 240], 0))
        return schedule
    }

    private mutating func mixedRhythm(_ share: Int) -> Schedule.Rhythm {
        switch share {
        case 0: .every(.seconds(900))
        case 1..<10: .every(.seconds(3600))
        case 10..<17: cron("\(5 + share) * * * *")
        case 17: cron("*/20 * * * *")
        case 18..<40: .every(.seconds(6 * 3600))
        case 40..<60: cron("\(share) 0,6,12,18 * * *")
        case 60..<70: .afterFinish(.seconds(3 * 3600))
        case 70..<80: cron("30 2 * * *")
        case 80..<90: cron("15 9 * * 1-5")
        case 90..<95: .every(.seconds(7 * 86_400))
        default: cron("0 3 1 * *")
        }
    }

    private mutating func cron(_ text: String) -> Schedule.Rhythm {
        guard let expression = try? CronExpression(text) else { return .every(.seconds(86_400)) }
        return .cron(expression, zone: ZoneName(pick(Self.zones, "UTC")) ?? .utc)
    }
}
