import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

struct OverlapTests {
    private func running(_ overlap: Schedule.Overlap, _ change: (inout Schedule) -> Void = { _ in }) -> TimetablePlay {
        var schedule = TimetablePlay.minutely
        schedule.overlap = overlap
        change(&schedule)
        var play = TimetablePlay(schedule)
        #expect(play.start(at: -1, settled: -60) == ["wake 0"])
        #expect(play.wake(at: 0).first == "run animals@0")
        return play
    }

    @Test func `skip leaves out what came due during the run, in one skip after its end`() {
        var play = running(.skip)
        #expect(play.wake(at: 60) == [])
        #expect(play.wake(at: 120) == [])
        let lines = play.end(at: 125)
        #expect(lines.first?.hasPrefix("skip animals@60...120 ×2: the run of") == true, "\(lines)")
        #expect(lines.last == "wake 180")
        #expect(play.seconds(play.memory().settled) == 120)
    }

    @Test func `a crash in a run that instants came due in settles none of them`() {
        var play = running(.skip)
        _ = play.wake(at: 120)
        #expect(play.seconds(play.memory().settled) == -60)
        play.crash()
        #expect(
            play.start(at: 130) == [
                "skip animals@0...60 ×2: missed: the service or the clock stood still, or a run was stopped before it ended",
                "run animals@120",
            ])
    }

    @Test func `queue_one runs the latest of them at once, however late`() {
        for catchUp in Schedule.CatchUp.allCases {
            var play = running(.queueOne) { ($0.catchUp, $0.misfireGrace) = (catchUp, .seconds(1)) }
            let lines = play.end(at: 190)
            #expect(lines.count == 2 && lines[0].hasPrefix("skip animals@60...120 ×2: the run of"), "\(lines)")
            #expect(lines.dropFirst() == ["run animals@180"])
        }
    }

    @Test func `cancel_running cancels the run once, and the new instant runs when it has ended`() {
        var play = running(.cancelRunning)
        #expect(play.wake(at: 59) == ["wake 60"])
        #expect(play.wake(at: 60) == ["cancel animals"])
        #expect(play.wake(at: 61) == [])
        #expect(play.end("animals", .cancelled, at: 62) == ["run animals@60", "wake 120"])
        #expect(play.seconds(play.memory().settled) == 0)
    }

    @Test func `what somebody asked for is not cancelled`() {
        var play = running(.cancelRunning)
        _ = play.end(at: 1)
        #expect(play.ask("a", at: 2) == ["run animals for a"])
        #expect(play.wake(at: 60) == [])
        #expect(play.end(at: 70) == ["run animals@60", "wake 120"])
    }

    @Test func `a cancelled run is no failure`() {
        var play = running(.cancelRunning)
        _ = play.wake(at: 60)
        _ = play.end("animals", .cancelled, at: 62)
        #expect(play.memory().failures == 0 && play.memory().heldUntil == nil)
    }

    @Test func `after the end comes the pause, whatever overlap says`() {
        var schedule = Schedule(.afterFinish(.seconds(60)))
        schedule.overlap = .cancelRunning
        var play = TimetablePlay(schedule)
        #expect(play.start(at: 0) == ["run animals@0"])
        #expect(play.wake(at: 500) == [])
        #expect(play.end(at: 510) == ["wake 570"])
        #expect(play.wake(at: 570) == ["run animals@570"])
        play.crash([ScheduledStream(.zoo("animals"), schedule)])
        #expect(play.start(at: 571) == ["run animals@570"])
    }
}
