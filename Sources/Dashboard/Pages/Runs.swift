import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

extension Dashboard {
    /// The number of the latest runs that the timeline looks at.
    private static let maximumTimelineRuns = 20_000
    private static let maximumRuns = 1000
    /// The number of runs in the list, which is that of `garner runs`, too.
    private static let listedRuns = 20

    func runsPage(_ request: WebRequest) async throws -> WebResponse {
        let before = try request.run("before")
        let limit = try request.number("limit", default: Self.listedRuns, upTo: Self.maximumRuns)
        let status = try request.option("status", RunRecord.Status.self)
        let completeness = try request.option("completeness", Completeness.self)
        let wanted = request.choice("stream")
        let configured = configuration()?.streams.map(\.name) ?? []
        let known: @Sendable (ReadOnlyDatabase) throws -> [StreamName] = { reader in
            let stored = try reader.streamNames()
            return configured + stored.filter { !configured.contains($0) }
        }
        if request.format == .json {
            let records = try await read { [database] reader in
                let stream = try wanted.map { try Self.stream($0, among: known(reader)) }
                return try reader.runs(
                    limit: limit, of: stream, status: status, completeness: completeness, before: before
                ).map { $0.seen(in: database).fields }
            }
            return .list(records)
        }
        let (database, now, statuses) = (database, now(), streamStatuses())
        let span = try request.option("span", Timeline.Span.self) ?? .day
        let (names, records, timeline, lanes, isWritten) = try await read { reader in
            let timeline = Timeline(span, now: now, first: try reader.firstRunAt())
            let names = try known(reader)
            let stream = try wanted.map { try Self.stream($0, among: names) }
            let isWritten = WriterLock.state(of: database) != .free
            // The pages of older runs have no timeline.
            let lanes =
                try before == nil
                ? Self.lanes(
                    statuses(reader).filter { stream == nil || $0.stream.name == stream },
                    reader.timeline(since: timeline.start, of: stream, limit: Self.maximumTimelineRuns).map { run in
                        var run = run
                        if !isWritten, run.status == .running { run.status = .interrupted }
                        return run
                    }) : nil
            let records = try reader.runs(
                limit: limit + 1, of: stream, status: status, completeness: completeness, before: before)
            return (names, records, timeline, lanes, isWritten)
        }
        let views = records.prefix(limit).map { RunView($0, isWritten: isWritten, now: now) }
        let older: HTML? =
            records.count > limit
            ? views.last.map {
                "<p class=\"more\"><a class=\"button\" href=\"\(request.link(with: "before", $0.run.id.description))\">Older runs</a></p>"
            } : nil
        let newest: HTML? =
            before == nil ? nil : "<a class=\"button\" href=\"\(request.link(with: "before", nil))\">Newest runs</a>"
        let spans = Timeline.Span.allCases.map { span -> HTML in
            let isHere: HTML = span == timeline.span ? " aria-current=\"true\"" : ""
            return
                "<li><a class=\"chip\" href=\"\(request.link(with: "span", span.rawValue))\"\(isHere)>\(span.title)</a></li>"
        }
        let chips: HTML? = lanes == nil ? nil : "<ul class=\"chips\" aria-label=\"Span\">\(spans)</ul>"
        let said: HTML? = lanes.map { "<p class=\"muted\">\(Self.sentence($0, since: timeline.start))</p>" }
        let drawn: HTML? = lanes.flatMap { lanes in
            lanes.isEmpty
                ? nil
                : "<section aria-labelledby=\"tl\"><h2 id=\"tl\" class=\"sr\">Timeline</h2>\(timeline.html(lanes))</section>"
        }
        let isFiltered = status != nil || completeness != nil || wanted != nil || before != nil
        let list: HTML =
            views.isEmpty
            ? isFiltered
                ? Component.empty("No run is like that.", try: "<a href=\"/runs\">show all runs</a>")
                : Component.empty("There was no run yet.", try: "start one with <code>garner sync</code>")
            : RunTableView(
                id: "all-runs",
                caption:
                    "Runs and skipped instants, \(before.map { "before run \(Component.grouped($0.number)), " } ?? "")newest first",
                runs: views
            ).html
        let content: HTML = """
            <div class="head"><div><h1>Runs</h1>\(said)</div>\(chips)</div>
            \(drawn)
            <section aria-labelledby="newest"><div class="bar"><h2 id="newest">\(before == nil ? "Newest first" : "Older runs")</h2>
            \(filters(request, names, status, completeness))</div>
            \(list)\(older)\(newest)</section>
            """
        return response(
            Page(title: "Runs", section: .runs, content: content, twins: [("JSON", request.link.as(.json))]))
    }

