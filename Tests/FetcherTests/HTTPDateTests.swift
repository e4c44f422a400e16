import GarnerCatalog
import GarnerModel
import Testing
@testable import GarnerFetcher

struct HTTPDateTests {
    private static let dates: [(String, String)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"), ("Wed Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"),
        ("Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59Z"),
        ("Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
        ("Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z"),
        ("Friday, 15-Jan-27 08:00:00 GMT", "2027-01-15T08:00:00Z"),
        ("Friday, 15-Jan-77 08:00:00 GMT", "2077-01-15T08:00:00Z"),
        ("Friday, 15-Jan-78 08:00:00 GMT", "1978-01-15T08:00:00Z"),
    ]

    @Test(arguments: dates)
    func `each of the three formats is read`(text: String, date: String) throws {
        let now = try #require(Timestamp(rfc3339: "2027-01-15T08:00:00Z"))
        #expect(HTTPDate(text, now: now)?.timestamp == Timestamp(rfc3339: date))
    }

    @Test(arguments: [
        "", "now", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 30 Feb 2024 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
        " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    ])
    func `a text in no format of RFC 9110 is not a date`(text: String) {
        #expect(HTTPDate(text, now: Timestamp(millisecondsSince1970: 0)) == nil)
    }
}
