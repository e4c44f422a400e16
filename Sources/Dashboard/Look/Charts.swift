import GarnerModel
import GarnerPersistence
import GarnerPresentation

/// The charts of one stream: its rows over time, and the changes and the duration of each run. Each says in its title
/// what it shows, and has its numbers in a table.
struct Charts {
    private static let (width, height) = (300.0, 100.0)

    /// The runs, oldest first.
    private let runs: [RunRecord]
    private let rows: [Int]

    /// - Parameters:
    ///   - runs: The latest runs that fetched something, newest first.
    ///   - count: The rows that are stored now.
    init(_ runs: [RunRecord], rows count: Int) {
        self.runs = runs.reversed()
        var (after, counts): (Int, [Int]) = (count, [])
        for run in runs {
            counts.append(after)
            after = max(0, after - run.counts.inserted + run.counts.deleted)
        }
        rows = counts.reversed()
    }

    var html: HTML {
        guard let first = runs.first, let last = runs.last, runs.count > 1 else {
            return Component.empty("Charts are drawn from the second run on.")
        }
        let axis: HTML =
            "<p class=\"axis\" aria-hidden=\"true\"><span>\(Self.short(first.startedAt))</span><span>\(Self.short(last.startedAt))</span></p>"
        return "<div class=\"charts\">\(rowChart(axis))\(changeChart(axis))\(durationChart(axis))</div>"
    }

    private var step: Double { Self.width / Double(max(runs.count, 1)) }

    /// A bar of the chart, from the height `from` to `to`, where 0 is the top.
    private func bar(_ look: HTML, at index: Int, _ from: Double, _ to: Double) -> HTML {
        let gap = min(1, step / 4)
        return """
            <rect class="\(look)" x="\(SVG.number(Double(index) * step))" y="\(SVG.number(min(from, to)))" \
            width="\(SVG.number(max(step - gap, 0.5)))" height="\(SVG.number(max(abs(to - from), 0.5)))"/>
            """
    }

