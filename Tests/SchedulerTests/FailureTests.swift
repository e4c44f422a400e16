import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

struct FailureTests {
    private func hourly() -> (TimetablePlay, Schedule) {
        let schedule = Schedule(every: .seconds(3600))
        var play = TimetablePlay(schedule)
        #expect(play.start(at: -1, settled: -3600) == ["wake 0"])
        return (play, schedule)
    }

    /// Lets the stream fail at once whenever it is woken, so many times; returns how long it was held each time.
    private func holds(_ times: Int, isPermanent: Bool) -> (play: TimetablePlay, holds: [Double?]) {
        var (play, _) = hourly()
        var holds: [Double?] = []
        var now = 0.0
        for _ in 0..<times {
            _ = play.wake(at: now)
            _ = play.end("animals", .failed(isPermanent: isPermanent), at: now + 1)
            let memory = play.memory()
            holds.append(play.seconds(memory.heldUntil).map { $0 - now - 1 })
            now = play.seconds(memory.nextDue) ?? .infinity
        }
        return (play, holds)
    }

    @Test func `one failure waits for the next regular instant`() {
        let (play, holds) = holds(1, isPermanent: false)
        #expect(holds == [nil])
        #expect(play.seconds(play.memory().nextDue) == 3600)
    }

    @Test func `failures in a row back off, up to sixteen intervals or six hours`() {
        let (play, holds) = holds(40, isPermanent: false)
        #expect(holds.compactMap { $0 }.allSatisfy { $0 > 0 && $0 <= 6 * 3600 }, "\(holds)")
        #expect(Set(holds.compactMap { $0 }).count > 10, "full jitter: \(holds)")
        #expect(play.memory().failures == 40 && play.memory().circuitOpenedAt == nil)
    }

    @Test func `short intervals back off by no more than sixteen of them`() {
        var play = TimetablePlay()
        _ = play.start(at: -1, settled: -60)
        var now = 0.0
        for _ in 0..<30 {
            _ = play.wake(at: now)
            _ = play.end("animals", .failed(isPermanent: false), at: now + 1)
            let next = play.seconds(play.memory().nextDue) ?? .infinity
            #expect(next - now <= 16 * 60 + 1)
            now = next
        }
    }

    @Test func `a success ends the back-off`() {
        var (play, _) = holds(5, isPermanent: false)
        let probe = play.seconds(play.memory().nextDue) ?? 0
        _ = play.wake(at: probe)
        _ = play.end(at: probe + 1)
        #expect(play.memory().failures == 0 && play.memory().heldUntil == nil && play.memory().holdReason == nil)
    }

    @Test func `what passes in a hold is one skip with its reason, and the latest runs when it ends`() {
        var play = TimetablePlay()
        _ = play.start(at: -1, settled: -60)
        _ = play.wake(at: 0)
        #expect(play.end("animals", .succeeded, retryAfter: 250, at: 1) == ["wake 250"])
        #expect(play.wake(at: 100) == ["wake 250"])
        let lines = play.wake(at: 250)
        #expect(
            lines.first?.hasPrefix("skip animals@60...180 ×3: the source asks to be left alone") == true,
            "\(lines)")
        #expect(lines.dropFirst() == ["run animals@240"])
    }

    @Test func `a hold outlives the process`() {
        var play = TimetablePlay()
        _ = play.start(at: -1, settled: -60)
        _ = play.wake(at: 0)
        _ = play.end("animals", .failed(isPermanent: false), retryAfter: 250, at: 1)
        play.crash()
        #expect(play.start(at: 100) == ["wake 250"])
    }

    @Test func `five permanent failures open the circuit, and probes come after 1, 2, 4 hours up to a day`() {
        let (play, holds) = holds(12, isPermanent: true)
        let hours = holds.dropFirst(4).map { (($0 ?? 0) / 3600).rounded() }
        #expect(hours == [1, 2, 4, 8, 16, 24, 24, 24])
        #expect(play.memory().circuitOpenedAt != nil)
        #expect(play.memory().holdReason?.contains("12 permanent failures") == true)
    }

    @Test func `a success closes the circuit, a passing failure does not`() {
        var (play, _) = holds(5, isPermanent: true)
        for ending in [RunResult.Ending.failed(isPermanent: false), .succeeded] {
            let probe = play.seconds(play.memory().nextDue) ?? 0
            #expect(play.wake(at: probe).contains { $0.hasPrefix("run") })
            #expect(play.memory().circuitOpenedAt != nil)
            _ = play.end("animals", ending, at: probe + 1)
        }
        #expect(play.memory().circuitOpenedAt == nil && play.memory().permanentFailures == 0)
    }
}
