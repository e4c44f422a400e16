import ArgumentParser
import Catalog
import DemoAPI
import Model
import Presentation
import Sync

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Try everything offline with a built-in animals API.",
        discussion: """
            The demo serves the API on loopback and syncs it into ./garner-demo. Then it
            changes the API's data, syncs again and shows what changed.

              garner demo
              garner demo --serve        # keeps the API running so that you can try commands
            """)

    @Option(help: ArgumentHelp("The folder for the demo's files.", valueName: "folder"))
    var folder = "garner-demo"

    @Flag(help: "Keep the API running until you stop it.")
    var serve = false

    @Option(help: ArgumentHelp("The API's port; any free port by default, 8080 with --serve.", valueName: "port"))
    var port: Int?

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        do {
            try await AnimalServer.serve(port: port ?? (serve ? 8080 : 0)) { server in
                let demo = Demo(
                    server: server, folder: try DemoFolder(folder, apiURL: server.baseURL), options: shared,
                    serves: serve)
                try await demo.run()
                if serve { try await keepServing(server) }
            }
        } catch let error as AnimalServerError {
            throw CommandError(
                .unavailable, kind: "demo_server", message: error.description,
                hint: "name another port with --port")
        }
    }

    private func keepServing(_ server: AnimalServer) async throws {
        try StandardOutput.write("\nThe API goes on at \(server.baseURL) until you press Ctrl-C.\n")
        let (ending, end) = AsyncStream.makeStream(of: Void.self)
        let signals = Signals { _ in end.finish() }
        for await _ in ending {}
        signals.stop()
    }
}
