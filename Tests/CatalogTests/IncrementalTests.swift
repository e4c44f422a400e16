import GarnerCatalog
import GarnerModel
import Testing

struct IncrementalTests {
    @Test(arguments: [
        ("{ cursor_field: at }", Incremental(cursorField: "at")),
        ("{ cursor_field: $.meta.at, initial_value: 7 }", Incremental(cursorField: "$.meta.at", initialValue: "7")),
        (
            "{ cursor_field: at, initial_value: 2024-01-01, end_value: \"2024-02-01T00:00:00Z\", step: 7d, "
                + "lookback_window: PT1H }",
            Incremental(
                cursorField: "at", initialValue: "2024-01-01", endValue: "2024-02-01T00:00:00Z",
                step: .time(.seconds(604_800)), lookbackWindow: .time(.seconds(3600)))
        ),
        (
            "{ cursor_field: id, initial_value: -5, end_value: 100, step: 10, lookback_window: 1 }",
            Incremental(
                cursorField: "id", initialValue: "-5", endValue: "100", step: .count(10), lookbackWindow: .count(1))
        ),
        ("{}", Incremental(cursorField: nil)),
        ("{ cursor_field: at, stop_at_known: true }", Incremental(cursorField: "at", stopsAtKnown: true)),
        (
            "{ cursor_field: at, cursor_datetime_format: epoch_ms, datetime_format: \"%Y-%m-%d %H:%M\", "
                + "timezone: Europe/Berlin, initial_value: 0, step: 1d }",
            Incremental(
                cursorField: "at", initialValue: "0", step: .time(.seconds(86_400)), cursorFormat: .epochMilliseconds,
                requestFormat: DatetimeFormat("%Y-%m-%d %H:%M"), timezone: ZoneName("Europe/Berlin") ?? .utc)
        ),
    ])
    func `an incremental read takes its keys`(text: String, expected: Incremental) throws {
        let stream = try Fixture.stream("incremental: \(text)")
        #expect(stream.incremental == expected)
        #expect(try Fixture.stream("sync_mode: incremental\nincremental: \(text)").incremental == expected)
    }

