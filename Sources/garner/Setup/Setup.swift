import Catalog
import Fetcher
import Foundation
import JSON
import Logging
import Persistence
import Sync

/// The composition root: where clocks, environment, files and terminals come into the program.
///
/// The environment is full of secrets: whoever prints what holds a setup, such as the log of its services, sees nothing of it.
struct Setup: Sendable, CustomStringConvertible, CustomReflectable {
    let options: SharedOptions
    let environment: [String: String]
    let clock = ContinuousClock()

    init(_ options: SharedOptions, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.options = options
        self.environment = environment
    }

    var description: String { "Setup" }
    var customMirror: Mirror { Mirror(self, children: []) }

    let now = Timing.system.now

    var timing: Timing { .system }

    /// New ones, to be shut down; for what needs no token.
    var transports: Transports { Transports(userAgent: userAgent, environment: environment) }

    /// New ones, to be shut down. Refresh tokens are kept in a rehearsal too: the server takes the old ones no more.
    func transports(keepingTokensBeside database: String) -> Transports {
        Transports(userAgent: userAgent, environment: environment, keeper: TokenFile(database: database))
    }

    private var userAgent: String { "garner/\(Version.current)" }

    var format: OutputFormat { chosenFormat ?? .table }

    /// nil where neither an option nor the environment names one.
    var chosenFormat: OutputFormat? {
        options.json ? .json : options.format ?? environment["GARNER_FORMAT"].flatMap(OutputFormat.init)
    }

    var isQuiet: Bool { options.quiet }

    /// Whether a commit waits for the disk; `SharedOptions.validate` has seen to the value.
    private var synchronous: Synchronous {
        environment["GARNER_SYNCHRONOUS"].flatMap(Synchronous.init(rawValue:)) ?? .full
    }

    /// Whether standard error is a terminal that a progress line may be drawn on.
    var drawsProgress: Bool {
        !options.noProgress && !options.quiet && environment["GARNER_NO_PROGRESS", default: ""].isEmpty
            && isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
    }

    func decoration(on descriptor: Int32) -> Decoration { Decoration(options.color, environment, on: descriptor) }

    /// The configuration that a flag or the environment names, whether or not it is there.
    var namedConfiguration: String? {
        options.config ?? environment["GARNER_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The configuration's file, which nothing may be written over; nil where there is none.
    var knownConfiguration: String? { try? configurationPath() }

    /// Where the configuration is, by flag, environment or place.
    func configurationPath() throws -> String {
        try ConfigurationDiscovery.find(flag: options.config, environment: environment)
    }

    /// - Parameter needsSecrets: false where nothing is sent.
    func configuration(needsSecrets: Bool = true) throws -> Configuration {
        let configuration = try Configuration.load(
            contentsOf: configurationPath(), environment: environment, needsSecrets: needsSecrets,
            selectorProblem: Self.selectorProblem)
        return withDatabase(configuration)
    }

    /// The database to read: by flag, environment or configuration.
    func databasePath() throws -> String {
        try namedDatabase ?? configuration(needsSecrets: false).database
    }

    /// The database that a flag or the environment names.
    var namedDatabase: String? {
        (options.database ?? environment["GARNER_DATABASE"]).flatMap { $0.isEmpty ? nil : $0 }
    }

    func archive() throws -> Archive { try Archive(path: databasePath()) }

    /// Opens the store and the connections for `body`, and closes them however it ends.
    ///
    /// - Parameter wait: how long another program that writes to the database is waited for.
    func withStore<Result>(
        _ configuration: Configuration, isRehearsal: Bool = false, waiting wait: Duration = .zero,
        _ body: (Store, Transports) async throws -> Result
    ) async throws -> Result {
        let store = try await store(of: configuration, isRehearsal: isRehearsal, waiting: wait)
        let transports = transports(keepingTokensBeside: configuration.database)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(store, transports)) } catch { result = .failure(error) }
        await store.close()
        try? await transports.shutdown()
        return try result.get()
    }

    private func store(of configuration: Configuration, isRehearsal: Bool, waiting wait: Duration) async throws -> Store
    {
        let end = clock.now + wait
        var hasTold = isQuiet
        while true {
            do {
                return try Store(
                    path: configuration.database, isRehearsal: isRehearsal, synchronous: synchronous, now: now)
            } catch let error as PersistenceError where error.kind == .locked && clock.now < end {
                if !hasTold { StandardError.write("Waiting: \(error.message).\n") }
                hasTold = true
                try await clock.sleep(for: min(.milliseconds(200), clock.now.duration(to: end)))
            }
        }
    }

    /// Opens the connections for `body`, and closes them however it ends.
    ///
    /// - Parameter configuration: whose streams are asked for; nil: one without tokens.
    func withTransports<Result>(
        of configuration: Configuration?, _ body: (Transports) async throws -> Result
    ) async throws -> Result {
        let transports = configuration.map { self.transports(keepingTokensBeside: $0.database) } ?? self.transports
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(transports)) } catch { result = .failure(error) }
        try? await transports.shutdown()
        return try result.get()
    }

    /// What brings in the pages of each stream.
    func pageFetchers(over transports: Transports) -> @Sendable (Catalog.Stream) throws -> PageFetcher {
        { stream in
            try PageFetcher(
                stream: stream, transport: transports.transport(for: stream), timing: timing,
                traffic: transports.traffic(of: stream, clock: clock),
                tokens: transports.tokens(of: stream, clock: clock))
        }
    }

    /// - Parameter renewed: the stream with new secrets, for a server that takes the old ones no more; nil: there are none.
    func streamSync(
        _ stream: Catalog.Stream, into store: Store, over transports: Transports,
        renewed: @escaping @Sendable () -> Catalog.Stream? = { nil }
    ) -> StreamSync {
        let fetcher = pageFetchers(over: transports)
        return StreamSync(stream, into: store, fetcher: try fetcher(stream)) { try renewed().map(fetcher) }
    }

    /// - Parameters:
    ///   - format: nil: as the environment says, or else as text.
    ///   - usual: what is logged without `--quiet` and `--verbose`.
    func logger(_ label: String, _ format: LogFormat? = nil, usual: Logger.Level = .info) -> Logger {
        let format = format ?? environment["GARNER_LOG_FORMAT"].flatMap(LogFormat.init) ?? .text
        var logger = Logger(label: label) { _ in LineLogHandler(format: format, writer: .standardError, now: now) }
        logger.logLevel = options.quiet ? .error : options.verbose ? .debug : usual
        return logger
    }

    /// Shows what is allowed but unwise.
    func showWarnings(of configuration: Configuration) {
        guard !options.quiet else { return }
        for issue in configuration.warnings {
            let hint: ShownText = issue.hint.map { "Try: \($0)\n" } ?? ""
            StandardError.write("Warning: \(issue.place): \(issue.message)\n\(hint)")
        }
    }

    private func withDatabase(_ configuration: Configuration) -> Configuration {
        var configuration = configuration
        if let path = options.database ?? environment["GARNER_DATABASE"], !path.isEmpty {
            configuration.database = path
        }
        return configuration
    }

    static let selectorProblem: @Sendable (String) -> String? = { text in
        do throws(SelectorError) {
            _ = try Selector(parsing: text)
            return nil
        } catch {
            return error.description
        }
    }
}
