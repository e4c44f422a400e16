import Catalog

/// A date of HTTP in one of its three formats (RFC 9110, 5.6.7).
struct HTTPDate: Equatable {
    let timestamp: Timestamp

    /// `now` tells the century of a year of two digits: more than 50 years ahead means the past.
    init?(_ text: String, now: Timestamp) {
        guard let parts = Self.parts(of: text), let month = Self.months.firstIndex(of: parts.month),
            let year = Int(parts.year), let day = Int(parts.day)
        else { return nil }
        let fullYear = parts.year.count == 2 ? Self.year(year, closeTo: now) : year
        let date = "\(Self.padded(fullYear, 4))-\(Self.padded(month + 1, 2))-\(Self.padded(day, 2))T\(parts.time)Z"
        guard let timestamp = Timestamp(rfc3339: date) else { return nil }
        self.timestamp = timestamp
    }

    private typealias Parts = (year: String, month: String, day: String, time: String)

    private static func parts(of text: String) -> Parts? {
        // Sun, 06 Nov 1994 08:49:37 GMT
        let fixed = /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT/
        // Sunday, 06-Nov-94 08:49:37 GMT
        let obsolete = /[A-Z][a-z]+, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d) GMT/
        // Sun Nov  6 08:49:37 1994
        let asctime = /[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})/
        if let match = text.wholeMatch(of: fixed)?.output {
            return (String(match.3), String(match.2), String(match.1), String(match.4))
        }
        if let match = text.wholeMatch(of: obsolete)?.output {
            return (String(match.3), String(match.2), String(match.1), String(match.4))
        }
        if let match = text.wholeMatch(of: asctime)?.output {
            return (String(match.4), String(match.1), match.2.filter { $0 != " " }, String(match.3))
        }
        return nil
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func year(_ lastDigits: Int, closeTo now: Timestamp) -> Int {
        let current = Int(now.description.prefix(4)) ?? 2000
        let year = current - current % 100 + lastDigits
        return year > current + 50 ? year - 100 : year
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
