import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

struct ReloadTests {
    private func jittered(_ jitter: Int, every: Int = 600) -> ScheduledStream {
        ScheduledStream(.zoo("animals"), Schedule(every: .seconds(every), jitter: .seconds(jitter)))
    }

    @Test(arguments: [0, 1, 60, 599])
    func `a change between nominal and jittered runs once`(jitter: Int) {
        let before = jittered(500)
        var play = TimetablePlay([before], curtainOf: Schedule(every: .seconds(600)))
        let wakes = play.start(at: -0.001, settled: -600)
        #expect(wakes.count == 1 && wakes[0].hasPrefix("wake ") && wakes[0] != "wake 0")
        _ = play.send(.reloaded([jittered(jitter)]), at: 1)
        var runs: [String] = []
        for second in 1..<1200 {
            runs += play.wake(at: Double(second)).filter { $0.hasPrefix("run") }
            _ = play.end(at: Double(second) + 0.5)
        }
        #expect(runs.filter { $0 == "run animals@0" }.count == 1 && Set(runs).count == runs.count, "\(runs)")
    }

    @Test func `a schedule that was changed between two services is remembered by the second one`() throws {
        let hourly = ScheduledStream(TimetablePlay.animals, Schedule(every: .seconds(3600)))
        var play = TimetablePlay()
        _ = play.start(at: -1, settled: -60)
        _ = play.wake(at: 0)
        _ = play.end(at: 1)
        #expect(play.states[TimetablePlay.animals]?.nextDue == play.instant(60))
        play.crash([hourly])
        let state = play.states[TimetablePlay.animals]
        let due = try #require(hourly.schedule?.due(for: hourly.name, after: state, startingAt: play.instant(2)))
        let lines = play.start(at: 2)
        #expect(lines.count == 2 && lines[0] == "remember animals" && lines[1].hasPrefix("wake"), "\(lines)")
        #expect(play.states[TimetablePlay.animals]?.nextDue == due && due > play.instant(60))
        // Nothing has changed since.
        play.crash([hourly])
        #expect(play.start(at: 3).count == 1)
    }

    @Test func `a service that starts asks a new stream for records now, and by cron at its own times`() throws {
        let now = TimetablePlay().curtain
        let name = TimetablePlay.animals
        #expect(TimetablePlay.minutely.due(for: name, after: nil, startingAt: now) == now)
        let cron = try Schedule(.cron(CronExpression("0 0 29 2 *"), zone: .utc))
        #expect(cron.due(for: name, after: nil, startingAt: now) == Timestamp(rfc3339: "2028-02-29T00:00:00Z"))
        let held = ScheduleState(settled: now, heldUntil: now.advanced(by: .seconds(600)))
        #expect(TimetablePlay.minutely.due(for: name, after: held, startingAt: now) == held.heldUntil)
    }

    @Test func `a change is not retroactive`() {
        var play = TimetablePlay([jittered(0, every: 86_400)], curtainOf: Schedule(every: .seconds(86_400)))
        _ = play.start(at: 1, settled: 0)
        #expect(play.send(.reloaded([jittered(0, every: 60)]), at: 40_000).contains { $0.hasPrefix("run") } == false)
    }

    @Test func `streams that stay as they are keep their state`() {
        let animals = TimetablePlay.stream("animals")
        var play = TimetablePlay([animals])
        _ = play.start(at: -1, settled: -60)
        _ = play.wake(at: 0)
        _ = play.end("animals", .failed(isPermanent: false), retryAfter: 250, at: 1)
        #expect(play.send(.reloaded([animals, TimetablePlay.stream("bears", nil)]), at: 2) == ["wake 250"])
    }

    @Test func `policies change without touching an instant`() {
        var play = TimetablePlay()
        _ = play.start(at: -1, settled: -60)
        _ = play.wake(at: 0)
        var schedule = TimetablePlay.minutely
        schedule.overlap = .queueOne
        #expect(play.send(.reloaded([ScheduledStream(.zoo("animals"), schedule)]), at: 70) == [])
        // The active run began by the old one, and what overlaps it is left out.
        #expect(play.end(at: 80).last == "wake 120")
        _ = play.wake(at: 120)
        #expect(play.end(at: 185) == ["run animals@180"])
    }

    @Test func `a removed stream's run ends by itself, its requests are refused, and it may come back`() {
        let bears = TimetablePlay.stream("bears", nil)
        var play = TimetablePlay()
        _ = play.start(at: -1, settled: -60)
        _ = play.wake(at: 0)
        _ = play.ask("a", at: 1)
        #expect(play.send(.reloaded([bears]), at: 2) == ["refuse animals a"])
        #expect(play.ask("b", at: 3) == ["refuse animals b"])
        #expect(play.end(at: 200) == [])
        #expect(
            play.send(.reloaded([bears, TimetablePlay.stream("animals")]), at: 250) == ["remember animals", "wake 300"])
    }

    @Test func `a new stream runs at once, and one that comes back paused stays paused`() {
        let animals = TimetablePlay.stream("animals")
        var play = TimetablePlay([TimetablePlay.stream("bears", nil)])
        _ = play.start(at: 0)
        #expect(play.send(.reloaded([animals]), at: 1) == ["run animals@0"])
        _ = play.end(at: 2)
        _ = play.send(.paused(.zoo("animals")), at: 3)
        _ = play.send(.reloaded([]), at: 4)
        #expect(play.send(.reloaded([animals]), at: 500) == ["remember animals"])
        #expect(play.memory().isPaused)
    }
}
