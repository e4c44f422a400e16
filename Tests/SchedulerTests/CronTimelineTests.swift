import GarnerCatalog
import GarnerModel
import GarnerScheduler
import TestSupport
import Testing

/// The rules for the instants of every expression in every zone.
struct CronTimelineTests {
    static let zones = [
        "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia",
        "Africa/Casablanca", "America/Sao_Paulo", "America/Havana", "Asia/Beirut", "Antarctica/Casey",
        "Africa/Monrovia",
        "Antarctica/Troll", "Asia/Gaza", "America/Godthab", "Africa/El_Aaiun",
    ]

    @Test(.timeLimit(.minutes(5)), arguments: zones)
    func `steps forward and back meet the same instants, and miss none`(zone: String) throws {
        var random = SplitMix64(seed: UInt64(zone.utf8.reduce(7) { $0 &* 31 &+ Int($1) }.magnitude))
        for _ in 0..<40 {
            let timeline = try cron(Self.expression(&random), zone)
            // 1900 to 2600.
            let start = Timestamp(
                millisecondsSince1970: .random(in: -2_208_988_800_000...19_880_899_200_000, using: &random))
            var forward: [Timestamp] = []
            var last = start
            for _ in 0..<50 {
                guard let next = timeline.next(after: last) else { break }
                #expect(next > last)
                #expect(timeline.latest(atOrBefore: next) == next)
                #expect(timeline.next(after: next - .milliseconds(1)) == next)
                let between = Timestamp(
                    millisecondsSince1970: .random(
                        in: last.millisecondsSince1970..<next.millisecondsSince1970, using: &random))
                #expect(timeline.next(after: between) == next)
                if last > start { #expect(timeline.latest(atOrBefore: between) == last) }
                forward.append(next)
                last = next
            }
            var backward = [last]
            while let previous = timeline.predecessor(of: backward[backward.count - 1]), previous > start {
                backward.append(previous)
            }
            #expect(backward.reversed() == forward)
            if let first = forward.first {
                #expect(timeline.count(in: first...last) == forward.count)
                #expect(timeline.count(in: first...last, upTo: 7) == min(7, forward.count))
            }
        }
    }

    /// Every minute is looked at, as cron does.
    @Test(.timeLimit(.minutes(5)), arguments: zones)
    func `wildcards come whenever a wall's clock shows a time that matches`(zone: String) throws {
        var random = SplitMix64(seed: UInt64(zone.utf8.count))
        let name = try #require(ZoneName(zone))
        for _ in 0..<4 {
            let text = "*/\(Int.random(in: 1...30, using: &random)) \(Self.field(0...23, &random)) * * *"
            let (timeline, expression) = (try cron(text, zone), try CronExpression(text))
            let start = try instant("2011-01-01T00:00:00Z") + .seconds(Int.random(in: 0..<525_600, using: &random) * 60)
            var expected: [Timestamp] = []
            for minute in 1...2880 {
                let now = start + .seconds(minute * 60)
                let clock = now.text(in: name).dropFirst(11).prefix(5)
                guard let hour = Int(clock.prefix(2)), let minute = Int(clock.suffix(2)) else { continue }
                if expression.hours.hasBit(hour), expression.minutes.hasBit(minute) { expected.append(now) }
            }
            var last = start
            for next in expected {
                #expect(timeline.next(after: last) == next, "\(text)")
                last = next
            }
        }
    }

    @Test func `a jitter by cron stays before the next instant, however near that is`() throws {
        let timeline = try cron("0,1 6 * * *", "Europe/Berlin", jitter: .seconds(3600))
        var (nominal, delays) = (try instant("2026-03-01T00:00:00Z"), Set<Duration>())
        for _ in 0..<200 {
            let next = try #require(timeline.next(after: nominal))
            #expect(timeline.dueTime(of: nominal) < next || delays.isEmpty)
            #expect(timeline.latestDue(at: timeline.dueTime(of: next)) == next)
            delays.insert(timeline.jitter(for: next))
            nominal = next
        }
        #expect(delays.contains { $0 > .seconds(60) } && delays.contains { $0 < .seconds(60) })
        #expect(delays.allSatisfy { $0 <= .seconds(3600) })
    }

    @Test func `the interval of cron is that of the next two instants`() throws {
        let timeline = try cron("0 9,17 * * *")
        #expect(try timeline.interval(after: instant("2026-01-31T00:00:00Z")) == .seconds(8 * 3600))
        #expect(try timeline.interval(after: instant("2026-01-31T12:00:00Z")) == .seconds(16 * 3600))
        #expect(try timeline.interval(after: instant("9999-12-31T12:00:00Z")) == .seconds(60))
        #expect(timeline.pause == nil)
    }

    @Test func `timelines are equal where their instants are`() throws {
        #expect(try cron("0 6 * * *", "Europe/Berlin") == cron("0  6 * * *", "Europe/Berlin"))
        #expect(try cron("0 6 * * *", "Europe/Berlin") != cron("0 6 * * *", "Europe/Paris"))
        #expect(try cron("0 6 * * *") != cron("0 7 * * *"))
        #expect(try cron("0 6 * * *") != cron("0 6 * * *", jitter: .seconds(1)))
    }

    private static func expression(_ random: inout SplitMix64) -> String {
        [
            field(0...59, &random), field(0...23, &random), field(1...28, &random), field(1...12, &random),
            field(0...7, &random),
        ].joined(separator: " ")
    }

    private static func field(_ range: ClosedRange<Int>, _ random: inout SplitMix64) -> String {
        let first = Int.random(in: range, using: &random)
        let last = Int.random(in: first...range.upperBound, using: &random)
        return switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: "*"
        case 2: "*/\(Int.random(in: 1...5, using: &random))"
        case 3: "\(first)-\(last)"
        case 4: "\(first),\(last)"
        default: "\(first)"
        }
    }
}

struct AfterFinishTests {
    private let timeline: DueTimes = {
        var schedule = Schedule(.afterFinish(.seconds(900)))
        schedule.jitter = .seconds(30)
        return DueTimes(schedule, for: .zoo("animals"))
    }()

    @Test func `an instant is followed by the one a pause later`() throws {
        let end = try instant("2026-01-31T08:05:00.123Z")
        #expect(timeline.pause == .seconds(900))
        #expect(timeline.next(after: end) == end + .seconds(900))
        #expect(timeline.latest(atOrBefore: end) == end)
        #expect(timeline.predecessor(of: end) == end - .seconds(900))
        #expect(timeline.count(in: end...(end + .seconds(2700))) == 4)
        #expect(timeline.interval(after: end) == .seconds(900))
    }

    @Test func `the jitter comes on top`() throws {
        let nominal = try instant("2026-01-31T08:05:00.123Z")
        #expect((nominal...(nominal + .seconds(30))).contains(timeline.dueTime(of: nominal)))
    }

    @Test func `firings begin as if a run ended now`() throws {
        let now = try instant("2026-01-31T08:05:00Z")
        let schedule = Schedule(.afterFinish(.seconds(900)))
        let firings = UpcomingRuns(of: [(.zoo("animals"), schedule)], from: now).prefix(3)
        #expect(firings.map(\.dueAt) == [900, 1800, 2700].map { now + .seconds($0) })
    }
}
