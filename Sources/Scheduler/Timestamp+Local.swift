package import Catalog

extension Timestamp {
    /// RFC 3339 with the offset of a time zone: `2026-03-29T03:00:00.000+02:00`.
    package func text(in zone: ZoneName) -> String {
        let second = millisecondsSince1970.flooredDivision(by: 1000).quotient
        let offset = Zone.named(zone).span(at: second).offset
        let local = advanced(by: .seconds(offset)).description.dropLast()
        let minutes = offset.magnitude / 60
        let (hour, minute) = (String(minutes / 60), String(minutes % 60))
        let sign = offset < 0 ? "-" : "+"
        return "\(local)\(sign)\(hour.count < 2 ? "0" : "")\(hour):\(minute.count < 2 ? "0" : "")\(minute)"
    }
}
