import GarnerCatalog
import Foundation
import GarnerModel
import GarnerScheduler
import TestSupport

/// An expression, a time zone and an instant; half of the instants are near a change of the zone's clocks.
struct CronCase: CustomStringConvertible {
    let expression: String
    let zone: ZoneName
    let start: Timestamp

    private static let zones = TimeZone.knownTimeZoneIdentifiers.sorted().compactMap(ZoneName.init)
    /// The years 1980 to 2090 (exclusive), in seconds since 1970.
    private static let seconds: Range<Int64> = 315_532_800..<3_786_912_000

    init(_ random: inout SplitMix64) {
        let zone = Self.zones.randomElement(using: &random) ?? .utc
        var second = Int64.random(in: Self.seconds, using: &random)
        let isNear = Bool.random(using: &random)
        if isNear, let change = Self.change(of: zone, after: second) {
            second = change + .random(in: -129_600..<14_400, using: &random)
        }
        self.zone = zone
        start = Timestamp(millisecondsSince1970: second * 1000)
        expression = RandomExpression.text(daily: isNear && Int.random(in: 0..<3, using: &random) > 0, &random)
    }

    var description: String { "\(expression) in \(zone) after \(start)" }

    var question: String { "\(expression)\t\(zone)\t\(start.millisecondsSince1970 / 1000)" }

    /// The next instant; nil where there is none, or no such day.
    var ownInstant: Timestamp? {
        guard let expression = try? CronExpression(expression) else { return nil }
        return DueTimes(Schedule(.cron(expression, zone: zone)), for: StreamName(source: "", stream: ""))
            .next(after: start)
    }

    var ownAnswer: String { ownInstant?.description ?? "none" }

    /// The first second with another offset within the next year.
    private static func change(of zone: ZoneName, after second: Int64) -> Int64? {
        let week: Int64 = 7 * 86_400
        func offset(_ second: Int64) -> Substring {
            Timestamp(millisecondsSince1970: second * 1000).text(in: zone).suffix(6)
        }
        let first = offset(second)
        guard let changed = (1...52).first(where: { offset(second + $0 * week) != first }) else { return nil }
        var (low, high) = (second + (changed - 1) * week, second + changed * week)
        while high - low > 1 {
            let middle = (low + high) / 2
            if offset(middle) == first { low = middle } else { high = middle }
        }
        return high
    }
}

/// Expressions as people write them, and as they do not.
enum RandomExpression {
    static func text(daily: Bool, _ random: inout SplitMix64) -> String {
        // Hours at which clocks on walls are changed come often.
        let hours = Int.random(in: 0..<3, using: &random) > 0 ? 0...4 : 0...23
        let time = [field(0...59, random: &random), field(0...23, usual: hours, random: &random)]
        if daily { return (time + ["*", "*", "*"]).joined(separator: " ") }
        let days = [
            field(1...31, random: &random), field(1...12, names: months, random: &random),
            field(0...7, names: weekdays, random: &random),
        ]
        return (time + days).joined(separator: " ")
    }

    private static let months = [
        "", "jan", "FEB", "Mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "DEC",
    ]
    private static let weekdays = ["SUN", "mon", "Tue", "wed", "thu", "fri", "sat"]

    private static func field(
        _ range: ClosedRange<Int>, usual: ClosedRange<Int>? = nil, names: [String] = [], random: inout SplitMix64
    ) -> String {
        let first = Int.random(in: usual ?? range, using: &random)
        // Two numbers: croniter reads a range from a number to itself as all numbers.
        let last = Int.random(in: min(first + 1, range.upperBound)...range.upperBound, using: &random)
        let step = Int.random(in: 1...max(1, range.count / 3), using: &random)
        return switch Int.random(in: 0..<(usual == nil ? 12 : 9), using: &random) {
        case 1...3 where first == last: "\(first)"
        case 0: "*/\(step)"
        case 1: "\(first)-\(last)"
        case 2: "\(first)-\(last)/\(step)"
        case 3: "\(first),\(last)"
        case 4 where first < names.count: names[first]
        case 5: "\(range.lowerBound)-\(range.upperBound)"
        case 6, 7: "\(first)"
        default: "*"
        }
    }
}
