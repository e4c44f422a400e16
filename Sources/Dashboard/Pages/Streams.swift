import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

extension Dashboard {
    /// The front page: whether everything is in step, what is wrong first, and all streams.
    func streamsPage(_ request: WebRequest) async throws -> WebResponse {
        let (lines, totals, gone, publication) = try await overview()
        if request.format == .json {
            return .list(lines.map(\.status.fields))
        }
        let sorted = lines.sorted { ($0.condition, $0.name) < ($1.condition, $1.name) }
        let wanted = request.value(of: "q").map { $0.lowercased() } ?? ""
        let state = request.value(of: "state")
        let shown = sorted.filter {
            (wanted.isEmpty || $0.name.lowercased().contains(wanted)) && (state == nil || $0.condition.word == state)
        }
        let bad = sorted.filter(\.condition.needsAttention)
        let now = now()
        let verdict =
            lines.isEmpty
            ? "There is no stream yet"
            : bad.isEmpty
                ? lines.allSatisfy { [.inStep, .running].contains($0.condition) }
                    ? lines.count == 1
                        ? "The stream is in step" : "All \(Component.grouped(lines.count)) streams are in step"
                    : "No stream needs attention"
                : "\(Component.grouped(bad.count)) of \(Component.counted(lines.count, "stream")) \(bad.count == 1 ? "needs" : "need") attention"
        let worst = bad.first?.condition ?? .inStep
        let notes = sorted.compactMap { note($0, now) } + gone
        let content: HTML = """
            <h1 class="verdict"><span class="\(worst.tone.rawValue)">\(worst.icon.html)</span>\(verdict)</h1>
            \(tally(lines, chosen: state))
            \(bad.isEmpty ? "" : "<h2 class=\"sr\">What is wrong, and what to try</h2><ul class=\"wrongs\">\(bad.map { wrong($0, now) })</ul>" as HTML)
            \(notes.isEmpty ? "" : "<h2 class=\"sr\">Worth knowing</h2><ul class=\"wrongs\">\(notes)</ul>" as HTML)
            \(lines.isEmpty ? Component.empty("No stream is configured, so there is nothing to sync.", try: "add one with <code>garner add URL</code>") : streamsTable(shown, wanted: request.value(of: "q") ?? "", now))
            \(publication.map { ([$0.line] + $0.troubles).map { "<p>\(Component.foreign($0)).</p>" as HTML } } ?? [])
            \(totals.html)
            """
        return response(
            Page(
                title: verdict, section: .streams, content: content,
                twins: [("JSON", request.link.as(.json)), ("Prometheus", Link("metrics"))]))
    }

    /// Returns all streams with their latest runs, the figures of the database, what to say of the streams that are gone from the
    /// file, and how far the published tables are.
    private func overview() async throws -> (
        lines: [StreamLine], totals: DatabaseTotals, gone: [HTML], publication: PublicationStanding?
    ) {
        let (database, now, statuses, configuration) = (database, now(), streamStatuses(), configuration())
        let (lines, totals, difference, publication) = try await read { reader in
            let statuses = try statuses(reader)
            let lines = try statuses.map {
                StreamLine(status: $0, recent: try reader.recentRuns(of: $0.stream.name, limit: 30))
            }
            let difference = try configuration.map { try StreamDifference(of: $0, in: reader) }
            return (
                lines, try reader.totals(since: LocalTime.utc.midnight(of: now)), difference,
                try PublicationStanding(of: configuration, in: reader)
            )
        }
        return (
            lines,
            DatabaseTotals(
                counts: totals, sizes: DatabaseSizes(path: database), upSince: startedAt, now: now),
            difference.map(notes) ?? [], publication
        )
    }

    /// Returns a reader of the status of each configured stream, or else of each stored one.
    func streamStatuses() -> @Sendable (ReadOnlyDatabase) throws -> [StreamStatus] {
        let (configuration, database, now) = (configuration(), database, now())
        return { reader in
            let names = try configuration == nil ? reader.streamNames() : []
            return try StreamStatus.all(
                of: configuration?.streams ?? names.map(StreamConfiguration.init(unconfigured:)), in: reader,
                isWritten: WriterLock.state(of: database) != .free, now: now)
        }
    }

