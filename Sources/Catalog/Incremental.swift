import GarnerModel

/// The settings of a stream that reads only the records that changed since its last run.
package struct Incremental: Sendable, Equatable {
    /// Members' names, or JSONPaths relative to the record if they begin with `$`. The first that a record has a value of is its
    /// cursor. Without any, the moment when a read began is.
    package var cursorFields: [String]
    /// The cursor at which the first read begins.
    package var initialValue: String?
    /// The cursor at which every read ends.
    package var endValue: String?
    /// The range of cursors that one request covers.
    package var step: Span?
    /// The distance before the last cursor at which a read begins.
    package var lookbackWindow: Span?
    /// The time after which a read covers everything again, from `initialValue` on; nil for never.
    package var fullRefreshEvery: Duration?
    /// The formats of the cursors in records; none for that of requests, or RFC 3339.
    package var cursorFormats: [DatetimeFormat]
    /// The format of the values in requests; nil for that of the cursors.
    package var requestFormat: DatetimeFormat?
    /// The zone of times that are written without an offset.
    package var timezone = ZoneName.utc
    /// True if the list begins with its newest record, so that a read ends at the first page behind its start.
    package var stopsAtKnown: Bool
    /// True if a read covers the range from `initialValue` to `endValue` once, whatever was read before, and moves no cursor.
    package internal(set) var isBackfill = false

    package init(
        cursorField: String?, initialValue: String? = nil, endValue: String? = nil, step: Span? = nil,
        lookbackWindow: Span? = nil, cursorFormat: DatetimeFormat? = nil, requestFormat: DatetimeFormat? = nil,
        timezone: ZoneName = .utc, fullRefreshEvery: Duration? = nil, stopsAtKnown: Bool = false
    ) {
        self.cursorFields = [cursorField].compactMap(\.self)
        self.initialValue = initialValue
        self.endValue = endValue
        self.step = step
        self.lookbackWindow = lookbackWindow
        self.fullRefreshEvery = fullRefreshEvery
        self.cursorFormats = [cursorFormat].compactMap(\.self)
        self.requestFormat = requestFormat
        self.timezone = timezone
        self.stopsAtKnown = stopsAtKnown
    }

    /// A distance between two cursors.
    package enum Span: Sendable, Equatable {
        case time(Duration)
        /// A difference of at least 1.
        case count(Int)
    }
}

extension Incremental {
    static let format = keys.format(
        hint: "write incremental: { cursor_field: «updated_at» }, and where its requests say from when on, such as "
            + "params: { since: \"{incremental.start_value}\" }",
        elsewhere: ForeignWords.hints([
            (
                "param parameter request_param since_param start_param",
                "write params: { «since»: \"{incremental.start_value}\" } in the stream, in place of this key"
            )
        ]))

    static let keys = Keys(
        Incremental(cursorField: nil),
        Key(
            "cursor_field", ValueFormat<String>.text { $0.fieldOrPath($1) }.alternatives, to: \.cursorFields,
            "The field that grows with every change, or a list of which the first with a value counts; default: the time of the read."
        ),
        Key(
            "cursor_datetime_format", ValueFormat<DatetimeFormat>.datetimeFormat.alternatives, to: \.cursorFormats,
            "The format of the cursor in records, or a list of them: rfc3339, date, epoch, epoch_ms, microsoft_json or a pattern."
        ),
        Key(
            "datetime_format", .optional(.datetimeFormat), to: \.requestFormat,
            "The format of times in requests: rfc3339, date, epoch, epoch_ms, microsoft_json or a pattern."),
        Key(
            "timezone", .text { $0.zone($1) }, to: \.timezone,
            "The time zone of dates and patterns; default: UTC."),
        Key("initial_value", .optional(.name), to: \.initialValue, "The start of the first read."),
        Key("end_value", .optional(.name), to: \.endValue, "The end of every read."),
        Key("step", .optional(.span), to: \.step, "The range of one request: a duration or a whole number."),
        Key(
            "lookback_window", .optional(.span), to: \.lookbackWindow,
            "The overlap with the previous read: a duration or a whole number."),
        Key(
            "full_refresh_every", .optional(.duration()), to: \.fullRefreshEvery,
            "The time after which a read covers everything again, which also finds missing records."),
        Key(
            "stop_at_known", .flag, to: \.stopsAtKnown,
            "true: the list begins with its newest record, and a read ends at records that are stored.")
    ) { reader, mapping, incremental in
        if let step = mapping["step"], mapping["initial_value"] == nil {
            step.fail(
                "'incremental.step' needs 'incremental.initial_value'",
                hint: "set initial_value, the start of the first step")
        }
        if case .count? = incremental.step, !incremental.isOfTimes,
            incremental.initialValue.flatMap({ Int($0) }) != nil,
            mapping["end_value"] == nil
        {
            mapping["step"]?.fail(
                "'incremental.step' needs 'incremental.end_value'",
                hint: "set end_value: numbers have no current value to end at")
        }
        incremental.checkBounds(mapping, reader)
        incremental.checkKinds(mapping)
        incremental.checkStop(mapping)
        incremental.warnOfShortStep(mapping, reader)
    }

