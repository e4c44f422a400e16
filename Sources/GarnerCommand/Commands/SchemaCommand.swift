import ArgumentParser
import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Show the columns, types and keys of tables.",
        discussion: """
              garner schema
              garner schema animals --json
              garner schema --diff --since 24h
              garner schema animals --diff --since 1
            """)

    @Argument(help: "The table or view; all by default.", completion: .tablesAndViews)
    var table: String?

    @Flag(help: "Show added columns and widened types, with the run of each change.")
    var diff = false

    @Option(
        help: ArgumentHelp(
            "With --diff: start at a run, an age such as 24h, yesterday, or an instant.", valueName: "run|when"))
    var since: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if since != nil, !diff { throw ValidationError("--since needs --diff") }
    }

    func run() throws {
        let setup = Setup(shared)
        let reader = try setup.reader()
        if diff { return try writeDiff(of: reader, setup) }
        let tables = try (table.map { [$0] } ?? reader.tableNames() + reader.viewNames()).map(reader.description(of:))
        switch setup.format {
        case .json where table != nil: try StandardOutput.write(exactly: tables.map(\.json.text).joined() + "\n")
        case .json: try StandardOutput.write(.array(tables.map(\.json)))
        case .ndjson: try StandardOutput.write(exactly: JSONText.list(tables.map(\.json), inLines: true))
        default: try report(tables, of: reader).write(to: setup)
        }
    }

    private func writeDiff(of reader: ReadOnlyDatabase, _ setup: Setup) throws {
        let start = try since.map { text in
            try RunID(text).map(HistoryStart.run) ?? .instant(setup.pastInstant(text))
        }
        try Report(
            records: try reader.schemaChanges(of: table, since: start).map(\.fields),
            emptyHint: "No column came, and none was widened."
        ).write(to: setup)
    }

    private func report(_ tables: [TableDescription], of reader: ReadOnlyDatabase) -> Report {
        let hasViews = tables.contains(where: \.isView)
        return Report(
            records: tables.flatMap { table in
                let columns: [[Report.Field]] = table.columns.map { column in
                    [.init("table", table.table)] + column.fields(at: column.normalizedPath) + [
                        .init("first_seen_run", column.firstSeenRun)
                    ]
                }
                let others: [[Report.Field]] = table.others.map { column in
                    [
                        .init("table", table.table), .init("column", column.name), .init("type", column.type),
                        .init("key", Int?.none), .init("path", String?.none), .init("first_seen_run", Int?.none),
                    ]
                }
                let kind: [Report.Field] = hasViews ? [.init("kind", table.isView ? "view" : "table")] : []
                return (columns + others).map { $0 + kind }
            }, emptyHint: "Nothing is stored yet; \((reader.reasonOfNoTable() ?? .sync).words).")
    }
}
