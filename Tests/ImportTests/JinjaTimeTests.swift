import Testing

@testable import GarnerImport

struct JinjaTimeTests {
    /// 2024-02-29T13:05:09.120000Z, a Thursday.
    static let instant = 1_709_211_909_120_000

    @Test(arguments: [
        ("%Y-%m-%dT%H:%M:%SZ", "2024-02-29T13:05:09Z"), ("%Y-%m-%dT%H:%M:%S.%f%z", "2024-02-29T13:05:09.120000+0000"),
        ("%F %T %Z", "2024-02-29 13:05:09 UTC"), ("%d %b %y, %I:%M %p", "29 Feb 24, 01:05 PM"),
        ("%A %a %B %j", "Thursday Thu February 060"),
        ("%s", "1709211909"), ("%ms", "1709211909120"), ("%epoch_microseconds", "1709211909120000"),
        ("%s_as_float", "1709211909.12"),
        ("%S.%_ms%:z", "09.120+00:00"), ("100%%", "100%"),
    ])
    func `a time is written in a format, and read back`(_ format: String, _ expected: String) throws {
        #expect(try JinjaTime.text(of: Self.instant, in: format) == expected)
        guard format.contains("%Y") || format.hasPrefix("%s") || format.hasPrefix("%epoch") else { return }
        let read = try JinjaTime.instant(of: expected, format: format)
        #expect(try JinjaTime.text(of: read, in: format) == expected)
    }

    @Test(
        arguments: [
            ("2024-02-29", nil, "2024-02-29T00:00:00Z"), ("2024-02-29T13:05:09Z", nil, "2024-02-29T13:05:09Z"),
            ("2024-02-29 13:05:09.1234567", nil, "2024-02-29T13:05:09Z"),
            ("2024-02-29T13:05:09+02:00", nil, "2024-02-29T11:05:09Z"),
            ("2024-02-29T13:05:09.5-0130", nil, "2024-02-29T14:35:09Z"), ("20240229", nil, "2024-02-29T00:00:00Z"),
            ("2024", nil, "2024-01-01T00:00:00Z"), ("1709211909", nil, "2024-02-29T13:05:09Z"),
            ("1709211909120", nil, "2024-02-29T13:05:09Z"),
            ("29/02/2024", "%d/%m/%Y", "2024-02-29T00:00:00Z"),
            ("Feb 29, 2024 1:05 PM", "%b %d, %Y %I:%M %p", "2024-02-29T13:05:00Z"),
            ("060 24", "%j %y", "2024-02-29T00:00:00Z"), ("2023-02-29", nil, nil), ("soon", nil, nil),
            ("2024-13-01", nil, nil),
            ("", nil, nil), ("99999999999999999999", nil, nil), ("0000-01-01", nil, nil),
        ] as [(String, String?, String?)])
    func `a time is read`(_ text: String, _ format: String?, _ expected: String?) throws {
        guard let expected else {
            #expect(throws: JinjaError.self) { try JinjaTime.instant(of: text, format: format) }
            return
        }
        let instant = try JinjaTime.instant(of: text, format: format)
        #expect(try JinjaTime.text(of: instant, in: "%Y-%m-%dT%H:%M:%SZ") == expected)
    }

    @Test(
        arguments: [
            ("P1D", 86_400), ("-P2W", -1_209_600), ("P1Y2M", 36_720_000), ("PT1H30M5S", 5405), ("P1DT12H", 129_600),
            ("P0.5D", 43_200),
            ("P", nil), ("1D", nil), ("PT1D", nil), ("P1M1Y", nil), ("P99999999999D", nil), ("P1", nil),
        ] as [(String, Int?)])
    func `a duration is read`(_ text: String, _ seconds: Int?) throws {
        #expect((try? JinjaTime.duration(of: text))?.usual == seconds)
    }

