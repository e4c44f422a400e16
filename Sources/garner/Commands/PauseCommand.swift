import ArgumentParser
import Catalog

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Let no run of a stream begin by its schedule.",
        discussion: """
            It stays so until 'garner resume', whatever is restarted meanwhile. A run that
            goes on ends as usual, and 'garner trigger' runs the stream all the same.

              garner pause zoo.animals
              garner pause animals --json
            """)

    @Argument(help: "Streams, as source.stream or by their bare name.", completion: .streams)
    var streams: [String]

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        try await Pausing(setup: Setup(shared), isPaused: true).apply(to: streams)
    }
}
