import GarnerCatalog
import Testing

struct ScheduleTests {
    @Test func `every key of a schedule has its value`() throws {
        let stream = try Fixture.stream(
            """
            schedule:
                cron: 30 6 * * mon-fri
                timezone: Europe/Berlin
                jitter: 1m
                overlap: cancel_running
                misfire_grace: 2m
                catch_up: none
            """)
        let zone = try #require(ZoneName("Europe/Berlin"))
        var schedule = try Schedule(.cron(CronExpression("30 6 * * mon-fri"), zone: zone))
        schedule.jitter = .seconds(60)
        schedule.overlap = .cancelRunning
        schedule.misfireGrace = .seconds(120)
        schedule.catchUp = .none
        #expect(stream.schedule == schedule)
    }

    @Test(arguments: [
        ("{ every: 15m }", Schedule.Rhythm.every(.seconds(900)), "every 15m"),
        ("{ every: 15m, anchor: epoch }", .every(.seconds(900)), "every 15m"),
        ("{ every: 15m, anchor: finish }", .afterFinish(.seconds(900)), "15m after the end"),
    ])
    func `an interval counts from the epoch, or from the end of a run`(
        text: String, rhythm: Schedule.Rhythm, description: String
    ) throws {
        #expect(try Fixture.stream("schedule: \(text)").schedule == Schedule(rhythm))
        #expect(rhythm.description == description)
    }

    @Test(arguments: [
        ("cron: \"@daily\"", "@daily", "UTC", "cron @daily"),
        ("cron: 0 6 * * *, timezone: UTC", "0 6 * * *", "UTC", "cron 0 6 * * *"),
        (
            "cron: '*/5 * * * *', timezone: Asia/Kathmandu", "*/5 * * * *", "Asia/Kathmandu",
            "cron */5 * * * * Asia/Kathmandu"
        ),
    ])
    func `cron is in UTC without a zone`(text: String, cron: String, zone: String, description: String) throws {
        let schedule = try #require(try Fixture.stream("schedule: { \(text) }").schedule)
        let name = try #require(ZoneName(zone))
        #expect(try schedule == Schedule(.cron(CronExpression(cron), zone: name)))
        #expect(schedule.rhythm.description == description)
    }

    @Test func `a schedule has the documented defaults`() throws {
        let schedule = Schedule(every: .seconds(60))
        #expect(schedule.jitter == .zero && schedule.overlap == .skip && schedule.misfireGrace == .seconds(60))
        #expect(schedule.catchUp == .latest)
    }

    @Test(arguments: [
        ("{ every: 1m, cron: '@daily' }", "'schedule.every' does not go with 'schedule.cron'", "keep one of them"),
        ("{ anchor: finish, cron: '@daily' }", "'schedule.anchor' does not go with 'schedule.cron'", "remove it"),
        ("{ every: 1m, timezone: UTC }", "'schedule.timezone' needs 'schedule.cron'", "remove it"),
        ("{ every: 1m, anchor: x }", "'schedule.anchor' cannot be 'x'", "epoch or finish"),
        ("{ every: 1m, anchor: finsh }", "'schedule.anchor' cannot be 'finsh'", "did you mean 'finish'?"),
        ("{ every: 1m, overlap: queue }", "'schedule.overlap' cannot be 'queue'", "did you mean 'queue_one'?"),
        ("{ every: 1m, catch_up: latst }", "'schedule.catch_up' cannot be 'latst'", "did you mean 'latest'?"),
        ("{ every: 1m, misfire_grace: -1m }", "'schedule.misfire_grace' is negative: '-1m'", "30s"),
        (
            "{ every: 1m, anchor: finish, jitter: 2m }", "'schedule.jitter' is longer than 'schedule.every'",
            "at most 1m"
        ),
        ("{ cron: 0 0 30 2 * }", "'schedule.cron' is wrong: '0 0 30 2 *' names a day that no month has", "change"),
        ("{ cron: 0 25 * * * }", "'schedule.cron' is wrong: '25' is out of range (hour)", "0 to 23"),
        ("{ cron: [] }", "'schedule.cron' must be text, not a list", "five fields"),
        (
            "{ cron: '@daily', timezone: europe/berlin }", "'schedule.timezone' names no time zone: 'europe/berlin'",
            "did you mean 'Europe/Berlin'?"
        ),
        (
            "{ cron: '@daily', timezone: Mars }", "'schedule.timezone' names no time zone: 'Mars'",
            "write an area and a city"
        ),
        ("{ cron: '@daily', timzone: UTC }", "unknown key 'timzone'", "did you mean 'timezone'?"),
        ("{ jitter: 1m }", "'schedule.every' is missing", "cron"),
    ])
    func `what is wrong with a schedule is told once, with what to write`(
        text: String, message: String, hint: String
    ) throws {
        let issues = Fixture.issues(Fixture.streamText("schedule: \(text)"))
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint?.contains(hint) == true, "\(issues)")
    }

    @Test(arguments: [
        (
            "catch_up: all", "'schedule.catch_up: all' is read as 'latest'", "write catch_up: latest"
        ),
        ("catch_up: latest, max_catch_up: 7", "'schedule.max_catch_up' is ignored", "remove it"),
        ("max_catch_up: 0", "'schedule.max_catch_up' is ignored", "remove it"),
    ])
    func `catch_up all and max_catch_up of earlier versions are read as latest, with a warning`(
        keys: String, message: String, hint: String
    ) throws {
        let configuration = try Fixture.parse(Fixture.streamText("schedule: { every: 1m, \(keys) }"))
        #expect(configuration.streams.map(\.schedule) == [Schedule(every: .seconds(60))])
        #expect(configuration.warnings.count == 1)
        let warning = try #require(configuration.warnings.first)
        #expect(warning.message.hasPrefix(message))
        #expect(warning.hint?.hasPrefix(hint) == true)
        #expect(warning.place.line == 7)
    }

    @Test func `a schedule with both keys of earlier versions is warned of both`() throws {
        let configuration = try Fixture.parse(
            Fixture.streamText("schedule: { every: 1m, catch_up: all, max_catch_up: 60 }"))
        #expect(configuration.warnings.count == 2)
        #expect(configuration.streams.first?.schedule?.catchUp == .latest)
    }

    @Test func `a stream's schedule replaces an inherited one as a whole`() throws {
        let stream = try Fixture.parse(
            """
            version: 1
            defaults: { schedule: { every: 15m, jitter: 30s, catch_up: none } }
            sources:
              zoo:
                base_url: https://api.example.com/
                schedule: { every: 5m, overlap: queue_one }
                streams: { animals: { path: /animals, schedule: { cron: "@daily" } }, ants: { path: /ants } }
            """
        ).streams
        #expect(try stream.first?.schedule == Schedule(.cron(CronExpression("@daily"), zone: .utc)))
        var inherited = Schedule(every: .seconds(300))
        inherited.overlap = .queueOne
        #expect(stream.last?.schedule == inherited)
    }

    @Test func `what is in force shows every key of a schedule`() throws {
        let text = Fixture.streamText("schedule: { cron: 0 6 * * *, timezone: Europe/Berlin, catch_up: none }")
        let entries = try #require(try Fixture.parse(text).effective.streams.first).entries
        let shown = entries.filter { $0.path.first == "schedule" }.map { "\($0.path[1]): \($0.value)" }
        #expect(
            shown == [
                "cron: 0 6 * * *", "timezone: Europe/Berlin", "jitter: 0s", "overlap: skip", "misfire_grace: 1m",
                "catch_up: none",
            ])
    }
}
