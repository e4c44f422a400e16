import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

/// A virtual hour of a hundred streams at one host, each due once a minute; runs take a quarter of a second.
struct DeadStreamTests {
    private struct SimulatedRun {
        let start: Start
        let ends: Timestamp
    }

    private static let schedule = Schedule(every: .seconds(60))
    private static let hour = Duration.seconds(3600)
    private let beginning = Timestamp(millisecondsSince1970: 1_769_846_700_000)
    private let stalling = StreamName.zoo("s0")
    private let failing = StreamName.zoo("s1")

    /// All that starts in the hour, and when.
    private func starts(_ names: [StreamName], failure: RunResult.Ending) -> [(start: Start, at: Timestamp)] {
        let streams = names.map { ScheduledStream($0, Self.schedule, host: "zoo.example") }
        // As many places as `garner serve` has, half of them at one host.
        var timetable = Timetable(streams, maximumConcurrentRuns: 16)
        let memories = Dictionary(uniqueKeysWithValues: names.map { ($0, ScheduleState(settled: beginning)) })
        var starts: [(start: Start, at: Timestamp)] = []
        var activeRuns: [SimulatedRun] = []
        var (now, wake) = (beginning, Timestamp?.none)
        var event = Timetable.Event.started(states: memories)
        while true {
            for action in timetable.handle(event, at: now) {
                switch action {
                case .run(let start):
                    starts.append((start, now))
                    if start.stream != stalling {
                        activeRuns.append(SimulatedRun(start: start, ends: now + .milliseconds(250)))
                    }
                case .wake(let instant): wake = instant
                default: break
                }
            }
            // They take equally long, so that the first one ends first.
            guard let next = [wake, activeRuns.first?.ends].compactMap(\.self).min(), next <= beginning + Self.hour
            else {
                return starts
            }
            now = next
            if let activeRun = activeRuns.first, activeRun.ends == next {
                activeRuns.removeFirst()
                let result = RunResult(activeRun.start.stream == failing ? failure : .succeeded)
                event = .finished(activeRun.start.id, result, activeRun.start.state(after: result, at: now))
            } else {
                wake = nil
                event = .woke
            }
        }
    }

    @Test(arguments: [true, false])
    func `a stream that never ends and one that always fails leave 98 others on time`(isPermanent: Bool) {
        let names = (0..<100).map { StreamName.zoo("s\($0)") }
        let starts = starts(names, failure: .failed(isPermanent: isPermanent))
        #expect(starts.count { $0.start.stream == stalling } == 1)
        // Regular instants alone would be sixty.
        #expect((2..<60).contains(starts.count { $0.start.stream == failing }))
        for name in names where name != stalling && name != failing {
            let own = starts.filter { $0.start.stream == name }
            let timeline = DueTimes(Self.schedule, for: name)
            let instants = Array(
                sequence(first: beginning) { timeline.next(after: $0) }.dropFirst()
                    .prefix { $0 <= beginning + Self.hour })
            #expect(instants.count == 60)
            #expect(own.map(\.start.nominal) == instants, "\(name)")
            #expect(own.allSatisfy { $0.at == $0.start.dueAt }, "\(name)")
        }
    }
}
