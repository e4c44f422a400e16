import ArgumentParser
import Catalog
import Fetcher
import Sync

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Validate the configuration.",
        discussion: """
            Nothing is fetched and nothing is stored.

              garner check
              garner check --config other.yaml --json
            """)

    @Argument(help: "Streams, as source.stream or by their bare name.")
    var streams: [String] = []

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        let configuration = try setup.configuration()
        setup.showWarnings(of: configuration)
        let streams = try configuration.streams(matching: streams)
        let transports = setup.transports
        let failures = streams.compactMap { stream in
            do {
                _ = try PageFetcher(
                    stream: stream, transport: transports.transport(for: stream), timing: setup.timing)
                return Failure?.none
            } catch {
                var failure = Failure(error)
                failure.place = stream.place.description
                return failure
            }
        }
        try await transports.shutdown()
        if let failure = failures.first { throw failure }
        try Report(
            records: streams.map { stream in
                [
                    .init("stream", stream.name.description), .init("table", stream.table),
                    .init("schedule", stream.schedule.map { "every \(DurationText.format($0.every))" }),
                    .init("result", "ok"),
                ]
            }, emptyHint: "\(configuration.file) is valid; there is no stream in it yet. Add one under 'sources:'."
        ).write(to: setup)
    }
}
