import Catalog
import Scheduler
import Testing

struct TimetableTests {
    private let animals = StreamName.zoo("animals")
    private let minutely = Schedule(every: .seconds(60))

    /// A nominal instant of `zoo.animals` each minute.
    private func nominal(_ number: Int = 0) throws -> Timestamp {
        let schedule = Timeline(minutely, for: animals)
        return try #require(schedule.next(after: instant("2026-01-31T08:05:00Z"))) + .seconds(60 * number)
    }

    private func started(after number: Int) throws -> Timetable {
        var timetable = Timetable([(animals, minutely)])
        let last = try nominal(number)
        let actions = timetable.handle(.started(lastNominal: [animals: last]), at: last + .seconds(1))
        #expect(actions == [.wake(at: last + .seconds(60))])
        return timetable
    }

    // Start

    @Test func `a stream that never ran runs at once, for the latest instant`() throws {
        var timetable = Timetable([(animals, minutely)])
        let actions = try timetable.handle(.started(lastNominal: [:]), at: nominal() + .seconds(10))
        #expect(try actions == [.run(animals, nominal: nominal()), .wake(at: nominal(1))])
    }

    @Test(arguments: [RunResult.succeeded, .failed])
    func `the first run of a stream's parent comes before its own`(result: RunResult) throws {
        let aviaries = StreamName.zoo("aviaries")
        var timetable = Timetable([(animals, minutely), (aviaries, minutely)], parents: [animals: aviaries])
        func runs(_ actions: [Timetable.Action]) -> [StreamName] {
            actions.compactMap { if case .run(let stream, _) = $0 { stream } else { nil } }
        }
        func nominal(of actions: [Timetable.Action]) throws -> Timestamp {
            let nominals = actions.compactMap { if case .run(_, let nominal) = $0 { nominal } else { nil } }
            return try #require(nominals.first)
        }
        let now = try self.nominal() + .seconds(10)
        let first = timetable.handle(.started(lastNominal: [:]), at: now)
        #expect(runs(first) == [aviaries])
        #expect(runs(timetable.handle(.woke, at: now + .seconds(60))) == [])
        let ended = Timetable.Event.finished(aviaries, nominal: try nominal(of: first), result)
        #expect(runs(timetable.handle(ended, at: now + .seconds(61))).contains(animals))
    }

    @Test func `a parent that has run before is not waited for`() throws {
        let aviaries = StreamName.zoo("aviaries")
        var timetable = Timetable([(animals, minutely), (aviaries, minutely)], parents: [animals: aviaries])
        let last = try nominal(-5)
        let actions = try timetable.handle(.started(lastNominal: [aviaries: last]), at: nominal() + .seconds(10))
        let runs = actions.compactMap { if case .run(let stream, _) = $0 { stream } else { nil } }
        #expect(Set(runs) == [animals, aviaries])
    }

    @Test func `a restart repeats nothing`() throws {
        _ = try started(after: 0)
    }

    @Test func `after a gap one run stands for all, and one skip tells the rest`() throws {
        var timetable = Timetable([(animals, minutely)])
        let last = try nominal(-10_001)
        let actions = try timetable.handle(.started(lastNominal: [animals: last]), at: nominal() + .seconds(10))
        let skip = try Skip(
            stream: animals, nominals: nominal(-10_000)...nominal(-1), count: 10_000, reason: .missed)
        #expect(try actions == [.skip(skip), .run(animals, nominal: nominal()), .wake(at: nominal(1))])
    }

