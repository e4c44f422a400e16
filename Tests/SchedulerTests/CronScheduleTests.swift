import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

/// The instants of a cron expression in a time zone.
func cron(_ text: String, _ zone: String = "UTC", jitter: Duration = .zero) throws -> DueTimes {
    var schedule = try Schedule(.cron(CronExpression(text), zone: #require(ZoneName(zone))))
    schedule.jitter = jitter
    return DueTimes(schedule, for: StreamName(source: "zoo", stream: "animals"))
}

struct CronScheduleTests {
    @Test(arguments: [
        // Within the hour, and over the ends of hours, days, months and years.
        ("*/15 * * * *", "2012-07-09T14:45:00Z", "2012-07-09T15:00:00Z"),
        ("*/15 * * * *", "2012-07-09T14:59:59.999Z", "2012-07-09T15:00:00Z"),
        ("*/15 * * * *", "2012-07-09T15:00:00Z", "2012-07-09T15:15:00Z"),
        ("5-59/15 * * * *", "2012-07-09T15:05:00Z", "2012-07-09T15:20:00Z"),
        ("20-35/15 * * * *", "2012-07-09T15:45:00Z", "2012-07-09T16:20:00Z"),
        ("*/15 * * * *", "2012-07-09T23:46:00Z", "2012-07-10T00:00:00Z"),
        ("20-35/15 1-23/2 */2 * *", "2012-07-09T23:35:51Z", "2012-07-11T01:20:00Z"),
        ("20-35/15 * 10-12 * *", "2012-07-09T23:35:51Z", "2012-07-10T00:20:00Z"),
        ("0 0 9 Apr-Oct *", "2012-07-09T23:35:00Z", "2012-08-09T00:00:00Z"),
        ("* * * * *", "2012-12-31T23:59:45Z", "2013-01-01T00:00:00Z"),
        ("0 0 * Feb Mon", "2012-07-09T23:35:00Z", "2013-02-04T00:00:00Z"),
        ("@yearly", "2012-01-01T00:00:00Z", "2013-01-01T00:00:00Z"),
        ("@monthly", "2012-01-31T08:00:00Z", "2012-02-01T00:00:00Z"),
        ("@weekly", "2012-07-09T00:00:00Z", "2012-07-15T00:00:00Z"),
        ("@hourly", "2012-07-09T15:04:00Z", "2012-07-09T16:00:00Z"),
        // Either day is enough, unless one of them begins with a star.
        ("0 0 1,15 * Sun", "2012-06-14T12:00:00Z", "2012-06-15T00:00:00Z"),
        ("0 0 1,15 * Sun", "2012-06-15T12:00:00Z", "2012-06-17T00:00:00Z"),
        ("0 0 * * Mon", "2012-07-14T12:00:00Z", "2012-07-16T00:00:00Z"),
        ("0 0 */10 * Sun", "2012-07-09T00:00:00Z", "2012-10-21T00:00:00Z"),
        ("0 0 */5 Apr,Aug,Oct Mon", "2012-07-09T23:35:00Z", "2012-08-06T00:00:00Z"),
        ("0 0 1,15 * */2", "2012-07-09T00:00:00Z", "2012-07-15T00:00:00Z"),
        ("0 0 30 2 Wed", "2012-01-01T00:00:00Z", "2012-02-01T00:00:00Z"),
        // Leap years.
        ("0 0 29 2 *", "2012-07-09T23:35:00Z", "2016-02-29T00:00:00Z"),
        ("0 0 29 2 *", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"),
        ("0 0 29 2 *", "1896-02-29T00:00:00Z", "1904-02-29T00:00:00Z"),
        ("0 0 29 2 */7", "2004-02-29T00:00:00Z", "2032-02-29T00:00:00Z"),
        ("0 0 29 2 */7", "2088-03-01T00:00:00Z", "2128-02-29T00:00:00Z"),
        ("0 0 31 * *", "2012-01-31T00:00:00Z", "2012-03-31T00:00:00Z"),
        ("0 0 30 * *", "2016-02-01T00:00:00Z", "2016-03-30T00:00:00Z"),
        // Before 1970.
        ("0 0 1 1 *", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z"),
        ("30 12 * * Thu", "1969-12-31T23:59:00Z", "1970-01-01T12:30:00Z"),
        ("0 0 1 * *", "1582-10-02T00:00:00Z", "1582-11-01T00:00:00Z"),
    ])
    func `a cron expression has the expected next instant`(text: String, from: String, next: String) throws {
        let timeline = try cron(text)
        #expect(try timeline.next(after: instant(from)) == instant(next))
        let before = try #require(try timeline.latest(atOrBefore: instant(next) - .milliseconds(1)))
        #expect(try before <= instant(from) && timeline.next(after: before) == instant(next))
    }

    /// The table of what happens where clocks on walls are changed: local times with their offsets, one after another.
    @Test(
        arguments: [
            // New York, 2012-03-11: 02:00 to 03:00 is left out.
            (
                "0 * * * *", "America/New_York", "2012-03-11T00:00:00-05:00",
                ["2012-03-11T01:00-05:00", "2012-03-11T03:00-04:00", "2012-03-11T04:00-04:00"]
            ),
            ("@hourly", "America/New_York", "2012-03-11T01:00:00-05:00", ["2012-03-11T03:00-04:00"]),
            (
                "*/30 * * * *", "America/New_York", "2013-03-10T01:35:00-05:00",
                ["2013-03-10T03:00-04:00", "2013-03-10T03:30-04:00"]
            ),
            (
                "0 1 * * *", "America/New_York", "2012-03-10T12:00:00-05:00",
                ["2012-03-11T01:00-05:00", "2012-03-12T01:00-04:00"]
            ),
            (
                "0 2 * * *", "America/New_York", "2012-03-10T12:00:00-05:00",
                ["2012-03-11T03:00-04:00", "2012-03-12T02:00-04:00"]
            ),
            (
                "30 2 * * *", "America/New_York", "2012-03-10T12:00:00-05:00",
                ["2012-03-11T03:00-04:00", "2012-03-12T02:30-04:00"]
            ),
            (
                "0,30 2 * * *", "America/New_York", "2012-03-11T00:00:00-05:00",
                ["2012-03-11T03:00-04:00", "2012-03-12T02:00-04:00"]
            ),
            (
                "0 2,3 * * *", "America/New_York", "2012-03-11T00:00:00-05:00",
                ["2012-03-11T03:00-04:00", "2012-03-12T02:00-04:00"]
            ),
            (
                "0 3 * * *", "America/New_York", "2012-03-11T00:00:00-05:00",
                ["2012-03-11T03:00-04:00", "2012-03-12T03:00-04:00"]
            ),
            ("30 2 11 3 *", "America/New_York", "2012-03-11T00:00:00-05:00", ["2012-03-11T03:00-04:00"]),
            ("*/20 2 * * *", "America/New_York", "2012-03-11T00:00:00-05:00", ["2012-03-12T02:00-04:00"]),
            (
                "30 */2 * * *", "America/New_York", "2012-03-11T00:00:00-05:00",
                ["2012-03-11T00:30-05:00", "2012-03-11T04:30-04:00"]
            ),
            // New York, 2012-11-04: 01:00 to 02:00 is shown twice.
            (
                "0 * * * *", "America/New_York", "2012-11-04T00:00:00-04:00",
                ["2012-11-04T01:00-04:00", "2012-11-04T01:00-05:00", "2012-11-04T02:00-05:00"]
            ),
            (
                "*/30 * * * *", "America/New_York", "2013-11-03T01:35:00-04:00",
                ["2013-11-03T01:00-05:00", "2013-11-03T01:30-05:00"]
            ),
            (
                "0 1 * * *", "America/New_York", "2012-11-04T00:00:00-04:00",
                ["2012-11-04T01:00-04:00", "2012-11-05T01:00-05:00"]
            ),
            ("30 1 4 Nov *", "America/New_York", "2012-11-04T01:45:00-04:00", ["2013-11-04T01:30-05:00"]),
            (
                "0 2 * * *", "America/New_York", "2012-11-04T00:00:00-04:00",
                ["2012-11-04T02:00-05:00", "2012-11-05T02:00-05:00"]
            ),
            ("30 2 4 Nov *", "America/New_York", "2012-11-04T00:00:00-04:00", ["2012-11-04T02:30-05:00"]),
            (
                "*/20 1 * * *", "America/New_York", "2012-11-04T01:30:00-04:00",
                ["2012-11-04T01:40-04:00", "2012-11-04T01:00-05:00", "2012-11-04T01:20-05:00"]
            ),
            // New York, times of day on both sides.
            ("0 8 * * *", "America/New_York", "2013-03-09T12:00:00-05:00", ["2013-03-10T08:00-04:00"]),
            ("0 8 * * *", "America/New_York", "2013-11-02T12:00:00-04:00", ["2013-11-03T08:00-05:00"]),
            (
                "0 2 * * *", "America/New_York", "2013-03-09T20:00:00-05:00",
                ["2013-03-10T03:00-04:00", "2013-03-11T02:00-04:00"]
            ),
            // Berlin.
            (
                "30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00",
                ["2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]
            ),
            (
                "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00",
                ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]
            ),
            (
                "1 * * * *", "Europe/Berlin", "2024-10-27T02:00:00+02:00",
                ["2024-10-27T02:01+02:00", "2024-10-27T02:01+01:00", "2024-10-27T03:01+01:00"]
            ),
            // Midnights that do not exist: the day's first instant.
            (
                "0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00-03:00",
                ["2018-11-04T01:00-02:00", "2018-11-05T00:00-02:00"]
            ),
            (
                "@daily", "America/Sao_Paulo", "2017-10-14T12:00:00-03:00",
                ["2017-10-15T01:00-02:00", "2017-10-16T00:00-02:00"]
            ),
            (
                "30 23 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00-02:00",
                ["2018-02-17T23:30-02:00", "2018-02-18T23:30-03:00"]
            ),
            ("0 0 4 11 *", "America/Sao_Paulo", "2018-11-03T12:00:00-03:00", ["2018-11-04T01:00-02:00"]),
            (
                "0 0 * * *", "America/Havana", "2023-03-11T12:00:00-05:00",
                ["2023-03-12T01:00-04:00", "2023-03-13T00:00-04:00"]
            ),
            (
                "0 0 * * *", "America/Havana", "2023-11-04T12:00:00-04:00",
                ["2023-11-05T00:00-04:00", "2023-11-06T00:00-05:00"]
            ),
            (
                "0 0 * * *", "Asia/Beirut", "2022-03-26T12:00:00+02:00",
                ["2022-03-27T01:00+03:00", "2022-03-28T00:00+03:00"]
            ),
            // Half an hour, quarters, and a change of no season.
            (
                "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00+10:30",
                ["2026-10-04T02:30+11:00", "2026-10-05T02:15+11:00"]
            ),
            (
                "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00+11:00",
                ["2026-04-05T01:45+11:00", "2026-04-06T01:45+10:30"]
            ),
            (
                "*/15 * * * *", "Australia/Lord_Howe", "2026-04-05T01:45:00+11:00",
                ["2026-04-05T01:30+10:30", "2026-04-05T01:45+10:30"]
            ),
            ("0 6 * * *", "Asia/Kathmandu", "2026-01-31T00:00:00Z", ["2026-01-31T06:00+05:45"]),
            (
                "30 2 * * *", "Africa/Casablanca", "2023-03-18T12:00:00+01:00",
                ["2023-03-19T02:30+01:00", "2023-03-20T02:30+00:00"]
            ),
            (
                "30 2 * * *", "Africa/Casablanca", "2023-04-22T12:00:00+00:00",
                ["2023-04-23T03:00+01:00", "2023-04-24T02:30+01:00"]
            ),
            (
                "30 1 * * *", "Antarctica/Troll", "2026-03-28T12:00:00+00:00",
                ["2026-03-29T03:00+02:00", "2026-03-30T01:30+02:00"]
            ),
            // A day that Samoa never had is no season's, nor is a change of three hours.
            (
                "0 12 * * *", "Pacific/Apia", "2011-12-29T11:00:00-10:00",
                ["2011-12-29T12:00-10:00", "2011-12-31T12:00+14:00"]
            ),
            (
                "0 * * * *", "Pacific/Apia", "2011-12-29T22:30:00-10:00",
                ["2011-12-29T23:00-10:00", "2011-12-31T00:00+14:00"]
            ),
            ("0 1 18 10 *", "Antarctica/Casey", "2009-10-17T12:00:00+08:00", ["2009-10-18T01:00+08:00"]),
            // Far away, by the same rules.
            (
                "30 2 * * *", "America/New_York", "2499-03-07T12:00:00-05:00",
                ["2499-03-08T03:00-04:00", "2499-03-09T02:30-04:00"]
            ),
            (
                "30 2 * * *", "America/New_York", "9999-03-13T12:00:00-05:00",
                ["9999-03-14T03:00-04:00", "9999-03-15T02:30-04:00"]
            ),
            (
                "30 1 * * *", "America/New_York", "9999-11-06T12:00:00-04:00",
                ["9999-11-07T01:30-04:00", "9999-11-08T01:30-05:00"]
            ),
        ] as [(String, String, String, [String])])
    func `a cron expression handles changes of daylight-saving time`(
        text: String, zone: String, from: String, expected: [String]
    ) throws {
        let timeline = try cron(text, zone)
        let name = try #require(ZoneName(zone))
        var last = try instant(from)
        for local in expected {
            let next = try #require(timeline.next(after: last))
            let shown = next.text(in: name)
            #expect("\(shown.prefix(16))\(shown.suffix(6))" == local)
            #expect(timeline.latest(atOrBefore: next) == next)
            last = next
        }
    }

    @Test(arguments: [
        ("0 0 1 1 *", "UTC", "9999-06-01T00:00:00Z"), ("* * * * *", "UTC", "9999-12-31T23:59:00Z"),
        ("* * * * *", "Pacific/Kiritimati", "9999-12-31T23:59:00Z"),
        ("0 0 29 2 *", "Europe/Berlin", "9996-03-01T00:00:00Z"),
        ("* * * * *", "America/New_York", "9999-12-31T23:59:00Z"),
    ])
    func `nothing comes after the year 9999`(text: String, zone: String, last: String) throws {
        let timeline = try cron(text, zone)
        let end = Timestamp(millisecondsSince1970: .max)
        #expect(try timeline.next(after: instant(last)) == nil)
        #expect(timeline.next(after: end) == nil)
        let latest = try #require(timeline.latest(atOrBefore: end))
        #expect(try latest <= instant(last) && timeline.next(after: latest) == nil)
    }

    @Test func `nothing comes before the year 1`() throws {
        let timeline = try cron("0 0 1 1 *")
        let beginning = Timestamp(millisecondsSince1970: .min)
        #expect(try timeline.next(after: beginning) == instant("0001-01-01T00:00:00Z"))
        #expect(timeline.latest(atOrBefore: beginning) == nil)
        #expect(try timeline.predecessor(of: instant("0001-01-01T00:00:00Z")) == nil)
    }

    @Test func `local times are those of the zone, with its offset`() throws {
        let summer = try instant("2026-07-01T12:00:00.123Z")
        let zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "America/St_Johns"]
        #expect(
            try zones.map { summer.text(in: try #require(ZoneName($0))) } == [
                "2026-07-01T12:00:00.123+00:00", "2026-07-01T14:00:00.123+02:00", "2026-07-01T08:00:00.123-04:00",
                "2026-07-01T17:45:00.123+05:45", "2026-07-01T09:30:00.123-02:30",
            ])
    }
}
