import ArgumentParser
import GarnerCatalog
import GarnerFetcher
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime
import GarnerSync

struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show a stream's first page and the table it would create.",
        discussion: """
            This command stores nothing. It reads the database only for partitions whose
            values a query gives. If the page does not say whether there is a next one,
            garner asks once for it.

              garner preview animals
              garner preview zoo.animals --limit 3 --json
            """)

    @Argument(help: "The stream, as source.stream or just the stream name.", completion: .streams)
    var stream: String

    @Option(help: ArgumentHelp("Show at most this many records; 0 for the whole page.", valueName: "n"))
    var limit = 10

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() async throws {
        let setup = Setup(shared)
        let configuration = try setup.loadedConfiguration()
        setup.showWarnings(of: configuration)
        for stream in try configuration.streams(matching: [stream]) {
            do {
                let (first, advice) = try await setup.context.withTransports(of: configuration) { transports in
                    let first = try await FirstPage.fetch(
                        of: stream, parents: configuration.streams, database: configuration.database,
                        now: setup.now(), clock: setup.clock,
                        with: setup.context.pageFetchers(over: transports))
                    let advice = try await setup.advice(
                        on: stream, behind: first.page, over: transports)
                    return (first, advice)
                }
                let preview: PagePreview
                do {
                    preview = try PagePreview(
                        of: first, of: stream, limit: limit == 0 ? .max : limit, advice: advice,
                        now: setup.now())
                } catch let error as PersistenceError {
                    throw CommandError(first.redaction.failure(error))
                }
                try preview.write(to: setup)
                if let advice, !setup.isQuiet, !setup.format.isJSON {
                    StandardError.write("\(stream.name): \(advice)\n")
                }
            } catch {
                throw CommandError(error, of: stream)
            }
        }
    }
}
