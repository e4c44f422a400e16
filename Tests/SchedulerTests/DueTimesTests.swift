import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

struct DueTimesTests {
    /// Values computed independently from the documented hash; a change here moves every schedule in the field.
    @Test(arguments: [
        ("zoo", "animals", 900_000, 30_000, "2026-01-31T08:02:52.050Z", "2026-01-31T08:17:52.050Z", 2793),
        ("zoo", "random_animal", 60_000, 5000, "2026-01-31T08:04:35.847Z", "2026-01-31T08:05:35.847Z", 1966),
        ("a", "b", 1000, 999, "2026-01-31T08:04:59.976Z", "2026-01-31T08:05:00.976Z", 693),
        ("zoo", "füchse", 86_400_000, 3_600_000, "2026-01-30T18:08:14.365Z", "2026-01-31T18:08:14.365Z", 854_954),
        ("zoo", "animals", 1000, 0, "2026-01-31T08:04:59.050Z", "2026-01-31T08:05:00.050Z", 0),
    ])
    func `phases and jitters stay what they were`(
        source: String, stream: String, every: Int, jitter: Int, latest: String, next: String, delay: Int
    ) throws {
        let schedule = DueTimes(
            Schedule(every: .milliseconds(every), jitter: .milliseconds(jitter)),
            for: StreamName(source: source, stream: stream))
        let now = try instant("2026-01-31T08:05:00Z")

        #expect(try schedule.latest(atOrBefore: now) == instant(latest))
        #expect(try schedule.next(after: now) == instant(next))
        #expect(try schedule.jitter(for: instant(next)) == .milliseconds(delay))
        #expect(try schedule.dueTime(of: instant(next)) == instant(next) + .milliseconds(delay))
    }

    @Test func `a nominal instant is the latest at itself and not the next after itself`() throws {
        let schedule = DueTimes(Schedule(every: .seconds(60)), for: .zoo("animals"))
        let nominal = try #require(schedule.next(after: instant("2026-01-31T08:05:00Z")))

        #expect(schedule.latest(atOrBefore: nominal) == nominal)
        #expect(schedule.latest(atOrBefore: nominal - .milliseconds(1)) == nominal - .seconds(60))
        #expect(schedule.next(after: nominal - .milliseconds(1)) == nominal)
        #expect(schedule.next(after: nominal) == nominal + .seconds(60))
    }

    @Test(arguments: [
        "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z", "2026-03-29T00:30:00Z",
        "2026-10-25T00:30:00Z", "9999-12-31T23:59:59Z",
    ])
    func `instants keep their distance through the epoch, and where clocks on walls change`(start: String) throws {
        let schedule = DueTimes(Schedule(every: .seconds(3600), jitter: .seconds(60)), for: .zoo("animals"))
        let anchor = try #require(schedule.next(after: instant("1970-01-01T00:00:00Z") - .milliseconds(1)))
        var nominal = try #require(schedule.latest(atOrBefore: instant(start)))
        #expect(try nominal <= instant(start))

        for _ in 0..<48 {
            let next = try #require(schedule.next(after: nominal))
            #expect(nominal.duration(to: next) == .seconds(3600))
            #expect(anchor.duration(to: next).wholeMilliseconds % 3_600_000 == 0)
            nominal = next
        }
    }

    @Test func `streams of one interval are spread over it`() throws {
        let now = try instant("2026-01-31T08:05:00Z")
        var perTenth = [Int](repeating: 0, count: 10)
        for number in 0..<1000 {
            let schedule = DueTimes(Schedule(every: .seconds(100)), for: .zoo("stream_\(number)"))
            let nominal = try #require(schedule.next(after: now))
            perTenth[Int((now.duration(to: nominal).wholeMilliseconds - 1) / 10_000)] += 1
        }
        #expect(perTenth.allSatisfy { (60...140).contains($0) }, "\(perTenth)")
    }

