import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

struct UpcomingRunsTests {
    private let streams: [(StreamName, Schedule)] = [
        (.zoo("animals"), Schedule(every: .seconds(60), jitter: .seconds(59))),
        (.zoo("feedings"), Schedule(every: .seconds(25))),
        (.zoo("keepers"), Schedule(every: .seconds(3600))),
    ]

    @Test func `firings come in the order of due time, and none is left out`() throws {
        let start = try instant("2026-01-31T08:05:00Z")
        let end = start + .seconds(7200)
        let firings = Array(UpcomingRuns(of: streams, from: start).prefix { $0.dueAt < end })

        #expect(zip(firings, firings.dropFirst()).allSatisfy { $0.dueAt <= $1.dueAt })
        for (stream, schedule) in streams {
            let schedule = DueTimes(schedule, for: stream)
            var nominal = try #require(schedule.latest(atOrBefore: start - .seconds(3600)))
            var expected: [Timestamp] = []
            while nominal < end {
                if (start..<end).contains(schedule.dueTime(of: nominal)) { expected.append(nominal) }
                nominal = try #require(schedule.next(after: nominal))
            }
            let found = firings.filter { $0.stream == stream }
            #expect(found.map(\.nominal) == expected)
            #expect(found.allSatisfy { $0.dueAt == schedule.dueTime(of: $0.nominal) })
        }
    }

    @Test func `a nominal instant behind us whose due time is ahead still fires`() throws {
        let schedule = DueTimes(streams[0].1, for: streams[0].0)
        let nominal = try #require(schedule.next(after: instant("2026-01-31T08:05:00Z")))
        let due = schedule.dueTime(of: nominal)
        try #require(due > nominal)

        #expect(UpcomingRuns(of: [streams[0]], from: due).first { _ in true }?.nominal == nominal)
        #expect(
            UpcomingRuns(of: [streams[0]], from: due + .milliseconds(1)).first { _ in true }?.nominal
                == nominal + .seconds(60))
    }

    @Test func `streams due at one instant come in the order of their names`() throws {
        let twins = ["b", "a", "c"].map { (StreamName.zoo($0), Schedule(every: .milliseconds(1))) }
        let firings = try UpcomingRuns(of: twins, from: instant("2026-01-31T08:05:00Z")).prefix(6)
        #expect(firings.map(\.stream.stream) == ["a", "b", "c", "a", "b", "c"])
    }

    @Test func `firings end where the instants do`() {
        let end = Timestamp(millisecondsSince1970: .max)
        #expect(Array(UpcomingRuns(of: [], from: end)).isEmpty)
        #expect(Array(UpcomingRuns(of: streams, from: end - .seconds(30))).count <= 4)
    }
}
