import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSync

struct RowsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rows", abstract: "Browse the rows of a table or view.",
        discussion: """
              garner rows animals --limit 5
              garner rows animals --where "animal_type = 'Bird'" --columns id,name
              garner rows animals --order 'name DESC'
              garner rows animals --changed-since yesterday
              garner rows animals --where 'id = 11' --as-of 1   # after the first run
              garner rows animals --deleted    # and those that the source lacks
            """)

    @Argument(help: "The table or view.", completion: .tablesAndViews)
    var table: String

    @OptionGroup var selection: RowOptions

    @Option(
        help: ArgumentHelp(
            "Show at most this many rows; 0 for all. (default: \(Self.usualLimit))", valueName: "n"))
    var limit: Int?
    private static let usualLimit = 100

    @Option(
        help: ArgumentHelp("Only rows changed since an age such as 24h, yesterday, or an instant.", valueName: "when"))
    var changedSince: String?

    @OptionGroup var time: TimeoutOption

    @OptionGroup var moment: AsOfOption

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
        if moment.asOf != nil, changedSince != nil {
            throw ValidationError("--as-of and --changed-since exclude each other")
        }
    }

    func run() throws {
        let setup = Setup(shared)
        let reader = try setup.reader()
        if let condition = selection.condition { RowOptions.warnOfSlips(in: condition, on: table, reader) }
        var request = selection.request(of: table, limit: limit == 0 ? nil : limit ?? Self.usualLimit)
        request.changedSince = try changedSince.map(setup.pastInstant)
        var (leavesOut, isEmpty, deleted) = (false, false, 0)
        let query = GuardedQuery(setup: setup, timeout: try time.duration(otherwise: .seconds(60)))
        try setup.paging {
            try moment.viewing(reader, setup) {
                try query.run(on: reader, isOurs: selection.haveNoSQL && reader.view(table) == nil) { queryGuard in
                    let rows = try reader.rows(for: request)
                    try RowOutput(setup: setup, queryGuard: queryGuard).write(rows)
                    (leavesOut, isEmpty) = (rows.hasMore, rows.count == 0)
                    deleted = try reader.rowsLeftOut(by: request)
                }
            }
        }
        DeletedOption.tell(leftOut: deleted)
        if isEmpty, deleted == 0, selection.condition == nil, changedSince == nil, !setup.isQuiet {
            StandardError.write("\(table) is empty.\n")
        }
        if leavesOut, limit == nil, !setup.isQuiet {
            StandardError.write("There are more rows; --limit 0 shows all.\n")
        }
    }
}