    /// Returns a lane for each stream, those that need attention first, and for streams of which there are only runs.
    private static func lanes(_ statuses: [StreamStatus], _ runs: [TimelineRun]) -> [Timeline.Lane] {
        let byStream = Dictionary(grouping: runs, by: \.stream)
        let sorted = statuses.map { (condition: StreamCondition($0), name: $0.stream.name.description, status: $0) }
            .sorted { ($0.condition, $0.name) < ($1.condition, $1.name) }
        let names = Set(sorted.map(\.name))
        return sorted.map { Timeline.Lane(name: $0.name, status: $0.status, runs: byStream[$0.name] ?? []) }
            + byStream.keys.filter { !names.contains($0) }.sorted()
            .map { Timeline.Lane(name: $0, status: nil, runs: byStream[$0] ?? []) }
    }

    private static func sentence(_ lanes: [Timeline.Lane], since start: Timestamp) -> String {
        let all = lanes.flatMap(\.runs)
        let runs = all.filter { $0.status != .skipped }
        let failed = runs.filter { $0.status == .failed }.count
        let partial = runs.filter(\.isPartial).count
        let skipped = all.reduce(0) { $0.addingReportingOverflow($1.skipped?.count ?? 0).partialValue }
        var parts = ["\(failed == 0 ? "None" : Component.grouped(failed)) failed"]
        if partial > 0 { parts.append("\(Component.grouped(partial)) \(partial == 1 ? "was" : "were") partial") }
        if skipped > 0 {
            parts.append("\(Component.counted(skipped, "instant")) \(skipped == 1 ? "was" : "were") skipped")
        }
        let isCut = all.count >= maximumTimelineRuns
        let counted =
            "\(isCut ? "The latest \(Component.grouped(runs.count)) runs" : Component.counted(runs.count, "run")) "
            + "of \(Component.counted(Set(runs.map(\.stream)).count, "stream")) since \(Component.exact(start))."
        return runs.isEmpty && skipped == 0
            ? "No run since \(Component.exact(start))." : "\(counted) \(parts.joined(separator: ", "))."
    }

    private func filters(
        _ request: WebRequest, _ names: [StreamName], _ status: RunRecord.Status?, _ completeness: Completeness?
    )
        -> HTML
    {
        let span: HTML? = request.choice("span").map { "<input type=\"hidden\" name=\"span\" value=\"\($0)\">" }
        return """
            <form class="inline" action="/runs">\(span)<label for="stream">Stream</label>\
            \(Component.select("stream", all: "all", names.map(\.description), chosen: request.choice("stream")))
            <label for="status">State</label>\
            \(Component.select("status", all: "any", RunRecord.Status.allCases.map(\.rawValue), chosen: status?.rawValue))
            <label for="completeness">Completeness</label>\
            \(Component.select("completeness", all: "any", Completeness.allCases.map(\.rawValue), chosen: completeness?.rawValue))
            <button>Show</button></form>
            """
    }
}

extension Component {
    /// A choice among a few words, of which none means all.
    static func select(_ name: String, all: String, _ options: [String], chosen: String?) -> HTML {
        let items = options.map { option -> HTML in
            "<option\(option == chosen ? " selected" as HTML : "")>\(option)</option>"
        }
        return "<select id=\"\(name)\" name=\"\(name)\"><option value=\"\">\(all)</option>\(items)</select>"
    }
}
