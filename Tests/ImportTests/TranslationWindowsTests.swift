import Testing

@testable import GarnerImport

struct TranslationWindowsTests {
    private func stream(_ members: String, sends: Bool = true) throws -> TranslatedStream {
        let option = "start_time_option: { type: RequestOption, inject_into: request_parameter, field_name: since }"
        return try TranslatedStream(
            [
                "stream": """
                primary_key: id, incremental_sync: { type: DatetimeBasedCursor, cursor_field: at,
                  \(sends ? option + "," : "") \(members) }
                """
            ], settings: "{ start: '2024-03-01', days: 2 }")
    }

    private static func added(_ bound: String) -> String {
        """
        step: P1D, cursor_granularity: P1D }, transformations: [{ type: AddFields, fields: [{ path: [at],
          value: "{{ stream_interval.\(bound) }}" }] }], x: {
        """
    }

    private static let end =
        "end_time_option: { type: RequestOption, inject_into: request_parameter, field_name: until }"

    @Test(arguments: [
        ("datetime_format: '%Y-%m-%d'", "cursor_datetime_format: date, datetime_format: date"),
        ("datetime_format: '%s'", "cursor_datetime_format: epoch, datetime_format: epoch"),
        (
            "datetime_format: '%Y-%m-%dT%H:%M:%SZ'",
            "cursor_datetime_format: rfc3339, datetime_format: %Y-%m-%dT%H:%M:%SZ"
        ),
        (
            "datetime_format: '%Y-%m-%dT%H:%M:%S%:z', cursor_datetime_formats: ['%Y-%m-%d %H:%M:%S', '%Y-%m-%d']",
            "cursor_datetime_format: %Y-%m-%d %H:%M:%S, datetime_format: %Y-%m-%dT%H:%M:%S+00:00"
        ),
        (
            "datetime_format: '%s', cursor_datetime_formats: ['%s', '%ms']",
            "cursor_datetime_format: [epoch, epoch_ms], datetime_format: epoch"
        ),
    ])
    func `times have formats`(members: String, keys: String) throws {
        #expect(try stream(members)["incremental"] == "{cursor_field: at, \(keys)}")
    }

    @Test(arguments: [
        ("start_datetime: \"{{ config['start'] }}\"", "initial_value: 2024-03-01T00:00:00Z"),
        (
            "start_datetime: { datetime: '01.02.2024', datetime_format: '%d.%m.%Y' }",
            "initial_value: 2024-02-01T00:00:00Z"
        ),
        (
            "start_datetime: { datetime: '2024-01-01', min_datetime: '2024-02-01' }",
            "initial_value: 2024-02-01T00:00:00Z"
        ),
        ("start_datetime: \"{{ now_utc() - duration('P1D') }}\"", "initial_value: 2027-01-14T08:00:00Z"),
        ("start_datetime: \"{{ now_utc() - duration('P5Y') }}\"", "initial_value: 2022-01-15T08:00:00Z"),
        (
            "start_datetime: \"{{ (now_utc() - duration('P1M')).strftime('%Y-%m-%d') }}\"",
            "initial_value: 2026-12-15T00:00:00Z"
        ),
        (
            "start_datetime: '2024-01-01', lookback_window: P1Y1M1D",
            "initial_value: 2024-01-01T00:00:00Z, lookback_window: 398d"
        ),
        ("start_datetime: \"{{ day_delta(-1, '%Y-%m-%d') }}\"", "initial_value: 2027-01-14T00:00:00Z"),
        (
            "start_datetime: '2024-01-01', end_datetime: '2024-06-01'",
            "initial_value: 2024-01-01T00:00:00Z, end_value: 2024-06-01T00:00:00Z"
        ),
        ("start_datetime: '2024-01-01', end_datetime: '{{ now_utc() }}'", "initial_value: 2024-01-01T00:00:00Z"),
        (
            "\(end), start_datetime: '2024-01-01', step: P1M, lookback_window: \"P{{ config['days'] }}DT1H\"",
            "initial_value: 2024-01-01T00:00:00Z, step: 30d, lookback_window: 2d1h"
        ),
        (
            "start_datetime: '2024-01-01', lookback_window: P1.5D",
            "initial_value: 2024-01-01T00:00:00Z, lookback_window: 1d12h"
        ),
        // Without an end in the request, each step would be read to the end of the list.
        ("start_datetime: '2024-01-01', step: P1M", "initial_value: 2024-01-01T00:00:00Z"),
        (
            "start_datetime: '2024-01-01', is_data_feed: true",
            "initial_value: 2024-01-01T00:00:00Z, stop_at_known: true"
        ),
    ])
    func `a read begins and ends`(members: String, keys: String) throws {
        let stream = try stream("datetime_format: '%Y-%m-%d', \(members)")
        let usual = "{cursor_field: at, cursor_datetime_format: date, datetime_format: date"
        #expect(stream["incremental"] == usual + (keys.isEmpty ? "" : ", \(keys)") + "}")
        #expect(stream.losses == [])
    }

