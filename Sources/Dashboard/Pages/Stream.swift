import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

struct StreamDetail: Sendable {
    let status: StreamStatus
    /// The latest runs and skips, newest first.
    let latest: [RunRecord]
    /// The latest runs that fetched something, newest first.
    let runs: [RunRecord]
    let state: StreamState?
    let tables: [TableDescription]
    let schemaChanges: [SchemaChange]
    let quarantine: [QuarantineEntry]
    let quarantined: Int
    let isWritten: Bool

    /// The times that the runs which succeeded took.
    var durations: [Duration] {
        runs.filter { $0.status == .succeeded }.compactMap { $0.duration.map { max(.zero, $0) } }
    }
}

extension Dashboard {
    private static let listedRuns = 8
    private static let chartedRuns = 60
    private static let maximumQuarantined = 50
    private static let maximumTables = 20

    /// The page of one stream: its state, and why.
    func streamPage(_ request: WebRequest, _ text: String) async throws -> WebResponse {
        let (configuration, database, now) = (configuration(), database, now())
        let detail = try await read { reader in
            let stored = try reader.streamNames()
            let name = try Self.stream(text, among: (configuration?.streams.map(\.name) ?? []) + stored)
            let stream = configuration?.streams.first { $0.name == name } ?? StreamConfiguration(unconfigured: name)
            let isWritten = WriterLock.state(of: database) != .free
            let tables = try reader.tableNames(of: name).prefix(Self.maximumTables)
            guard let status = try StreamStatus.all(of: [stream], in: reader, isWritten: isWritten, now: now).first
            else {
                throw UnknownStream(name: text, known: [])
            }
            return try StreamDetail(
                status: status, latest: reader.runs(limit: Self.listedRuns, of: name),
                runs: reader.runs(limit: Self.chartedRuns, of: name, withSkips: false),
                state: reader.state(of: name, limit: 3),
                tables: tables.compactMap { try Self.description(of: $0, in: reader) },
                schemaChanges: tables.flatMap { try reader.schemaChanges(of: $0) },
                quarantine: reader.quarantine(of: name.description, limit: Self.maximumQuarantined),
                quarantined: reader.quarantineCounts()[name.description] ?? 0, isWritten: isWritten)
        }
        let name = detail.status.stream.name
        let entries = configuration?.effective.streams.first { $0.name == name }
        if request.format == .json { return Self.json(of: detail, entries) }
        let isConfigured = configuration?.streams.contains { $0.name == name } ?? false
        let files = Self.missingFiles(await failedFiles(of: name), now)
        let content: HTML = """
            \(head(detail, isConfigured: isConfigured, now))
            \(facts(detail, now))
            <section aria-labelledby="charts"><h2 id="charts" class="sr">Charts</h2>\(Charts(detail.runs, rows: detail.status.history.map { $0.count.all - $0.count.deleted } ?? 0).html)</section>
            \(quarantineSection(detail, now))
            \(files)
            \(latestRuns(detail, now))
            \(schema(detail))
            \(configurationSection(entries, isConfigured: isConfigured))
            """
        return response(
            Page(
                title: name.description, section: .streams, content: content,
                twins: [("JSON", request.link.as(.json))]))
    }

    /// Returns the columns of a table; nil if another program made it.
    private static func description(of table: String, in reader: ReadOnlyDatabase) throws -> TableDescription? {
        do { return try reader.description(of: table) } catch is UnknownTableError { return nil }
    }

    private static func json(of detail: StreamDetail, _ entries: EffectiveConfiguration.StreamEntries?) -> WebResponse {
        func object(_ fields: [Report.Field]) -> JSONText { .object(fields.map { ($0.name, $0.json) }) }
        let name = detail.status.stream.name
        let configuration = entries?.entries.map { object($0.fields(of: name, in: entries?.file)) } ?? []
        return .json(
            .object([
                ("status", object(detail.status.fields)),
                ("runs", .array(detail.latest.map { object($0.seen(isWritten: detail.isWritten).fields) })),
                (
                    "schema",
                    .object([
                        ("tables", .array(detail.tables.map(\.json))),
                        ("changes", .array(detail.schemaChanges.map(\.json))),
                    ])
                ), ("configuration", .array(configuration)),
                ("quarantine", .array(detail.quarantine.map { object($0.fields) })),
            ]))
    }

    private func head(_ detail: StreamDetail, isConfigured: Bool, _ now: Timestamp) -> HTML {
        let status = detail.status
        let name = status.stream.name.description
        let condition = StreamCondition(status)
        let last = status.history?.lastRun
        let link = Link("streams", name)
        var buttons: [HTML] = []
        if actions != nil, isConfigured {
            if condition != .running {
                buttons.append(Component.button("Sync now", link.adding(component: "sync"), of: name, isMain: true))
            }
            buttons.append(
                status.isPaused
                    ? Component.button("Resume", link.adding(component: "resume"), of: name)
                    : Component.button("Pause", link.adding(component: "pause"), of: name))
        }
        if let table = detail.tables.first?.table {
            buttons.append(
                "<a class=\"button\" href=\"\(Link("tables", table))\">\(Component.rows(status.history?.count ?? RowCount(all: 0)))</a>"
            )
        }
        let ran: HTML =
            last.map { run in
                let link = Link("runs", run.id.description)
                return run.status == .running
                    ? "Began \(Component.link(link, Component.time(run.startedAt, now: now)))"
                    : "Last run \(Component.link(link, Component.time(run.endedAt ?? run.startedAt, now: now)))"
            } ?? "It has never run"
        // The panel of a stream that needs attention says it already.
        let because: HTML? = condition.needsAttention ? nil : status.standstill.map { " \(Self.sentence($0, now))" }
        let slow = SlowRuns(detail.durations, of: status, now: now).map {
            "<div class=\"panel\"><p>\($0.sentence)</p>\($0.advised)</div>" as HTML
        }
        let notice = last?.notice.map {
            "<div class=\"panel warn\"><p>\(Component.foreign($0.cut(to: 2000).capitalizedAtStart)).</p></div>" as HTML
        }
        return """
            <div class="head"><div><p class="crumbs"><a href="/">Streams</a> / \(Component.foreign(status.stream.name.source))</p>
            <h1>\(Component.breakable(name))</h1>
            <p class="lede">\(condition.badge(status))<span>\(ran)\(Self.due(of: status, isConfigured: isConfigured, now)).\(because)</span></p></div>
            <div class="acts">\(buttons)</div></div>
            \(condition.needsAttention ? panel(trouble(of: status, condition, now), last?.failure) : nil)\(slow)\(notice)
            """
    }

