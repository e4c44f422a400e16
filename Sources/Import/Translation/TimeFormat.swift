import GarnerCatalog
import GarnerModel

/// A pattern of times in a manifest, and the format of ours that is the same.
struct TimeFormat: Hashable {
    /// The pattern as the manifest has it.
    let pattern: String
    let format: DatetimeFormat

    private static let words: [String: DatetimeFormat] = [
        "%s": .epoch, "%s_as_float": .epoch, "%ms": .epochMilliseconds, "%Y-%m-%d": .date,
    ]

    init(_ written: String) throws {
        pattern = String(written.trimming { $0.isWhitespace })
        let text = pattern.replacing("%_ms", with: "%f").replacing("%:z", with: "%z")
        let isOther = text.contains("%ms") || text.contains("%epoch") || text.contains("%s_as") || !text.contains("%")
        guard let format = Self.words[pattern] ?? (isOther ? nil : DatetimeFormat(text)) else {
            throw LossError(.timeFormat, String(pattern.prefix(80)))
        }
        self.format = format
    }

    /// True for a pattern whose texts RFC 3339 reads, or that is a day alone. Every format reads these.
    var isAlwaysRead: Bool {
        if format == .date { return true }
        guard let rest = pattern.wholeMatch(of: /%Y-%m-%d[T ]%H:%M:%S(\.%f|\.%_ms|\.0+)?(.+)/)?.2 else { return false }
        return ["Z", "%z", "%:z"].contains(rest) || rest.wholeMatch(of: /[+-]\d\d:\d\d/) != nil
    }

    /// True for a pattern of days without a time.
    var isDay: Bool {
        ["%d", "%j"].contains { pattern.contains($0) }
            && !["%H", "%I", "%M", "%S", "%f", "%p", "%s", "%T"].contains { pattern.contains($0) }
    }

    /// An instant as a condition compares it with records.
    func literal(of instant: Timestamp) -> String {
        let text = format.text(of: instant, in: .utc)
        return format == .epoch || format == .epochMilliseconds ? text : StreamTranslation.quoted(text)
    }

    /// True if texts of the format are in the order of their times.
    var isOrdered: Bool {
        format == .epoch || format == .epochMilliseconds || pattern.hasPrefix("%Y-%m-%d") || pattern.hasPrefix("%Y%m%d")
    }

    /// The instant that a known text says, in this format or in one that shows itself.
    static func instant(of text: String, in formats: [TimeFormat]) -> Timestamp? {
        let usual = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%MZ", "%Y%m%d"]
        for format in formats.map(\.format) + usual.compactMap(DatetimeFormat.init) {
            if let instant = format.instant(of: text, in: .utc) { return instant }
        }
        if let instant = Timestamp(rfc3339: text) { return instant }
        let rest = [4: "-01-01", 7: "-01"][text.utf8.count]
        if let rest, let instant = DatetimeFormat.date.instant(of: text + rest, in: .utc) { return instant }
        return text == "0"
            ? Timestamp(millisecondsSince1970: 0) : DatetimeFormat.shown(by: text)?.instant(of: text, in: .utc)
    }
}
