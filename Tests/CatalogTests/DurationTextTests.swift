import GarnerCatalog
import Testing

struct DurationTextTests {
    @Test(arguments: [
        ("30s", Duration.seconds(30)), ("15m", .seconds(900)), ("1h30m", .seconds(5400)), ("500ms", .milliseconds(500)),
        ("2d", .seconds(172_800)), ("0s", .zero), ("1.5s", .milliseconds(1500)),
        ("1d2h3m4s5ms", .milliseconds(93_784_005)),
        ("PT15M", .seconds(900)), ("P1D", .seconds(86_400)), ("P1DT2H", .seconds(93_600)),
        ("PT0.5S", .milliseconds(500)),
        ("P2W", .seconds(1_209_600)), ("9223372036854ms", .milliseconds(9_223_372_036_854)),
    ])
    func `a duration reads as its length`(text: String, expected: Duration) throws {
        #expect(try DurationText.parse(text) == expected)
    }

    @Test(arguments: [
        ("30", DurationText.ParseError.missingUnit), ("1h30", .missingUnit), ("-5s", .negative), ("-5", .negative),
        ("P1Y", .calendarUnit), ("P1M", .calendarUnit), ("9223372036855ms", .outOfRange),
        ("99999999999999999999s", .outOfRange), ("200000d", .outOfRange), ("106751d24h", .outOfRange), ("", .malformed),
        ("s", .malformed), ("5 m", .malformed), ("5M", .malformed), ("15min", .malformed), ("30m1h", .malformed),
        ("1h1h", .malformed), (".5s", .malformed), ("1.s", .malformed), ("NaN", .malformed), ("1e3s", .malformed),
        ("P", .malformed), ("PT", .malformed), ("P1DT", .malformed), ("PT1D", .malformed), ("P1", .malformed),
        ("PT1M1H", .malformed), ("٣s", .malformed), ("0.1234567891ms", .malformed), ("5s\n", .malformed),
        ("T5S", .malformed),
        ("P1DT1HT1M", .malformed), ("PTT1M", .malformed),
    ])
    func `what is no duration says why`(text: String, expected: DurationText.ParseError) {
        #expect(throws: expected) { try DurationText.parse(text) }
    }

    @Test(arguments: [
        (Duration.zero, "0s"), (.seconds(900), "15m"), (.seconds(5400), "1h30m"), (.milliseconds(500), "500ms"),
        (.seconds(172_800), "2d"), (.milliseconds(1500), "1s500ms"), (.microseconds(1250), "1.25ms"),
        (.nanoseconds(1), "0.000001ms"),
        (.seconds(-90), "-1m30s"),
        (Duration(secondsComponent: .max, attosecondsComponent: 0), "106751991167300d15h30m7s"),
    ])
    func `a duration prints in the largest units`(duration: Duration, expected: String) {
        #expect(DurationText.format(duration) == expected)
    }

    @Test(arguments: [1, 999_999_999, 1_000_000_000, 86_399_999_999_999, 90_061_001_000_000, Int64.max])
    func `what is printed reads back`(nanoseconds: Int64) throws {
        let duration = Duration.nanoseconds(nanoseconds)
        #expect(try DurationText.parse(DurationText.format(duration)) == duration)
    }
}
