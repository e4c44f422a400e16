import GarnerCatalog
import GarnerFetcher
import GarnerModel
import Testing

@testable import GarnerSync

struct CursorWindowsTests {
    private static let noon = Timestamp(rfc3339: "2026-01-31T12:00:00Z") ?? Timestamp(millisecondsSince1970: 0)

    private static func windows(_ incremental: Incremental, cursor: String? = nil) throws -> [String] {
        let windows = try CursorWindows(incremental, cursor: cursor, signpost: noon)
        var found: [String] = []
        var next: ReadWindow? = try windows.first()
        while let window = next, found.count < 9 {
            found.append("\(window.start ?? "-") … \(window.end ?? "-")")
            next = try windows.next(after: window)
        }
        return found
    }

    @Test(arguments: [
        (Incremental(cursorField: "at"), nil, ["- … 2026-01-31T12:00:00Z"]),
        (
            Incremental(cursorField: "at"), "2026-01-30T00:00:00+01:00",
            ["2026-01-30T00:00:00+01:00 … 2026-01-31T12:00:00Z"]
        ),
        (
            Incremental(cursorField: "at"), "2026-01-30T00:00:00.5Z",
            ["2026-01-30T00:00:00.5Z … 2026-01-31T12:00:00.000Z"]
        ),
        (Incremental(cursorField: "at", initialValue: "2026-01-01"), nil, ["2026-01-01 … 2026-01-31"]),
        (
            Incremental(cursorField: "at", initialValue: "2026-01-01", endValue: "2026-01-15"), nil,
            ["2026-01-01 … 2026-01-15"]
        ),
        (Incremental(cursorField: "at", endValue: "2026-01-15"), "2026-01-20", ["2026-01-15 … 2026-01-15"]),
        // Only a clock that was ahead can have moved it there: what it passed over is read again.
        (
            Incremental(cursorField: "at", initialValue: "2026-01-16"), "2027-03-07T12:00:00Z",
            ["2026-01-16 … 2026-01-31"]
        ),
        (
            Incremental(cursorField: "at", initialValue: "2026-01-16"), "2026-02-01T12:00:00Z",
            ["2026-01-31T12:00:00Z … 2026-01-31T12:00:00Z"]
        ),
        (Incremental(cursorField: "id"), "17", ["17 … -"]),
        (Incremental(cursorField: "id", initialValue: "1", endValue: "10"), nil, ["1 … 10"]),
        (Incremental(cursorField: "id"), "7a3f", ["7a3f … -"]),
        // A word that an earlier version took for a cursor.
        (Incremental(cursorField: "id", initialValue: "1"), "n/a", ["1 … -"]),
    ])
    func `a read is of what came behind its cursor`(incremental: Incremental, cursor: String?, expected: [String])
        throws
    {
        #expect(try Self.windows(incremental, cursor: cursor) == expected)
    }

    @Test(arguments: [
        (
            Incremental(cursorField: "at", initialValue: "2026-01-16", step: .time(.seconds(7 * 86_400))), nil,
            ["2026-01-16 … 2026-01-23", "2026-01-23 … 2026-01-30", "2026-01-30 … 2026-01-31"]
        ),
        (
            Incremental(cursorField: "at", initialValue: "2026-01-16", step: .time(.seconds(7 * 86_400))),
            "2026-01-29T00:00:00Z", ["2026-01-29T00:00:00Z … 2026-01-31T12:00:00Z"]
        ),
        (
            Incremental(cursorField: "id", initialValue: "-5", endValue: "20", step: .count(10)), nil,
            ["-5 … 5", "5 … 15", "15 … 20"]
        ),
        (Incremental(cursorField: "id", initialValue: "0", endValue: "20", step: .count(10)), "20", ["20 … 20"]),
        (
            Incremental(
                cursorField: "id", initialValue: "9223372036854775800", endValue: "9223372036854775807",
                step: .count(.max)),
            nil, ["9223372036854775800 … 9223372036854775807"]
        ),
    ])
    func `an incremental read goes step by step`(incremental: Incremental, cursor: String?, expected: [String]) throws {
        #expect(try Self.windows(incremental, cursor: cursor) == expected)
    }

