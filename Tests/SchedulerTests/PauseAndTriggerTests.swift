import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

struct PauseAndTriggerTests {
    private func going() -> TimetablePlay {
        var play = TimetablePlay()
        #expect(play.start(at: -1, settled: -60) == ["wake 0"])
        return play
    }

    @Test func `a paused stream starts nothing by itself, not even after a restart`() {
        var play = going()
        #expect(play.send(.paused(.zoo("animals")), at: 1) == ["remember animals"])
        #expect(play.wake(at: 120) == [])
        play.crash()
        #expect(play.start(at: 180) == [])
        #expect(play.memory().isPaused && play.memory().nextDue == nil)
    }

    @Test func `resume goes on from now, and one skip tells what has passed`() {
        var play = going()
        _ = play.send(.paused(.zoo("animals")), at: -0.5)
        #expect(
            play.send(.resumed(.zoo("animals")), at: 150) == [
                "skip animals@0...120 ×3: the stream was paused", "remember animals", "wake 180",
            ])
        #expect(!play.memory().isPaused)
    }

    @Test func `a pause lets the active run end, and its resume leaves out what passed when it has`() {
        var play = going()
        _ = play.wake(at: 0)
        #expect(play.send(.paused(.zoo("animals")), at: 10) == ["remember animals"])
        #expect(play.send(.resumed(.zoo("animals")), at: 70) == ["remember animals"])
        #expect(play.end(at: 75) == ["skip animals@60 ×1: the stream was paused", "wake 120"])
    }

    @Test func `a clock that is set back after a resume settles nothing that is not yet due`() {
        var play = going()
        _ = play.wake(at: 0)
        _ = play.send(.paused(.zoo("animals")), at: 10)
        _ = play.send(.resumed(.zoo("animals")), at: 250)
        #expect(play.end(at: 75) == ["skip animals@60 ×1: the stream was paused", "wake 120"])
        #expect(play.wake(at: 120) == ["run animals@120"])
    }

    @Test func `a manual run works while paused, and moves neither the anchor nor what is settled`() {
        var play = going()
        _ = play.send(.paused(.zoo("animals")), at: -0.5)
        #expect(play.ask("a", at: 30) == ["run animals for a"])
        let settled = play.memory().settled
        #expect(play.end(at: 31) == [])
        #expect(play.memory().settled == settled)
        _ = play.send(.resumed(.zoo("animals")), at: 32)
        #expect(play.wake(at: 60) == ["run animals@60"])
    }

    @Test func `a manual run works while the stream is held, and its success ends the hold`() {
        var play = going()
        _ = play.wake(at: 0)
        #expect(play.end("animals", .failed(isPermanent: false), retryAfter: 1000, at: 1) == ["wake 1000"])
        #expect(play.ask("a", at: 2) == ["run animals for a"])
        #expect(play.end(at: 3) == ["wake 60"])
    }

    @Test func `instants that passed during a hold are skipped for that reason, also if a manual run has ended it`() {
        var play = going()
        _ = play.wake(at: 0)
        _ = play.end("animals", .failed(isPermanent: false), retryAfter: 1000, at: 1)
        let asked = play.ask("a", at: 200)
        #expect(asked == ["skip animals@60...120 ×2: the source asks to be left alone", "run animals for a"])
        #expect(play.end(at: 201) == ["run animals@180"])
    }

    @Test func `a manual run that fails makes nothing worse`() {
        var play = going()
        _ = play.wake(at: 0)
        _ = play.end(at: 0.5)
        for number in 0..<7 {
            _ = play.ask("\(number)", at: 1 + Double(number))
            _ = play.end("animals", .failed(isPermanent: true), at: 1.5 + Double(number))
        }
        #expect(play.memory().failures == 0 && play.memory().circuitOpenedAt == nil)
    }

    @Test func `one follow-up run serves all requests that came during a run`() {
        var play = going()
        _ = play.wake(at: 0)
        for request in ["a", "b", "c"] { _ = play.ask(request, at: 10) }
        #expect(play.end(at: 20) == ["run animals for a, b, c"])
        #expect(play.ask("d", at: 21) == [])
        #expect(play.end(at: 22) == ["run animals for d"])
    }

    @Test func `requests without end do not keep a stream's own instants waiting`() {
        var play = TimetablePlay(
            [
                TimetablePlay.stream("animals"), TimetablePlay.stream("blocker", Schedule(every: .seconds(864_000))),
            ], places: 1)
        _ = play.start(at: -1, settled: -60)
        #expect(play.ask("a", at: 0.5) == [])
        #expect(play.end("blocker", at: 1).first == "run animals for a")
        _ = play.ask("b", at: 2)
        #expect(play.end(at: 3).first == "run animals@0")
    }

    @Test func `a stream without a schedule does what is asked for, and nothing else`() {
        var play = TimetablePlay([TimetablePlay.stream("animals", nil)])
        #expect(play.start(at: 0) == [])
        #expect(play.ask("a", at: 5) == ["run animals for a"])
        #expect(play.end("animals", .failed(isPermanent: true), at: 6) == [])
        #expect(play.wake(at: 100_000) == [])
    }

    @Test func `what nobody can serve is refused`() {
        var play = going()
        #expect(play.ask("a", "ants", at: 0) == ["refuse ants a", "run animals@0"])
        #expect(play.ask("b", at: 1) == [])
        #expect(play.send(.stopRequested, at: 2) == ["refuse animals b", "grace"])
        #expect(play.ask("c", at: 3) == ["refuse animals c"])
        #expect(play.end(at: 4) == ["finish"])
    }
}