    /// The panel of what is wrong with a stream, with the failure of its last run as that run's page shows it.
    private func panel(_ trouble: Trouble, _ failure: RunFailure?) -> HTML {
        let said: HTML = "<p>\(trouble.said.joined(" "))</p>\(trouble.advised)"
        return failure.map { Self.panel($0, said) } ?? "<div class=\"panel warn\" role=\"alert\">\(said)</div>"
    }

    /// The next or the missed instant, as the end of a sentence.
    static func due(of status: StreamStatus, isConfigured: Bool = true, _ now: Timestamp) -> HTML {
        // Why none is due is the next sentence.
        if status.standstill != nil { return "" }
        if let missed = status.missedDue { return ", and one was due \(Component.time(missed, now: now))" }
        if let due = status.nextDue { return ", next due \(Component.time(max(due, now), now: now))" }
        return isConfigured ? "; it has no schedule" : "; it is not in the configuration"
    }

    private func facts(_ detail: StreamDetail, _ now: Timestamp) -> HTML {
        let history = detail.status.history
        let last = history?.lastRun
        let recent = detail.runs.prefix(30)
        let failed = recent.filter { $0.status == .failed }.count
        let lateness = detail.runs.compactMap(\.lateness).map { max(.zero, $0) }
        let name = detail.status.stream.name.description
        let verdict = history?.lastVerdict
        let completeness =
            verdict.map { verdict in
                [verdict.completeness.rawValue, verdict.completeness == .complete ? nil : verdict.reason].compactMap(
                    \.self
                ).joined(separator: ": ")
            }
            ?? "no read has ended"
        func percentiles(_ values: [Duration]) -> HTML? {
            guard let half = Charts.percentile(50, of: values), let most = Charts.percentile(95, of: values) else {
                return nil
            }
            return "\(Component.took(half)) / \(Component.took(most))"
        }
        let cursors = (detail.state?.cursors ?? []).map { cursor -> HTML in
            let place: HTML? =
                cursor.bindings == "{}"
                ? nil : " <span class=\"muted\">for \(Component.foreign(cursor.bindings.prefix(60)))</span>"
            return "\(Component.foreign(cursor.value.prefix(60)))\(place)"
        }
        let more = (detail.state?.cursorCount ?? 0) - cursors.count
        let failures = Link("runs").adding("stream", name).adding("status", "failed")
        let facts: [(String, HTML)] = [
            ("Completeness\(last?.status == .failed ? ", last read" : "")", Component.foreign(completeness)),
            ("Last change", last.map { Component.changes($0.counts) } ?? "none"),
            ("Last success", history?.lastSuccessAt.map { Component.time($0, now: now) } ?? "never"),
            (
                "Failures, \(Component.counted(recent.count, "run"))",
                failed == 0 ? "0" : Component.link(failures, Component.number(failed))
            ),
            ("Duration, p50 / p95", percentiles(detail.durations) ?? "no success yet"),
            ("Lateness, p95", Charts.percentile(95, of: lateness).map { HTML(Component.took($0)) } ?? "no due run"),
            (
                "Requests, bytes",
                last.map { "\(Component.number($0.counts.requests)), \(Component.bytes($0.counts.bytes))" } ?? "none"
            ),
            (
                "Cursor",
                cursors.isEmpty
                    ? "none: reads everything"
                    : cursors.joined("<br>") + (more > 0 ? "<br>and \(Component.number(more)) more" : "")
            ),
        ]
        return Component.facts(facts, areSmall: true)
    }

    private func latestRuns(_ detail: StreamDetail, _ now: Timestamp) -> HTML {
        let name = detail.status.stream.name.description
        let views = detail.latest.map { RunView($0, isWritten: detail.isWritten, now: now) }
        let list: HTML =
            views.isEmpty
            ? Component.empty(
                "It has never run.",
                try: actions == nil ? "start it with <code>garner sync \(name)</code>" : "press <i>Sync now</i>")
            : RunTableView(
                id: "latest-runs", caption: "The latest \(Component.counted(views.count, "run")), skipped instants too",
                runs: views, showsStream: false
            ).html
        return """
            <section aria-labelledby="runs"><div class="bar"><h2 id="runs">Latest runs</h2>
            <p><a href="\(Link("runs").adding("stream", name))">All runs of this stream</a></p></div>\(list)</section>
            """
    }
}
