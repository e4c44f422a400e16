import GarnerModel
import Testing

@testable import garner

struct InstantTests {
    /// Berlin in autumn 2026, where clocks are set back at 01:00 UTC on October 25.
    private static let berlin = LocalTime { $0 < 1_792_890_000 ? 7200 : 3600 }
    private static let newYork = LocalTime { _ in -18_000 }

    private static func parse(_ text: String, at now: String, in local: LocalTime) throws -> String {
        try Instant.parse(text, now: #require(Timestamp(rfc3339: now)), in: local).description
    }

    @Test(arguments: [
        ("now", "2026-11-28T13:30:00.000Z"), ("today", "2026-11-27T23:00:00.000Z"),
        ("Yesterday", "2026-11-26T23:00:00.000Z"), ("24h", "2026-11-27T13:30:00.000Z"),
        ("1h30m", "2026-11-28T12:00:00.000Z"), ("PT15M", "2026-11-28T13:15:00.000Z"),
        ("1 day", "2026-11-27T13:30:00.000Z"), ("2 hours", "2026-11-28T11:30:00.000Z"),
        ("3 days ago", "2026-11-25T13:30:00.000Z"), ("24h ago", "2026-11-27T13:30:00.000Z"),
        ("an hour ago", "2026-11-28T12:30:00.000Z"), ("1 hour 30 minutes ago", "2026-11-28T12:00:00.000Z"),
        ("2 weeks", "2026-11-14T13:30:00.000Z"), ("90 sec", "2026-11-28T13:28:30.000Z"),
        ("2026-11-27", "2026-11-26T23:00:00.000Z"), ("2026-11-27 10:00", "2026-11-27T09:00:00.000Z"),
        ("2026-11-27T10:00:30", "2026-11-27T09:00:30.000Z"), ("2026-07-01 10:00", "2026-07-01T08:00:00.000Z"),
        ("2026-11-27T10:00:00Z", "2026-11-27T10:00:00.000Z"), ("2026-11-27 10:00+02:00", "2026-11-27T08:00:00.000Z"),
    ])
    func `people write times in many ways`(text: String, instant: String) throws {
        #expect(try Self.parse(text, at: "2026-11-28T13:30:00Z", in: Self.berlin) == instant)
    }

    @Test func `a day is the local one, also beside UTC's midnight and a change of the clocks`() throws {
        #expect(try Self.parse("today", at: "2026-11-28T23:30:00Z", in: Self.berlin) == "2026-11-28T23:00:00.000Z")
        #expect(try Self.parse("today", at: "2026-11-28T03:00:00Z", in: Self.newYork) == "2026-11-27T05:00:00.000Z")
        #expect(try Self.parse("today", at: "2026-10-25T12:00:00Z", in: Self.berlin) == "2026-10-24T22:00:00.000Z")
        #expect(try Self.parse("2026-10-26", at: "2026-11-28T00:00:00Z", in: Self.berlin) == "2026-10-25T23:00:00.000Z")
        // 02:30 comes twice.
        #expect(
            try Self.parse("2026-10-25 02:30", at: "2026-11-28T00:00:00Z", in: Self.berlin)
                == "2026-10-25T00:30:00.000Z")
    }

    @Test(arguments: [
        "noon", "", "1", "-1h", "1 day day", "one day", "1 month", "2026-13-01", "2026-11-27 25:00", "ago",
        "1 day 1 week",
        "99999999999999999999 days", "99999999999999999999 weeks", "2026-11-27 10", "é",
    ])
    func `what is no time is told with the forms that are`(text: String) throws {
        let error = #expect(throws: CommandError.self) {
            try Self.parse(text, at: "2026-11-28T13:30:00Z", in: .utc)
        }
        #expect(error?.hint?.contains("24h, '2 days', today, yesterday, '2026-01-31 08:00'") == true)
    }

    @Test func `a time is shown as clocks on the wall have it`() throws {
        let instant = try #require(Timestamp(rfc3339: "2026-11-28T23:30:05.123Z"))
        #expect(Self.berlin.text(instant) == "2026-11-29 00:30:05+01:00")
        #expect(Self.newYork.text(instant) == "2026-11-28 18:30:05-05:00")
        #expect(LocalTime.utc.text(instant) == "2026-11-28T23:30:05.123Z")
        #expect(Timestamp(rfc3339: Self.berlin.text(instant))?.description == "2026-11-28T23:30:05.000Z")
    }
}
