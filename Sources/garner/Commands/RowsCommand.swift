import ArgumentParser
import Catalog
import Model
import Persistence
import Presentation
import Sync

struct RowsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rows", abstract: "Browse the rows of a table or view.",
        discussion: """
              garner rows animals --limit 5
              garner rows animals --where "animal_type = 'Bird'" --columns id,name
              garner rows animals --order 'name DESC'
              garner rows animals --changed-since 24h
              garner rows animals --where 'id = 11' --as-of 1   # after the first run
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
        help: ArgumentHelp("Only rows changed since an age such as 24h, or an RFC 3339 instant.", valueName: "when"))
    var changedSince: String?

    @OptionGroup var time: TimeoutOption

    @Option(
        help: ArgumentHelp(
            "Read the rows as of an age such as 24h, an instant, or the end of the run with this number.",
            valueName: "when"))
    var asOf: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
        if asOf != nil, changedSince != nil {
            throw ValidationError("--as-of and --changed-since exclude each other")
        }
    }

    func run() throws {
        let setup = Setup(shared)
        let reader = try setup.reader()
        var request = selection.request(of: table, limit: limit == 0 ? nil : limit ?? Self.usualLimit)
        request.changedSince = try changedSince.map { try Instant.parse($0, now: setup.now()) }
        var leavesOut = false
        let query = GuardedQuery(setup: setup, timeout: try time.duration(otherwise: .seconds(60)))
        try setup.paging {
            try Instant.viewing(reader, asOf: asOf, now: setup.now()) {
                try query.run(on: reader, isOurs: selection.haveNoSQL && reader.view(table) == nil) { queryGuard in
                    let rows = try reader.rows(for: request)
                    try RowOutput(setup: setup, queryGuard: queryGuard).write(rows)
                    leavesOut = rows.hasMore
                }
            }
        }
        if leavesOut, limit == nil, !setup.isQuiet {
            StandardError.write("There are more rows; --limit 0 shows all.\n")
        }
    }
}

/// The notation of an instant on the command line.
enum Instant {
    /// Parses RFC 3339, or an age before `now` such as `24h`.
    static func parse(_ text: String, now: Timestamp) throws -> Timestamp {
        if let instant = Timestamp(rfc3339: text) { return instant }
        if let age = try? DurationText.parse(text) { return now.advanced(by: .zero - age) }
        throw CommandError(
            .usage, kind: "usage", message: "'\(text)' is neither an age nor an instant",
            hint: "write 24h, or 2026-01-31T08:00:00Z")
    }
}
