import GarnerCatalog
import GarnerModel

/// The server's name for one state of a page (RFC 9110, 8.8), by which a request asks for the page only if it has changed.
enum Validator: Sendable, Equatable {
    /// The value of `ETag` as received, weak or strong.
    case entityTag(String)
    /// The value of `Last-Modified` as received, an HTTP date.
    case lastModified(String)

    /// Reads the entity tag, or else the date; fails if the head has neither in a form that can be sent back.
    init?(_ headers: HeaderFields, now: Timestamp) {
        if let tag = headers["ETag"], Self.isEntityTag(tag) {
            self = .entityTag(tag)
        } else if let date = headers["Last-Modified"], Self.isStrong(date, sent: headers["Date"], now: now) {
            self = .lastModified(date)
        } else {
            return nil
        }
    }

    /// Returns true for `"…"` and `W/"…"` without quotes, spaces and control characters inside.
    private static func isEntityTag(_ text: String) -> Bool {
        let quoted = text.hasPrefix("W/") ? text.utf8.dropFirst(2) : text.utf8[...]
        let mark = UInt8(ascii: "\"")
        return quoted.count >= 2 && quoted.first == mark && quoted.last == mark
            && quoted.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != mark }
    }

    /// Returns true if nothing can have changed within the same second, so that a date identifies the state (RFC 9110, 8.8.2.2).
    private static func isStrong(_ date: String, sent: String?, now: Timestamp) -> Bool {
        guard let modified = HTTPDate(date, now: now)?.timestamp,
            let sent = sent.flatMap({ HTTPDate($0, now: now) })?.timestamp
        else { return false }
        return modified.duration(to: sent) >= .seconds(60)
    }

    /// Parses what `text` returned.
    init?(text: String) {
        if text.hasPrefix("ETag: ") {
            self = .entityTag(String(text.dropFirst(6)))
        } else if text.hasPrefix("Last-Modified: ") {
            self = .lastModified(String(text.dropFirst(15)))
        } else {
            return nil
        }
    }

    /// The text for storage.
    var text: String {
        switch self {
        case .entityTag(let tag): "ETag: \(tag)"
        case .lastModified(let date): "Last-Modified: \(date)"
        }
    }

    /// The header field that makes a request conditional.
    var condition: (name: String, value: String) {
        switch self {
        case .entityTag(let tag): ("If-None-Match", tag)
        case .lastModified(let date): ("If-Modified-Since", date)
        }
    }
}
