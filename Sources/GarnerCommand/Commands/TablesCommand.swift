import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

struct TablesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tables", abstract: "List the stored tables, with row counts.",
        discussion: """
              garner tables
              garner tables --json
            """)

    @OptionGroup var shared: SharedOptions

    func run() throws {
        let setup = Setup(shared)
        let reader = try setup.reader()
        let path = try setup.databasePath()
        let configuration = (try? setup.configuration(needsSecrets: false)).flatMap { $0.database == path ? $0 : nil }
        let relations =
            try reader.tables().known(to: configuration) + reader.viewNames().map(TableSummary.init(view:))
        let hasViews = relations.last?.isView ?? false
        let isForPeople = setup.format == .table ? setup.showsSelection : setup.format.isForPeople
        try Report(
            records: relations.map(isForPeople ? \.summary : \.fields),
            shown: ["table", "stream", "rows", "last_changed_at"] + (hasViews ? ["kind"] : []),
            emptyHint: "Nothing is stored yet; \((reader.reasonOfNoTable() ?? .sync).words)."
        ).write(to: setup)
    }
}
