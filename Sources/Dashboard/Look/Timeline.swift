import GarnerModel
import GarnerPersistence
import GarnerReports

/// The runs of many streams along one axis of time: a lane per stream, with what is due right of now.
struct Timeline {
    enum Span: String, CaseIterable {
        case day = "24h"
        case week = "7d"

        var title: String { self == .day ? "24 hours" : "7 days" }
        fileprivate var length: Duration { .seconds(self == .day ? 86_400 : 604_800) }
        /// The distance of the upright lines, and the unit at whose end the axis ends, in seconds.
        fileprivate var step: Int64 { self == .day ? 10_800 : 86_400 }
        fileprivate var unit: Int64 { self == .day ? 3_600 : 86_400 }
        /// The time that stays free for what is due.
        fileprivate var ahead: Duration { self == .day ? .seconds(900) : .seconds(21_600) }
    }

    struct Lane {
        let name: String
        /// Nil for a stream of which there are only runs.
        let status: StreamStatus?
        /// Newest first.
        let runs: [TimelineRun]
    }

    static let maximumLanes = 40
    private static let width = 1440.0
    private static let maximumDueTimes = 400

    /// The most upright lines of an axis that begins with the first run.
    private static let mostLines: Int64 = 8
    /// The distances of its lines, in seconds.
    private static let steps: [Int64] = [60, 300, 600, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400]

    let span: Span
    let now: Timestamp
    let start: Timestamp
    private let end: Timestamp
    /// The instants of the upright lines.
    private let lines: [Timestamp]

    /// - Parameter first: The beginning of the database's first run. The axis begins with it if its usual beginning is
    ///   earlier, since nothing was before. Nil if there was no run yet.
    init(_ span: Span, now: Timestamp, first: Timestamp? = nil) {
        let end = now.advanced(by: span.ahead).rounded(up: span.unit)
        let start = end.advanced(by: .zero - span.length)
        (self.span, self.now) = (span, now)
        guard let first, first > start, first <= now else {
            (self.start, self.end) = (start, end)
            lines = Self.lines(from: start, to: end, step: span.step)
            return
        }
        let past = first.duration(to: now)
        let ahead = min(span.ahead, max(.seconds(60), past / 8))
        let step =
            Self.steps.first { step in
                let length = first.rounded(down: step).duration(to: now.advanced(by: ahead).rounded(up: step))
                return length <= .seconds(step * Self.mostLines)
            } ?? span.step
        (self.start, self.end) = (first.rounded(down: step), now.advanced(by: ahead).rounded(up: step))
        lines = Self.lines(from: self.start, to: self.end, step: step)
    }

    private static func lines(from start: Timestamp, to end: Timestamp, step: Int64) -> [Timestamp] {
        let (from, to) = (start.millisecondsSince1970, end.millisecondsSince1970)
        return stride(from: from, to: to, by: Int64.Stride(step * 1000)).map { Timestamp(millisecondsSince1970: $0) }
    }

    func html(_ lanes: [Lane]) -> HTML {
        let heads = lines.map { "<span>\(label($0))</span>" as HTML }
        let rows = lanes.prefix(Self.maximumLanes).map { lane -> HTML in
            let condition = lane.status.map(StreamCondition.init)
            let icon: HTML? = condition.map {
                "<span class=\"state \($0.tone.rawValue)\">\($0.icon.html)<span class=\"sr\">\($0.word)</span></span>"
            }
            return """
                <tr><th scope="row"><span class="who">\(icon)\
                \(Component.link(Link("streams", lane.name), Component.breakable(lane.name)))</span></th><td>\(drawn(lane))</td></tr>

                """
        }
        let rest = lanes.count - Self.maximumLanes
        let others: HTML? =
            rest > 0
            ? "<p class=\"muted\">\(Component.counted(rest, "more stream")) \(rest == 1 ? "has" : "have") no lane here: choose one in the list below.</p>"
            : nil
        return """
            <div class="scroll" role="region" aria-labelledby="lanes" tabindex="0"><table class="lanes">
            <caption id="lanes">A lane per stream. A bar is a run, as wide as it took; the upright line is now. Every run is in the table below, too.</caption>
            <thead><tr><th scope="col">Stream</th><th scope="col"><span class="hours">\(heads)</span></th></tr></thead>
            <tbody>\(rows)</tbody></table></div>\(others)
            \(Self.legend)
            """
    }