    @Test(arguments: [
        ("{{ now_utc() }}", JinjaValue.Now()), ("{{ today_utc() }}", .init(format: "%Y-%m-%d", isDay: true)),
        ("{{ now_utc() - duration('P2D') }}", .init(offset: -172_800)),
        (
            "{{ (now_utc() - duration('P1Y2M3D')).date() }}",
            .init(offset: -259_200, months: -14, format: "%Y-%m-%d", isDay: true)
        ),
        (
            "{{ (now_utc() - duration('PT1H')).strftime('%Y-%m-%dT%H:%M:%SZ') }}",
            .init(offset: -3600, format: "%Y-%m-%dT%H:%M:%SZ")
        ),
        ("{{ format_datetime(now_utc(), '%s') }}", .init(format: "%s")),
        ("{{ timestamp(now_utc()) }}", .init(format: "%s")),
        ("{{ day_delta(-30, format='%Y-%m-%d') }}", .init(offset: -2_592_000, format: "%Y-%m-%d")),
        ("{{ day_delta(1) }}", .init(offset: 86_400, format: "%Y-%m-%dT%H:%M:%S.%f%z")),
        ("{{ now_utc().date() }}", .init(format: "%Y-%m-%d", isDay: true)),
        ("{{ config.start or now_utc() }}", .init()),
    ])
    func `a time of the read keeps its distance and its format`(_ text: String, _ expected: JinjaValue.Now) throws {
        #expect(try JinjaTests.value(text) == .now(expected))
    }

    @Test(
        arguments: [
            ("{{ format_datetime('2024-02-29T13:05:09Z', '%Y-%m-%d') }}", "2024-02-29"),
            ("{{ format_datetime('02/2024', '%Y', '%m/%Y') }}", "2024"),
            ("{{ timestamp('2024-02-29') }}", "1709164800"), ("{{ timestamp(5.7) }}", "5"),
            ("{{ str_to_datetime('2024-02-29') + duration('P1D') }}", "2024-03-01 00:00:00+00:00"),
            (
                "{{ str_to_datetime('2024-02-29T01:00:00').replace(hour=2, day=1).isoformat() }}",
                "2024-02-01T02:00:00+00:00"
            ),
            ("{{ (str_to_datetime('2024-03-01') - str_to_datetime('2024-02-01')).days }}", "29"),
            ("{{ str_to_datetime('2024-03-31') - duration('P1M') }}", "2024-02-29 00:00:00+00:00"),
            ("{{ str_to_datetime('2024-02-29T05:00:00Z') + duration('P1Y1M1DT1H') }}", "2025-03-30 06:00:00+00:00"),
            ("{{ str_to_datetime('2023-12-31') + (-duration('P13M')) }}", "2022-11-30 00:00:00+00:00"),
            ("{{ str_to_datetime('0001-01-31') - duration('P1M') }}", nil),
            ("{{ duration('P1M').days }} {{ duration('P1Y') > duration('P360D') }}", "30 True"),
            ("{{ duration('P1DT2H') }}", "1 day, 2:00:00"),
            ("{{ str_to_datetime('2024-02-29').year }}{{ str_to_datetime('2024-02-29').strftime('%j') }}", "2024060"),
            ("{{ max('2024-01-01', '2023-01-01') }}", "2024-01-01"), ("{{ today_utc() > '2024-01-01' }}", "True"),
            ("{{ max(now_utc() - duration('P1Y'), str_to_datetime('2030-01-01')).strftime('%Y') }}", "2030"),
            ("{{ min(day_delta(-1, '%Y-%m-%d'), '2030-01-01') }}", "2024-02-28"),
            ("{{ (now_utc() - str_to_datetime('2024-02-01')).days }}", "28"),
            ("{{ str_to_datetime('9999-12-31') + duration('P1Y') }}", nil),
            ("{{ format_datetime('soon', '%Y') }}", nil), ("{{ duration('soon') }}", nil),
            ("{{ day_delta(999999999999999999) }}", nil), ("{{ timestamp(1e300) }}", nil),
            ("{{ format_datetime('2024', '%Q') }}", nil),
        ] as [(String, String?)])
    func `times are computed with`(_ text: String, _ expected: String?) throws {
        var evaluator = JinjaEvaluator(config: .mapping([]), parameters: .mapping([]), now: Self.instant)
        guard let expected else {
            #expect(throws: JinjaError.self) { try evaluator.text(of: text) }
            return
        }
        #expect(try evaluator.text(of: text) == .text(expected))
    }

    @Test func `what is compared with a time of the read waits for it`() throws {
        let now = JinjaValue.now(.init(format: "%Y-%m-%d", isDay: true))
        #expect(
            try JinjaTests.value("{{ today_utc() > '2024-01-01' }}") == .operation("gt", [now, .text("2024-01-01")]))
        #expect(
            try JinjaTests.value("{{ format_datetime(stream_interval.start_time, '%s') }}")
                == .operation("format_datetime", [JinjaTests.later(.interval, "start_time"), .text("%s")]))
    }
}
