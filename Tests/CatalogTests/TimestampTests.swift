import GarnerCatalog
import GarnerModel
import Testing

struct TimestampTests {
    // RFC 3339

    /// Milliseconds from GNU date and Python's datetime.
    @Test(arguments: [
        ("0001-01-01T00:00:00.000Z", -62_135_596_800_000),
        ("1582-10-15T00:00:00.000Z", -12_219_292_800_000),
        ("1900-02-28T23:59:59.999Z", -2_203_891_200_001),
        ("1900-03-01T00:00:00.000Z", -2_203_891_200_000),
        ("1969-12-31T23:59:59.999Z", -1),
        ("1970-01-01T00:00:00.000Z", 0),
        ("2000-02-29T12:34:56.789Z", 951_827_696_789),
        ("2024-02-29T00:00:00.000Z", 1_709_164_800_000),
        ("2024-12-31T23:59:59.999Z", 1_735_689_599_999),
        ("2026-01-31T08:05:00.000Z", 1_769_846_700_000),
        ("2100-02-28T00:00:00.000Z", 4_107_456_000_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ])
    func `a text and its instant stand for each other`(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.millisecondsSince1970 == milliseconds)
        #expect(Timestamp(millisecondsSince1970: milliseconds).description == text)
    }

    @Test(arguments: [
        ("2026-01-31T08:05:00Z", "2026-01-31T08:05:00.000Z"),
        ("2026-01-31t08:05:00z", "2026-01-31T08:05:00.000Z"),
        ("2026-01-31 08:05:00Z", "2026-01-31T08:05:00.000Z"),
        ("2026-01-31T08:05Z", "2026-01-31T08:05:00.000Z"),
        ("2026-01-31", "2026-01-31T00:00:00.000Z"),
        ("2026-01-31T08:05:00.5Z", "2026-01-31T08:05:00.500Z"),
        ("2026-01-31T08:05:00.0519999999Z", "2026-01-31T08:05:00.051Z"),
        ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
        ("2026-01-31T08:05:00+00:00", "2026-01-31T08:05:00.000Z"),
        ("2026-01-31T08:05:00+0000", "2026-01-31T08:05:00.000Z"),
        ("2026-01-31T08:05:00.5-0330", "2026-01-31T11:35:00.500Z"),
        ("2026-01-31T08:05:00-00:00", "2026-01-31T08:05:00.000Z"),
        ("2026-01-31T08:05:00+05:45", "2026-01-31T02:20:00.000Z"),
        ("2026-01-31T08:05:00-03:30", "2026-01-31T11:35:00.000Z"),
        ("2024-03-01T00:30:00+01:00", "2024-02-29T23:30:00.000Z"),
        ("2023-03-01T00:30:00+01:00", "2023-02-28T23:30:00.000Z"),
        ("2025-12-31T23:30:00-01:00", "2026-01-01T00:30:00.000Z"),
        ("1970-01-01T00:00:00+14:00", "1969-12-31T10:00:00.000Z"),
    ])
    func `other spellings are read as the same instant in UTC`(text: String, utc: String) {
        #expect(Timestamp(rfc3339: text)?.description == utc)
    }

    @Test(arguments: [
        "", "Z", "now", "2026", "2026-01", "20260131", "2026-1-31", "26-01-31", "+2026-01-31", "-001-01-31",
        "2026-00-01", "2026-13-01", "2026-01-00", "2026-01-32", "2026-04-31", "2026-02-29", "2023-02-29", "1900-02-29",
        "2100-02-29", "2024-02-30", "2026-01-31T08:05:00", "2026-01-31T08Z", "2026-01-31TZ", "2026-01-31Z",
        "2026-01-31T24:00:00Z", "2026-01-31T08:60:00Z", "2026-01-31T08:05:61Z", "2026-01-31T8:05:00Z",
        "2026-01-31T08:05:00.Z", "2026-01-31T08:05:00,5Z", "2026-01-31T08:05:00+010", "2026-01-31T08:05:00+1:00",
        "2026-01-31T08:05:00 +01:00", "2026-01-31T08:05:00CET", " 2026-01-31T08:05:00Z", "2026-01-31T08:05:00Z ",
        "2026-01-31T08:05:00Z\n", "2026-01-31T08:05:00Z\0", "٢٠٢٦-٠١-٣١", "Sat, 31 Jan 2026 08:05:00 GMT",
    ])
    func `a text that is not RFC 3339 is not a timestamp`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func `days of eight hundred years are read back as written, and sort as text`() throws {
        let day: Int64 = 86_400_000
        let first = try #require(Timestamp(rfc3339: "1601-01-01")).millisecondsSince1970
        var previous = ""
        for number in stride(from: Int64(0), to: 292_194, by: 97) {
            let timestamp = Timestamp(millisecondsSince1970: first + number * day + number % day)
            let text = timestamp.description
            if text <= previous || Timestamp(rfc3339: text) != timestamp {
                Issue.record("\(previous) then \(text)")
            }
            previous = text
        }
        #expect(previous.hasPrefix("2400-"))
    }

    @Test(arguments: [Int64.min, .min + 1, -62_135_596_800_001, 253_402_300_800_000, .max - 1, .max])
    func `an instant outside the years of four digits has a text all the same`(milliseconds: Int64) {
        let text = Timestamp(millisecondsSince1970: milliseconds).description
        #expect(text.hasSuffix("Z"))
        #expect(text.count >= 24)
    }

    // Arithmetic

    @Test(
        arguments: [
            (0, Duration.seconds(1), 1000), (0, .milliseconds(-1), -1), (-1, .milliseconds(1), 0),
            (5, .microseconds(1999), 6), (5, .microseconds(-1999), 4), (.max, .milliseconds(1), .max),
            (.max - 1, .seconds(1), .max), (.min, .milliseconds(-1), .min),
            (0, .seconds(Int64.max), .max), (0, .seconds(Int64.min), .min),
        ] as [(Int64, Duration, Int64)])
    func `advancing rounds towards zero and stops at the ends`(start: Int64, duration: Duration, end: Int64) {
        let advanced = Timestamp(millisecondsSince1970: start).advanced(by: duration)
        #expect(advanced.millisecondsSince1970 == end)
    }

    @Test(
        arguments: [
            (0, 1500, Duration.milliseconds(1500)), (1500, 0, .milliseconds(-1500)), (-1, 1, .milliseconds(2)),
            (.min, .max, .milliseconds(Int64.max)), (.max, .min, .milliseconds(Int64.min)),
            (-2, .max, .milliseconds(Int64.max)), (1, .min, .milliseconds(Int64.min)),
        ] as [(Int64, Int64, Duration)])
    func `the distance of two instants is signed and stops at the ends`(from: Int64, to: Int64, distance: Duration) {
        let (start, end) = (Timestamp(millisecondsSince1970: from), Timestamp(millisecondsSince1970: to))
        #expect(start.duration(to: end) == distance)
        #expect((start < end) == (distance > .zero))
    }
}
