import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

extension Dashboard {
    private static let maximumRequests = 500
    private static let maximumChangedRecords = 100

    /// The page of one run: why it failed, what it asked for, and what it changed.
    func runPage(_ request: WebRequest, _ text: String) async throws -> WebResponse {
        guard let id = RunID(text), id >= 0 else {
            throw ParameterError(name: "the number of a run", value: text, advice: "choose a run on the page /runs")
        }
        if request.format == .json {
            let (run, requests) = try await read { [database] reader in
                try (MissingPage.translating { try reader.run(id).seen(in: database) }, reader.requests(of: id))
            }
            return .json(run.json(requests))
        }
        let (database, now, isConfigured) = (database, now(), configuration() != nil)
        let (run, requests, tables, isWritten) = try await read { reader in
            let run = try MissingPage.translating { try reader.run(id) }
            let tables = try reader.changedRuns(of: id).map {
                try ChangeTable($0, limit: Self.maximumChangedRecords, in: reader)
            }
            return try (run, reader.requests(of: id), tables, WriterLock.state(of: database) != .free)
        }
        let view = RunView(run, isWritten: isWritten, now: now)
        let isSkip = run.status == .skipped
        let stream = Link("streams", run.stream)
        let sync: HTML? =
            actions != nil && isConfigured && run.status != .running
            ? Component.button("Sync now", stream.adding(component: "sync"), of: run.stream, isMain: true) : nil
        let took: HTML? =
            isSkip ? nil : view.duration.map { ", \(run.status == .running ? "for" : "took") \(Component.took($0))" }
        let began: HTML =
            isSkip
            ? "Decided \(Component.time(run.startedAt, now: now))."
            : "Began \(Component.time(run.startedAt, now: now))\(took)."
        let title = "Run \(Component.grouped(id.number)) of \(run.stream)"
        let content: HTML = """
            <div class="head"><div><p class="crumbs"><a href="/runs">Runs</a> / \(Component.link(stream, Component.breakable(run.stream)))</p>
            <h1>Run \(Component.number(id.number)) of \(Component.breakable(run.stream))</h1>
            <p class="lede">\(view.badge)<span>\(began)</span></p></div>
            <div class="acts">\(sync)<a class="button" href="\(Link("runs").adding("stream", run.stream))">Runs of this stream</a></div></div>
            \(run.failure.map { Self.panel($0) })\(isSkip ? "<div class=\"panel\"><p>\(view.remark)</p></div>" as HTML : "")\
            \(Self.warnings(of: run))
            \(isSkip ? "" : Self.facts(of: run))
            \(isSkip ? "" : Self.requestTable(requests, run))
            \(Self.schemaChanges(of: run))
            \(isSkip ? "" : Self.changed(tables, run))
            """
        return response(
            Page(title: title, section: .runs, content: content, twins: [("JSON", request.link.as(.json))]))
    }

    /// The panel of a failure: what happened, the server's words as it wrote them, and what helps.
    ///
    /// - Parameter rest: What else there is to say and to try, instead of the failure's own advice.
    static func panel(_ failure: RunFailure, _ rest: HTML? = nil) -> HTML {
        let (said, quoted, place) = failure.partsOfMessage
        let words: HTML? = quoted.map { "<p>The server says:</p><blockquote>\(Component.foreign($0))</blockquote>" }
        let url: HTML? = (place ?? failure.url).map {
            "<p>At <code class=\"url\">\(Component.foreign($0.prefix(2000)))</code></p>"
        }
        let advice: HTML? =
            rest ?? Component.tried(failure.lastingAdvice.map { Component.foreign($0) })
        return """
            <div class="panel fail" role="alert"><h2>\(Component.foreign(said.capitalizedAtStart))</h2>\(words)\(url)\(advice)
            <p class="muted">Kind of error: <code>\(failure.kind)</code>\(failure.isPermanent ? ". It comes again until something is changed, here or at the source." : "")</p></div>
            """
    }

    private static func warnings(of run: RunRecord) -> HTML {
        guard run.status != .skipped, let warning = run.warning else { return "" }
        return
            "<div class=\"panel warn\"><p>\(Component.foreign(warning.prefix(2000).description.capitalizedAtStart)).</p></div>"
    }

    private static func facts(of run: RunRecord) -> HTML {
        let counts = run.counts
        var facts: [(String, HTML)] = [
            ("Added", Component.number(counts.inserted)), ("Updated", Component.number(counts.updated)),
            ("Deleted", Component.number(counts.deleted)), ("Unchanged", Component.number(counts.unchanged)),
            ("Quarantined", Component.number(counts.quarantined)), ("Pages", Component.number(counts.pages)),
            ("Requests", Component.number(counts.requests)), ("Not modified", Component.number(counts.notModified)),
            ("Received", Component.bytes(counts.bytes)),
        ]
        if counts.discarded > 0 { facts.append(("Left out by contract", Component.number(counts.discarded))) }
        let completeness = run.completeness?.rawValue ?? "not finished"
        facts.append(("Completeness", Component.foreign(run.completenessText ?? completeness)))
        facts.append(("Began by", run.trigger == .schedule ? "schedule" : "hand"))
        if let due = run.dueAt {
            let late = Component.took(max(.zero, due.duration(to: run.startedAt)))
            facts.append(("Late", "<span title=\"Due \(Component.exact(due))\">\(late)</span>"))
        }
        return Component.facts(facts)
    }

