import ArgumentParser
import GarnerCatalog
import DemoAPI
import Logging
import GarnerModel
import GarnerPresentation
import GarnerSync

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Try everything offline with a built-in animals API.",
        discussion: """
            The demo serves the API on loopback and syncs it into ./garner-demo. Then it
            changes the API's data, syncs again and shows what changed.

              garner demo
              garner demo --serve        # keeps the API running so that you can try commands
              garner demo --browse       # shows animals, streams and tables in a browser
            """)

    @Option(help: ArgumentHelp("The folder for the demo's files.", valueName: "folder"))
    var folder = "garner-demo"

    @Flag(help: "Keep the API running until you stop it.")
    var serve = false

    @Flag(help: "Keep the API and a service running, with a dashboard for browsers.")
    var browse = false

    @OptionGroup var listen: ListenOptions

    @Option(help: ArgumentHelp("The API's port; any free port by default, 8080 with --serve.", valueName: "port"))
    var port: Int?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if serve, browse { throw ValidationError("--browse keeps the API running, too; leave out --serve") }
        if listen.listen != nil, !browse { throw ValidationError("--listen needs --browse") }
    }

    func run() async throws {
        do {
            try await AnimalServer.serve(
                port: port ?? (serve ? 8080 : 0), maximumConnections: DescriptorLimit.current.browsers
            ) { server in
                let demo = Demo(
                    server: server, folder: try DemoFolder(folder, apiURL: server.baseURL), options: shared,
                    serves: serve || browse)
                try await demo.run()
                if serve { try await keepServing(server) }
                if browse { try await self.browse(demo) }
            }
        } catch let error as AnimalServerError {
            throw CommandError(
                .unavailable, kind: "demo_server", message: error.description,
                hint: "name another port with --port")
        }
    }

    /// Runs the schedule and the dashboard until a signal ends them.
    private func browse(_ demo: Demo) async throws {
        let setup = demo.setup
        let (verbose, quiet) = (shared.telling.verbose, shared.quiet)
        var listening = try listen.listening(otherwise: BrowseCommand.standardAddress)
        listening?.demo = Demo.randomAnimal
        listening?.onReady = { url in
            if !quiet { StandardError.write("\nOpen \(url)demo in a browser. Ctrl-C ends the demo.\n") }
        }
        try await ServeSession(
            setup: setup, configuration: setup.configuration(), usesHooks: false,
            logger: setup.logger("garner", usual: verbose ? .debug : .warning), listening: listening
        ).run()
    }

    private func keepServing(_ server: AnimalServer) async throws {
        try StandardOutput.write("\nThe API goes on at \(server.baseURL) until you press Ctrl-C.\n")
        let (ending, end) = AsyncStream.makeStream(of: Void.self)
        let signals = Signals { _ in end.finish() }
        for await _ in ending {}
        signals.stop()
    }
}
