import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

extension Dashboard {
    /// All tables with their rows, and the views of the database's owner.
    func tablesPage(_ request: WebRequest) async throws -> WebResponse {
        let configuration = configuration()
        let (tables, views) = try await read { reader in
            (try reader.tables().known(to: configuration), try reader.viewNames())
        }
        if request.format == .json { return .list((tables + views.map(TableSummary.init(view:))).map(\.fields)) }
        let now = now()
        var list = DataTable(
            id: "all-tables", caption: "\(Component.counted(tables.count, "table")), by name",
            columns: [
                .init("Table"), .init("Rows", isNumber: true, label: "Rows"), .init("From stream", label: "From"),
                .init("Last change", label: "Changed"),
            ], isStacked: true)
        list.rows = tables.map { table in
            [
                .init(Component.link(Link("tables", table.table), Component.breakable(table.table)), isHeader: true),
                .init(table.count.map { Component.number($0) } ?? ""),
                .init(table.stream.map { from($0, isConfigured: table.isConfigured) } ?? ""),
                .init(table.lastChangedAt.map { Component.time($0, now: now) } ?? "<span class=\"muted\">never</span>"),
            ]
        }
        let own = views.map { "<li>\(Component.link(Link("tables", $0), Component.breakable($0)))</li>" as HTML }
        return response(
            Page(
                title: "Tables", section: .tables,
                content: """
                    <h1>Tables</h1>
                    \(tables.isEmpty ? Component.empty("Nothing is stored yet.", try: "run <code>garner sync</code>") : list.html)
                    \(own.isEmpty ? "" : "<section aria-labelledby=\"views\"><h2 id=\"views\">Views</h2><ul>\(own)</ul></section>" as HTML)
                    """, twins: [("JSON", request.link.as(.json))]))
    }

    private func from(_ stream: String, isConfigured: Bool?) -> HTML {
        let link = Component.link(Link("streams", stream), Component.breakable(stream))
        return isConfigured == false ? "\(link)<span class=\"remark warn\">not in the file any more</span>" : link
    }
}