    private func tally(_ lines: [StreamLine], chosen: String?) -> HTML {
        let items = StreamCondition.allCases.compactMap { condition -> HTML? in
            let count = lines.filter { $0.condition == condition }.count
            guard count > 0 else { return nil }
            let isChosen = chosen == condition.word
            let link = isChosen ? Link() : Link(query: [QueryItem("state", condition.word)])
            let isLoud: HTML = condition.needsAttention ? " class=\"\(condition.tone.rawValue)\"" : ""
            return
                "<li><a href=\"\(link)\"\(isLoud)\(isChosen ? " aria-current=\"true\"" as HTML : "")>\(Component.number(count)) \(condition.word)</a></li>"
        }
        return items.isEmpty ? "" : "<ul class=\"tally\">\(items)</ul>"
    }

    private func streamsTable(_ lines: [StreamLine], wanted: String, _ now: Timestamp) -> HTML {
        var table = DataTable(
            id: "all-streams",
            caption: "Those that need attention first, then by name. Bars up: rows changed; marks below: failed runs.",
            columns: [
                .init("State"), .init("Stream"), .init("Last run", label: "Last run"),
                .init("Rows", isNumber: true, label: "Rows"), .init("Last change", label: "Change"),
                .init("Last 30 runs"), .init("Next due", label: "Next due"),
                .init("<span class=\"sr\">Action</span>"),
            ], isStacked: true)
        table.rows = lines.map { line in
            let (status, last) = (line.status, line.status.history?.lastRun)
            let name = Component.link(line.link, Component.breakable(line.name))
            return [
                .init(line.condition.badge(status), kind: "lead"),
                .init("\(name)\(remark(last))", isHeader: true),
                .init(lastRun(last, now)), .init(status.history.map { Component.number($0.count) } ?? ""),
                .init(last.map { Component.changes($0.counts) } ?? ""),
                .init(Sparkline(line.recent, of: line.name).html, kind: "wide"),
                .init(nextDue(of: status, now)), .init(action(of: line), kind: "act"),
            ]
        }
        return """
            <section aria-labelledby="all"><div class="bar"><h2 id="all">All streams</h2>
            <form role="search" class="inline"><label for="find" class="sr">Find a stream</label>\
            <input type="search" id="find" name="q" value="\(wanted)" placeholder="Find a stream"><button>Find</button></form></div>
            \(lines.isEmpty ? Component.empty("No stream is like that.", try: "<a href=\"/\">show all streams</a>") : table.html)</section>
            """
    }

    /// The warning of the last run, such as one of files that did not come.
    private func remark(_ run: RunRecord?) -> HTML {
        guard let notice = run?.notice else { return "" }
        return "<span class=\"remark warn\">\(Component.foreign(notice.capitalizedAtStart.cut(to: 160)))</span>"
    }

    private func lastRun(_ run: RunRecord?, _ now: Timestamp) -> HTML {
        guard let run else { return "<span class=\"muted\">never</span>" }
        let link = Link("runs", "\(run.id)")
        if run.status == .running { return "began \(Component.link(link, Component.time(run.startedAt, now: now)))" }
        return Component.link(link, Component.time(run.endedAt ?? run.startedAt, now: now))
    }

    private func nextDue(of status: StreamStatus, _ now: Timestamp) -> HTML {
        if status.isPaused { return "<span class=\"muted\">paused</span>" }
        if let until = status.record?.heldUntil, until > now {
            let word: HTML = status.record?.circuitOpenedAt == nil ? "held" : "suspended"
            return "\(word), \(Component.time(until, now: now))"
        }
        if let missed = status.missedDue {
            let late = Component.duration(seconds: UInt64(max(0, missed.duration(to: now).wholeMilliseconds / 1000)))
            return "<span class=\"warn\" title=\"due \(Component.exact(missed))\">\(late) late</span>"
        }
        guard let due = status.nextDue else { return "<span class=\"muted\">no schedule</span>" }
        return Component.time(max(due, now), now: now)
    }

    private func action(of line: StreamLine) -> HTML {
        guard actions != nil else { return "" }
        switch line.condition {
        case .running: return ""
        case .paused, .failingPaused:
            return Component.button("Resume", line.link.adding(component: "resume"), of: line.name)
        default: return Component.button("Sync now", line.link.adding(component: "sync"), of: line.name)
        }
    }
}

extension String {
    /// The text with a capital at its start, unless it begins with a key of the configuration.
    var capitalizedAtStart: String {
        prefix { !$0.isWhitespace }.contains("_") ? String(self) : prefix(1).uppercased() + dropFirst()
    }
}

extension Link {
    func adding(component: String) -> Link {
        var link = self
        link.components.append(component)
        return link
    }
}
