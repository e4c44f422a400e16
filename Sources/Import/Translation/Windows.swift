import GarnerCatalog
import GarnerModel

/// Reading only what changed: the cursor, and the windows of time that requests ask for.
extension StreamTranslation {
    /// The times of a `DatetimeBasedCursor`.
    struct Window {
        var start: Timestamp?
        var startIsRelative = false
        /// How requests write times.
        var format: TimeFormat
    }

    func translateWindows(_ incremental: ManifestNode?) throws {
        guard let incremental, !incremental.isNull else { return }
        try LossError.refuseCode(incremental, "an incremental sync")
        guard let field = try known(incremental["cursor_field"], of: incremental).printed else {
            throw LossError(.cursor, "no cursor_field", at: incremental)
        }
        switch incremental.type {
        case "DatetimeBasedCursor": try translateTimes(incremental, of: field)
        case "IncrementingCountCursor": try translateCount(incremental, of: field)
        default: throw LossError(.cursor, incremental.type, at: incremental)
        }
    }

    private func translateCount(_ incremental: ManifestNode, of field: String) throws {
        let start = try known(incremental["start_value"], of: incremental)
        if let option = incremental["start_value_option"], !option.isNull {
            try place(.text("{incremental.start_value}"), by: option)
        }
        // Without the bound in a request, each read is a full one in any case.
        guard requestMentions("{incremental.start_value") else { return }
        stream["incremental"] = .mapping(
            FileMapping(["cursor_field": .text(field), "initial_value": .text(start.printed ?? "0")]))
    }

    private func translateTimes(_ incremental: ManifestNode, of field: String) throws {
        for (key, bound) in [("start_time_option", "start"), ("end_time_option", "end")] {
            guard let option = incremental[key], !option.isNull else { continue }
            attempt(at: option) { try place(.text("{incremental.\(bound)_value}"), by: option) }
        }
        let isFeed = incremental["is_data_feed"]?.bool == true
        let isFiltered = incremental["is_client_side_incremental"]?.bool == true
        let sendsStart = requestMentions("{incremental.start_value")
        // The API is asked for everything in any case, and what has not changed is not written.
        guard sendsStart || isFeed || isFiltered || requestMentions("{incremental.") else { return }
        guard var window = try window() else { return }
        if isFiltered {
            filterFromStart(window, of: field, formats: try cursorFormats(incremental, window), at: incremental)
        }
        guard sendsStart || isFeed else { return }

        var mapping = FileMapping(["cursor_field": .text(field)])
        let formats = try cursorFormats(incremental, window, loses: true)
        mapping["cursor_datetime_format"] = try format(of: formats)
        mapping["datetime_format"] = .text(try Self.sentFormat(window.format.pattern))
        let hasDays = try endWithDays(incremental, &window)
        // A read whose cursor is no field of its records goes on at the time when the one before began, within a day.
        let isOfRecords = addedFields[field].map { $0.laters.contains { $0.root == .record } } ?? true || isStart(field)
        if let start = window.start {
            mapping["initial_value"] = .text(Self.text(of: start))
            if window.startIsRelative { mapping.comment(Self.frozen, on: "initial_value") }
        }
        attempt(at: incremental["end_datetime"]) { mapping["end_value"] = try end(incremental, window, hasDays) }
        if isFeed {
            mapping["stop_at_known"] = .bool(true)
        } else if let step = attempt(
            at: incremental["step"],
            { try step(incremental, isExact: hasDays && isOfRecords && formats.allSatisfy(\.isDay)) }) ?? nil
        {
            if window.start == nil {
                lose(.window, "no start is given, so that one request asks for all", at: incremental["step"])
            } else {
                mapping["step"] = step
            }
        }
        attempt(at: incremental["lookback_window"]) { mapping["lookback_window"] = try lookback(incremental) }
        if let clamping = incremental["clamping"], !clamping.isNull {
            lose(.window, "clamped to whole \(clamping["target"]?.text?.lowercased() ?? "unit")s", at: clamping)
        }
        stream["incremental"] = .mapping(mapping)
    }