    @Test func `a restart with the clock set back waits until it has caught up`() throws {
        var timetable = Timetable([(animals, minutely)])
        let actions = try timetable.handle(.started(lastNominal: [animals: nominal(5)]), at: nominal() + .seconds(1))
        #expect(try actions == [.wake(at: nominal(6))])
        #expect(try timetable.handle(.woke, at: nominal(3)) == [.wake(at: nominal(6))])
        #expect(
            try timetable.handle(.woke, at: nominal(6)) == [.run(animals, nominal: nominal(6)), .wake(at: nominal(7))])
    }

    @Test func `nothing starts before 2020`() throws {
        var timetable = Timetable([(animals, minutely)])
        let waiting = [Timetable.Action.wake(at: Timetable.earliestPlausibleNow)]
        #expect(
            try timetable.handle(.started(lastNominal: [animals: nominal(-1)]), at: instant("1970-01-01T00:00:07Z"))
                == waiting)
        #expect(try timetable.handle(.woke, at: instant("2019-12-31T23:59:59.999Z")) == waiting)
        #expect(
            try timetable.handle(.woke, at: nominal()) == [.run(animals, nominal: nominal()), .wake(at: nominal(1))])
    }

    @Test func `no streams, no wake`() throws {
        var timetable = Timetable([])
        #expect(try timetable.handle(.started(lastNominal: [:]), at: nominal()).isEmpty)
        #expect(try timetable.handle(.stopRequested, at: nominal()) == [.finish])
    }

    @Test func `nothing happens before the start, and a second start is none`() throws {
        var timetable = Timetable([(animals, minutely)])
        #expect(try timetable.handle(.woke, at: nominal()).isEmpty)
        _ = try timetable.handle(.started(lastNominal: [animals: nominal()]), at: nominal())
        #expect(try timetable.handle(.started(lastNominal: [:]), at: nominal()) == [.wake(at: nominal(1))])
    }

    // Beats

    @Test func `an instant that comes due during a run is skipped, and tells which run was in its way`() throws {
        var timetable = try started(after: -1)
        _ = try timetable.handle(.woke, at: nominal())
        for number in 1...2 {
            let skip = try Skip(
                stream: animals, nominals: nominal(number)...nominal(number), count: 1,
                reason: .stillRunning(nominal: nominal()))
            #expect(
                try timetable.handle(.woke, at: nominal(number)) == [.skip(skip), .wake(at: nominal(number + 1))])
        }
        #expect(
            try timetable.handle(.finished(animals, nominal: nominal(), .succeeded), at: nominal(2) + .seconds(5))
                == [.wake(at: nominal(3))])
        #expect(
            try timetable.handle(.woke, at: nominal(3)) == [.run(animals, nominal: nominal(3)), .wake(at: nominal(4))])
    }

    @Test func `a stream whose source wants to be left alone runs at the first instant after that`() throws {
        var timetable = try started(after: -1)
        _ = try timetable.handle(.woke, at: nominal())
        let end = try Timetable.Event.finished(
            animals, nominal: nominal(), .leftAlone(until: nominal(3) + .seconds(1)))
        #expect(try timetable.handle(end, at: nominal() + .seconds(5)) == [.wake(at: nominal(4))])
        #expect(try timetable.handle(.woke, at: nominal(2)) == [.wake(at: nominal(4))])
        #expect(try timetable.handle(.woke, at: nominal(4)).first == .run(animals, nominal: nominal(4)))
    }

    @Test(arguments: [RunResult.succeeded, .failed, .cancelled])
    func `however a run ends, the next regular instant is waited for`(result: RunResult) throws {
        var timetable = try started(after: -1)
        _ = try timetable.handle(.woke, at: nominal())
        #expect(
            try timetable.handle(.finished(animals, nominal: nominal(), result), at: nominal() + .seconds(59))
                == [.wake(at: nominal(1))])
        #expect(
            try timetable.handle(.woke, at: nominal(1)) == [.run(animals, nominal: nominal(1)), .wake(at: nominal(2))])
    }

    @Test func `a late wake does not move the instants`() throws {
        var timetable = try started(after: -1)
        for number in 0..<50 {
            let late = try nominal(number) + .seconds(number % 20)
            #expect(
                try timetable.handle(.woke, at: late)
                    == [.run(animals, nominal: nominal(number)), .wake(at: nominal(number + 1))])
            _ = try timetable.handle(.finished(animals, nominal: nominal(number), .succeeded), at: late + .seconds(30))
        }
    }

    @Test func `an early wake and an answer nobody waits for change nothing`() throws {
        var timetable = try started(after: -1)
        let wake = try [Timetable.Action.wake(at: nominal())]
        #expect(try timetable.handle(.woke, at: nominal() - .milliseconds(1)) == wake)
        #expect(
            try timetable.handle(.finished(animals, nominal: nominal(-1), .succeeded), at: nominal(-1) + .seconds(9))
                == wake)
        #expect(
            try timetable.handle(.finished(.zoo("ants"), nominal: nominal(), .failed), at: nominal(-1) + .seconds(9))
                == wake)
    }

    // The clock

    @Test func `a clock set back repeats nothing`() throws {
        var timetable = try started(after: -1)
        _ = try timetable.handle(.woke, at: nominal())
        _ = try timetable.handle(.finished(animals, nominal: nominal(), .succeeded), at: nominal() + .seconds(1))
        for back in [60, 30, 3600, 1] {
            #expect(try timetable.handle(.woke, at: nominal() - .seconds(back)) == [.wake(at: nominal(1))])
        }
        #expect(
            try timetable.handle(.woke, at: nominal(1)) == [.run(animals, nominal: nominal(1)), .wake(at: nominal(2))])
    }

    @Test func `a clock set forward runs once for all that was missed`() throws {
        var timetable = try started(after: -1)
        let skip = try Skip(stream: animals, nominals: nominal()...nominal(719), count: 720, reason: .missed)
        #expect(
            try timetable.handle(.woke, at: nominal(720) + .seconds(3)) == [
                .skip(skip), .run(animals, nominal: nominal(720)), .wake(at: nominal(721)),
            ])
    }

    // Places

    @Test func `runs beyond the limit wait, and start in the order they were due`() throws {
        let streams = (0..<5).map { (StreamName.zoo("s\($0)"), Schedule(every: .seconds(3600))) }
        let firings = try Array(Firings(of: streams, from: nominal()).prefix(5))
        var timetable = Timetable(streams, maximumConcurrentRuns: 2)
        let last = Dictionary(uniqueKeysWithValues: firings.map { ($0.stream, $0.nominal - .seconds(3600)) })
        _ = try timetable.handle(.started(lastNominal: last), at: nominal())

        var order = runs(timetable.handle(.woke, at: firings[4].dueAt))
        #expect(order.count == 2)
        for firing in firings.prefix(3) {
            order += runs(
                timetable.handle(.finished(firing.stream, nominal: firing.nominal, .failed), at: firings[4].dueAt))
        }
        #expect(order == firings.map(\.stream))
    }

    @Test func `sources take turns, however many streams one has waiting`() throws {
        let crowd = (0..<100).map { StreamName(source: "crowd", stream: "s\($0)") }
        let guests = (0..<2).map { StreamName(source: "guest", stream: "s\($0)") }
        var timetable = Timetable((crowd + guests).map { ($0, minutely) }, maximumConcurrentRuns: 1)
        let now = try nominal()
        var actions = timetable.handle(.started(lastNominal: [:]), at: now)
        var sources: [String] = []
        for _ in 0..<5 {
            guard case .run(let stream, let nominal)? = actions.first else { break }
            sources.append(stream.source)
            actions = timetable.handle(.finished(stream, nominal: nominal, .succeeded), at: now)
        }
        #expect(sources.prefix(5).filter { $0 == "guest" }.count == 2, "\(sources)")
        #expect(zip(sources, sources.dropFirst()).prefix(3).allSatisfy { $0 != $1 }, "\(sources)")
    }

    @Test func `an answer given twice frees no second place`() throws {
        let streams = (0..<3).map { (StreamName.zoo("s\($0)"), Schedule(every: .seconds(3600))) }
        var timetable = Timetable(streams, maximumConcurrentRuns: 1)
        let actions = try timetable.handle(.started(lastNominal: [:]), at: nominal())
        guard case .run(let stream, let running)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        let answer = Timetable.Event.finished(stream, nominal: running, .succeeded)
        #expect(try runs(timetable.handle(answer, at: nominal())).count == 1)
        #expect(try runs(timetable.handle(answer, at: nominal())).isEmpty)
    }

    @Test func `an instant that waits for a place gives it to a later one, and keeps the turn`() throws {
        let blocker = StreamName.zoo("blocker")
        let schedules = [(animals, minutely), (blocker, Schedule(every: .seconds(86_400)))]
        var timetable = Timetable(schedules, maximumConcurrentRuns: 1)
        let start = try nominal(-1) + .seconds(1)
        let actions = try timetable.handle(.started(lastNominal: [animals: nominal(-1)]), at: start)
        guard case .run(blocker, let blocking)? = actions.first else {
            Issue.record("\(actions)")
            return
        }

        #expect(try timetable.handle(.woke, at: nominal()) == [.wake(at: nominal(1))])
        let skip = try Skip(stream: animals, nominals: nominal()...nominal(), count: 1, reason: .overtaken)
        #expect(try timetable.handle(.woke, at: nominal(1)) == [.skip(skip), .wake(at: nominal(2))])
        #expect(
            try timetable.handle(.finished(blocker, nominal: blocking, .succeeded), at: nominal(1) + .seconds(5))
                == [.run(animals, nominal: nominal(1)), .wake(at: nominal(2))])
    }

    @Test func `an instant that waits for a place goes back into the future with the clock`() throws {
        let blocker = StreamName.zoo("blocker")
        let schedules = [(animals, minutely), (blocker, Schedule(every: .seconds(86_400)))]
        var timetable = Timetable(schedules, maximumConcurrentRuns: 1)
        let actions = try timetable.handle(.started(lastNominal: [animals: nominal(-1)]), at: nominal(-1))
        guard case .run(blocker, let blocking)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(try timetable.handle(.woke, at: nominal()) == [.wake(at: nominal(1))])
        #expect(
            try timetable.handle(.finished(blocker, nominal: blocking, .failed), at: nominal() - .seconds(9))
                == [.wake(at: nominal())])
        #expect(
            try timetable.handle(.woke, at: nominal()) == [.run(animals, nominal: nominal()), .wake(at: nominal(1))])
    }

    @Test func `a stream that never ran does not wait for the clock that was set back`() throws {
        var timetable = Timetable([(animals, minutely), (.zoo("bears"), minutely)], maximumConcurrentRuns: 1)
        var actions = try timetable.handle(.started(lastNominal: [:]), at: nominal() + .seconds(1))
        guard case .run(let first, let running)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        let early = try nominal() - .seconds(36_000)
        actions = timetable.handle(.finished(first, nominal: running, .succeeded), at: early)
        guard case .run(let second, let earlier)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(second != first)
        #expect(earlier <= early)
    }

    // Stop

    @Test func `a stop without runs finishes at once, and once`() throws {
        var timetable = try started(after: -1)
        #expect(try timetable.handle(.stopRequested, at: nominal()) == [.finish])
        #expect(try timetable.handle(.stopRequested, at: nominal()).isEmpty)
        #expect(try timetable.handle(.woke, at: nominal(5)).isEmpty)
    }

    @Test func `a stop before the start starts nothing`() throws {
        var timetable = Timetable([(animals, minutely)])
        #expect(try timetable.handle(.stopRequested, at: nominal()) == [.finish])
        #expect(try timetable.handle(.started(lastNominal: [:]), at: nominal()).isEmpty)
    }

    @Test func `a stop waits for runs in flight, starts nothing more, and cancels after the grace`() throws {
        let keepers = StreamName.zoo("keepers")
        var timetable = Timetable([(animals, minutely), (keepers, minutely)], maximumConcurrentRuns: 1)
        let actions = try timetable.handle(.started(lastNominal: [:]), at: nominal())
        guard case .run(let stream, let running)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(try timetable.handle(.graceEnded, at: nominal()) != [.cancelRuns])
        #expect(try timetable.handle(.stopRequested, at: nominal()) == [.startGrace])
        #expect(try timetable.handle(.woke, at: nominal(2)).isEmpty)
        #expect(try timetable.handle(.graceEnded, at: nominal(2)) == [.cancelRuns])
        #expect(try timetable.handle(.finished(stream, nominal: running, .cancelled), at: nominal(2)) == [.finish])
    }

    private func runs(_ actions: [Timetable.Action]) -> [StreamName] {
        actions.compactMap { if case .run(let stream, _) = $0 { stream } else { nil } }
    }
}
