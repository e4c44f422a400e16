import GarnerDatabase
import GarnerModel
import GarnerPersistence

extension RecordFacts {
    /// The columns that name a record to people, the best first.
    private static let naming = ["name", "title", "label"]

    /// The name of the record; its key if it has none.
    var title: String {
        for name in Self.naming {
            if let index = relation.index(of: name), case .text(let text, _) = cells[index], !text.isEmpty {
                return String(text.prefix(120))
            }
        }
        return key.joined(separator: ", ")
    }
}

struct RecordPage {
    let facts: RecordFacts
    let origin: RecordOrigin?
    let now: Timestamp

    private var relation: Relation { facts.relation }

    var html: HTML {
        """
        <p class="crumbs">\(Component.link(Link("tables"), "Tables")) / \(Component.link(Link("tables", relation.name), Component.foreign(relation.name))) / \(Component.foreign(facts.key.joined(separator: ", ")))</p>
        <h1>\(Component.foreign(facts.title))</h1>
        \(changed)
        <div class="cols record"><div>
        <section aria-labelledby="fields"><h2 id="fields">Fields</h2><dl class="pairs">\(fields)</dl>
        <details><summary>Raw JSON</summary><pre class="raw">\(Component.foreign(raw))</pre></details></section></div>
        <div class="side">\(files)\(VersionList(history: facts.history, relation: relation, now: now).html)\(children)</div></div>
        """
    }

    private var changed: HTML {
        if let deletedAt = facts.deletedAt {
            let run = origin.map { " by \(Component.link(to: $0.run))" as HTML }
            let source: HTML =
                relation.stream.map { Component.link(Link("streams", $0), Component.breakable($0)) } ?? "the source"
            return """
                <div class="panel"><p>\(Component.badge(.deleted, "deleted", .quiet)) This record was deleted \
                \(Component.time(deletedAt, now: now))\(run). Its row is kept, although \(source) lacks it.</p></div>
                """
        }
        guard let origin else { return "" }
        let word = origin.operation == .update ? "Updated" : "Stored"
        let time = origin.at.map { " \(Component.time($0, now: now))" as HTML }
        return "<p class=\"note\">\(word)\(time) by \(Component.link(to: origin.run))</p>"
    }

    /// The most of the JSON that stands in the page, in bytes. The whole is beside it.
    private static let longestJSON = 100_000

    private var raw: String {
        guard facts.json.utf8.count > Self.longestJSON else { return facts.json }
        return String(decoding: Array(facts.json.utf8.prefix(Self.longestJSON)), as: UTF8.self) + "…"
    }

    private var fields: [HTML] {
        zip(relation.columns, facts.cells).map { column, cell in
            "<div><dt>\(Component.foreign(column.name))</dt><dd>\(Self.value(cell))</dd></div>"
        }
    }

    private static func value(_ cell: TableRows.Cell) -> HTML {
        switch cell {
        case .null, .number, .blob: return cell.html
        case .text("", _): return "<span class=\"null\">empty</span>"
        case .text(let text, let isCut):
            guard !isCut, isWebAddress(text) else {
                return
                    "\(Component.foreign(text))\(isCut ? "… <span class=\"muted\">(the rest is in the JSON)</span>" as HTML : "")"
            }
            return "<a href=\"\(text)\" rel=\"noreferrer noopener nofollow\">\(Component.foreign(text))</a>"
        }
    }

    /// Returns true for an address that may become a link. `javascript:`, `data:` and all others never do.
    static func isWebAddress(_ text: String) -> Bool {
        guard text.utf8.count < 2_000, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("https://") || start.hasPrefix("http://")
    }

    // MARK: Files

    private var files: HTML {
        let items = facts.attachments.map { file -> HTML in
            var said: [HTML] = [Component.foreign(file.field)]
            if let type = file.mediaType { said.append(HTML(type)) }
            if let length = file.length { said.append(Component.bytes(length)) }
            if let error = file.error { said.append("<span class=\"warn\">\(Component.foreign(error))</span>") }
            let caption: HTML = "<figcaption class=\"note\">\(said.joined(", "))</figcaption>"
            guard let digest = file.sha256 else { return "<figure>\(caption)</figure>" }
            let link = Link("files", digest)
            let isPicture = file.mediaType?.lowercased().hasPrefix("image/") ?? false
            let content: HTML =
                isPicture
                ? "<a href=\"\(link)\"><img class=\"photo\" src=\"\(link)\" alt=\"\(file.field) of \(facts.title)\"></a>"
                : Component.link(link, "Download")
            return "<figure>\(content)\(caption)</figure>"
        }
        return items.isEmpty
            ? "" : "<section aria-labelledby=\"files\"><h2 id=\"files\" class=\"sr\">Files</h2>\(items)</section>"
    }

    // MARK: Children

    private var children: HTML {
        let lists = facts.children.enumerated().map { position, child -> HTML in
            let link = child.first.address.link
            return """
                <section aria-labelledby="child-\(position)"><h2 id="child-\(position)">\
                \(Component.link(link, "\(Component.counted(child.rows.rows, "row")) of \(Component.foreign(child.rows.table))" as HTML))</h2>
                \(child.first.rows.isEmpty ? "" : TablePage(rows: child.first).plainTable(id: "rows-\(position)"))</section>
                """
        }
        return lists.joined()
    }
}