    @Test(arguments: [
        ("2026-01-30 10:00:00", "2026-01-30 09:00:00 … 2026-01-31 13:00:00"),
        ("2026-01-30T10:00:00", "2026-01-30T09:00:00 … 2026-01-31T13:00:00"),
        ("2026-01-30T00:30:00.5", "2026-01-29T23:30:00.500000 … 2026-01-31T13:00:00.000000"),
        // An offset says more than the time zone.
        ("2026-01-30T10:00:00Z", "2026-01-30T09:00:00Z … 2026-01-31T12:00:00Z"),
    ])
    func `times without an offset are of the time zone`(cursor: String, expected: String) throws {
        let incremental = Incremental(
            cursorField: "at", lookbackWindow: .time(.seconds(3600)), timezone: try #require(ZoneName("Europe/Berlin")))
        #expect(try Self.windows(incremental, cursor: cursor) == [expected])
    }

    @Test func `a time in an unknown format is told with the key that names it`() {
        guard case .text(let hint)? = IncrementalError.noTime("31.01.2026").failure.hint else {
            Issue.record("there is no hint")
            return
        }
        #expect(hint.contains("cursor_datetime_format"))
    }

    @Test(
        arguments: [
            // 2026-01-30T00:00:00Z is 1769731200, and the read begins at 1769860800.
            (Incremental(cursorField: "at", cursorFormat: .epoch), "1769731200", ["1769731200 … 1769860800"]),
            (Incremental(cursorField: "at", requestFormat: .epochMilliseconds), nil, ["- … 1769860800000"]),
            (
                Incremental(cursorField: "at", lookbackWindow: .time(.seconds(3600)), cursorFormat: .epoch),
                "1769731200.5", ["1769727600 … 1769860800"]
            ),
            (
                Incremental(
                    cursorField: "at", initialValue: "2026-01-29", step: .time(.seconds(2 * 86_400)),
                    cursorFormat: .epochMilliseconds), nil,
                ["2026-01-29 … 1769817600000", "1769817600000 … 1769860800000"]
            ),
            (Incremental(cursorField: nil), nil, ["- … 2026-01-31T12:00:00Z"]),
            (
                Incremental(
                    cursorField: "at", initialValue: "2026-01-29", step: .time(.seconds(3600)), cursorFormat: .date),
                nil,
                ["2026-01-29 … 2026-01-31"]
            ),
            // A clock that was ahead moved the cursor there.
            (Incremental(cursorField: "at", cursorFormat: .epoch), "1999999999", ["- … 1769860800"]),
        ] as [(Incremental, String?, [String])])
    func `integers with a format are times`(incremental: Incremental, cursor: String?, expected: [String]) throws {
        #expect(try Self.windows(incremental, cursor: cursor) == expected)
    }

    @Test(arguments: [
        ("1769731200", "1769727600 … 1769860800"), ("1769731200000", "1769727600000 … 1769860800000"),
    ])
    func `a window is written in that of several formats which reads the cursor`(
        cursor: String, expected: String
    ) throws {
        var incremental = Incremental(cursorField: "at", lookbackWindow: .time(.seconds(3600)))
        incremental.cursorFormats = [.epoch, .epochMilliseconds]
        #expect(try Self.windows(incremental, cursor: cursor) == [expected])
    }

    @Test(arguments: [
        (Incremental(cursorField: nil), ReadWindow(end: "2026-01-31T12:00:00Z"), "2026-01-31T12:00:00Z"),
        (Incremental(cursorField: nil), ReadWindow(end: "2026-01-30T00:00:00Z"), "2026-01-30T00:00:00Z"),
        (Incremental(cursorField: nil, endValue: "2030-01-01"), ReadWindow(end: "2030-01-01"), "2026-01-31"),
        (Incremental(cursorField: "at", cursorFormat: .epoch), ReadWindow(end: "1769860800"), "1769731200"),
    ])
    func `without a cursor field the end of what was read is the cursor`(
        incremental: Incremental, window: ReadWindow, expected: String
    ) throws {
        let windows = try CursorWindows(incremental, cursor: nil, signpost: Self.noon)
        #expect(windows.cursor(behind: "1769731200", endOf: window) == expected)
    }

    @Test(arguments: [
        ("2026-01-30T10:00:00Z", "2026-01-30T09:00:00Z"), ("2026-01-30T10:00:00.25Z", "2026-01-30T09:00:00.250Z"),
        ("2026-01-30T10:00:00+02:00", "2026-01-30T07:00:00Z"), ("2026-01-01T00:30:00Z", "2026-01-01T00:00:00Z"),
    ])
    func `an incremental read looks back, but not before its first start`(cursor: String, start: String) throws {
        let incremental = Incremental(
            cursorField: "at", initialValue: "2026-01-01T00:00:00Z", lookbackWindow: .time(.seconds(3600)))
        #expect(try CursorWindows(incremental, cursor: cursor, signpost: Self.noon).first().start == start)
    }

    private static let unmovable: [(Incremental, String)] = [
        (Incremental(cursorField: "at", lookbackWindow: .time(.seconds(3600))), "17"),
        (Incremental(cursorField: "at", lookbackWindow: .count(10)), "x"),
        (Incremental(cursorField: "at", lookbackWindow: .count(10)), "1e400"),
        (Incremental(cursorField: "at", lookbackWindow: .count(10)), "9223372036854775808"),
        (Incremental(cursorField: "at", initialValue: "0", step: .count(10)), "1.5"),
    ]

    @Test(arguments: unmovable.indices)
    func `a stored cursor that the distances cannot move is none, and the next one takes its place`(index: Int) throws {
        let (incremental, cursor) = Self.unmovable[index]
        let windows = try CursorWindows(incremental, cursor: cursor, signpost: Self.noon)
        #expect(try windows.first().start == incremental.initialValue)
        #expect(windows.cursor(behind: "7") == "7")
    }

    @Test(arguments: [
        (nil, nil, nil), (nil, "2026-01-30", "2026-01-30"), ("2026-01-30", "2026-01-30", nil),
        ("2026-01-30", nil, nil), ("2026-01-30", "2026-01-29", nil),
        ("2026-01-30", "2027-01-01T00:00:00Z", "2026-01-31T12:00:00Z"), (nil, "2027-01-01", "2026-01-31"),
        ("2026-02-01", "2027-01-01T00:00:00Z", nil), ("2026-02-02", "2026-01-30", "2026-01-30"), ("9", "10", "10"),
        ("10", "9", nil), ("b1", "a1", nil), ("a1", "b1", "b1"), ("n/a", "9", "9"), ("9", "a1", nil), ("a1", "9", "9"),
        ("9.5", "10.25", "10.25"), ("10.5", "9.75", nil),
    ])
    func `the cursor moves forward only, and never beyond where the read began`(
        cursor: String?, watermark: String?, expected: String?
    ) throws {
        let windows = try CursorWindows(Incremental(cursorField: "at"), cursor: cursor, signpost: Self.noon)
        #expect(windows.cursor(behind: watermark) == expected)
    }
}