    private func figure(
        _ title: String, note: HTML, says: String, scale: (top: HTML, bottom: HTML), shapes: HTML, axis: HTML,
        legend: [(HTML, HTML)] = [], columns: [DataTable.Column], cells: [[HTML]]
    ) -> HTML {
        let id = title.lowercased().split(separator: " ").joined(separator: "-")
        var table = DataTable(
            id: "\(id)-numbers", caption: "\(title) of the last \(Component.counted(runs.count, "run"))",
            columns: [.init("Run"), .init("Began")] + columns)
        table.rows = zip(runs, cells).reversed().map { run, cells in
            [
                .init(
                    Component.link(Link("runs", run.id.description), Component.number(run.id.number)), isHeader: true),
                .init(Component.exactTime(run.startedAt)),
            ] + cells.map { .init($0) }
        }
        let key: HTML? =
            legend.isEmpty
            ? nil
            : "<p class=\"legend\">\(legend.map { "<span><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"\($0)\" width=\"10\" height=\"10\"/></svg>\($1)</span>" as HTML })</p>"
        return """
            <figure class="chart"><figcaption><b>\(title)</b> <span class="muted">\(note)</span></figcaption>
            <div class="frame"><p class="scale" aria-hidden="true"><span>\(scale.top)</span><span>\(scale.bottom)</span></p>
            <svg viewBox="0 0 300 100" preserveAspectRatio="none" role="img"><title>\(says)</title>\
            <path class="c-base" d="M0 0H300M0 50H300M0 100H300"/>\(shapes)</svg>\(axis)</div>\(key)
            <details><summary>The numbers as a table</summary>\(table.html)</details></figure>

            """
    }

    private func rowChart(_ axis: HTML) -> HTML {
        let (least, most) = (rows.min() ?? 0, rows.max() ?? 0)
        // A flat line stands in the middle.
        let (low, high) = least == most ? (max(0, least - 1), most + 1) : (least, most)
        let path = rows.enumerated().map { index, count in
            let y = SVG.number(Self.height * Double(high - count) / Double(max(high - low, 1)))
            let (from, to) = (SVG.number(Double(index) * step), SVG.number(Double(index + 1) * step))
            return index == 0 ? "M\(from) \(y)H\(to)" : "V\(y)H\(to)"
        }.joined()
        let now = rows.last ?? 0
        return figure(
            "Rows", note: "\(Component.number(now)) now",
            says:
                "Rows: from \(Component.grouped(rows.first ?? 0)) to \(Component.grouped(now)) over the last \(Component.counted(runs.count, "run"))",
            scale: (Component.number(high), Component.number(low)), shapes: "<path class=\"c-line\" d=\"\(path)\"/>",
            axis: axis, columns: [.init("Rows after it", isNumber: true)], cells: rows.map { [Component.number($0)] })
    }

    private func changeChart(_ axis: HTML) -> HTML {
        let up = max(1, runs.map { $0.counts.inserted + $0.counts.updated }.max() ?? 0)
        let failed = runs.filter { $0.status == .failed }.count
        let deleted = runs.map(\.counts.deleted).max() ?? 0
        let down = max(deleted, failed > 0 ? (up + 3) / 4 : 0)
        let scale = Self.height / Double(up + down)
        let base = Double(up) * scale
        let shapes = runs.enumerated().map { index, run -> HTML in
            if run.status == .failed { return bar("c-fail", at: index, base + 1, Self.height) }
            let (inserted, updated) = (Double(run.counts.inserted) * scale, Double(run.counts.updated) * scale)
            let deleted = Double(run.counts.deleted) * scale
            return [
                run.counts.inserted > 0 ? bar("c-data", at: index, base - inserted, base) : "",
                run.counts.updated > 0 ? bar("c-soft", at: index, base - inserted - updated, base - inserted) : "",
                run.counts.deleted > 0 ? bar("c-warn", at: index, base, base + deleted) : "",
            ].joined()
        }
        let changing = runs.filter { $0.counts.changes > 0 }.count
        let latest = runs.last?.counts ?? RunCounts()
        return figure(
            "Changes per run",
            note: "\(Component.changes(latest)) latest",
            says:
                "Changes per run: \(Component.grouped(changing)) of the last \(Component.counted(runs.count, "run")) changed something, \(failed == 0 ? "none" : Component.grouped(failed)) failed",
            scale: (Component.number(up), deleted > 0 ? Component.number(-down) : failed > 0 ? "failed" : "0"),
            shapes: shapes.joined() + "<path class=\"c-ref\" d=\"M0 \(SVG.number(base))H300\"/>", axis: axis,
            legend: [
                ("c-data", "added"), ("c-soft", "updated"), ("c-warn", "deleted, below the line"),
                ("c-fail", "failed, below the line"),
            ],
            columns: [
                .init("Added", isNumber: true), .init("Updated", isNumber: true), .init("Deleted", isNumber: true),
                .init("Ended"),
            ],
            cells: runs.map {
                [
                    Component.number($0.counts.inserted), Component.number($0.counts.updated),
                    Component.number($0.counts.deleted), HTML($0.status.rawValue),
                ]
            })
    }

    private func durationChart(_ axis: HTML) -> HTML {
        let durations = runs.map { run in run.endedAt.map { max(0, run.startedAt.duration(to: $0).wholeMilliseconds) } }
        let most = max(1, durations.compactMap(\.self).max() ?? 0)
        let known = durations.compactMap(\.self).map { Duration.milliseconds($0) }
        let usual = Self.percentile(50, of: known)
        let shapes = zip(runs, durations).enumerated().map { index, pair -> HTML in
            guard let length = pair.1 else { return "" }
            let top = Self.height * (1 - Double(length) / Double(most))
            return bar(pair.0.status == .failed ? "c-fail" : "c-ok", at: index, top, Self.height)
        }
        let median: HTML? = usual.map {
            "<path class=\"c-ref\" d=\"M0 \(SVG.number(Self.height * (1 - Double($0.wholeMilliseconds) / Double(most))))H300\"/>"
        }
        let words = usual.map { Component.took($0) } ?? "unknown"
        return figure(
            "Duration", note: "\(words) usual",
            says: "Duration: usually \(words), at most \(Component.took(.milliseconds(most)))",
            scale: (HTML(Component.took(.milliseconds(most))), "0"), shapes: shapes.joined() + (median ?? ""),
            axis: axis,
            legend: [("c-ok", "succeeded"), ("c-fail", "failed"), ("c-none", "dashed: the median")],
            columns: [.init("Took", isNumber: true), .init("Ended")],
            cells: zip(runs, durations).map { run, length in
                [HTML(length.map { Component.took(.milliseconds($0)) } ?? ""), HTML(run.status.rawValue)]
            })
    }

    /// `22 Nov`-like words would need a calendar; the day and the minute are enough beneath an axis.
    private static func short(_ instant: Timestamp) -> String {
        let text = instant.description
        return "\(text.dropFirst(5).prefix(5)) \(text.dropFirst(11).prefix(5))"
    }

    /// Returns the smallest value that `percent` of a hundred values do not exceed; nil for no values.
    static func percentile(_ percent: Int, of values: [Duration]) -> Duration? {
        let sorted = values.sorted()
        return sorted.isEmpty ? nil : sorted[min(sorted.count - 1, max(0, (sorted.count * percent + 99) / 100 - 1))]
    }
}
