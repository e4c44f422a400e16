import Catalog

/// What a server calls one state of a page (RFC 9110, 8.8): sent back, it asks for the page only if that has changed.
enum Validator: Sendable, Equatable {
    /// As it came, weak or strong.
    case entityTag(String)
    /// As it came, an HTTP date.
    case lastModified(String)

    /// The entity tag, else the date; nil where the head has neither in a form that can be sent back.
    init?(_ headers: HeaderFields) {
        if let tag = headers["ETag"], tag.wholeMatch(of: /(W\/)?"[^"\u{0}-\u{20}\u{7F}]*"/) != nil {
            self = .entityTag(tag)
        } else if let date = headers["Last-Modified"], HTTPDate(date, now: .init(millisecondsSince1970: 0)) != nil {
            self = .lastModified(date)
        } else {
            return nil
        }
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
