import ArgumentParser
import Catalog
import Sync

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Validate the configuration.",
        discussion: """
            Nothing is stored, and without --connect nothing is fetched.

              garner check
              garner check --connect zoo.animals
              garner check --config other.yaml --json
            """)

    @Argument(help: "Streams, as source.stream or by their bare name.")
    var streams: [String] = []

    @Flag(help: "Fetch one page of each stream too.")
    var connect = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let setup = Setup(shared)
        let configuration = try setup.configuration()
        setup.showWarnings(of: configuration)
        let streams = try configuration.streams(matching: streams)
        let checks = try await setup.withTransports(of: configuration) { transports in
            await StreamCheck.all(streams) { stream in
                let fetchers = setup.pageFetchers(over: transports)
                guard connect else {
                    _ = try fetchers(stream)
                    return nil
                }
                let first = try await FirstPage.fetch(
                    of: stream, parents: configuration.streams, now: setup.now(), with: fetchers)
                return StreamCheck.Sample(first.page)
            }
        }
        try CheckReport(
            checks: checks, connects: connect,
            emptyHint: "\(configuration.file) is valid; there is no stream in it yet. Add one under 'sources:'."
        ).write(to: setup)
        if let code = SyncSession.code(forFailures: checks.map { $0.failure?.code }) { throw Ending(code: code) }
    }
}
