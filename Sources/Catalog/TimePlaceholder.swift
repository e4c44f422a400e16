package import GarnerModel

/// A placeholder for a time in a chosen format: `{now}`, `{now - 7d, date}`, `{incremental.end_value - 1ms, date}`.
package struct TimePlaceholder: Hashable, Sendable {
    package enum Source: String, Sendable, CaseIterable {
        /// The moment when the read began.
        case now
        case start = "incremental.start_value"
        case end = "incremental.end_value"
    }

    package let source: Source
    /// The distance from the source.
    package let offset: Duration
    /// The format; nil for the usual one of the stream.
    package let format: DatetimeFormat?

    /// Reads the text between the braces. Returns nil for anything else, and for a value without a format, which is a
    /// placeholder of its own.
    init?(_ text: String) {
        let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
        let head = parts[0]
        guard let source = Source.allCases.first(where: { head.hasPrefix($0.rawValue) }) else { return nil }
        let behind = Self.trimmed(head.dropFirst(source.rawValue.count))
        var offset = Duration.zero
        if let sign = behind.first {
            guard sign == "-" || sign == "+",
                let distance = try? DurationText.parse(String(Self.trimmed(behind.dropFirst())))
            else { return nil }
            offset = sign == "-" ? .zero - distance : distance
        }
        var format: DatetimeFormat?
        if parts.count == 2 {
            guard let written = DatetimeFormat(String(parts[1])) else { return nil }
            format = written
        }
        guard source == .now || format != nil else { return nil }
        (self.source, self.offset, self.format) = (source, offset, format)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        text.trimming { $0 == " " }
    }

    /// The text between the braces.
    var name: String {
        let distance =
            offset == .zero
            ? "" : offset < .zero ? " - \(DurationText.format(.zero - offset))" : " + \(DurationText.format(offset))"
        return source.rawValue + distance + (format.map { ", \($0)" } ?? "")
    }
}

extension Template {
    /// Returns the text of a time placeholder's braces that begin with `name`; nil if it is another text. A text that is
    /// meant to be one may still be wrong.
    ///
    /// - Parameter rest: the bytes after the name.
    static func timeText(_ name: some Collection<UInt8>, behind rest: Substring.UTF8View) -> Substring.UTF8View? {
        let isName = TimePlaceholder.Source.allCases.contains { $0.rawValue.utf8.elementsEqual(name) }
        guard isName || name.starts(with: "now-".utf8),
            let mark = rest.first(where: { $0 != UInt8(ascii: " ") }), ",+-".utf8.contains(mark)
        else { return nil }
        let text = rest.prefix { $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "\n") }
        return rest[text.endIndex...].first == UInt8(ascii: "}") ? text : nil
    }
}

extension Incremental {
    /// Returns the time of a cursor, or of a bound that the configuration names; nil if it is not one.
    package func instant(of text: String) -> Timestamp? {
        guard hasFormat else {
            return localFormat(of: text)?.instant(of: text, in: timezone) ?? Timestamp(rfc3339: text)
        }
        return reading(of: text)?.instant ?? DatetimeFormat.date.instant(of: text, in: timezone)
            ?? Timestamp(rfc3339: text)
    }

    /// The formats of cursors that the configuration names, in the order in which they are tried.
    package var formats: [DatetimeFormat] { cursorFormats.isEmpty ? [requestFormat].compactMap(\.self) : cursorFormats }

    /// The formats as messages name them; nil if there are none.
    package var formatNames: String? {
        hasFormat ? formats.map(\.description).joined(separator: " or ") : nil
    }

    /// Returns the time of a cursor, and the first of the formats that reads it; nil if none does.
    ///
    /// A format that reads all that another one reads comes behind that: any number of seconds is one of milliseconds, too.
    package func reading(of text: String) -> (format: DatetimeFormat, instant: Timestamp)? {
        var found: (format: DatetimeFormat, instant: Timestamp)?
        for format in formats where found == nil || found?.format.narrower == format {
            if let instant = format.instant(of: text, in: timezone) { found = (format, instant) }
        }
        return found
    }

    /// Returns the format of a time without an offset, where the configuration names the time zone of such times but no format;
    /// else nil.
    func localFormat(of text: String) -> DatetimeFormat? {
        guard !hasFormat, timezone != .utc else { return nil }
        return DatetimeFormat.local.first { $0.instant(of: text, in: timezone) != nil }
    }

    /// True if cursors are times in a named format.
    package var hasFormat: Bool { !cursorFormats.isEmpty || requestFormat != nil }

    /// Returns the text that a request has for a cursor; nil if it has a format and the cursor is not a time.
    ///
    /// A cursor that is written in the request's format keeps all its digits.
    ///
    /// - Parameters:
    ///   - format: the format; nil for the usual one of the stream.
    ///   - offset: a time that is added to the cursor.
    ///   - beganAt: for an end, the start of the read, which the end of a read is in full where cursors are days.
    package func requestText(
        of cursor: String, as format: DatetimeFormat?, offset: Duration = .zero, endingAt beganAt: Timestamp? = nil
    ) -> String? {
        let own = reading(of: cursor)?.format ?? formats.first
        guard let target = format ?? requestFormat ?? own else { return cursor }
        let isSameFormat = target == (own ?? .rfc3339)
        let isDate = target == .rfc3339 && cursor.utf8.count == 10
        if offset == .zero, isSameFormat, !isDate, target.instant(of: cursor, in: timezone) != nil { return cursor }
        var instant = instant(of: cursor)
        if let beganAt, offset != .zero, endValue == nil, spelling(of: beganAt, like: cursor) == cursor {
            instant = beganAt
        }
        return instant.map { target.text(of: $0.advanced(by: offset), in: timezone) }
    }
}
