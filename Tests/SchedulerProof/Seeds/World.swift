import GarnerCatalog
import GarnerModel
import GarnerScheduler
import TestSupport

/// Streams of all kinds, and what configurations make of them.
struct World {
    static let zones = ["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"]
    static let expressions = [
        "*/5 * * * *", "0 * * * *", "30 2 * * *", "0 0,6,12,18 * * *", "15 9 * * 1-5", "0 3 1 * *", "*/7 8-17 * * *",
        "0 0 * * 0",
        "59 23 28-31 * 5",
    ]

    var random: SplitMix64

    mutating func streams() -> [ScheduledStream] {
        (0..<Int.random(in: 3...14, using: &random)).map { stream($0) }
    }

    mutating func stream(_ number: Int) -> ScheduledStream {
        let source = "source_\(number % 4)"
        let hasParent = number >= 4 && chance(6)
        return ScheduledStream(
            StreamName(source: source, stream: "stream_\(number)"), chance(12) ? nil : schedule(),
            parent: hasParent ? StreamName(source: source, stream: "stream_\(number - 4)") : nil,
            host: chance(5) ? "elsewhere.example" : "\(source).example")
    }

    mutating func schedule() -> Schedule {
        var schedule = Schedule(rhythm())
        schedule.overlap = pick(Schedule.Overlap.allCases, .skip)
        schedule.catchUp = pick(Schedule.CatchUp.allCases, .latest)
        schedule.misfireGrace = .seconds(pick([0, 1, 60, 3600], 60))
        schedule.jitter = .seconds(pick([0, 0, 1, 30, 240], 0))
        return schedule
    }

    mutating func rhythm() -> Schedule.Rhythm {
        let seconds = pick([10, 60, 61, 300, 900, 3600, 86_400], 60)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: return .every(.seconds(seconds))
        case 4..<6: return .afterFinish(.seconds(seconds))
        default:
            guard let expression = try? CronExpression(pick(Self.expressions, "0 * * * *")) else {
                return .every(.seconds(seconds))
            }
            return .cron(expression, zone: ZoneName(pick(Self.zones, "UTC")) ?? .utc)
        }
    }

    /// One of so many times.
    mutating func chance(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &random) == 0 }

    mutating func pick<Value>(_ values: [Value], _ fallback: Value) -> Value {
        values.randomElement(using: &random) ?? fallback
    }
}
