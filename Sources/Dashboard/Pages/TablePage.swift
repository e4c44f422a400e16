import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerPresentation

struct TablePage {
    enum Count: Sendable {
        case exactly(Int)
        case atLeast(Int)
        case unknown
    }

    /// The number at which counting ends if counting all takes too long.
    static let countLimit = 10_000

    let rows: TableRows

    private var address: TableAddress { rows.address }
    private var relation: Relation { address.relation }

    var html: HTML {
        """
        <div class="head"><div><p class="crumbs">\(Component.link(Link("tables"), "Tables")) / \(origin)</p>
        <h1>\(Component.foreign(relation.name))</h1></div>\(searchForm)</div>
        <div class="cols"><div>
        <div class="bar">\(chips)<p class="as">\(Component.formats(of: address.link)) \
        \(relation.asOf == nil ? Component.link(sql, "SQL of this view") : "")</p></div>
        \(filterForm)\(momentForm)
        \(table)
        """
    }

    /// The part after the rows, which ends what `html` begins.
    func rest(count: Count, deleted: Int?, facets: [Facet]) -> HTML {
        let next = rows.next.map { mark -> HTML in
            "<a class=\"button\" rel=\"next\" href=\"\(address.link(after: mark))\">Next rows</a>"
        }
        let first = address.mark == nil ? nil : "<a class=\"button\" href=\"\(address.link)\">First rows</a>" as HTML
        return """
            <nav class="bar below" aria-label="Rows"><span class="note">\(summary(count))\(leftOut(deleted))</span>\
            <span class="acts">\(first)\(next)</span></nav></div>
            \(facets.isEmpty ? "" : aside(facets))</div>
            """
    }

    private var origin: HTML {
        if relation.isView, relation.stream == nil { return "a view" }
        return relation.stream.map { "from \(Component.link(Link("streams", $0), Component.breakable($0)))" }
            ?? "a table"
    }

    private var sql: Link { Link("query").adding("sql", "\(address.selection.literal)\nLIMIT \(TableRows.pageRows)") }

    /// The rows that are left out, with the way to see them.
    private func leftOut(_ deleted: Int?) -> HTML {
        guard deleted != 0 else { return "" }
        let rows = deleted.map { Component.counted($0, "deleted row") } ?? "deleted rows"
        return "; \(Component.link(address.link(deleted: .shown), "\(rows) not shown" as HTML))"
    }

    private func summary(_ count: Count) -> HTML {
        let shown = rows.rows.count
        if relation.isView {
            return shown < TableRows.viewRows
                ? HTML(Component.counted(shown, "row")) : "The first \(Component.number(shown)) rows"
        }
        switch count {
        case .exactly(let all):
            return address.mark == nil && shown > 0
                ? "Rows 1 to \(Component.number(shown)) of \(Component.number(all))"
                : "\(Component.number(shown)) of \(Component.counted(all, "row"))"
        case .atLeast(let all): return "\(Component.number(shown)) of \(Component.number(all))+ rows"
        case .unknown: return "\(Component.number(shown)) rows of more that were not counted in time"
        }
    }

    // MARK: Search and filters

    private var searchForm: HTML {
        guard relation.searchIndex != nil else { return "" }
        let kept = address.changed { $0.words = nil }
        return """
            <form class="inline" role="search" action="\(Link("tables", relation.name))">\(hidden(kept.query))\
            <label class="sr" for="words">Search</label><input type="search" id="words" name="\(TableAddress.search)" \
            value="\(address.selection.words ?? "")" placeholder="Search"><button>Search</button></form>
            """
    }

    private func hidden(_ items: [QueryItem]) -> [HTML] {
        items.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" }
    }