    @Test func `jitter differs from instant to instant, fills its range and stays within it`() throws {
        let schedule = DueTimes(Schedule(every: .seconds(900), jitter: .seconds(1)), for: .zoo("animals"))
        let again = DueTimes(Schedule(every: .seconds(900), jitter: .seconds(1)), for: .zoo("animals"))
        var nominal = try instant("2026-01-31T08:05:00Z")
        var perTenth = [Int](repeating: 0, count: 10)
        for _ in 0..<1000 {
            nominal = try #require(schedule.next(after: nominal))
            let jitter = schedule.jitter(for: nominal)
            #expect(jitter == again.jitter(for: nominal))
            #expect((.zero...Duration.seconds(1)).contains(jitter))
            perTenth[min(9, Int(jitter.wholeMilliseconds / 100))] += 1
        }
        #expect(perTenth.allSatisfy { (60...140).contains($0) }, "\(perTenth)")
    }

    @Test func `jitter stays below the interval, so that due times keep the order of their instants`() throws {
        let schedule = DueTimes(Schedule(every: .milliseconds(5), jitter: .seconds(60)), for: .zoo("animals"))
        var nominal = try instant("2026-01-31T08:05:00Z")
        var seen: Set<Duration> = []
        for _ in 0..<500 {
            let next = try #require(schedule.next(after: nominal))
            #expect(schedule.dueTime(of: nominal) < next)
            seen.insert(schedule.jitter(for: next))
            nominal = next
        }
        #expect(seen == Set((0..<5).map { .milliseconds($0) }))
    }

    @Test func `what is due counts the jitter in`() throws {
        let schedule = DueTimes(Schedule(every: .seconds(60), jitter: .seconds(59)), for: .zoo("animals"))
        let nominal = try #require(schedule.next(after: instant("2026-01-31T08:05:00Z")))
        let due = schedule.dueTime(of: nominal)
        try #require(due > nominal)

        #expect(schedule.latestDue(at: due) == nominal)
        #expect(schedule.latestDue(at: due - .milliseconds(1)) == nominal - .seconds(60))
    }

    @Test(arguments: [
        Schedule(every: .zero), Schedule(every: .seconds(-5), jitter: .seconds(-5)), Schedule(every: .nanoseconds(1)),
        Schedule(every: .milliseconds(Int64.max), jitter: .milliseconds(Int64.max)),
        Schedule(every: .seconds(Int64.max), jitter: .seconds(Int64.max)),
        Schedule(every: .seconds(60), jitter: .seconds(60)),
    ])
    func `no schedule and no instant traps`(schedule: Schedule) {
        let interval = DueTimes(schedule, for: .zoo("animals"))
        let extremes: [Int64] = [.min, .min + 1, .min / 2, -1, 0, 1, .max / 2, .max - 1, .max]
        for instant in extremes.map(Timestamp.init(millisecondsSince1970:)) {
            if let next = interval.next(after: instant) { #expect(next > instant) }
            if let latest = interval.latest(atOrBefore: instant) { #expect(latest <= instant) }
            if let due = interval.latestDue(at: instant) { #expect(interval.dueTime(of: due) <= instant) }
            #expect(interval.jitter(for: instant) >= .zero)
            #expect(interval.dueTime(of: instant) >= instant)
        }
        #expect(interval.next(after: Timestamp(millisecondsSince1970: .max)) == nil)
    }

    @Test func `an interval below a millisecond is a millisecond`() {
        let schedule = DueTimes(Schedule(every: .zero), for: .zoo("animals"))
        let epoch = Timestamp(millisecondsSince1970: 0)
        #expect(schedule.next(after: epoch) == epoch + .milliseconds(1))
        #expect(schedule.latest(atOrBefore: epoch) == epoch)
    }
}

extension StreamName {
    static func zoo(_ stream: String) -> StreamName {
        StreamName(source: "zoo", stream: stream)
    }
}
