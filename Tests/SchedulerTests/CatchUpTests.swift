import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

struct CatchUpTests {
    private static let missed = "missed: the service or the clock stood still, or a run was stopped before it ended"

    private func play(_ catchUp: Schedule.CatchUp, grace: Int = 60) -> TimetablePlay {
        var schedule = TimetablePlay.minutely
        (schedule.catchUp, schedule.misfireGrace) = (catchUp, .seconds(grace))
        return TimetablePlay(schedule)
    }

    @Test func `catch_up latest runs once for all missed instants, and one skip records the rest`() {
        var play = play(.latest)
        #expect(
            play.start(at: 600_010, settled: -60) == [
                "skip animals@0...599940 ×10000: \(Self.missed)", "run animals@600000",
            ])
    }

    @Test(arguments: [(30.0, "run animals@3600"), (30.001, "wake 3660")])
    func `catch_up none runs an instant within the grace`(lateness: Double, last: String) {
        var play = play(.none, grace: 30)
        _ = play.start(at: -1, settled: -60)
        #expect(play.wake(at: 3600 + lateness).contains(last))
    }

    @Test func `catch_up none skips instants later than the grace`() {
        var play = play(.none, grace: 5)
        #expect(play.start(at: 126, settled: -60) == ["skip animals@0...120 ×3: \(Self.missed)", "wake 180"])
        #expect(play.wake(at: 185) == ["run animals@180"])
    }

    @Test func `an interrupted run is the next start's, and a committed one is not`() {
        var play = play(.latest)
        _ = play.start(at: 0, settled: -60)
        play.crash()
        #expect(play.start(at: 10) == ["run animals@0"])
        _ = play.end(at: 11)
        play.crash()
        #expect(play.start(at: 12) == ["wake 60"])
    }

    @Test func `the next start runs the instant that a shutdown stopped`() {
        var play = play(.latest)
        _ = play.start(at: 0, settled: -60)
        #expect(play.send(.stopRequested, at: 1) == ["grace"])
        #expect(play.send(.graceEnded, at: 11) == ["cancel all"])
        #expect(play.end("animals", .stopped, at: 12) == ["finish"])
        play.crash()
        // The stored due time is that of the next instant.
        #expect(play.start(at: 13) == ["remember animals", "run animals@0"])
    }

    @Test func `a stream by cron that never ran waits for its first time, also across a crash`() throws {
        let daily = Schedule(.cron(try CronExpression("0 12 * * *"), zone: .utc))
        let streams = [ScheduledStream(.zoo("animals"), daily)]
        var play = TimetablePlay(streams)
        let first = play.start(at: 0)
        #expect(first.count == 2 && first[0] == "remember animals", "\(first)")
        play.crash(streams)
        // 2026-01-31T08:05 is before noon.
        #expect(play.start(at: 5 * 3600).first?.hasPrefix("run animals@") == true)
    }

    @Test func `a start with more to do than places spreads it over ten seconds at most`() {
        let streams = (0..<200).map { TimetablePlay.stream("s\($0)", Schedule(every: .seconds(3600))) }
        var play = TimetablePlay(streams, places: 100, perHost: 100)
        var started = [play.start(at: 0).count { $0.hasPrefix("run") }]
        for second in 1...10 {
            started.append(play.wake(at: Double(second)).count { $0.hasPrefix("run") })
        }
        #expect(started.allSatisfy { $0 < 40 } && started.reduce(0, +) == 100, "\(started)")
    }

    @Test func `what comes due during the spread leaves on time`() {
        let streams = (0..<3).map { TimetablePlay.stream("s\($0)", Schedule(every: .seconds(3600))) }
        let fresh = ScheduledStream(TimetablePlay.animals, TimetablePlay.minutely)
        var play = TimetablePlay(streams + [fresh], places: 2, perHost: 2)
        _ = play.start(at: -0.001, settled: -120)
        let lines = play.wake(at: 0)
        #expect(lines.contains("run animals@0"), "\(lines)")
    }
}
