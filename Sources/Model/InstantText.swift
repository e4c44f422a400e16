/// A text that is an instant as RFC 3339 writes it, with an offset.
///
/// Each text of a column is looked at, so it is read in its place. Unlike `Timestamp`, it keeps microseconds and takes RFC 3339 at its word.
package enum InstantText: Equatable, Sendable {
    /// The instant in microseconds since 1970, exactly.
    case exact(Int64)
    /// The nearest instant, of a text with more decimals than `timestamptz` has.
    case nearest(Int64)

    /// Returns nil for another text. A leap second is none that PostgreSQL keeps.
    package init?(_ text: UnsafeBufferPointer<UInt8>) {
        // 2026-01-31T08:05:00Z
        guard text.count >= 20, let start = text.baseAddress else { return nil }
        func digits(_ place: Int, _ count: Int) -> Int64? {
            var value: Int64 = 0
            for offset in place..<place + count {
                let digit = start[offset] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                value = value * 10 + Int64(digit)
            }
            return value
        }
        guard let year = digits(0, 4), start[4] == UInt8(ascii: "-"), let month = digits(5, 2),
            start[7] == UInt8(ascii: "-"), let day = digits(8, 2),
            start[10] | 0x20 == UInt8(ascii: "t") || start[10] == UInt8(ascii: " "), let hour = digits(11, 2),
            hour < 24,
            start[13] == UInt8(ascii: ":"), let minute = digits(14, 2), minute < 60, start[16] == UInt8(ascii: ":"),
            let second = digits(17, 2), second < 60,
            let days = CivilDate(year: year, month: month, day: day).daysSince1970
        else { return nil }
        var (place, micros, scale, next, isExact) = (19, Int64(0), Int64(100_000), UInt8(0), true)
        if start[place] == UInt8(ascii: ".") {
            place += 1
            let first = place
            while place < text.count {
                let digit = start[place] &- UInt8(ascii: "0")
                guard digit < 10 else { break }
                if scale > 0 {
                    micros += Int64(digit) * scale
                    scale /= 10
                } else {
                    if place == first + 6 { next = digit }
                    if digit > 0 { isExact = false }
                }
                place += 1
            }
            guard place > first, place < text.count else { return nil }
        }
        var offset: Int64 = 0
        switch start[place] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard text.count == place + 1 else { return nil }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard text.count == place + 6, let hours = digits(place + 1, 2), hours < 24,
                start[place + 3] == UInt8(ascii: ":"), let minutes = digits(place + 4, 2), minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (start[place] == UInt8(ascii: "-") ? -60 : 60)
        default: return nil
        }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        let instant = seconds * 1_000_000 + micros
        self = isExact ? .exact(instant) : .nearest(instant + (next >= 5 ? 1 : 0))
    }

    /// True for an instant with at most six decimals: a column of such texts is published as `timestamptz`.
    package static func isUsual(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard case .exact? = InstantText(text) else { return false }
        // "2026-01-31T08:05:00.123456" and the offset.
        return text.count <= 32 && (text.count <= 27 || text[text.count - 1] | 0x20 != UInt8(ascii: "z"))
    }
}
