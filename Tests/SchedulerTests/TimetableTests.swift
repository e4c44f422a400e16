import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

struct TimetableTests {
    private func going() -> TimetablePlay {
        var play = TimetablePlay()
        #expect(play.start(at: -1, settled: -60) == ["wake 0"])
        return play
    }

    private func runs(_ lines: [String]) -> [String] { lines.filter { $0.hasPrefix("run") } }

    // Start

    @Test func `a stream that never ran runs at once, for the latest instant`() {
        var play = TimetablePlay()
        #expect(play.start(at: 10) == ["run animals@0"])
        #expect(play.end(at: 11) == ["wake 60"])
    }

    @Test(arguments: [RunResult.Ending.succeeded, .failed(isPermanent: false)])
    func `the first run of a stream's parent comes before its own`(ending: RunResult.Ending) {
        var play = TimetablePlay([
            TimetablePlay.stream("animals", parent: "zones"),
            TimetablePlay.stream("zones", Schedule(every: .seconds(600))),
        ])
        #expect(runs(play.start(at: 10)).map { $0.prefix(9) } == ["run zones"])
        #expect(runs(play.wake(at: 70)) == [])
        #expect(runs(play.end("zones", ending, at: 75)).map { $0.prefix(11) } == ["run animals"])
    }

    @Test func `a parent that is paused is not waited for`() {
        var play = family
        _ = play.send(.paused(.zoo("zones")), at: 9)
        #expect(runs(play.start(at: 10)) == ["run animals@0"])
    }

    @Test func `what is asked for does not wait for the parent`() {
        var play = family
        _ = play.start(at: 10)
        #expect(runs(play.ask("a", at: 11)) == ["run animals for a"])
    }

    @Test(arguments: [RunResult.Ending.succeeded, .failed(isPermanent: false)])
    func `a parent and its children that are asked for run one after the other`(ending: RunResult.Ending) {
        var play = family
        _ = play.start(at: 10)
        _ = play.end("zones", at: 11)
        _ = play.end(at: 12)
        #expect(runs(play.ask("p", "zones", at: 13)) == ["run zones for p"])
        #expect(runs(play.ask("a", at: 14)) == [])
        #expect(runs(play.end("zones", ending, at: 15)) == ["run animals for a"])
        // A run by the schedule is not waited for.
        _ = play.end(at: 16)
        #expect(runs(play.wake(at: 611)).contains { $0.hasPrefix("run zones") })
        _ = play.end(at: 612)
        #expect(runs(play.ask("b", at: 613)) == ["run animals for b"])
    }

    private var family: TimetablePlay {
        let zones = TimetablePlay.stream("zones", Schedule(every: .seconds(600)))
        return TimetablePlay([TimetablePlay.stream("animals", parent: "zones"), zones])
    }

    @Test func `nothing starts before 2020`() {
        var play = TimetablePlay()
        let (y1970, y2020) = (-1_769_846_700.0, play.seconds(Timetable.earliestPlausibleNow) ?? 0)
        #expect(play.start(at: y1970) == ["wake \(y2020)"])
        #expect(play.ask("a", at: y1970 + 5) == ["wake \(y2020)"])
        #expect(play.wake(at: 5) == ["run animals for a"])
        #expect(play.end(at: 6) == ["run animals@0"])
    }

    @Test func `a timetable without streams sets no wake time and starts only once`() {
        var play = TimetablePlay([])
        #expect(play.wake(at: 0) == [])
        #expect(play.start(at: 0) == [])
        #expect(play.start(at: 0) == [])
        #expect(play.send(.stopRequested, at: 1) == ["finish"])
    }

    // Beats

    @Test func `a late wake does not move the instants`() {
        var play = going()
        for number in 0..<50 {
            let nominal = number * 60
            #expect(play.wake(at: Double(nominal + number % 20)) == ["run animals@\(nominal)"])
            #expect(play.end(at: Double(nominal + 45)) == ["wake \(nominal + 60)"])
        }
    }

    @Test func `an answer nobody waits for changes nothing and frees no place`() {
        var play = TimetablePlay(["animals", "bears", "cats"].map { TimetablePlay.stream($0) }, places: 1)
        #expect(runs(play.start(at: 0)).count <= 1)
        let finished = Timetable.Event.finished(ActiveRunID(99), RunResult(.succeeded), ScheduleState())
        #expect(runs(play.send(finished, at: 20)).count <= 1)
        #expect(runs(play.send(finished, at: 21)) == [])
    }

    // The clock

    @Test(arguments: [1, 30, 359])
    func `a clock set back by less than an interval and five minutes repeats nothing`(back: Double) {
        var play = going()
        _ = play.wake(at: 0)
        _ = play.end(at: 1)
        #expect(play.wake(at: -back) == ["wake 60"])
        play.crash()
        #expect(play.start(at: -back) == ["wake 60"])
        #expect(play.wake(at: 60) == ["run animals@60"])
    }