    private static let frozen = "The connector's start moves with the time; this is the one of the day of the import."

    /// The start and the format of the times; nil for another kind of cursor.
    func window() throws -> Window? {
        guard let incremental = node["incremental_sync"], incremental.type == "DatetimeBasedCursor" else { return nil }
        let pattern = try known(incremental["datetime_format"], of: incremental).printed ?? "%Y-%m-%dT%H:%M:%S.%f%z"
        var window = Window(format: try TimeFormat(pattern))
        guard let bound = try instant(incremental["start_datetime"], of: incremental, window) else { return window }
        (window.start, window.startIsRelative) = (bound.instant, bound.isRelative)
        return window
    }

    /// An instant that a date of the manifest means.
    private struct Bound {
        let instant: Timestamp
        /// True if it moves with the time of the read.
        var isRelative = false
        /// How far it is from the time of the read, or from the midnight before it where it is a day.
        var distance = Duration.zero
    }

    /// The instant that a date of the manifest means; nil for none.
    private func instant(
        _ node: ManifestNode?, of incremental: ManifestNode, _ window: Window
    ) throws -> Bound? {
        guard let node, !node.isNull else { return nil }
        let holder = node.isMapping ? node : incremental
        guard let written = node.isMapping ? node["datetime"] : node else { return nil }
        try LossError.refuseCode(node, "a date")
        var formats = [window.format]
        if node.isMapping, let own = try known(node["datetime_format"], of: node).printed, !own.isEmpty,
            let format = try? TimeFormat(own)
        {
            formats.insert(format, at: 0)
        }
        func bound(_ node: ManifestNode?) throws -> Bound? {
            guard let node, !node.isNull else { return nil }
            let value = try value(node, of: holder)
            switch value.bare {
            case .now(let now):
                let microseconds = try JinjaTime.instant(
                    Int(self.now.millisecondsSince1970) * 1000, after: now.distance)
                let instant = Timestamp(
                    millisecondsSince1970: Int64(microseconds).flooredDivision(by: 1000).quotient)
                let distance = self.now.duration(to: instant)
                let isDay = now.isDay || now.format.map { !$0.contains("%H") && !$0.contains("s") } ?? false
                return Bound(
                    instant: isDay ? Self.midnight(before: instant) : instant, isRelative: true, distance: distance)
            case .time(let microseconds):
                return Bound(
                    instant: Timestamp(millisecondsSince1970: Int64(microseconds).flooredDivision(by: 1000).quotient))
            case let value where value.isNothing: return nil
            case let value:
                guard value.isKnown, let text = value.printed else {
                    throw LossError(.cursor, "a start or an end that is not known yet", at: node)
                }
                guard let instant = TimeFormat.instant(of: text, in: formats) else {
                    throw LossError(.timeFormat, "the date '\(text.prefix(40))'", at: node)
                }
                return Bound(instant: instant)
            }
        }
        guard var found = try bound(written) else { return nil }
        if node.isMapping {
            if let least = try bound(node["min_datetime"]), least.instant > found.instant { found = least }
            if let most = try bound(node["max_datetime"]), most.instant < found.instant { found = most }
        }
        return found
    }

    private func cursorFormats(
        _ incremental: ManifestNode, _ window: Window, loses: Bool = false
    ) throws -> [TimeFormat] {
        let nodes = incremental["cursor_datetime_formats"]?.list ?? []
        guard !nodes.isEmpty else { return [window.format] }
        var formats: [TimeFormat] = []
        for node in nodes {
            guard let pattern = try known(node, of: incremental).printed else { continue }
            do {
                let format = try TimeFormat(pattern)
                if !formats.contains(format) { formats.append(format) }
            } catch {
                if nodes.count == 1 { throw LossError(.timeFormat, pattern, at: node) }
                if loses { lose(.timeFormat, pattern, at: node, effect: .differs) }
            }
        }
        return formats.isEmpty ? [window.format] : formats
    }