    /// Warns of a step so short that nobody waits for the first read.
    private func warnOfShortStep(_ mapping: YAMLMapping, _ reader: ConfigurationReader) {
        guard let step, initialValue != nil, let value = mapping["step"] else { return }
        func place(of bound: String?) -> Double? {
            guard case .time = step else { return bound.flatMap { Double($0) } }
            // What has no end ends today, which is later than this.
            let text = bound ?? "2026-01-01T00:00:00Z"
            return (instant(of: text) ?? Timestamp(rfc3339: text)).map { Double($0.millisecondsSince1970) / 1000 }
        }
        let (length, hint) =
            switch step {
            case .time(let duration): (duration / .seconds(1), "write a longer one, such as step: 30d")
            case .count(let count): (Double(count), "write a greater one")
            }
        guard let first = place(of: initialValue), let last = place(of: endValue), (last - first) / length >= 100_000,
            let requests = Int(exactly: ((last - first) / length).rounded(.down))
        else { return }
        value.warn(
            "'incremental.step' makes at least \(requests) requests of the first read",
            hint: "\(hint), or a later initial_value")
    }

    /// Checks that a read that ends at known records can recognize them.
    private func checkStop(_ mapping: YAMLMapping) {
        guard stopsAtKnown, let key = mapping["stop_at_known"] else { return }
        if mapping["cursor_field"] == nil {
            key.fail(
                "'incremental.stop_at_known' needs 'incremental.cursor_field'",
                hint: "set cursor_field to the field by which the list is sorted, such as created_at or id")
        } else if mapping["step"] != nil {
            key.fail(
                "'incremental.stop_at_known' cannot be combined with 'incremental.step'",
                hint: "remove one of them: a request that covers one step needs no other end")
        }
    }

    /// True if every cursor is a time.
    var isOfTimes: Bool { hasFormat || cursorFields.isEmpty }

    /// Checks that all bounds and distances are those of times.
    private func checkTimes(_ mapping: YAMLMapping) {
        // A field that could not be read is an issue already.
        guard mapping["cursor_field"] == nil || !cursorFields.isEmpty else { return }
        for case (let bound, let text?) in [("initial_value", initialValue), ("end_value", endValue)]
        where instant(of: text) == nil {
            mapping[bound]?.fail(
                "'incremental.\(bound)' is not a time",
                hint: "write a time such as 2024-01-31T00:00:00Z"
                    + (formatNames.map { ", or one in the format \($0)" } ?? ""))
        }
        for case (let key, .count?) in [("step", step), ("lookback_window", lookbackWindow)] {
            mapping[key]?.fail("'incremental.\(key)' is not a duration", hint: "write a duration such as 7d or 1h")
        }
    }

    /// Checks that the bounds are moments or numbers, as far as it can be told, and in order.
    private func checkBounds(_ mapping: YAMLMapping, _ reader: ConfigurationReader) {
        for case (let bound, let text?) in [("initial_value", initialValue), ("end_value", endValue)] {
            // Those of times are checked with their formats.
            guard !isOfTimes, instant(of: text) == nil, Double(text) == nil, let value = mapping[bound] else {
                continue
            }
            if text.contains(/\{[^{}]*\}/) {
                value.fail(
                    "'incremental.\(bound)' takes no placeholder, and '\(text.prefix(40))' has one",
                    hint:
                        "write a time such as 2024-01-31T00:00:00Z; for a bound that moves, leave cursor_field out, and "
                        + "write \"{now - 30d}\" in params")
            } else if (try? DurationText.parse(text.first == "-" ? String(text.dropFirst()) : text)) != nil {
                value.fail(
                    "'incremental.\(bound)' is a moment or a number, and '\(text)' is a duration",
                    hint: "write a time such as 2024-01-31T00:00:00Z")
            } else if let day = text.prefixMatch(of: /\d{4}-\d{1,2}-\d{1,2}(?!\d)/)?.0,
                DatetimeFormat.date.instant(of: String(day), in: .utc) == nil
            {
                value.fail(
                    "'\(day)' in 'incremental.\(bound)' is no day of the calendar",
                    hint: "write the year, the month and the day, such as \(bound): 2024-01-31")
            } else if !hasFormat,
                let day = Self.day(like: text)
            {
                value.warn(
                    "'\(text)' in 'incremental.\(bound)' is no time that Garner knows, and is sent and compared as this text",
                    hint: "write \(bound): \(day), unless the cursors of the API are written like it")
            } else if !hasFormat,
                text.prefixMatch(of: /\d{1,2}[.\/-]\d{1,2}[.\/-]\d|\d{4}-(?:\d-\d{1,2}|\d\d-\d)(?!\d)/) != nil
            {
                value.warn(
                    "'\(text)' in 'incremental.\(bound)' is not written as a time that Garner knows, so that cursors are compared by their letters",
                    hint:
                        "write it as the values of the cursor field are written, such as \(bound): \"2026-01-01\"; if they "
                        + "are written in that way, too, set cursor_datetime_format to their format")
            }
        }
        guard let start = initialValue, let end = endValue else { return }
        let isReversed =
            if let start = instant(of: start), let end = instant(of: end) { end < start } else {
                Double(start).flatMap { start in Double(end).map { $0 < start } } ?? false
            }
        if isReversed {
            mapping["end_value"]?.fail(
                "'incremental.end_value' is before 'incremental.initial_value'", hint: "exchange them")
        }
    }