    @Test(arguments: [
        ("step: P1D, cursor_granularity: P1D", ""), ("step: P7D, cursor_granularity: P1D", ""),
        // The start of a window is a day, and the end of a read is none.
        (Self.added("start_time"), ""),
        (
            Self.added("end_time"),
            "window differs: one request for exactly one day (step 1d, cursor_granularity 1d)"
        ),
        // Windows that begin within a day do not end with one.
        (
            "step: P1D, cursor_granularity: P1D, cursor_datetime_formats: ['%s']",
            "window differs: one request for exactly one day (step 1d, cursor_granularity 1d)"
        ),
        (
            "step: P7D, cursor_granularity: P1D, lookback_window: PT1H",
            "window none: windows share a bound (step 7d, cursor_granularity 1d)"
        ),
        ("step: P7D, cursor_granularity: PT1S", ""),
        ("clamping: { type: Clamping, target: DAY }", "window differs: clamped to whole days"),
        ("end_datetime: \"{{ now_utc() - duration('P2D') }}\"", "end_of_read differs: another time than now, by -2d"),
        (
            "end_datetime: \"{{ now_utc() - duration('PT10S') }}\"",
            "end_of_read differs: another time than now, by -10s"
        ),
        ("end_datetime: \"{{ today_utc() }}\"", ""),
        (
            "start_datetime: '', step: P7D",
            "window differs: no start is given, so that one request asks for all"
        ),
        ("lookback_window: often", "window differs: the duration 'often'"),
        ("lookback_window: -P1D", "window differs: the duration '-P1D'"),
    ])
    func `a window that cannot be told is named`(members: String, loss: String) throws {
        let stream = try stream("datetime_format: '%Y-%m-%d', \(Self.end), start_datetime: '2024-01-01', \(members)")
        #expect(stream.losses.joined() == loss)
    }

    @Test(arguments: [
        ("%Y-%m-%d", "P1D", "{incremental.end_value - 1ms, date}", "2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z"),
        ("%d/%m/%Y", "P1D", "{incremental.end_value - 1ms, %d/%m/%Y}", "2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z"),
        ("%Y-%m-%d", "PT1S", "{incremental.end_value}", "2024-01-01T10:00:00Z", "2024-01-31T00:00:00Z"),
        ("%Y-%m-%d %H:%M", "P1D", "{incremental.end_value}", "2024-01-01T10:00:00Z", "2024-01-31T00:00:00Z"),
    ])
    func `windows of days end with their last day`(
        format: String, granularity: String, sent: String, start: String, end: String
    ) throws {
        let stream = try stream(
            """
            datetime_format: '\(format)', \(Self.end), start_datetime: '2024-01-01T10:00:00Z', step: P7D,
            end_datetime: '2024-01-31', cursor_granularity: \(granularity)
            """)
        #expect(stream["params"] == "{since: {incremental.start_value}, until: \(sent)}")
        let incremental = stream.translation.stream[mapping: "incremental"]
        #expect(incremental["initial_value"] == .text(start))
        #expect(incremental["end_value"] == .text(end))
    }

