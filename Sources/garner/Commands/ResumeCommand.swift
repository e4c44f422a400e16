import ArgumentParser
import Catalog

struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let runs begin by the schedule again.",
        discussion: """
            The schedule goes on from now: what was due meanwhile is not made up for.

              garner resume zoo.animals
            """)

    @Argument(help: "Streams, as source.stream or by their bare name.", completion: .streams)
    var streams: [String]

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        try await Pausing(setup: Setup(shared), isPaused: false).apply(to: streams)
    }
}
