import Catalog

/// A cursor as the source spells it, with the order that its kind has.
struct CursorValue: Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// nil where it is no time.
    var instant: Timestamp? { Timestamp(rfc3339: text) }

    /// Whether `other` comes later: as times, as whole numbers, else by their bytes.
    func precedes(_ other: CursorValue) -> Bool {
        if let left = instant, let right = other.instant, left != right { return left < right }
        if let left = Int64(text), let right = Int64(other.text) { return left < right }
        return text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    /// The later one of both.
    static func latest(_ left: CursorValue?, _ right: CursorValue?) -> CursorValue? {
        guard let left, let right else { return left ?? right }
        return left.precedes(right) ? right : left
    }

    /// An instant as this one is spelled: a date alone, whole seconds, or milliseconds; in UTC, and not later than it is.
    func spelling(_ instant: Timestamp) -> CursorValue {
        let full = instant.description
        if text.utf8.count == 10 { return CursorValue(String(full.prefix(10))) }
        return CursorValue(text.contains(".") ? full : String(full.prefix(19)) + "Z")
    }
}
