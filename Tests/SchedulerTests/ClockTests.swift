import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

/// A clock that was ahead, or that is set back by more than is waited for.
struct ClockTests {
    private static let days400 = 400 * 86_400.0

    private func going() -> TimetablePlay {
        var play = TimetablePlay(TimetablePlay.minutely)
        #expect(play.start(at: -1, settled: -60) == ["wake 0"])
        #expect(play.wake(at: 0) == ["run animals@0"])
        _ = play.end(at: 1)
        return play
    }

    @Test func `one instant with the clock 400 days ahead keeps no stream from its next instant`() {
        var play = going()
        #expect(play.wake(at: Self.days400).last == "run animals@34560000")
        _ = play.end(at: Self.days400 + 1)
        #expect(play.wake(at: 90) == ["ahead animals until 34560000", "remember animals", "wake 120"])
        #expect(play.seconds(play.memory().settled) == 90 && play.seconds(play.memory().nextDue) == 120)
        #expect(play.wake(at: 120) == ["run animals@120"])
    }

    @Test func `a process that begins with what a clock left that was ahead goes on from now, and says so once`() {
        var play = going()
        _ = play.wake(at: Self.days400)
        _ = play.end(at: Self.days400 + 1)
        play.crash()
        #expect(play.start(at: 90) == ["ahead animals until 34560000", "remember animals", "wake 120"])
        play.crash()
        #expect(play.start(at: 91) == ["wake 120"])
    }

    @Test func `a service whose clock goes back two hours goes on with the next instant, and catches up on nothing`() {
        var play = going()
        #expect(play.wake(at: -7190) == ["ahead animals until 0", "remember animals", "wake -7140"])
        #expect(play.wake(at: -7140) == ["run animals@-7140"])
        #expect(play.end(at: -7139) == ["wake -7080"])
    }

    @Test func `a run that ends after the clock went back two hours is followed by the next instant`() {
        var play = TimetablePlay()
        _ = play.start(at: 0, settled: -60)
        #expect(play.end(at: -7190) == ["ahead animals until 0", "remember animals", "wake -7140"])
    }

    @Test func `a pause after the end of runs is counted from now when the clock goes back two hours`() {
        let schedule = Schedule(.afterFinish(.seconds(60)))
        var play = TimetablePlay(schedule)
        _ = play.start(at: 0)
        #expect(play.end(at: 5) == ["wake 65"])
        #expect(play.wake(at: -7200) == ["ahead animals until 5", "remember animals", "wake -7140"])
    }

    @Test func `a hold keeps what was left of it when the clock goes back two hours`() {
        var play = going()
        _ = play.wake(at: 60)
        _ = play.end("animals", .failed(isPermanent: false), retryAfter: 1061, at: 61)
        #expect(play.wake(at: -7200).last == "wake -6200")
    }

    @Test func `a hold that no source can have asked for is ended`() {
        var play = TimetablePlay()
        let memory = ScheduleState(
            settled: play.instant(-60), heldUntil: play.instant(Self.days400), holdReason: "the source asks for it")
        let lines = play.send(.started(states: [TimetablePlay.animals: memory]), at: 0)
        #expect(lines == ["ahead animals until 34560000", "remember animals", "run animals@0"])
        #expect(play.memory().heldUntil == nil && play.memory().holdReason == nil)
    }

    @Test func `what ran before the clock went back is not caught up on when it comes forward again`() {
        var play = going()
        for minute in 1...60 {
            #expect(play.wake(at: Double(minute * 60)) == ["run animals@\(minute * 60)"])
            _ = play.end(at: Double(minute * 60 + 1))
        }
        #expect(play.wake(at: 30).first == "ahead animals until 3600")
        #expect(
            play.wake(at: 3630) == [
                "skip animals@60...3540 ×59: missed: the service or the clock stood still, or a run was stopped before it ended",
                "run animals@3600",
            ])
        #expect(play.end(at: 3631) == ["wake 3660"])
    }

    @Test func `a stream that is configured again goes on from now, whatever a clock left that was ahead`() {
        var play = TimetablePlay([TimetablePlay.stream("bears")])
        _ = play.send(
            .started(states: [TimetablePlay.animals: ScheduleState(settled: play.instant(Self.days400))]), at: 0)
        let streams = ["animals", "bears"].map { TimetablePlay.stream($0) }
        let lines = play.send(.reloaded(streams), at: 10)
        #expect(lines.contains("ahead animals until 34560000"), "\(lines)")
        #expect(play.seconds(play.memory().settled) == 10)
    }
}