    /// `cursor_datetime_format` of several formats, without those that every other one reads.
    private func format(of formats: [TimeFormat]) throws -> FileValue {
        var words: [String] = []
        for format in formats where !format.isAlwaysRead && !words.contains(format.format.description) {
            words.append(format.format.description)
        }
        switch words.count {
        case 0: return .text(formats.allSatisfy { $0.format == .date } ? "date" : "rfc3339")
        case 1: return .text(words[0])
        default: return .texts(words)
        }
    }

    /// Lets windows of days end with their last one, where requests have days and their end belongs to the window. Returns
    /// false for other windows.
    private func endWithDays(_ incremental: ManifestNode, _ window: inout Window) throws -> Bool {
        let isDay = (try? duration(incremental["cursor_granularity"], of: incremental))?.seconds == 86_400
        guard isDay, window.format.isDay, requestMentions("{incremental.end_value}"),
            !requestMentions("{incremental.end_value,"), stream["fields"]?.mentions("{incremental.end_value") != true
        else { return false }
        let format = try Self.sentFormat(window.format.pattern)
        rewrite("{incremental.end_value}", as: "{incremental.end_value - 1ms, \(format)}")
        window.start = window.start.map(Self.midnight)
        return true
    }

    /// True for a column that has the start of its window, in the format of requests.
    func isStart(_ field: String) -> Bool {
        stream[mapping: "fields"][mapping: "add"][field] == .text("{incremental.start_value}")
    }

    private static func midnight(before instant: Timestamp) -> Timestamp {
        Timestamp(
            millisecondsSince1970: instant.millisecondsSince1970.flooredDivision(by: 86_400_000).quotient * 86_400_000)
    }

    private func end(_ incremental: ManifestNode, _ window: Window, _ hasDays: Bool) throws -> FileValue? {
        guard let node = incremental["end_datetime"], !node.isNull else { return nil }
        guard let bound = try instant(node, of: incremental, window) else { return nil }
        guard bound.isRelative else {
            return .text(Self.text(of: hasDays ? bound.instant.advanced(by: .seconds(86_400)) : bound.instant))
        }
        // Midnight of today is now for an API of days.
        if bound.distance != .zero {
            lose(.endOfRead, "another time than now, by \(DurationText.format(bound.distance))", at: node)
        }
        return nil
    }

    private func step(_ incremental: ManifestNode, isExact: Bool) throws -> FileValue? {
        guard let written = try duration(incremental["step"], of: incremental) else { return nil }
        let granularity = try duration(incremental["cursor_granularity"], of: incremental)
        let distances = [written, try? duration(incremental["lookback_window"], of: incremental)]
        let areDays = distances.allSatisfy { ($0?.seconds ?? 0) % 86_400 == 0 }
        if let granularity, !isExact || !areDays, requestMentions("{incremental.end_value") {
            let words = "step \(written.text), cursor_granularity \(granularity.text)"
            if written == granularity || granularity.seconds >= 86_400 && written.seconds <= 86_400 {
                lose(
                    .window, "one request for exactly one \(written.seconds == 86_400 ? "day" : "step") (\(words))",
                    at: incremental["step"])
            } else if granularity.seconds >= 86_400 {
                lose(.window, "windows share a bound (\(words))", at: incremental["step"], effect: Loss.Effect.none)
            }
        }
        let isUseful = written.seconds > 0 && written.seconds < 20 * 365 * 86_400 && !asksWithoutEnd
        return isUseful ? .plain(written.text) : nil
    }

