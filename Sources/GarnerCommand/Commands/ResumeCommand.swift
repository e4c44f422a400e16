import ArgumentParser
import GarnerCatalog

struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume the schedule of streams.",
        discussion: """
            The schedule continues from now. Garner does not catch up on runs that were
            due during the pause.

              garner resume zoo.animals
            """)

    @Argument(
        help: "Streams, as source.stream, the stream name alone, or a pattern such as 'crm.*'.", completion: .streams)
    var streams: [String]

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        try await Pausing(setup: Setup(shared), isPaused: false).apply(to: streams)
    }
}
