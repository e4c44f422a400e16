import Catalog

/// What a server calls one state of a page (RFC 9110, 8.8): sent back, it asks for the page only if that has changed.
enum Validator: Sendable, Equatable {
    /// As it came, weak or strong.
    case entityTag(String)
    /// As it came, an HTTP date.
    case lastModified(String)

    /// The entity tag, else the date; nil where the head has neither in a form that can be sent back.
    init?(_ headers: HeaderFields, now: Timestamp) {
        if let tag = headers["ETag"], Self.isEntityTag(tag) {
            self = .entityTag(tag)
        } else if let date = headers["Last-Modified"], Self.isStrong(date, sent: headers["Date"], now: now) {
            self = .lastModified(date)
        } else {
            return nil
        }
    }

    /// `"…"` or `W/"…"`, without quotes, spaces and control characters between the quotes.
    private static func isEntityTag(_ text: String) -> Bool {
        let quoted = text.hasPrefix("W/") ? text.utf8.dropFirst(2) : text.utf8[...]
        let mark = UInt8(ascii: "\"")
        return quoted.count >= 2 && quoted.first == mark && quoted.last == mark
            && quoted.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != mark }
    }

    /// A date tells states apart only if nothing can have changed in the same second (RFC 9110, 8.8.2.2).
    private static func isStrong(_ date: String, sent: String?, now: Timestamp) -> Bool {
        guard let modified = HTTPDate(date, now: now)?.timestamp,
            let sent = sent.flatMap({ HTTPDate($0, now: now) })?.timestamp
        else { return false }
        return modified.duration(to: sent) >= .seconds(60)
    }

    /// What `text` gave.
    init?(text: String) {
        if text.hasPrefix("ETag: ") {
            self = .entityTag(String(text.dropFirst(6)))
        } else if text.hasPrefix("Last-Modified: ") {
            self = .lastModified(String(text.dropFirst(15)))
        } else {
            return nil
        }
    }

    /// To be stored.
    var text: String {
        switch self {
        case .entityTag(let tag): "ETag: \(tag)"
        case .lastModified(let date): "Last-Modified: \(date)"
        }
    }

    var condition: (name: String, value: String) {
        switch self {
        case .entityTag(let tag): ("If-None-Match", tag)
        case .lastModified(let date): ("If-Modified-Since", date)
        }
    }
}
