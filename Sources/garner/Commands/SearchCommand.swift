import ArgumentParser
import Persistence
import Sync

struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find records by the words in them.",
        discussion: """
            Finds records that have all the words, whatever their case and accents.
            The best come first. The fields are those of 'search' in garner.yaml.
            It ends after a minute unless --timeout says otherwise.

              garner search animals 'blue whale'
              garner search animals whale --limit 5 --json
              garner search animals 'whale OR fox*' --raw
            """)

    @Argument(help: "The table.", completion: .tables)
    var table: String

    @Argument(help: "The words.")
    var text: String

    @Option(help: ArgumentHelp("How many records at most; 0 for all.", valueName: "n"))
    var limit = 100

    @Flag(help: "The text is in the syntax of SQLite's FTS5.")
    var raw = false

    @OptionGroup var time: TimeoutOption
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() throws {
        let setup = Setup(shared)
        let reader = try setup.reader()
        let query = GuardedQuery(setup: setup, timeout: try time.duration(otherwise: .seconds(60)))
        try setup.paging {
            try query.run(on: reader) { queryGuard in
                let rows = try reader.search(
                    table, for: raw ? .expression(text) : .words(text), limit: limit == 0 ? nil : limit)
                try RowOutput(setup: setup, queryGuard: queryGuard).write(rows)
            }
        }
    }
}