    private var chips: HTML {
        let selection = address.selection
        func chip(_ link: Link, _ label: String, _ text: HTML) -> HTML {
            """
            <li><a class="chip" href="\(link)" aria-label="\(label)">\(text) <span aria-hidden="true">×</span></a></li>
            """
        }
        var items = selection.filters.map { filter in
            let text = Self.words(filter)
            return chip(address.link(without: filter), "Remove the filter \(text)", Component.foreign(text))
        }
        if let instant = relation.asOf {
            let text = "as of \(Component.exact(instant))"
            let label = "Show the rows of now instead of those \(text)"
            items.insert(chip(address.linkToNow, label, HTML(text)), at: 0)
        }
        if selection.deleted == .shown {
            items.append(chip(address.link(deleted: .leftOut), "Leave deleted rows out", "with deleted rows"))
        }
        if let words = selection.words {
            let (text, without) = ("“\(Self.short(words))”", address.changed { $0.words = nil })
            items.append(chip(without, "Remove the search for \(text)", Component.foreign(text)))
        }
        if items.count > 1 {
            var none = RowSelection(relation)
            none.order = selection.order
            items.append("<li class=\"note\">\(Component.link(TableAddress.link(none), "Remove all"))</li>")
        }
        return items.isEmpty
            ? "<p class=\"note\">\(Component.counted(relation.columns.count, "column"))</p>"
            : "<ul class=\"chips\" aria-label=\"Filters\">\(items)</ul>"
    }

    /// A filter in words: `lifespan ≥ 20`.
    static func words(_ filter: ColumnFilter) -> String {
        let (name, value) = (filter.column.name, short(filter.value))
        return switch filter.comparison {
        case .equal: "\(name) = \(value)"
        case .not: "\(name) ≠ \(value)"
        case .gt: "\(name) > \(value)"
        case .gte: "\(name) ≥ \(value)"
        case .lt: "\(name) < \(value)"
        case .lte: "\(name) ≤ \(value)"
        case .contains: "\(name) contains \(value)"
        case .startswith: "\(name) starts with \(value)"
        case .isnull: filter.value == "0" ? "\(name) has a value" : "\(name) is null"
        }
    }

    private static func short(_ text: String) -> String { text.cut(to: 60) }

    private static let comparisons: [(ColumnFilter.Comparison, String)] = [
        (.equal, "is"), (.not, "is not"), (.gt, "is more than"), (.gte, "is at least"), (.lt, "is less than"),
        (.lte, "is at most"), (.contains, "contains"), (.startswith, "starts with"), (.isnull, "is null"),
    ]

    private var filterForm: HTML {
        let columns = relation.columns.map { "<option>\($0.name)</option>" as HTML }
        let comparisons = Self.comparisons.map { "<option value=\"\($0.rawValue)\">\($1)</option>" as HTML }
        return """
            <details><summary>Add a filter</summary><form class="inline" action="\(Link("tables", relation.name))">\
            \(hidden(address.link.query))
            <label class="sr" for="column">Column</label><select id="column" name="\(TableAddress.formColumn)">\(columns)</select>
            <label class="sr" for="is">Condition</label><select id="is" name="\(TableAddress.formComparison)">\(comparisons)</select>
            <label class="sr" for="value">Value</label><input id="value" name="\(TableAddress.formValue)">
            <button>Add</button></form></details>
            """
    }

    /// The form that asks for the rows of another moment; nothing where no versions are kept.
    private var momentForm: HTML {
        guard relation.keepsVersions || relation.asOf != nil else { return "" }
        let value = relation.asOf.map { String($0.description.prefix(19)) } ?? ""
        return """
            <details><summary>Rows of another moment</summary><form class="inline" action="\(Link("tables", relation.name))">\
            \(hidden(address.linkToNow.query))
            <label for="moment">As of (UTC)</label><input type="datetime-local" step="1" id="moment" \
            name="\(TableAddress.asOf)" value="\(value)" required> <button>Show</button></form></details>
            """
    }

    // MARK: Rows