    /// True if requests tell only after which time their records are, so that each step would be read to the end of the list.
    private var asksWithoutEnd: Bool {
        let start = "{incremental.start_value"
        let isElsewhere = ["path", "headers", "json", "form", "body"].contains { stream[$0]?.mentions(start) == true }
        guard !requestMentions("{incremental.end_value"), !isElsewhere else { return false }
        let starts = stream[mapping: "params"].entries.filter { $0.value.mentions(start) }
        return starts.allSatisfy { entry in
            entry.key.lowercased().firstMatch(of: /since|after|from|start|begin|\bgte?\b/) != nil
        }
    }

    private func lookback(_ incremental: ManifestNode) throws -> FileValue? {
        guard let span = try duration(incremental["lookback_window"], of: incremental), span.seconds > 0 else {
            return nil
        }
        return .plain(DurationText.format(.seconds(span.longest)))
    }

    private func duration(_ node: ManifestNode?, of incremental: ManifestNode) throws -> SpanOfTime? {
        guard let node, !node.isNull else { return nil }
        switch try known(node, of: incremental) {
        case .duration(let seconds): return SpanOfTime(JinjaValue.CalendarDuration(months: 0, seconds: seconds))
        case .calendarDuration(let duration): return SpanOfTime(duration)
        case let value where value.isNothing: return nil
        case let value:
            guard let text = value.printed, let span = SpanOfTime(text) else {
                throw LossError(.window, "the duration '\(value.printed?.prefix(40) ?? "")'", at: node)
            }
            return span
        }
    }

    /// The condition on records by which a connector drops those from before the start.
    private func filterFromStart(
        _ window: Window, of field: String, formats: [TimeFormat], at node: ManifestNode
    ) {
        guard let start = window.start else { return }
        var steps = [JinjaValue.Later.Step.member(field)]
        if let added = addedFields[field] {
            // The filter sees the record before fields are added.
            steps = added.bare.later.flatMap { $0.root == .record ? $0.steps : nil } ?? []
        }
        let query = "@" + Self.pathSteps(steps)
        guard !steps.isEmpty, !isRenamed(field), formats.allSatisfy(\.isOrdered) else {
            return lose(.recordFilter, "records before \(Self.text(of: start)) come, too", at: node)
        }
        var bounds: [String] = []
        for format in formats {
            let number = format.literal(of: start)
            let bound = number.hasPrefix("'") ? Self.quoted(Self.shortened(format, start)) : number
            for bound in number.hasPrefix("'") ? [bound] : [bound, Self.quoted(number)] {
                let part = "\(query) >= \(bound)"
                if !bounds.contains(part) { bounds.append(part) }
            }
        }
        var filter = (bounds + ["!\(query)", "\(query) == null"]).joined(separator: " || ")
        if let present = stream["record_filter"]?.text { filter = "(\(present)) && (\(filter))" }
        stream["record_filter"] = .text(filter)
        if window.startIsRelative { stream.comment(Self.frozen, on: "record_filter") }
    }

    /// The text of a start without what is midnight, so that it sorts before all times of its day, however these are written.
    private static func shortened(_ format: TimeFormat, _ start: Timestamp) -> String {
        guard start.millisecondsSince1970.flooredDivision(by: 86_400_000).remainder == 0 else {
            return format.format.text(of: start, in: .utc)
        }
        let day = DatetimeFormat.date.text(of: start, in: .utc)
        return format.pattern.hasPrefix("%Y-%m-%d") ? day : day.replacing("-", with: "")
    }

    static func text(of instant: Timestamp) -> String { DatetimeFormat.rfc3339.text(of: instant, in: .utc) }

    /// True if a request holds the text.
    func requestMentions(_ text: String) -> Bool {
        stream.entries.contains { entry in
            !["incremental", "fields", "record_filter"].contains(entry.key) && entry.value.mentions(text)
        }
    }
}

extension FileValue {
    /// True if a text in it holds another text.
    func mentions(_ part: String) -> Bool {
        switch self {
        case .text(let text): text.contains(part)
        case .list(let values): values.contains { $0.mentions(part) }
        case .mapping(let mapping): mapping.entries.contains { $0.value.mentions(part) }
        case .plain, .null: false
        }
    }
}