    /// The hour, or the day of the week and of the month.
    private func label(_ instant: Timestamp) -> String {
        let text = instant.description
        guard lines.allSatisfy({ $0.isMidnight }) else { return String(text.dropFirst(11).prefix(5)) }
        let day = instant.millisecondsSince1970.flooredDivision(by: 86_400_000).quotient
        // The first day of 1970 was a Thursday.
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(day.flooredDivision(by: 7).remainder)]
        return "\(weekday) \(text.dropFirst(8).prefix(2))"
    }

    private func x(_ instant: Timestamp) -> Double {
        let whole = Double(end.millisecondsSince1970 - start.millisecondsSince1970)
        let part = Double(start.duration(to: instant).wholeMilliseconds) / whole
        return min(max(part, 0), 1) * Self.width
    }

    // MARK: One lane

    private func drawn(_ lane: Lane) -> HTML {
        let lines = lines.map { "<path class=\"c-base\" d=\"M\(SVG.number(x($0))) 0V42\"/>" as HTML }
        let bars = bars(of: lane)
        let skips = lane.runs.reversed().compactMap { run in run.skipped.map { (run, $0) } }
        let due = lane.status.map { dueTicks(of: $0) } ?? []
        let missed: HTML? = lane.status?.missedDue.map { missed in
            box(x(missed), x(now), y: 19, height: 4, "due \(Component.exact(missed)), and not done since")
        }
        return """
            <svg class="lane" viewBox="0 0 1440 42" preserveAspectRatio="none" role="group" aria-label="\(sentence(lane))">\
            \(lines)<g aria-hidden="true">\(skipBoxes(skips))\(missed)\(bars.map { drawn($0, lane.name) })</g>\
            \(due.map { "<path class=\"c-due\" d=\"M\(SVG.number($0)) 16V26\"/>" as HTML })\
            <path class="c-now" d="M\(SVG.number(x(now))) 0V42"/></svg>
            """
    }

    /// Returns the places of what is due, as far as they can be told apart.
    private func dueTicks(of status: StreamStatus) -> [Double] {
        var places: [Double] = []
        for due in status.dueTimes(from: now, until: end, limit: Self.maximumDueTimes) {
            let place = x(due)
            if let last = places.last, place - last < 6 { continue }
            places.append(place)
        }
        return places
    }

    private func sentence(_ lane: Lane) -> String {
        let runs = lane.runs.filter { $0.status != .skipped }
        let failed = runs.filter { $0.status == .failed }.count
        let partial = runs.filter(\.isPartial).count
        let skipped = lane.runs.reduce(0) { $0.addingReportingOverflow($1.skipped?.count ?? 0).partialValue }
        var parts = [
            "\(Component.counted(runs.count, "run")), \(failed == 0 ? "none" : Component.grouped(failed)) failed"
        ]
        if partial > 0 { parts.append("\(Component.grouped(partial)) partial") }
        if runs.contains(where: { $0.status == .running }) { parts.append("one is running") }
        if skipped > 0 { parts.append("\(Component.counted(skipped, "instant")) skipped") }
        if let missed = lane.status?.missedDue { parts.append("due at \(Component.exact(missed)) and not done since") }
        return "\(lane.name): \(parts.joined(separator: ", "))"
    }

    /// A run, or several of a kind that would touch.
    private struct Bar {
        enum Kind { case succeeded, partial, failed, running, stopped }

        let kind: Kind
        let from: Double
        var to: Double
        var count = 1
        let first: TimelineRun
        var last: TimelineRun
    }

    /// Returns the bars from left to right. Runs that would touch are one bar; failures are apart from all else.
    private func bars(of lane: Lane) -> [Bar] {
        var bars: [Bar] = []
        var latest: [Bar.Kind: Int] = [:]
        for run in lane.runs.reversed() where run.status != .skipped {
            let kind: Bar.Kind =
                switch run.status {
                case .failed: .failed
                case .running: .running
                case .succeeded, .skipped: run.isPartial ? .partial : .succeeded
                case .cancelled, .interrupted: .stopped
                }
            let least = kind == .failed ? 5.0 : 2.4
            let from = min(x(run.startedAt), Self.width - least)
            let to = max(x(run.endedAt ?? (run.status == .running ? now : run.startedAt)), from + least)
            if let index = latest[kind], from - bars[index].to < (kind == .failed ? -2.5 : 0.6) {
                bars[index].to = max(bars[index].to, to)
                bars[index].count += 1
                bars[index].last = run
            } else {
                latest[kind] = bars.count
                bars.append(Bar(kind: kind, from: from, to: to, first: run, last: run))
            }
        }
        // Failures are drawn last, so that no band hides them.
        return bars.filter { $0.kind != .failed } + bars.filter { $0.kind == .failed }
    }

    private func drawn(_ bar: Bar, _ stream: String) -> HTML {
        let (look, word, y, height): (HTML, String, Int, Int) =
            switch bar.kind {
            case .succeeded: ("c-ok", "succeeded", 8, 26)
            case .partial: ("c-warn", "partial", 21, 13)
            case .failed: ("c-fail", "failed", 2, 38)
            case .running: ("c-data", "running", 8, 26)
            case .stopped: ("c-skip", "ended early", 21, 13)
            }
        let first = bar.first
        let link: Link
        let title: String
        if bar.count == 1 {
            link = Link("runs", first.id.description)
            let took = first.endedAt.map { ", took \(Component.took(first.startedAt.duration(to: $0)))" } ?? ""
            title = "Run \(Component.grouped(first.id.number)), \(Component.exact(first.startedAt))\(took), \(word)"
        } else {
            link = Link("runs").adding("stream", stream).adding("before", "\(bar.last.id.number + 1)")
            title =
                "\(Component.grouped(bar.count)) runs, \(word), \(Component.exact(first.startedAt)) to \(Component.exact(bar.last.startedAt))"
        }
        return """
            <a href="\(link)" tabindex="-1"><rect class="\(look)" x="\(SVG.number(bar.from))" y="\(y)" \
            width="\(SVG.number(bar.to - bar.from))" height="\(height)"><title>\(title)</title></rect></a>
            """
    }

    /// Returns the boxes of skipped instants at the foot of the lane. Those that would touch are one box.
    private func skipBoxes(_ skips: [(TimelineRun, SkippedInstants)]) -> [HTML] {
        var boxes: [(from: Double, to: Double, count: Int, first: Timestamp, last: Timestamp)] = []
        for (_, skipped) in skips {
            let (from, to) = (x(skipped.first), max(x(skipped.last), x(skipped.first) + 2.4))
            if let last = boxes.indices.last, from - boxes[last].to < 0.6 {
                boxes[last].to = max(boxes[last].to, to)
                let (count, overflows) = boxes[last].count.addingReportingOverflow(skipped.count)
                boxes[last].count = overflows ? .max : count
                boxes[last].last = skipped.last
            } else {
                boxes.append((from, to, skipped.count, skipped.first, skipped.last))
            }
        }
        return boxes.map { part in
            box(
                part.from, part.to, y: 36, height: 4,
                "\(Component.counted(part.count, "instant")) skipped, \(Component.exact(part.first)) to \(Component.exact(part.last))"
            )
        }
    }

    private func box(_ from: Double, _ to: Double, y: Int, height: Int, _ title: String) -> HTML {
        """
        <rect class="c-skip" x="\(SVG.number(from))" y="\(y)" width="\(SVG.number(max(to - from, 2.4)))" height="\(height)">\
        <title>\(title)</title></rect>
        """
    }

    private static let legend: HTML = {
        let kinds: [(HTML, HTML)] = [
            ("c-ok", "succeeded"), ("c-fail", "failed (tall)"), ("c-warn", "partial (low)"), ("c-data", "running"),
            ("c-skip", "skipped, waiting or ended early"), ("c-due", "due"),
        ]
        return
            "<p class=\"legend\">\(kinds.map { "<span><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\">\($0 == "c-due" ? "<path class=\"c-due\" d=\"M5 0V10\"/>" : "<rect class=\"\($0)\" width=\"10\" height=\"10\"/>" as HTML)</svg>\($1)</span>" as HTML })</p>"
    }()
}

extension Timestamp {
    fileprivate func rounded(down seconds: Int64) -> Timestamp {
        let rest = millisecondsSince1970.flooredDivision(by: seconds * 1000).remainder
        return Timestamp(millisecondsSince1970: millisecondsSince1970 - rest)
    }

    /// The next multiple, which is later than the instant itself.
    fileprivate func rounded(up seconds: Int64) -> Timestamp { rounded(down: seconds).advanced(by: .seconds(seconds)) }

    fileprivate var isMidnight: Bool { rounded(down: 86_400) == self }
}

/// Numbers in drawings.
enum SVG {
    /// A number with one digit behind the point.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let tenths = Int((min(max(value, -100_000), 100_000) * 10).rounded())
        return tenths % 10 == 0
            ? String(tenths / 10) : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