    /// Returns the day that is meant by a text which no API has as a cursor, such as `yesterday` and `1 January 2026`; an example for words that
    /// name no day of the calendar, and nil for other texts.
    private static func day(like text: String) -> String? {
        func day(_ year: Substring, _ month: Int, _ day: Substring) -> String? {
            func padded(_ number: String) -> String { number.count == 1 ? "0\(number)" : number }
            let text = "\(year)-\(padded("\(month)"))-\(padded(String(day)))"
            return DatetimeFormat.date.instant(of: text, in: .utc) == nil ? nil : text
        }
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        func number(of month: Substring) -> Int? { months.firstIndex { month.hasPrefix($0) }.map { $0 + 1 } }
        let words = text.lowercased()
        let names = /(?:now|today|yesterday|tomorrow|true|false|never|always|beginning|start)(?:\(\))?/
        let periods =
            /(?:last|this|past|previous) (?:hour|day|week|month|year)|[0-9]{1,4} (?:hour|day|week|month|year)s? ago/
        if words.wholeMatch(of: names) != nil || words.wholeMatch(of: periods) != nil { return "2026-01-01" }
        if let parts = words.wholeMatch(of: /(\d{4})[\/.-](\d{1,2})(?:[\/.](\d{1,2}))?/) {
            return Int(parts.2).flatMap { day(parts.1, $0, parts.3 ?? "1") }
        }
        if let parts = words.wholeMatch(of: /(\d{1,2})(?:\.|st|nd|rd|th)? ([a-z]{3,9})\.?,? (\d{4})/) {
            return number(of: parts.2).flatMap { day(parts.3, $0, parts.1) }
        }
        guard let parts = words.wholeMatch(of: /([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})/) else {
            return nil
        }
        return number(of: parts.1).flatMap { day(parts.3, $0, parts.2) }
    }

    /// Checks that times have distances in time, and numbers distances in numbers.
    private func checkKinds(_ mapping: YAMLMapping) {
        if isOfTimes { return checkTimes(mapping) }
        for case (let key, let span?) in [("step", step), ("lookback_window", lookbackWindow)] {
            for case (let bound, let text?) in [("initial_value", initialValue), ("end_value", endValue)] {
                let (fits, hint) =
                    switch span {
                    case .time:
                        (
                            Timestamp(rfc3339: text) != nil,
                            "write a time such as 2024-01-31T00:00:00Z, or '\(key)' as a number"
                        )
                    case .count: (Int(text) != nil, "write a whole number, or '\(key)' as a duration such as 7d")
                    }
                guard !fits else { continue }
                mapping[bound]?.fail("'incremental.\(bound)' does not fit 'incremental.\(key)'", hint: hint)
                return
            }
        }
        switch (step, lookbackWindow) {
        case (.time, .count), (.count, .time):
            mapping["lookback_window"]?.fail(
                "'incremental.lookback_window' does not fit 'incremental.step'",
                hint: "write both as durations, or both as numbers")
        default: break
        }
    }
}

extension ValueFormat where Value == DatetimeFormat {
    fileprivate static var datetimeFormat: Self {
        text { reader, value in
            guard let text = reader.name(value) else { return nil }
            if let format = DatetimeFormat(text) { return format }
            return value.failed("'\(value.name)' is no format of times", hint: DatetimeFormat.hint)
        }
    }
}

extension ConfigurationReader {
    fileprivate func zone(_ value: YAMLValue) -> ZoneName? {
        guard let text = name(value) else { return nil }
        if let zone = ZoneName(text) { return zone }
        let refusal = ZoneName.refusal(of: text)
        return value.failed(
            refusal.problem.map { "'\(value.name)': \($0)" } ?? "'\(value.name)' is no time zone", hint: refusal.hint)
    }

    fileprivate func fieldOrPath(_ value: YAMLValue) -> String? {
        if value.plainOrQuotedText?.hasPrefix("$") == true { return jsonPath(value) }
        guard let name = name(value) else { return nil }
        warnOfCommas(in: name, of: value) { key, names in
            "write \(key.prefix { $0 != "[" }): [\(names.joined(separator: ", "))] for the first of them that a record has"
        }
        return name
    }
}

extension ValueFormat where Value == Incremental.Span {
    fileprivate static var span: Self {
        let count = ValueFormat<Int>.integer(1...Int.max)
        let time = ValueFormat<Duration>.duration()
        return Self(
            schema: .anyOf([count.schema, time.schema]),
            read: { reader, value in
                value.plainText?.allSatisfy { "0"..."9" ~= $0 } == true
                    ? count.read(reader, value).map { .count($0) } : time.read(reader, value).map { .time($0) }
            },
            show: { span in
                switch span {
                case .time(let duration): time.show(duration)
                case .count(let number): count.show(number)
                }
            })
    }
}
