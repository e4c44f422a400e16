/// The time of the clocks on the wall.
package struct LocalTime: Sendable {
    /// Returns the offset from UTC at an instant, both in seconds.
    private let offset: @Sendable (Int64) -> Int64

    package static let utc = LocalTime { _ in 0 }

    package init(offset: @escaping @Sendable (Int64) -> Int64) { self.offset = offset }

    /// Returns an instant as people read it, such as `2026-01-31 09:05:00+01:00`; where local time is UTC, as RFC 3339.
    package func text(_ instant: Timestamp) -> String {
        let offset = offset(at: instant)
        guard offset != 0 else { return instant.description }
        let local = instant.advanced(by: .seconds(offset)).description
        let minutes = offset.magnitude / 60
        let parts = [minutes / 60, minutes % 60].map { ($0 < 10 ? "0" : "") + String($0) }
        // The milliseconds and the Z are left out.
        return local.dropLast(5).replacing("T", with: " ") + (offset < 0 ? "-" : "+") + parts.joined(separator: ":")
    }

    /// Reads a day, which means its midnight, or a day and a time, without a zone. Of a time that comes twice, the first counts.
    package func instant(_ text: String) -> Timestamp? {
        let isDay = text.utf8.count == "2026-01-31".utf8.count
        return Timestamp(rfc3339: isDay ? text : text + "Z").map(instant(ofLocal:))
    }

    /// Returns the midnight with which the day of an instant began, or the day so many days later.
    package func midnight(of instant: Timestamp, days: Int64 = 0) -> Timestamp {
        let local = instant.advanced(by: .seconds(offset(at: instant))).millisecondsSince1970
        let day = local.flooredDivision(by: 86_400_000).quotient + days
        return self.instant(ofLocal: Timestamp(millisecondsSince1970: 0).advanced(by: .seconds(day * 86_400)))
    }

    /// - Parameter local: The instant at which clocks in UTC show what is meant.
    private func instant(ofLocal local: Timestamp) -> Timestamp {
        let before = offset(at: local.advanced(by: .seconds(-86_400)))
        let early = local.advanced(by: .seconds(-before))
        let offset = offset(at: early)
        return offset == before ? early : local.advanced(by: .seconds(-offset))
    }

    private func offset(at instant: Timestamp) -> Int64 {
        offset(instant.millisecondsSince1970.flooredDivision(by: 1000).quotient)
    }
}
