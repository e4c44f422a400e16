import GarnerCatalog
import GarnerModel
import GarnerScheduler

/// The main loop of cronie's `cron.c`, minute after minute, with its virtual time that stands still where clocks are set
/// back: a second opinion that knows nothing of how `DueTimes` finds instants.
struct CronWalk {
    private let expression: CronExpression
    private let zone: ZoneName

    init(_ expression: CronExpression, in zone: ZoneName) {
        self.expression = expression
        self.zone = zone
    }

    /// Returns true if cron runs the job in this minute. It follows the eight hours before, since no clock change is
    /// longer than three hours.
    func fires(at instant: Timestamp) -> Bool {
        let end = minute(instant)
        var virtual = localMinute(end - 480)
        var fires = false
        for now in (end - 479)...end {
            let running = localMinute(now)
            fires = false
            switch running - virtual {
            case 1:
                virtual = running
                fires = matches(virtual)
            case 2...5:
                while virtual < running {
                    virtual += 1
                    fires = fires || matches(virtual)
                }
            case 6...180:
                fires = expression.isWild && matches(running)
                while virtual < running {
                    virtual += 1
                    fires = fires || !expression.isWild && matches(virtual)
                }
            case -179...0:
                fires = expression.isWild && matches(running)
            default:
                virtual = running
                fires = matches(virtual)
            }
        }
        return fires
    }

    /// Returns true if the local time matches the expression.
    func shows(_ instant: Timestamp) -> Bool {
        matches(localMinute(minute(instant)))
    }

    private func matches(_ minute: Int64) -> Bool {
        let (day, rest) = minute.flooredDivision(by: 1440)
        let date = CivilDate(daysSince1970: day)
        let weekday = (day + 4).flooredDivision(by: 7).remainder
        let (dayMatches, weekdayMatches) = (
            expression.days.hasBit(Int(date.day)), expression.weekdays.hasBit(Int(weekday))
        )
        return expression.minutes.hasBit(Int(rest % 60)) && expression.hours.hasBit(Int(rest / 60))
            && expression.months.hasBit(Int(date.month))
            && (expression.needsBothDays ? dayMatches && weekdayMatches : dayMatches || weekdayMatches)
    }

    private func minute(_ instant: Timestamp) -> Int64 {
        instant.millisecondsSince1970.flooredDivision(by: 60_000).quotient
    }

    private func localMinute(_ minute: Int64) -> Int64 {
        minute + Int64(Timestamp(millisecondsSince1970: minute * 60_000).offset(in: zone) / 60)
    }
}