    @Test(arguments: [
        // The API is asked for everything in any case.
        ("datetime_format: '%Y-%m-%d', start_datetime: '2024-01-01'", ""),
        ("datetime_format: '%I %p', start_datetime: '2024-01-01'", ""),
        (
            "datetime_format: '%Y-%m-%dT%H:%M:%SZ', start_datetime: '2024-01-01', is_client_side_incremental: true",
            "@.at >= '2024-01-01' || !@.at || @.at == null"
        ),
        (
            "datetime_format: '%s', start_datetime: '2024-01-01', is_client_side_incremental: true",
            "@.at >= 1704067200 || @.at >= '1704067200' || !@.at || @.at == null"
        ),
    ])
    func `a cursor that no request has is a full read`(members: String, filter: String) throws {
        let stream = try stream(members, sends: false)
        #expect(stream["incremental"] == "")
        #expect(stream["record_filter"] == filter)
        #expect(stream.losses == [])
    }

    @Test(arguments: [
        ("{ type: DpathFlattenFields, field_path: [b] }", "[at, $.b.at]"), ("{ type: KeysToLower }", ""),
        ("{ type: AddFields, fields: [{ path: [at], value: \"{{ record.b.c }}\" }] }", "at"),
        ("{ type: AddFields, fields: [{ path: [at], value: \"{{ now_utc() }}\" }] }", ""),
        ("{ type: AddFields, fields: [{ path: [at], value: \"{{ record.b | upper }}\" }] }", ""),
        ("{ type: AddFields, fields: [{ path: [at], value: \"{{ stream_interval.start_time }}\" }] }", "at"),
        ("{ type: AddFields, fields: [{ path: [at], value: \"{{ stream_interval.end_time }}\" }] }", ""),
    ])
    func `a cursor is the field that a transformation makes`(transformation: String, field: String) throws {
        let stream = try stream(
            """
            datetime_format: '%Y-%m-%d', \(Self.end), start_datetime: '2024-01-01', step: P1D },
            transformations: [\(transformation)], x: {
            """)
        let cursor = stream.translation.stream[mapping: "incremental"]["cursor_field"]
        #expect(cursor.map(TranslatedStream.line) ?? "" == field)
    }

    @Test func `a start that moves is frozen with a comment`() throws {
        let stream = try stream("datetime_format: '%Y-%m-%d', start_datetime: '{{ now_utc() }}'")
        let entries = stream.translation.stream["incremental"]?.mapping?.entries
        #expect(entries?.first { $0.key == "initial_value" }?.comments.count == 1)
    }

    @Test func `a bound of a window that overlaps is no column`() throws {
        let added =
            "transformations: [{ type: AddFields, fields: [{ path: [from], value: \"{{ stream_interval.start_time }}\" }] }]"
        func stream(_ key: String, _ members: String) throws -> TranslatedStream {
            try TranslatedStream([
                "stream": """
                primary_key: \(key), \(added), incremental_sync: { type: DatetimeBasedCursor, cursor_field: at,
                datetime_format: '%Y-%m-%d', start_datetime: '2024-01-01', \(members)
                start_time_option: { type: RequestOption, inject_into: request_parameter, field_name: since } }
                """
            ])
        }
        #expect(try stream("id", "")["fields"] == "{add: {from: {incremental.start_value}}, drop: [from]}")
        #expect(
            try stream("[from, id]", "lookback_window: P1D,")["fields"]
                == "{add: {from: {incremental.start_value}}, drop: [from]}")
        let lost = try stream("id", "lookback_window: P1D,")
        #expect(lost["fields"] == "")
        let cursor = try self.stream(
            "datetime_format: '%Y-%m-%d', start_datetime: '2024-01-01', lookback_window: P1D, \(Self.end), \(Self.added("start_time"))"
        )
        #expect(cursor["fields"] == "")
        #expect(cursor.translation.stream[mapping: "incremental"]["cursor_field"] == nil)
        #expect(lost.losses == ["field_added differs: from: a bound of the window"])
    }
}
