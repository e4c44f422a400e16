import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

extension Dashboard {
    private static let maximumColumns = 500
    private static let maximumEntries = 500
    private static let maximumFiles = 20

    /// The records that could not be stored, with the buttons that store or forget them.
    func quarantineSection(_ detail: StreamDetail, _ now: Timestamp) -> HTML {
        let name = detail.status.stream.name.description
        guard !detail.quarantine.isEmpty else {
            return Component.section(
                "quarantine", "Quarantine", "\n<p class=\"muted\">Empty: every record fitted its table.</p>")
        }
        let canAct = actions != nil
        let shown = detail.quarantine.count
        var table = DataTable(
            id: "quarantine-rows",
            caption:
                "\(shown < detail.quarantined ? "The latest \(Component.grouped(shown)) of \(Component.counted(detail.quarantined, "record")) that" : "Records that") did not fit their table wait here. Retry stores them without asking the server.",
            columns: [
                .init("Record", label: "Record"), .init("Why"), .init("Times", isNumber: true, label: "Times"),
                .init("Latest"), .init("Since"),
            ]
                + (canAct ? [.init("<span class=\"sr\">Actions</span>")] : []), isStacked: true)
        table.rows = detail.quarantine.map { entry in
            let link = Link("quarantine", "\(entry.id)")
            let subject = "record \(entry.id)"
            let buttons: [DataTable.Cell] =
                canAct
                ? [
                    .init(
                        "<div class=\"acts\">\(Component.button("Retry", link.adding(component: "retry"), of: subject))\(Component.button("Drop", link.adding(component: "drop"), of: subject))</div>",
                        kind: "act")
                ] : []
            return [
                .init(Component.number(entry.id), isHeader: true),
                .init(Component.foreign(entry.reason.prefix(500)), kind: "wide"), .init(Component.number(entry.times)),
                .init(Component.link(to: entry.run)), .init(Component.time(entry.quarantinedAt, now: now)),
            ] + buttons
        }
        let all: HTML =
            canAct
            ? Component.button(
                "Retry all", Link("streams", name).adding(component: "retry"), of: "records in quarantine")
            : "<p class=\"muted\">Retry with <code>garner quarantine retry</code></p>"
        return """
            <section aria-labelledby="quarantine"><div class="bar"><h2 id="quarantine">Quarantine, \(Component.counted(detail.quarantined, "record"))</h2>\(all)</div>
            \(table.html)</section>
            """
    }

    /// Returns the files that the stream's latest read asked for in vain; none if looking takes too long.
    func failedFiles(of stream: StreamName) async -> [FailedFile] {
        await readInTime { try $0.failedFiles(of: stream, limit: Self.maximumFiles + 1) } ?? []
    }

    static func missingFiles(_ files: [FailedFile], _ now: Timestamp) -> HTML {
        guard !files.isEmpty else { return "" }
        let isCut = files.count > maximumFiles
        var table = DataTable(
            id: "file-rows",
            caption:
                "\(isCut ? "Some of the files" : "Files") that could not be fetched. The next run asks for them again.",
            columns: [.init("Field", label: "Field"), .init("Address"), .init("Why"), .init("Asked", label: "Asked")],
            isStacked: true)
        table.rows = files.prefix(maximumFiles).map { file in
            [
                .init(Component.foreign(file.field.cut(to: 100)), isHeader: true),
                .init("<code class=\"url\">\(Component.foreign(file.url.cut(to: 500)))</code>", kind: "wide"),
                .init(Component.foreign(file.reason.cut(to: 500)), kind: "wide"),
                .init(Component.time(file.askedAt, now: now)),
            ]
        }
        let count = "\(Component.counted(min(files.count, maximumFiles), "failure"))\(isCut ? " and more" : "")"
        return Component.section("files", "Files, \(count)", table.html)
    }