    @Test(arguments: [3600, 31_536_000])
    func `a clock set forward runs once for all that was missed`(forward: Int) {
        var play = going()
        let skip =
            "skip animals@0...\(forward - 60) ×\(forward / 60): missed: the service or the clock stood still, or a run was stopped before it ended"
        #expect(play.wake(at: Double(forward + 3)) == [skip, "run animals@\(forward)"])
        #expect(play.end(at: Double(forward + 4)) == ["wake \(forward + 60)"])
    }

    @Test func `an instant that waits for a place goes back into the future with the clock`() {
        let blocker = TimetablePlay.stream("blocker", Schedule(every: .seconds(864_000)))
        var play = TimetablePlay([TimetablePlay.stream("animals"), blocker], places: 1)
        #expect(runs(play.start(at: -1, settled: -60)).count == 1)
        #expect(play.wake(at: 0) == [])
        #expect(play.end("blocker", at: -9).first == "wake 0")
        #expect(play.wake(at: 0).first == "run animals@0")
    }

    @Test func `a stream that never ran does not wait for the clock that was set back`() {
        var play = TimetablePlay([TimetablePlay.stream("animals"), TimetablePlay.stream("bears", nil)], places: 1)
        _ = play.ask("a", "bears", at: -100)
        let first = play.start(at: 1)
        #expect(runs(first) == ["run bears for a"])
        #expect(runs(play.end("bears", at: -36_000)) == ["run animals@-36000"])
    }

    // Places

    @Test func `runs beyond the limit wait, and start in the order they were due`() {
        let streams = ["a", "b", "c", "d", "e"].map { TimetablePlay.stream($0, Schedule(every: .seconds(3600))) }
        let order = UpcomingRuns(
            of: streams.map { ($0.name, Schedule(every: .seconds(3600))) }, from: TimetablePlay().curtain
        )
        .prefix(5).map { "run \($0.stream.stream)" }
        var play = TimetablePlay(streams, places: 2, perHost: 2)
        let memory = ScheduleState(settled: play.curtain)
        let memories = Dictionary(uniqueKeysWithValues: streams.map { ($0.name, memory) })
        _ = play.send(.started(states: memories), at: 0)
        var lines = runs(play.wake(at: 3600))
        for number in 0..<3 { lines += runs(play.end(String(order[number].suffix(1)), at: 3600)) }
        #expect(lines.map { String($0.prefix(5)) } == order)
    }

    @Test func `sources take turns, however many streams one has waiting`() {
        let names =
            (0..<100).map { StreamName(source: "crowd", stream: "c\($0)") }
            + (0..<2).map { StreamName(source: "guest", stream: "g\($0)") }
        var play = TimetablePlay(names.map { ScheduledStream($0, TimetablePlay.minutely) }, places: 1)
        _ = play.start(at: 0)
        var sources: [Character] = []
        var lines = play.wake(at: 11)
        for _ in 0..<6 {
            guard let stream = runs(lines).first?.dropFirst(4).prefix(while: { $0 != "@" }) else { break }
            sources.append(stream.first ?? " ")
            let source = stream.hasPrefix("g") ? "guest" : "crowd"
            lines = play.end(StreamName(source: source, stream: String(stream)), at: 12)
        }
        #expect(sources.prefix(5).filter { $0 == "g" }.count == 2, "\(sources)")
    }

    @Test func `a host has no more runs than its share, and others pass by`() {
        let streams = (0..<6).map { number in
            ScheduledStream(.zoo("s\(number)"), nil, host: number < 5 ? "slow.example" : "other.example")
        }
        var play = TimetablePlay(streams, places: 4, perHost: nil)
        _ = play.start(at: 0)
        let started = (0..<6).flatMap { runs(play.ask("\($0)", "s\($0)", at: 1)) }
        #expect(started == ["run s0 for 0", "run s1 for 1", "run s5 for 5"])
        #expect(runs(play.end("s1", at: 2)) == ["run s2 for 2"])
    }

    @Test func `an instant that waits for a place gives it to a later one`() {
        let blocker = TimetablePlay.stream("blocker", Schedule(every: .seconds(864_000)))
        var play = TimetablePlay([TimetablePlay.stream("animals"), blocker], places: 1)
        _ = play.start(at: -1, settled: -60)
        #expect(play.wake(at: 0) == [])
        #expect(
            play.end("blocker", at: 65).prefix(2) == [
                "skip animals@0 ×1: waited for a free place until it was too late", "run animals@60",
            ])
    }

    // Stop

    @Test func `a stop waits for active runs, starts nothing more, and cancels after the grace`() {
        var play = going()
        #expect(play.send(.graceEnded, at: 0) == ["run animals@0"])
        #expect(play.send(.stopRequested, at: 1) == ["grace"])
        #expect(play.send(.stopRequested, at: 1) == [])
        #expect(play.wake(at: 120) == [])
        #expect(play.send(.graceEnded, at: 121) == ["cancel all"])
        #expect(play.end("animals", .cancelled, at: 122) == ["finish"])
        #expect(play.wake(at: 500) == [])
    }

    @Test func `a stop before the start starts nothing`() {
        var play = TimetablePlay()
        #expect(play.send(.stopRequested, at: 0) == ["finish"])
        #expect(play.start(at: 1) == [])
    }
}
