import ArgumentParser
import Catalog
import Sync

struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show a stream's first page and the table it would make.",
        discussion: """
            One page is fetched and nothing is stored: the database is not even opened.

              garner preview animals
              garner preview zoo.animals --limit 3 --json
            """)

    @Argument(help: "The stream, as source.stream or by its bare name.")
    var stream: String

    @Option(help: ArgumentHelp("How many records at most; 0 for all of the page.", valueName: "n"))
    var limit = 10

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() async throws {
        let setup = Setup(shared)
        let configuration = try setup.configuration()
        setup.showWarnings(of: configuration)
        for stream in try configuration.streams(matching: [stream]) {
            do {
                let first = try await setup.withTransports(of: configuration) { transports in
                    try await FirstPage.fetch(
                        of: stream, parents: configuration.streams, now: setup.now(),
                        with: setup.pageFetchers(over: transports))
                }
                try PagePreview(of: first, of: stream, limit: limit == 0 ? .max : limit).write(to: setup)
            } catch {
                throw Failure(error, of: stream)
            }
        }
    }
}
