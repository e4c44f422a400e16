import GarnerCatalog
import GarnerFetcher
import GarnerLibC
import Logging
import GarnerModel
import GarnerMaintenance
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime
import GarnerShards

/// The composition root, which brings clocks, environment, files and terminals into the program.
///
/// The environment is full of secrets, so printing a setup, as the log of its services might, shows nothing of it.
struct Setup: Sendable, CustomStringConvertible, CustomReflectable {
    let options: SharedOptions
    let environment: [String: String]
    let clock = ContinuousClock()

    init(_ options: SharedOptions, environment: [String: String] = CurrentProcess.environment) {
        self.options = options
        self.environment = environment
    }

    var description: String { "Setup" }
    var customMirror: Mirror { Mirror(self, children: []) }

    let now = Timing.system.now

    var timing: Timing { .system }

    /// The tools that work is done with. They do not know the command line.
    var context: RuntimeContext {
        RuntimeContext(timing: timing, environment: environment, userAgent: "garner/\(Version.current)") {
            try loadedConfiguration()
        }
    }

    var format: RowFormat { chosenFormat ?? .table }

    /// The format that an option or the environment names; nil if neither does.
    var chosenFormat: RowFormat? {
        if options.json { return .json }
        if options.wide || options.vertical { return .table }
        return options.common.format ?? environment["GARNER_FORMAT"].flatMap(RowFormat.init)
    }

    var isQuiet: Bool { options.quiet }

    /// True if standard error is a terminal on which a progress line may be drawn.
    var drawsProgress: Bool {
        !options.telling.noProgress && !options.quiet && environment["GARNER_NO_PROGRESS", default: ""].isEmpty
            && isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
    }

    func decoration(on descriptor: Int32) -> ANSIStyle { ANSIStyle(options.telling.color, environment, on: descriptor) }

