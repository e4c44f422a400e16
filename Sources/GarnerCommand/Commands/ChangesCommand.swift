import ArgumentParser
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSync

struct ChangesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes", abstract: "Show which records were added, updated and deleted.",
        discussion: """
            Garner records changes after a stream's first read has ended. They come in
            the order of the runs, and of the keys in each run. With 'history: true', each
            change shows its fields. With --json, each change is one line.

              garner changes --limit 20
              garner changes zoo.animals --since 24h
              garner changes --since yesterday --until today
              garner changes animals --since 2 --json
            """)

    @Argument(help: "The stream; all streams by default.", completion: .streams)
    var stream: String?

    @Option(
        help: ArgumentHelp(
            "Show the changes of runs that ended since an age such as 24h, yesterday or an instant, or of this run and later ones.",
            valueName: "when"))
    var since: String?

    @Option(
        help: ArgumentHelp("Show the changes of runs that ended before then, or up to this run.", valueName: "when"))
    var until: String?

    @Option(
        help: ArgumentHelp(
            "Show at most this many changes, the latest ones; 0 for all. (default: \(Self.usualLimit))",
            valueName: "n"))
    var limit: Int?
    private static let usualLimit = 100

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() throws {
        let setup = Setup(shared)
        let request = ChangeRequest(
            stream: stream, since: try since.map { try bound($0, setup.pastInstant) },
            until: try until.map { try bound($0, setup.instant) },
            limit: limit == 0 ? nil : limit ?? Self.usualLimit)
        let leavesOut = try ChangesOutput(setup: setup, reader: setup.reader()).write(request)
        if leavesOut, limit == nil, !setup.isQuiet {
            StandardError.write("There are earlier changes, too; --limit 0 shows all.\n")
        }
    }

    private func bound(_ text: String, _ instant: (String) throws -> Timestamp) throws -> ChangeRequest.Limit {
        if let run = RunID(text), run >= 0 { return .run(run) }
        return .instant(try instant(text))
    }
}
