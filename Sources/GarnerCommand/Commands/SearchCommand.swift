import ArgumentParser
import GarnerPersistence
import GarnerPresentation
import GarnerSync

struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find records by the words they contain.",
        discussion: """
            Garner finds records that contain all the words. It ignores case and accents.
            The best matches come first. The 'search' key in garner.yaml sets the fields.
            The search ends after a minute unless you set --timeout.

              garner search animals 'blue whale'
              garner search animals whale --limit 5 --json
              garner search animals 'whale OR fox*' --raw
            """)

    @Argument(help: "The table.", completion: .tables)
    var table: String

    @Argument(help: "The words to find.")
    var text: String

    @Option(help: ArgumentHelp("Show at most this many records; 0 for all.", valueName: "n"))
    var limit = 100

    @Flag(help: "Read the text as a query in SQLite's FTS5 syntax.")
    var raw = false

    @OptionGroup var deleted: DeletedOption
    @OptionGroup var time: TimeoutOption
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() throws {
        let setup = Setup(shared)
        let reader = try setup.reader()
        let query = GuardedQuery(setup: setup, timeout: try time.duration(otherwise: .seconds(60)))
        let words: SearchText = raw ? .expression(text) : .words(text)
        var leftOut = 0
        try setup.paging {
            try query.run(on: reader) { queryGuard in
                let rows = try reader.search(
                    table, for: words, limit: limit == 0 ? nil : limit, deleted: deleted.rows)
                try RowOutput(setup: setup, queryGuard: queryGuard).write(rows)
                if !deleted.isGiven { leftOut = try reader.deletedMatches(table, for: words) }
                if rows.count == 0, !raw, !setup.isQuiet { tellOperators() }
            }
        }
        DeletedOption.tell(leftOut: leftOut)
    }

    /// Tells of operators of FTS5, which are words without --raw.
    private func tellOperators() {
        guard
            let word = text.split(separator: " ").first(where: {
                ["AND", "OR", "NOT", "NEAR"].contains($0) || $0.hasSuffix("*")
            })
        else { return }
        StandardError.write("'\(word)' was looked for as a word; with --raw it is an operator of SQLite's FTS5\n")
    }
}