    private var caption: HTML {
        let hidden = relation.columns.count - rows.columns.count
        let rest: HTML =
            hidden > 0
            ? "; \(Component.number(hidden)) more columns are on the page of each record and in the CSV" : ""
        if let order = address.selection.order {
            let direction = order.isDescending ? "largest first" : "smallest first"
            return "Sorted by \(Component.foreign(relation.columns[order.column].name)), \(direction)\(rest)"
        }
        if address.selection.words != nil { return "The best matches first\(rest)" }
        if let instant = relation.asOf { return "As they were at \(Component.exact(instant))\(rest)" }
        return relation.isView
            ? "In the order of the view\(rest)"
            : relation.keyIsRowNumber ? "Sorted by key\(rest)" : "In the order in which they were stored\(rest)"
    }

    private var table: HTML {
        guard !rows.rows.isEmpty else {
            let isAll = address.selection.filters.isEmpty && address.selection.words == nil
            return isAll
                ? Component.empty("There is no row here.", try: "sync the stream that fills the table")
                : Component.empty(
                    "No row is like that.", try: Component.link(Link("tables", relation.name), "show all rows"))
        }
        return dataTable(id: "rows", caption: caption, columns: rows.columns.map(column))
    }

    /// The rows alone, without links to other orders.
    func plainTable(id: String) -> HTML {
        dataTable(
            id: id, caption: "The first \(Component.number(rows.rows.count))",
            columns: rows.columns.map { index in
                let column = relation.columns[index]
                return .init(
                    Component.foreign(column.name), isNumber: column.affinity == .number && !column.isBoolean)
            })
    }

    private func dataTable(id: String, caption: HTML, columns: [DataTable.Column]) -> HTML {
        var table = DataTable(id: id, caption: caption, columns: columns, isRecords: true)
        table.rows = rows.rows.map { row in
            row.cells.enumerated().map { position, cell in
                guard position == 0 else { return .init(cell.html) }
                let picture = row.picture.map {
                    "<img class=\"thumb\" src=\"\(Link("files", $0))\" alt=\"\" loading=\"lazy\">" as HTML
                }
                let name = row.key.map {
                    Component.link(Link.record($0, of: relation.name), cell.html)
                }
                return .init("\(picture)\(name ?? cell.html)", isHeader: true, kind: picture == nil ? nil : "pic")
            }
        }
        return table.html
    }

    private func column(_ index: Int) -> DataTable.Column {
        let column = relation.columns[index]
        let own = address.selection.order.flatMap { $0.column == index ? $0 : nil }
        let sorted = address.changed { $0.order = .init(column: index, isDescending: own?.isDescending == false) }
        let arrow = own.map { $0.isDescending ? " ↓" : " ↑" } ?? ""
        return .init(
            "<a href=\"\(sorted)\">\(Component.foreign(column.name))\(arrow)</a>",
            isNumber: column.affinity == .number && !column.isBoolean,
            order: own.map { $0.isDescending ? .descending : .ascending })
    }

    // MARK: Facets

    private func aside(_ facets: [Facet]) -> HTML {
        let lists = facets.enumerated().map { position, facet -> HTML in
            let column = relation.columns[facet.column]
            let entries = facet.entries.map { entry -> HTML in
                let filter = TableAddress.filter(column, entry.value)
                let isChosen = address.selection.filters.contains(filter)
                let link = isChosen ? address.link(without: filter) : address.link(column: column, value: entry.value)
                return """
                    <li><a href="\(link)"\(isChosen ? " aria-current=\"true\"" as HTML : "")>\
                    <span>\(entry.value.html(column))\(isChosen ? " ×" : "")</span> \
                    <span class="num">\(Component.number(entry.rows))</span></a></li>
                    """
            }
            let note = facet.sample.map { "<p class=\"note\">Among \(Component.number($0)) rows</p>" as HTML }
            return """
                <section aria-labelledby="facet-\(position)"><h3 id="facet-\(position)">\(Component.foreign(column.name))</h3>\
                \(note)<ul>\(entries)</ul></section>
                """
        }
        return "<aside class=\"facets\" aria-label=\"Values to choose from\">\(lists)</aside>"
    }
}
