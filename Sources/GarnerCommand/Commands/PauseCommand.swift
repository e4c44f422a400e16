import ArgumentParser
import GarnerCatalog

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause the schedule of streams.",
        discussion: """
            The pause lasts until 'garner resume', even after a restart. An active run
            ends as usual. 'garner trigger' still runs a paused stream.

              garner pause zoo.animals
              garner pause animals --json
            """)

    @Argument(
        help: "Streams, as source.stream, the stream name alone, or a pattern such as 'crm.*'.", completion: .streams)
    var streams: [String]

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        try await Pausing(setup: Setup(shared), isPaused: true).apply(to: streams)
    }
}
