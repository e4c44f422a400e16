import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

extension Dashboard {
    private static let runsAPage = 10
    private static let changesAGroup = 20
    private static let changesOfOneRun = 100
    private static let maximumChanges = 10_000
    /// The greatest length of changes as JSON.
    private static let maximumBytes = 64 * 1024 * 1024

    /// The records that runs added, updated and deleted, newest first.
    func changesPage(_ request: WebRequest) async throws -> WebResponse {
        let before = try request.run("before")
        let run = try request.run("run")
        let wanted = request.choice("stream")
        if request.format == .json { return try await changes(request, before: before, run: run, of: wanted) }
        let page = try request.number("page", default: 1, upTo: 1_000_000)
        let (now, configured) = (now(), configuration()?.streams.map(\.name) ?? [])
        let size = run == nil ? Self.changesAGroup : Self.changesOfOneRun
        let (names, groups, hasMore) = try await read { reader in
            let stored = try reader.streamNames()
            let names = configured + stored.filter { !configured.contains($0) }
            let stream = try wanted.map { try Self.stream($0, among: names) }
            // A stream that was never run has no changes.
            guard stream.map({ stored.contains($0) }) ?? true else { return (names, [ChangeTable](), false) }
            var changed =
                try run.map { run in
                    try reader.changedRuns(of: run).filter { stream == nil || $0.stream == stream?.description }
                }
                ?? reader.changedRuns(of: stream?.description, before: before, limit: Self.runsAPage + 1)
            let last = Set(changed.map(\.run)).sorted(by: >).dropFirst(Self.runsAPage).first
            if let last, run == nil { changed.removeAll { $0.run <= last } }
            let groups = try changed.map {
                try ChangeTable($0, limit: size, offset: (page - 1) * size, in: reader)
            }
            return (names, groups, run == nil && last != nil)
        }
        let older: HTML? =
            hasMore
            ? groups.last.map {
                "<p class=\"more\"><a class=\"button\" href=\"\(request.link(with: "before", $0.changed.run.description))\">Older changes</a></p>"
            } : nil
        let isFiltered = wanted != nil || before != nil || run != nil
        let list: HTML =
            groups.isEmpty
            ? isFiltered
                ? Component.empty("No change is like that.", try: "<a href=\"/changes\">show all changes</a>")
                : Component.empty(
                    "No change was noted yet. Changes are noted from the end of a stream's first read on, which brings all records at once.",
                    try: "sync once more with <code>garner sync</code>")
            : groups.enumerated().map { group($1, id: "group-\($0)", page: page, isAlone: run != nil, request, now) }
                .joined()
        let isOnlyOne: HTML? = isFiltered ? " <a href=\"/changes\">All changes</a>" : nil
        let content: HTML = """
            <div class="head"><div><h1>Changes\(run.map { " of run \(Component.grouped($0.number))" } ?? "")</h1>
            <p class="muted">What was added, updated and deleted, newest first.\(isOnlyOne)</p></div>
            <form class="inline" action="/changes"><label for="stream">Stream</label>\
            \(Component.select("stream", all: "all", names.map(\.description), chosen: wanted)) <button>Show</button></form></div>
            \(list)\(older)
            """
        return response(
            Page(title: "Changes", section: .changes, content: content, twins: [("JSON", request.link.as(.json))]))
    }

    private func group(
        _ table: ChangeTable, id: String, page: Int, isAlone: Bool, _ request: WebRequest, _ now: Timestamp
    ) -> HTML {
        let changed = table.changed
        let own = Link("changes").adding("run", changed.run.description).adding("stream", changed.stream)
        let count = "\(Component.grouped(min(changed.count, 10_000)))\(changed.isCapped ? "+" : "")"
        let rest: HTML? =
            isAlone
            ? Self.pages(of: table, page: page, own)
            : table.isCut ? "<p class=\"more\"><a href=\"\(own)\">All \(count) changes of this run</a></p>" : nil
        let time: HTML? = changed.at.map { "\(Component.time($0, now: now)), " }
        let caption: HTML =
            table.count == 0
            ? "No more changes"
            : "\(Component.grouped(table.offset + 1)) to \(Component.grouped(table.end)) of \(count) changes, by key"
        return """
            <section aria-labelledby="\(id)"><div class="bar"><h2 id="\(id)">\(Component.link(Link("tables", changed.table), Component.foreign(changed.table)))
            \(Component.changes(added: changed.inserted, updated: changed.updated, deleted: changed.deleted))</h2>
            <p class="muted">\(time)\(Component.link(to: changed.run)) of
            \(Component.link(Link("streams", changed.stream), Component.breakable(changed.stream)))</p></div>
            \(table.html(id: "\(id)-rows", caption: caption))\(rest)</section>

            """
    }

    private static func pages(of table: ChangeTable, page: Int, _ link: Link) -> HTML {
        let previous: HTML? =
            page > 1 ? "<a class=\"button\" href=\"\(link.adding("page", "\(page - 1)"))\">Before</a> " : nil
        let isFull = table.count == changesOfOneRun && (table.isCut || table.changed.isCapped)
        let next: HTML? =
            isFull
            ? "<a class=\"button\" href=\"\(link.adding("page", "\(page + 1)"))\">Next \(changesOfOneRun)</a>" : nil
        return previous == nil && next == nil ? "" : "<p class=\"more\">\(previous)\(next)</p>"
    }

    /// The changes as `garner changes --json` gives them, as one array.
    private func changes(_ request: WebRequest, before: RunID?, run: RunID?, of stream: String?) async throws
        -> WebResponse
    {
        let limit = try request.number("limit", default: 100, upTo: Self.maximumChanges)
        let configured = configuration()?.streams.map(\.name) ?? []
        let changes = try await read { reader in
            let stored = try reader.streamNames()
            let name = try stream.map { try Self.stream($0, among: configured + stored) }
            guard name.map({ stored.contains($0) }) ?? true else { return [String]() }
            var selection = ChangeRequest(stream: name?.description, before: before, limit: limit)
            if let run {
                selection.since = .run(run)
                selection.before = RunID(run.number == .max ? run.number : run.number + 1)
            }
            var (changes, bytes): ([String], Int) = ([], 0)
            try reader.forEachChange(selection) { change in
                let text = change.json.text
                bytes += text.utf8.count
                guard bytes <= Self.maximumBytes else {
                    throw ParameterError(
                        name: "limit", value: "\(limit)",
                        advice: "ask for fewer changes with limit=N, or use 'garner changes --json', which has no limit"
                    )
                }
                changes.append(text)
            }
            return changes
        }
        return WebResponse(type: "application/json", .bytes(Array(JSONText.list(changes.map { .verbatim($0) }).utf8)))
    }
}