    /// The configuration path that a flag or the environment names, even if no file is there.
    var namedConfiguration: String? {
        options.common.config ?? environment["GARNER_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The configuration file, which must not be overwritten; nil if there is none.
    var knownConfiguration: String? { try? configurationPath() }

    /// Returns the path of the configuration, by flag, environment or default place.
    func configurationPath() throws -> String {
        try ConfigurationDiscovery.find(flag: options.common.config, environment: environment)
    }

    /// - Parameter needsSecrets: False if no request is sent.
    /// - Throws: `ConfigurationError` if it is not valid, or if a variable or a file is missing.
    func configuration(needsSecrets: Bool = true) throws -> Configuration {
        let configuration = try loadedConfiguration(needsSecrets: needsSecrets)
        if needsSecrets { try configuration.requireSecrets() }
        return configuration
    }

    /// Returns the configuration, with the keys of hashes, but without other secrets: no request is sent.
    func configurationForHashing() throws -> Configuration {
        let withoutSecrets = try configuration(needsSecrets: false)
        guard withoutSecrets.streams.contains(where: { !$0.fields.hash.fields.isEmpty }) else { return withoutSecrets }
        var configuration = try loadedConfiguration()
        let missing = configuration.streams.flatMap(\.missingOfFields)
        guard missing.isEmpty else { throw ConfigurationError.invalid(missing) }
        for (index, stream) in withoutSecrets.streams.enumerated() where configuration.streams.indices.contains(index) {
            configuration.streams[index].missing = stream.missing
        }
        return configuration
    }

    /// Returns a configuration of whose streams some may miss variables or files. Their requests fail, and say so.
    ///
    /// - Parameter file: The file to read; nil for the one that is found.
    func loadedConfiguration(of file: String? = nil, needsSecrets: Bool = true) throws -> Configuration {
        var configuration = try Configuration.load(
            contentsOf: file ?? configurationPath(), environment: environment, needsSecrets: needsSecrets)
        if needsSecrets { try requirePublishable(configuration) }
        if let namedDatabase { configuration.database = namedDatabase }
        _ = try shard(of: configuration.place, placed: configuration.file)
        return configuration
    }

    /// Returns the configuration for runs, and the service that makes them if one is running. It has secrets of its own, so
    /// that this process needs none then.
    func configurationForRuns() async throws -> (Configuration, RunningService?) {
        do {
            let configuration = try loadedConfiguration()
            return (configuration, await RunningService(of: configuration, self))
        } catch {
            guard let known = try? configuration(needsSecrets: false),
                let service = await RunningService(of: known, self)
            else { throw error }
            return (known, service)
        }
    }

    /// Returns the path of the database to read, by flag, environment or configuration.
    func databasePath() throws -> String { try databasePlace().path }

    func databasePlace() throws -> DatabasePlace {
        try namedDatabase.map { .file($0) } ?? configuration(needsSecrets: false).place
    }

    /// The database that a flag or the environment names.
    var namedDatabase: String? {
        (options.common.database ?? environment["GARNER_DATABASE"]).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Parameter isAny: True if the database may be of any program, so that the streams of the file are no matter of it.
    func reader(isAny: Bool = false) throws -> ReadOnlyDatabase {
        let path =
            try isAny
            ? namedDatabase ?? configuredPlace().path
            : databasePath()
        // The file may use the variable itself.
        if !isQuiet, namedDatabase == nil, let other = environment["GARNER_DB"], !other.isEmpty, !path.hasSuffix(other)
        {
            StandardError.warn(
                "the variable GARNER_DB is set, but Garner reads GARNER_DATABASE",
                try: "export GARNER_DATABASE=\"$GARNER_DB\"")
        }
        return try ReadOnlyDatabase(path: path, isAny: isAny)
    }

    /// Returns the place of the database that the configuration names. Its streams are no matter.
    private func configuredPlace() throws -> DatabasePlace {
        let file = try configurationPath()
        let place = try Configuration.databasePlace(in: file, environment: environment)
        _ = try shard(of: place, placed: file)
        return place
    }

    /// Opens the database as `RuntimeContext.withStore` does, and tells people of it.
    ///
    /// - Parameter tellCreated: Tells the whole path of a new database; nil to write it to standard error.
    func withStore<Result>(
        _ configuration: Configuration, in shard: ShardPlace? = nil, isDryRun: Bool = false,
        waiting wait: Duration = .zero, askingHolder asksHolder: Bool = false, tellCreated: ((String) -> Void)? = nil,
        _ body: (DatabaseWriter, Transports, TablePublication?) async throws -> Result
    ) async throws -> Result {
        try await context.withStore(
            configuration, in: shard, isDryRun: isDryRun, waiting: wait, askingHolder: asksHolder,
            telling: { news in
                switch news {
                case .created(let path):
                    if let tellCreated { return tellCreated(path) }
                    let isOfVariable = options.common.database == nil && namedDatabase != nil
                    guard !isQuiet, !format.isJSON else { return }
                    StandardError.write(
                        "The database \(path) is new\(isOfVariable ? "; GARNER_DATABASE names it" : "").\n")
                case .waiting(let error):
                    if !isQuiet { StandardError.write("Waiting: \(error.message).\n") }
                }
            }, body)
    }

    /// Opens a file for `body`, which sends no request, or each shard, and closes it however it ends.
    ///
    /// - Parameters:
    ///   - source: The source whose streams `body` changes, of which one shard is enough; nil for all shards.
    ///   - publishes: True if what `body` has changed is published at the end. What is not is noted, and published later.
    func withWriters<Result>(
        of path: String, for source: String? = nil, publishes: Bool = false,
        _ body: (DatabaseWriter) async throws -> Result
    ) async throws -> [Result] {
        let configuration = configurationPublishing(path)
        return try await withFiles(of: path, for: source) { file, commits in
            try await context.withWriter(at: file, publishing: configuration, commits: commits) { writer, publication in
                let result = try await body(writer)
                if publishes { await publish(with: publication, configuration?.publish) }
                return result
            }
        }
    }

    /// - Parameters:
    ///   - format: The format; nil for the one that the environment names, or else text.
    ///   - usual: The log level without `--quiet` and `--verbose`.
    func logger(_ label: String, _ format: LogFormat? = nil, usual: Logger.Level = .info) -> Logger {
        let format = format ?? environment["GARNER_LOG_FORMAT"].flatMap(LogFormat.init) ?? .text
        var logger = Logger(label: label) { _ in LineLogHandler(format: format, writer: .standardError, now: now) }
        logger.logLevel = options.quiet ? .error : options.telling.verbose ? .debug : usual
        return logger
    }

    /// Shows valid but unwise settings.
    func showWarnings(of configuration: Configuration) {
        guard !options.quiet else { return }
        for issue in configuration.warnings {
            StandardError.warn("\(issue.place): \(issue.message)", try: issue.hint)
        }
    }

    static func warn(_ message: String, of stream: StreamConfiguration, try hint: String? = nil) {
        StandardError.warn("\(stream.place): stream \(stream.name): \(message)", try: hint)
    }
}

extension Setup {
    /// Runs `body`. The first SIGINT or SIGTERM cancels it, and the program then ends with the signal's code.
    func interruptibly<Result>(_ body: (Cancellation) throws -> Result) throws -> Result {
        let cancellation = Cancellation()
        let signals = Signals { _ in cancellation.cancel() }
        defer { signals.stop() }
        do {
            return try body(cancellation)
        } catch is CancellationError {
            throw ExitError(code: 128 + (signals.first ?? SIGINT))
        }
    }
}

/// The lookup of a stream in the database, even if it is no longer configured.
enum StoredStream {
    static func named(_ name: String, in reader: ReadOnlyDatabase) throws -> StreamName {
        let names = try reader.streamNames()
        return names[try StreamSelection.index(of: name, among: names.map(\.description))]
    }
}
