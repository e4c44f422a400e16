import ArgumentParser
import Persistence
import Sync

struct ChangesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes", abstract: "Show what was added, updated and deleted.",
        discussion: """
            Changes are noted from the end of a stream's first read on, oldest first.
            With 'history: true' each tells its fields. With --json: a line for each.

              garner changes --limit 20
              garner changes zoo.animals --since 24h
              garner changes animals --since 2 --json
            """)

    @Argument(help: "The stream; all of them by default.", completion: .streams)
    var stream: String?

    @Option(
        help: ArgumentHelp(
            "Only of runs since: an age such as 24h, an instant, or the first run's number.", valueName: "when"))
    var since: String?

    @Option(help: ArgumentHelp("How many at most, the latest; 0 for all.", valueName: "n"))
    var limit = 100

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() throws {
        let setup = Setup(shared)
        let request = ChangeRequest(
            stream: stream, since: try since.map { try beginning($0, setup) }, limit: limit == 0 ? nil : limit)
        try ChangesOutput(setup: setup, reader: setup.reader()).write(request)
    }

    private func beginning(_ text: String, _ setup: Setup) throws -> ChangeRequest.Beginning {
        if let run = Int64(text), run >= 0 { return .run(run) }
        return .instant(try Instant.parse(text, now: setup.now()))
    }
}
