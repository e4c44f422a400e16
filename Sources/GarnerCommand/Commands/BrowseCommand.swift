import ArgumentParser
import Dashboard
import GarnerLibC
import Logging
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime
import ServiceLifecycle

struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Show streams, records and runs in a browser.",
        discussion: """
            The dashboard shows the database and changes nothing. It ends with Ctrl-C. With
            --get, it prints one page and ends. Every page has its data as JSON, and tables
            have CSV: add .json or .csv to the path. 'garner serve --listen' has buttons
            that sync and pause.

              garner browse --open
              garner browse --get /index.json
              garner browse -d other.db
            """)

    static let standardAddress = ListenAddress(host: "127.0.0.1", port: 8787)

    @Option(help: ArgumentHelp("Print this page, and end.", valueName: "path"))
    var get: String?

    @Flag(help: "Open the page in the browser.")
    var open = false

    @OptionGroup var listen: ListenOptions

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if get != nil, open || listen.listen != nil { throw ValidationError("--get listens nowhere and opens nothing") }
        if let get, !get.hasPrefix("/") { throw ValidationError("write the path with a slash: --get /\(get)") }
    }

    func run() async throws {
        let setup = Setup(shared)
        let configuration =
            try setup.namedDatabase == nil
            ? setup.configuration(needsSecrets: false) : try? setup.configuration(needsSecrets: false)
        let path = try setup.databasePath()
        // Says at once what is wrong with the database.
        _ = try ReadOnlyDatabase(path: path)
        guard let listening = try listen.listening(otherwise: Self.standardAddress) else { return }
        let dashboard = setup.dashboard(of: path, { configuration }, access: listening.access) {
            guard let configuration, let states = try? ReadOnlyDatabase(path: path).scheduleStates() else {
                return []
            }
            return await setup.serviceNotices(of: configuration, states)
        }
        if let get { return try await write(get, of: dashboard) }
        try await serve(dashboard, listening, setup)
    }

    /// Writes the body of a page. The exit code tells of an error page.
    private func write(_ target: String, of dashboard: Dashboard) async throws {
        let response = await dashboard.respond(to: WebRequest(target: target, headers: ["host": "localhost"]))
        func put(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try StandardOutput.write($0) } }
        switch response.body {
        case .bytes(let bytes): try put(bytes)
        case .parts(let parts): for try await part in parts { try put(part) }
        }
        guard response.status >= 400 else { return }
        throw ExitError(code: (response.status == 404 ? ErrorCategory.missing : .failed).rawValue)
    }

    private func serve(_ dashboard: Dashboard, _ listening: DashboardListening, _ setup: Setup) async throws {
        let (ending, ended) = AsyncStream<Void>.makeStream()
        let signals = Signals { _ in ended.yield() }
        defer { signals.stop() }
        let (isQuiet, opens) = (setup.isQuiet, open)
        let server = DashboardServer(dashboard, at: listening.address, logger: setup.logger("garner", usual: .warning))
        { port in
            let url = listening.address.url(port: port)
            if !isQuiet { StandardError.write("The dashboard is at \(url) until you press Ctrl-C.\n") }
            if opens { Browser.open(url) }
        }
        let configuration = ServiceGroupConfiguration(
            services: [
                .init(service: server, failureTerminationBehavior: .gracefullyShutdownGroup),
                .init(service: UntilSignal(signals: ending), successTerminationBehavior: .gracefullyShutdownGroup),
            ], logger: Logger(label: "garner") { _ in SwiftLogNoOpLogHandler() })
        try await ServiceGroup(configuration: configuration).run()
    }
}

private struct UntilSignal: Service {
    let signals: AsyncStream<Void>

    func run() async { await cancelWhenGracefulShutdown { for await _ in signals { return } } }
}

private enum Browser {
    /// Opens an address. Without a browser, nothing happens: the address is on the terminal, too.
    static func open(_ url: String) {
        #if os(macOS)
            let program = "/usr/bin/open"
        #else
            let program = "/usr/bin/xdg-open"
        #endif
        guard access(program, X_OK) == 0 else { return }
        // The browser may outlive this program, which then no longer reads its output.
        let words = ["/bin/sh", "-c", "exec \"$0\" \"$1\" >/dev/null 2>&1", program, url]
        Task { try await ChildProcess(words: words, environment: CurrentProcess.environment, input: "").run() }
    }
}