    @Test(arguments: [
        (
            "incremental: { cursor_field: at, datetime_format: iso }",
            "'incremental.datetime_format' is no format of times"
        ),
        (
            "incremental: { cursor_field: at, cursor_datetime_format: \"%Y\" }",
            "'incremental.cursor_datetime_format' is no format of times"
        ),
        ("incremental: { timezone: Berlin }", "'incremental.timezone' is no time zone"),
        (
            "incremental: { cursor_field: at, datetime_format: epoch, initial_value: soon }",
            "'incremental.initial_value' is not a time"
        ),
        ("incremental: { initial_value: 5 }", "'incremental.initial_value' is not a time"),
        (
            "incremental: { cursor_field: at, initial_value: 7d }",
            "'incremental.initial_value' is a moment or a number, and '7d' is a duration"
        ),
        (
            "incremental: { cursor_field: at, initial_value: -30d }",
            "'incremental.initial_value' is a moment or a number, and '-30d' is a duration"
        ),
        (
            "incremental: { cursor_field: at, initial_value: \"{now - 30d}\" }",
            "'incremental.initial_value' takes no placeholder, and '{now - 30d}' has one"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 2024-13-01 }",
            "'2024-13-01' in 'incremental.initial_value' is no day of the calendar"
        ),
        (
            "incremental: { cursor_field: at, initial_value: \"2023-02-29T00:00:00Z\" }",
            "'2023-02-29' in 'incremental.initial_value' is no day of the calendar"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 2026-02-01, end_value: 2026-01-31 }",
            "'incremental.end_value' is before 'incremental.initial_value'"
        ),
        (
            "incremental: { cursor_field: id, initial_value: 10, end_value: 9 }",
            "'incremental.end_value' is before 'incremental.initial_value'"
        ),
        ("incremental: { lookback_window: 5 }", "'incremental.lookback_window' is not a duration"),
        (
            "incremental: { cursor_field: at, cursor_datetime_format: epoch, initial_value: 0, step: 5 }",
            "'incremental.step' is not a duration"
        ),
        ("incremental: { cursor_field: '' }", "'incremental.cursor_field' is empty"),
        ("incremental: { cursor_field: at, step: 1d }", "'incremental.step' needs 'incremental.initial_value'"),
        (
            "incremental: { cursor_field: at, initial_value: 1, step: 2 }",
            "'incremental.step' needs 'incremental.end_value'"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 1, end_value: 9, step: 0 }",
            "'incremental.step' is out of range: '0'"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 1, end_value: 9, step: 99999999999999999999 }",
            "'incremental.step' is out of range: '99999999999999999999'"
        ),
        ("incremental: { cursor_field: at, lookback_window: 0s }", "'incremental.lookback_window' is too short: '0s'"),
        ("incremental: { cursor_field: at, lookback_window: -1 }", "'incremental.lookback_window' is negative: '-1'"),
        (
            "incremental: { cursor_field: at, initial_value: 2024-01-01, step: 5 }",
            "'incremental.initial_value' does not fit 'incremental.step'"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 5, step: 5d }",
            "'incremental.initial_value' does not fit 'incremental.step'"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 2024-01-01, end_value: later, lookback_window: 1h }",
            "'incremental.end_value' does not fit 'incremental.lookback_window'"
        ),
        (
            "incremental: { cursor_field: at, end_value: '' }", "'incremental.end_value' is empty"
        ),
        (
            "incremental: { stop_at_known: true }", "'incremental.stop_at_known' needs 'incremental.cursor_field'"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 2024-01-01, step: 1d, stop_at_known: true }",
            "'incremental.stop_at_known' cannot be combined with 'incremental.step'"
        ),
        (
            "incremental: { cursor_field: at, stop_at_known: yes }",
            "'incremental.stop_at_known' must be true or false, not 'yes'"
        ),
        ("sync_mode: incremental", "'sync_mode: incremental' needs 'incremental' in 'zoo.animals'"),
        (
            "sync_mode: full_refresh\nincremental: { cursor_field: at }",
            "'sync_mode: full_refresh' contradicts 'incremental' of 'zoo.animals'"
        ),
        (
            "delete_missing: soft\nincremental: { cursor_field: at }",
            "'delete_missing: soft' cannot work with 'incremental' of 'zoo.animals' alone"
        ),
        (
            "delete_missing: hard\nincremental: { cursor_field: at }",
            "'delete_missing: hard' cannot work with 'incremental' of 'zoo.animals' alone"
        ),
        ("incremental: { cursor_field: at, primary_key: id }", "'incremental.primary_key' does not belong here"),
        ("sync_mode: incremental\nincremental: { cursor: at }", "unknown key 'cursor'"),
    ])
    func `a wrong incremental key is an error`(lines: String, message: String) {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(issues.first?.message == message)
        #expect(issues.filter { !$0.message.hasPrefix("unknown key") }.count <= 1, "\(issues)")
        #expect(issues.first?.hint != nil)
    }

    @Test func `a cursor field and its format may be lists, of which the first that fits counts`() throws {
        var expected = Incremental(cursorField: nil)
        expected.cursorFields = ["updated_at", "$.meta.created"]
        expected.cursorFormats = [.epoch, .epochMilliseconds]
        let keys = "cursor_field: [updated_at, $.meta.created], cursor_datetime_format: [epoch, epoch_ms]"
        #expect(try Fixture.stream("incremental: { \(keys) }").incremental == expected)
    }

    @Test(arguments: [
        ("cursor_field: []", "'incremental.cursor_field' is an empty list"),
        ("cursor_field: [at, '']", "'incremental.cursor_field[1]' is empty"),
        ("cursor_field: at, cursor_datetime_format: []", "'incremental.cursor_datetime_format' is an empty list"),
        (
            "cursor_field: at, cursor_datetime_format: [epoch, iso]",
            "'incremental.cursor_datetime_format[1]' is no format of times"
        ),
    ])
    func `a list is checked as one value is`(keys: String, message: String) {
        #expect(Fixture.issues(Fixture.streamText("incremental: { \(keys) }")).map(\.message) == [message])
    }

    @Test func `one text with two names is told with the list that is meant`() throws {
        func warnings(_ keys: String) throws -> [ConfigurationIssue] {
            try Fixture.parse(
                Fixture.streamText("incremental: { \(keys) }\nparams: { since: \"{incremental.start_value}\" }")
            ).warnings
        }
        let hint = try #require(try warnings("cursor_field: \"updated_at, created_at\"").first?.hint)
        let line = try #require(hint.firstMatch(of: /write (cursor_field: \[.+\]) for/)?.1)
        #expect(line == "cursor_field: [updated_at, created_at]")
        #expect(try warnings(String(line)).isEmpty)
    }

    /// The formats of records, a cursor, its time, and the same moment as it is written like the cursor.
    @Test(
        arguments: [
            ([.epoch, .epochMilliseconds], "1769846700", "2026-01-31T08:05:00.000Z", "1769846700"),
            ([.epoch, .epochMilliseconds], "1769846700000", "2026-01-31T08:05:00.000Z", "1769846700000"),
            ([.epochMilliseconds, .epoch], "1769846700", "2026-01-31T08:05:00.000Z", "1769846700"),
            ([.epochMilliseconds, .epoch], "2026-01-31T08:05:00Z", "2026-01-31T08:05:00.000Z", "1769846700000"),
            ([.rfc3339, .date], "2026-01-31", "2026-01-31T00:00:00.000Z", "2026-01-31"),
            ([.date, .rfc3339], "2026-01-31T08:05:00Z", "2026-01-31T08:05:00.000Z", "2026-01-31T08:05:00Z"),
        ] as [([DatetimeFormat], String, String, String)])
    func `of several formats the one that reads a cursor writes it`(
        formats: [DatetimeFormat], cursor: String, time: String, text: String
    ) throws {
        var incremental = Incremental(cursorField: "at")
        incremental.cursorFormats = formats
        let instant = try #require(incremental.instant(of: cursor))
        #expect(instant.description == time)
        #expect(incremental.spelling(of: instant, like: cursor) == text)
        #expect(incremental.requestText(of: cursor, as: nil) == text)
    }

    /// The formats of records and requests, a cursor, and the text of a request.
    @Test(
        arguments: [
            (nil, nil, "2026-01-31T08:05:00+00:00", "2026-01-31T08:05:00+00:00"), (nil, nil, "17", "17"),
            (.epoch, nil, "1769846700.123456", "1769846700.123456"), (.epoch, nil, "2026-01-31", "1769817600"),
            (nil, .epoch, "1769846700.5", "1769846700.5"), (nil, .epoch, "2026-01-31T08:05:00.9Z", "1769846700"),
            (.epoch, .rfc3339, "1769846700", "2026-01-31T08:05:00Z"),
            (.epoch, .rfc3339, "1769846700.5", "2026-01-31T08:05:00.500Z"),
            (.epochMilliseconds, .date, "1769846700000", "2026-01-31"),
            (.rfc3339, nil, "2026-01-31", "2026-01-31T00:00:00Z"),
        ] as [(DatetimeFormat?, DatetimeFormat?, String, String)])
    func `a request has a cursor in its own format, and with all digits if that is the records'`(
        records: DatetimeFormat?, requests: DatetimeFormat?, cursor: String, text: String
    ) {
        let incremental = Incremental(cursorField: "at", cursorFormat: records, requestFormat: requests)
        #expect(incremental.requestText(of: cursor, as: nil) == text)
    }

    /// The end of a step at midnight, as records write it.
    @Test(
        arguments: [
            (nil, "2026-02-01T00:00:00Z", "2026-01-31"), (.date, "2026-02-01", "2026-01-31"),
            (.epoch, "1769904000", "2026-01-31"), (.date, "2026-02-01T00:00:01Z", "2026-02-01"), (nil, "17", nil),
        ] as [(DatetimeFormat?, String, String?)])
    func `a request may have the last day of a step`(records: DatetimeFormat?, end: String, day: String?) {
        let incremental = Incremental(cursorField: "at", cursorFormat: records)
        #expect(incremental.requestText(of: end, as: .date, offset: .milliseconds(-1)) == day)
        // A read of this day ends now, although its end says no more than the day.
        let now = Timestamp(millisecondsSince1970: 1_769_904_000_000 + 3_600_000)
        let last = incremental.requestText(of: end, as: .date, offset: .milliseconds(-1), endingAt: now)
        #expect(last == (end == "2026-02-01" ? end : day))
    }

    @Test(arguments: [
        ("incremental: { cursor_field: at }", true),
        ("incremental: { lookback_window: 1h }\nparams: { since: \"{now - 7d}\" }", true),
        ("incremental: { cursor_field: at, stop_at_known: true }", false),
        ("incremental: { cursor_field: at }\nparams: { since: \"{incremental.start_value}\" }", false),
        ("incremental: { cursor_field: at }\npath: /x?since={incremental.start_value, epoch}", false),
        ("incremental: { cursor_field: at }\njson: { a: [ { since: \"{incremental.start_value}\" } ] }", false),
        ("incremental: { lookback_window: 1h }\nheaders: { X-Until: \"{incremental.end_value}\" }", false),
    ])
    func `a cursor that no request has is warned of`(lines: String, isWarnedOf: Bool) throws {
        let warnings = try Fixture.parse(Fixture.streamText(lines)).warnings
        #expect(warnings.count == (isWarnedOf ? 1 : 0))
        guard let warning = warnings.first else { return }
        #expect(warning.summary.hasPrefix("7:22 'incremental' is used nowhere in 'zoo.animals': "), "\(warning)")
        #expect(warning.hint?.contains("params: { since: \"{incremental.start_value}\" }") == true, "\(warning)")
        #expect(warning.hint?.contains("'stop_at_known: true'") == true)
    }

    @Test(arguments: ["initial_value", "end_value"])
    func `a bound that is no time is told with a line that is one`(bound: String) throws {
        func warnings(_ line: String) throws -> [ConfigurationIssue] {
            try Fixture.parse(
                Fixture.streamText(
                    "incremental: { cursor_field: at, \(line) }"
                        + "\nparams: { since: \"{incremental.start_value}\" }")
            ).warnings
        }
        let hint = try #require(try warnings("\(bound): 01.01.2026").first?.hint)
        let line = try #require(hint.firstMatch(of: /such as (\w+: "[^"]+")/)?.1)
        #expect(line.hasPrefix("\(bound): "))
        #expect(try warnings(String(line)).isEmpty)
    }

    @Test(arguments: [
        ("params: { since: \"{incremental.start_value}\" }", true),
        ("params: { \"at[gte]\": \"{incremental.start_value, epoch}\" }", true),
        ("params: { since: \"{incremental.start_value}\", until: \"{incremental.end_value}\" }", false),
        (
            "params: { since: \"{incremental.start_value}\" }\nheaders: { X-To: \"{incremental.end_value, date}\" }",
            false
        ),
        // The API has a page for each day.
        ("params: { day: \"{incremental.start_value, date}\" }", false),
        ("path: \"/days/{incremental.start_value, date}\"", false),
    ])
    func `a step whose end no request has is warned of, and the line that is advised settles it`(
        lines: String, isWarnedOf: Bool
    ) throws {
        func warnings(_ lines: String) throws -> [ConfigurationIssue] {
            try Fixture.parse(
                Fixture.streamText("incremental: { cursor_field: at, initial_value: 2026-01-01, step: 7d }\n\(lines)")
            ).warnings
        }
        let warning = try warnings(lines).first
        #expect((warning?.message.contains("'incremental.step' of 'zoo.animals' has no end") ?? false) == isWarnedOf)
        guard isWarnedOf else { return }
        let end = try #require(warning?.hint?.firstMatch(of: /such as params: \{ (.+) \}; or/)?.1)
        #expect(try warnings(lines.replacing("params: { ", with: "params: { \(end), ")).isEmpty)
    }

    /// Times that are written in another way than the format says.
    @Test(arguments: ["rfc3339", "date", "epoch", "epoch_ms", "%d.%m.%Y"])
    func `a time of RFC 3339 and a date are understood with every format`(format: String) throws {
        let format = try #require(DatetimeFormat(format))
        let incremental = Incremental(cursorField: "at", cursorFormat: format)
        let date = try #require(Timestamp(rfc3339: "2026-01-31T00:00:00Z"))
        #expect(incremental.instant(of: "2026-01-31T01:00:00+01:00") == date)
        #expect(incremental.instant(of: "2026-01-31") == date)
        #expect(incremental.instant(of: "31 January") == nil)
    }

    @Test func `seconds are taken for milliseconds, and milliseconds are no seconds`() {
        func instant(_ text: String, _ format: DatetimeFormat) -> String? {
            Incremental(cursorField: "at", cursorFormat: format).instant(of: text)?.description
        }
        #expect(instant("1769846700", .epochMilliseconds) == "1970-01-21T11:37:26.700Z")
        #expect(instant("1769846700000", .epoch) == nil)
    }

    @Test func `distances of two kinds do not fit`() {
        let issues = Fixture.issues(
            Fixture.streamText(
                "incremental: { cursor_field: at, initial_value: 5, end_value: 9, step: 5, lookback_window: 5m }"))
        #expect(issues.map(\.message) == ["'incremental.initial_value' does not fit 'incremental.lookback_window'"])
    }

    @Test func `what a source says is contradicted where it stands`() {
        let issues = Fixture.issues(
            """
            version: 1
            defaults: { delete_missing: soft }
            sources:
              zoo:
                base_url: https://a/
                streams:
                  a: { incremental: { cursor_field: at } }
                  b: { incremental: { cursor_field: at }, delete_missing: ignore }
                  c:
            """)
        #expect(
            issues.map(\.summary) == ["2:29 'delete_missing: soft' cannot work with 'incremental' of 'zoo.a' alone"])
    }
}
