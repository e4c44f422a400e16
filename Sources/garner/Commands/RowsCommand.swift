import ArgumentParser
import Catalog
import Persistence
import Sync

struct RowsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rows", abstract: "Browse the rows of a table.",
        discussion: """
              garner rows animals --limit 5
              garner rows animals --where "animal_type = 'Bird'" --columns id,name
              garner rows animals --order 'name DESC'
              garner rows animals --changed-since 24h
              garner rows animals --as-of 24h
            """)

    @Argument(help: "The table.")
    var table: String

    @Option(name: .customLong("where"), help: ArgumentHelp("An SQL condition.", valueName: "sql"))
    var condition: String?

    @Option(help: ArgumentHelp("SQL ordering terms.", valueName: "sql"))
    var order: String?

    @Option(help: ArgumentHelp("How many rows at most; 0 for all.", valueName: "n"))
    var limit = 100

    @Option(help: ArgumentHelp("Columns, separated by commas.", valueName: "names"))
    var columns: String?

    @Option(
        help: ArgumentHelp("Only rows changed since: an age such as 24h, or an instant in RFC 3339.", valueName: "when")
    )
    var changedSince: String?

    @Option(help: ArgumentHelp("The rows as they were: an age such as 24h, or an instant.", valueName: "when"))
    var asOf: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative") }
        if asOf != nil, changedSince != nil {
            throw ValidationError("--as-of and --changed-since exclude each other")
        }
    }

    func run() throws {
        let setup = Setup(shared)
        let archive = try setup.archive()
        let request = RowRequest(
            table: table, columns: columns.map { $0.split(separator: ",").map { $0.trimmed } }, condition: condition,
            order: order, limit: limit == 0 ? nil : limit,
            changedSince: try changedSince.map { try Instant.parse($0, now: setup.now()) })
        let statement = try Instant.statement(of: archive, asOf: asOf, now: setup.now()) {
            try archive.statement(for: request)
        }
        try RowOutput(setup: setup).write(statement, of: archive)
    }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}

/// An instant as people give it on the command line.
enum Instant {
    /// RFC 3339, or an age before `now` such as `24h`.
    static func parse(_ text: String, now: Timestamp) throws -> Timestamp {
        if let instant = Timestamp(rfc3339: text) { return instant }
        if let age = try? DurationText.parse(text) { return now.advanced(by: .zero - age) }
        throw Failure(
            code: ExitCode.usage, kind: "usage", message: "'\(text)' is neither an age nor an instant",
            hint: "write 24h, or 2026-01-31T08:00:00Z")
    }
}