    /// The columns of the stream's tables, with what changed since the tables were made.
    func schema(_ detail: StreamDetail) -> HTML {
        let sections = detail.tables.enumerated().map { index, table -> HTML in
            // The first columns of a table are no drift.
            let first = table.columns.map(\.firstSeenRun).min()
            let changes = detail.schemaChanges.filter {
                $0.table.utf8.elementsEqual(table.table.utf8) && $0.run != first
            }
            let shown = table.columns.prefix(Self.maximumColumns)
            let count = Component.counted(table.columns.count, "column")
            var rows = DataTable(
                id: "schema-\(index)",
                caption:
                    "\(shown.count < table.columns.count ? "The first \(shown.count) of \(count)" : count), \(changes.isEmpty ? "none new or widened since the table was made" : Component.counted(changes.count, "change") + " since the table was made")",
                columns: [.init("Column"), .init("Type"), .init("Role"), .init("Place"), .init("Drift")])
            rows.rows = shown.map { column in
                let own = changes.filter { $0.column.utf8.elementsEqual(column.name.utf8) }
                let isKey = table.primaryKey.contains { $0.utf8.elementsEqual(column.name.utf8) }
                return [
                    .init("<code>\(Component.foreign(column.name.prefix(200)))</code>", isHeader: true),
                    .init(HTML(column.typeName)),
                    .init(isKey ? "key" : ""),
                    .init("<code>\(Component.foreign(column.normalizedPath.prefix(200)))</code>"),
                    .init(own.suffix(3).map(Self.drift).joined("<br>")),
                ]
            }
            rows.rows += table.others.prefix(Self.maximumColumns - shown.count).map { column in
                [
                    .init("<code>\(Component.foreign(column.name.prefix(200)))</code>", isHeader: true),
                    .init(Component.foreign(column.type.prefix(200))), .init("added"), .init(""), .init(""),
                ]
            }
            return """
                <section aria-labelledby="table-\(index)"><h2 id="table-\(index)">Schema of \(Component.link(Link("tables", table.table), Component.foreign(table.table)))</h2>
                \(rows.html)</section>

                """
        }
        let odd = Self.oddColumns(of: detail.status)
        let told: HTML =
            odd.isEmpty
            ? ""
            : Component.section(
                "odd-columns", "Columns with values of two kinds",
                "\n<ul>\(odd.map { "<li>\($0)</li>" as HTML }.joined())</ul>") + "\n"
        return sections.isEmpty
            ? Component.section(
                "schema", "Schema",
                Component.empty("There is no table yet. The first sync makes it from the records that come."))
            : told + sections.joined()
    }

    private static func drift(_ change: SchemaChange) -> HTML {
        let run = Component.link(to: change.run)
        return switch change.kind {
        case .added: "<span class=\"op ok\">\(Icon.added.html)<span>new</span></span> in \(run)"
        case .widened, .narrowed:
            "<span class=\"op warn\">\(Icon.updated.html)<span>\(change.kind.rawValue)</span></span> from \(change.oldType?.rawValue ?? "nulls only"), \(run)"
        }
    }

    /// Every value that applies to the stream, with the line that it comes from.
    func configurationSection(_ entries: EffectiveConfiguration.StreamEntries?, isConfigured: Bool) -> HTML {
        guard let entries, isConfigured else {
            let why: HTML =
                "This dashboard knows no configuration of this stream: it is not in the file, or there is only a database."
            return Component.section("configuration", "Configuration", "\n\(Component.empty(why))")
        }
        let (own, standard) = (
            entries.entries.filter { $0.origin != .standard }, entries.entries.filter { $0.origin == .standard }
        )
        let file = (configuration()?.file).map { " of \($0)" } ?? ""
        let caption = "Each value with the line\(file) that it comes from. Secrets are never shown."
        return """
            <section aria-labelledby="configuration"><div class="bar"><h2 id="configuration">Configuration in force</h2>
            <p class="muted">\(Component.counted(entries.entries.count, "value")), \(Component.grouped(standard.count)) of them defaults</p></div>
            \(Self.table(of: own, id: "configuration-rows", caption: caption, entries))
            <details><summary>The defaults</summary>\(Self.table(of: standard, id: "default-rows", caption: "What applies where no line says otherwise.", entries))</details></section>
            """
    }

    private static func table(
        of shown: [EffectiveConfiguration.Entry], id: String, caption: String,
        _ entries: EffectiveConfiguration.StreamEntries
    ) -> HTML {
        var table = DataTable(
            id: id, caption: HTML(caption), columns: [.init("Key"), .init("Value"), .init("Origin")])
        table.rows = shown.prefix(maximumEntries).map { entry in
            let fields = entry.fields(of: entries.name, in: entries.file)
            let origin = fields.first { $0.name == "origin" }?.text ?? entry.origin.description
            return [
                .init(
                    "<code>\(Component.foreign(entry.path.joined(separator: ".").prefix(200)))</code>", isHeader: true),
                .init("<code class=\"url\">\(Component.foreign(entry.value.description.prefix(1000)))</code>"),
                .init("<span class=\"muted\">\(Component.foreign(origin.prefix(200)))</span>"),
            ]
        }
        return table.html
    }
}
