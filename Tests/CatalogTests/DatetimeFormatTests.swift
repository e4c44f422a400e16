import GarnerCatalog
import GarnerModel
import Testing

struct DatetimeFormatTests {
    private static let utc = ZoneName.utc

    /// Texts that say the same: in RFC 3339, and in the format and zone.
    @Test(arguments: [
        ("rfc3339", "UTC", "2026-01-31T08:05:00Z", "2026-01-31T08:05:00Z"),
        ("rfc3339", "Europe/Berlin", "2026-01-31T08:05:00.250Z", "2026-01-31T08:05:00.250Z"),
        ("date", "UTC", "2026-01-31T00:00:00Z", "2026-01-31"),
        ("date", "Europe/Berlin", "2026-07-30T22:00:00Z", "2026-07-31"),
        ("epoch", "Europe/Berlin", "2026-01-31T08:05:00Z", "1769846700"),
        ("epoch", "UTC", "1969-12-31T23:59:59Z", "-1"),
        ("epoch_ms", "UTC", "2026-01-31T08:05:00.001Z", "1769846700001"),
        ("microsoft_json", "Europe/Berlin", "2026-01-31T08:05:00.001Z", "/Date(1769846700001)/"),
        ("%d.%m.%Y %H:%M:%S", "Europe/Berlin", "2026-01-31T08:05:09Z", "31.01.2026 09:05:09"),
        ("%Y%m%d", "UTC", "2026-01-31T00:00:00Z", "20260131"),
        ("%F %T", "UTC", "2026-01-31T08:05:09Z", "2026-01-31 08:05:09"),
        ("%Y-%m-%dT%H:%M:%S.%f%z", "America/St_Johns", "2026-01-31T08:05:09.120Z", "2026-01-31T04:35:09.120000-0330"),
        ("%d %b %Y", "UTC", "2026-01-31T00:00:00Z", "31 Jan 2026"),
        ("%Y-%j", "UTC", "2024-12-31T00:00:00Z", "2024-366"),
        ("Date(%s)", "UTC", "2026-01-31T08:05:00Z", "Date(1769846700)"),
        ("%Y-%m-%d %S.%f000", "UTC", "2026-01-31T00:00:09.120Z", "2026-01-31 09.120000000"),
        ("%S%f%Y%m%d", "UTC", "2026-01-31T00:00:09.120Z", "0912000020260131"),
        ("%Y%%%m%%%d", "UTC", "2026-01-31T00:00:00Z", "2026%01%31"),
    ])
    func `a time is written and read in each format`(format: String, zone: String, time: String, text: String) throws {
        let format = try #require(DatetimeFormat(format))
        let zone = try #require(ZoneName(zone))
        let instant = try #require(Timestamp(rfc3339: time))
        #expect(format.text(of: instant, in: zone) == text)
        #expect(format.instant(of: text, in: zone) == instant)
    }

    @Test(arguments: [
        ("epoch", "1769846700.1239", "2026-01-31T08:05:00.123Z"), ("epoch", "1769846700.5", "2026-01-31T08:05:00.500Z"),
        ("microsoft_json", "/Date(1769846700123+0000)/", "2026-01-31T08:05:00.123Z"),
        ("microsoft_json", "/Date(-1-0530)/", "1969-12-31T23:59:59.999Z"),
        ("%Y-%m-%d %H:%M:%S%z", "2026-1-31 8:05:00+01:00", "2026-01-31T07:05:00Z"),
        ("%Y-%m-%d %H:%M%z", "2026-01-31 08:05Z", "2026-01-31T08:05:00Z"),
    ])
    func `other spellings of a format are read too`(format: String, text: String, time: String) throws {
        #expect(try #require(DatetimeFormat(format)).instant(of: text, in: Self.utc) == Timestamp(rfc3339: time))
    }

    /// The clock of Berlin skips 02:00 to 03:00 on 29 March 2026, and shows 02:00 to 03:00 twice on 25 October.
    @Test(arguments: [
        ("2026-03-29 01:59", "2026-03-29T00:59:00Z"), ("2026-03-29 02:30", "2026-03-29T00:30:00Z"),
        ("2026-03-29 03:00", "2026-03-29T01:00:00Z"), ("2026-10-25 02:30", "2026-10-25T00:30:00Z"),
        ("2026-10-25 03:00", "2026-10-25T02:00:00Z"),
    ])
    func `a local time is the first that it can be`(text: String, time: String) throws {
        let berlin = try #require(ZoneName("Europe/Berlin"))
        #expect(
            try #require(DatetimeFormat("%Y-%m-%d %H:%M")).instant(of: text, in: berlin) == Timestamp(rfc3339: time))
    }

    @Test(arguments: [
        ("epoch", "2026-01-31"), ("epoch", ""), ("epoch", "-"), ("epoch", "1."), ("epoch", ".5"), ("epoch", "1e9"),
        // Milliseconds read as seconds would be far in the future.
        ("epoch", "1769846700000"), ("epoch", "9223372036854775.999"), ("epoch", "-9223372036854775.999"),
        ("epoch", "99999999999999999999"), ("epoch_ms", "x"), ("microsoft_json", "1769846700000"),
        ("microsoft_json", "/Date(1769846700000+00)/"), ("date", "2026-02-30"),
        ("date", "2026-01-31T00:00:00Z"), ("%d.%m.%Y", "31.1.26"), ("%d.%m.%Y", "31.01.2026 "),
        ("%H:%M %Y-%j", "24:00 2026-001"),
        ("%Y-%j", "2026-366"), ("%Y-%j", "2026-000"), ("%d %b %Y", "31 Foo 2026"), ("rfc3339", "1769846700"),
        ("%F %z", "2026-01-31 +25:00"),
    ])
    func `a text in another format is no time`(format: String, text: String) throws {
        #expect(try #require(DatetimeFormat(format)).instant(of: text, in: Self.utc) == nil)
    }

    @Test(arguments: [
        "", "Epoch", "iso", "%", "%Y", "%Y-%m", "%m-%d", "%Y-%d", "%Y-%m-%d %Q", "yyyy-MM-dd", "%Y-%m-%d %",
    ])
    func `a pattern without a whole day, or with an unknown conversion, is no format`(text: String) {
        #expect(DatetimeFormat(text) == nil)
    }
}