    private static func requestTable(_ requests: [RequestRecord], _ run: RunRecord) -> HTML {
        guard !requests.isEmpty else {
            let why: HTML =
                run.counts.requests > 0
                ? "The requests of this run were forgotten: those of a stream's last 100 runs are kept."
                : run.status == .succeeded || run.status == .failed
                    ? "It sent no request."
                    : "No request is noted: each is noted with the page that it brought, or with the end of its run."
            return Component.section("requests", "Requests", Component.empty(why))
        }
        // The last request of a run is the one that tells how it ended.
        let first = requests.prefix(maximumRequests - 1)
        let shown = Array(first) + requests.dropFirst(first.count).suffix(1)
        var table = DataTable(
            id: "request-rows",
            caption:
                "\(shown.count < requests.count ? "The first \(Component.grouped(first.count)) and the last of \(Component.counted(requests.count, "request"))" : Component.counted(requests.count, "request")), in the order that they were sent; secrets are replaced by ***",
            columns: [
                .init("Sent"), .init("Status"), .init("Attempts", isNumber: true), .init("Bytes", isNumber: true),
                .init("Milliseconds", isNumber: true), .init("URL"),
            ])
        table.rows = shown.map { request in
            let isBad = request.errorKind != nil || (request.status ?? 0) >= 400
            let word = request.status.map(String.init) ?? "no answer"
            let note: HTML? = request.errorKind.map { "<br><span class=\"muted\">\($0)</span>" }
            let same: HTML? = request.isNotModified ? "<br><span class=\"muted\">not modified</span>" : nil
            let rest: HTML? = request.rateLimitRemaining.map {
                "<br><span class=\"muted\">\(Component.grouped($0)) more allowed</span>"
            }
            return [
                .init(
                    "<time datetime=\"\(request.sentAt)\" title=\"\(Component.exact(request.sentAt))\">\(request.sentAt.description.dropFirst(11).prefix(8))</time>"
                ),
                .init(Component.badge(isBad ? .failing : .inStep, word, isBad ? .fail : .ok)),
                .init(Component.number(request.attempts)), .init(Component.number(request.bytes)),
                .init(Component.number(request.duration.wholeMilliseconds)),
                .init("<code class=\"url\">\(Component.foreign(request.url.prefix(2000)))</code>\(note)\(same)\(rest)"),
            ]
        }
        return Component.section("requests", "Requests", table.html)
    }

    private static func schemaChanges(of run: RunRecord) -> HTML {
        guard !run.schemaChanges.isEmpty else { return "" }
        let maximum = 200
        let items = run.schemaChanges.prefix(maximum).map { change -> HTML in
            "<li>\(Component.foreign(change.text.capitalizedAtStart))</li>"
        }
        let rest = run.schemaChanges.count - items.count
        let more: HTML? = rest > 0 ? "<li class=\"muted\">and \(Component.counted(rest, "more change"))</li>" : nil
        return Component.section("schema", "Schema changes", "\n<ul class=\"lines\">\(items)\(more)</ul>")
    }

    private static func changed(_ tables: [ChangeTable], _ run: RunRecord) -> HTML {
        let all = Link("changes").adding("run", run.id.description)
        guard !tables.isEmpty else {
            let why: HTML =
                run.counts.changes > 0
                ? "The changed records of this run are not noted. Those of a stream's first read never are: there was nothing before."
                : "This run changed no record."
            return Component.section("changed", "Changed records", Component.empty(why))
        }
        let parts = tables.enumerated().map { index, table -> HTML in
            let changed = table.changed
            let count = "\(Component.grouped(min(changed.count, 10_000)))\(changed.isCapped ? "+" : "")"
            let caption: HTML =
                "\(table.isCut ? "The first \(table.count) of \(count) changes" : Component.counted(changed.count, "change")) in \(Component.foreign(changed.table)). Struck through: before. Highlighted: after."
            return table.html(id: "changed-\(index)", caption: caption)
        }
        return """
            <section aria-labelledby="changed"><div class="bar"><h2 id="changed">Changed records</h2>
            \(Component.link(all, "All changes of this run"))</div>\(parts)</section>
            """
    }
}

extension RunFailure {
    /// The message in its parts: what happened, the words of the server that it quotes, and the place in brackets.
    var partsOfMessage: (said: String, quoted: String?, place: String?) {
        var text = Array(message.utf8)[...]
        var place: String?
        if let url, text.last == UInt8(ascii: ")"), let start = text.ranges(of: Array(" (\(url)".utf8)).last {
            place = String(decoding: text[start.lowerBound...].dropFirst(2).dropLast(), as: UTF8.self)
            text = text[..<start.lowerBound]
        }
        for (opening, closing) in [(": \"", "\""), (": “", "”")] {
            guard let start = text.firstRange(of: Array(opening.utf8)),
                text[start.upperBound...].count >= closing.utf8.count,
                text.suffix(closing.utf8.count).elementsEqual(closing.utf8)
            else { continue }
            let words = text[start.upperBound...].dropLast(closing.utf8.count)
            return (
                String(decoding: text[..<start.lowerBound], as: UTF8.self), String(decoding: words, as: UTF8.self),
                place
            )
        }
        return (String(decoding: text, as: UTF8.self), nil, place)
    }
}
