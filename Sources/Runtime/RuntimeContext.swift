package import GarnerCatalog
package import GarnerFetcher
import GarnerLibC
import GarnerModel
package import GarnerPersistence
import GarnerPublish
import GarnerReports
package import GarnerShards
package import GarnerSync
import GarnerTasks

/// The tools of a process: clocks, random numbers, its environment, connections, and the way to its configuration.
///
/// The environment is full of secrets, so printing a context, as the log of its services might, shows nothing of it.
package struct RuntimeContext: Sendable, CustomStringConvertible, CustomReflectable {
    package let timing: Timing
    package let environment: [String: String]
    package let userAgent: String
    package let load: @Sendable () throws -> Configuration

    package init(
        timing: Timing, environment: [String: String], userAgent: String,
        load: @escaping @Sendable () throws -> Configuration
    ) {
        (self.timing, self.environment, self.userAgent, self.load) = (timing, environment, userAgent, load)
    }

    /// Returns the context of a part of the configuration.
    package func loading(_ part: @escaping @Sendable (Configuration) -> Configuration) -> RuntimeContext {
        RuntimeContext(timing: timing, environment: environment, userAgent: userAgent) { [load] in part(try load()) }
    }

    var clock: any Clock<Duration> { timing.clock }
    var now: @Sendable () -> Timestamp { timing.now }

    package var description: String { "RuntimeContext" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns new transports, which the caller shuts down. A dry run also stores refresh tokens, since the
    /// server no longer accepts the old ones.
    ///
    /// - Parameters:
    ///   - database: The database that tokens are kept beside; nil for work that stores none.
    ///   - heedsRefusedLogins: False if a person asks for a login now, although it was refused before.
    package func transports(
        keepingTokensBeside database: DatabasePlace?, heedsRefusedLogins: Bool = true
    ) throws -> Transports {
        let shard = try database.flatMap { try ShardPlace($0, environment) }
        let storage: (any TokenStorage)? =
            if let shard { ShardTokens(shard) } else { database.map { TokenFile(database: $0.path) } }
        return Transports(
            userAgent: userAgent, environment: environment, storage: storage,
            programs: TokenPrograms(environment: environment), heedsRefusedLogins: heedsRefusedLogins)
    }

    /// The pages whose commits wait for the disk. The command has checked the value.
    private var synchronous: Synchronous {
        environment["GARNER_SYNCHRONOUS"].flatMap(Synchronous.init(rawValue:)) ?? .normal
    }

    /// What a person may want to know of the database that is opened.
    package enum StoreNews {
        case created(path: String)
        /// Another program writes to it.
        case waiting(PersistenceError)
    }

    /// Opens the database and the connections for `body`, and closes them however it ends.
    ///
    /// The body gets what publishes the tables, too, unless nothing does. It has to be told when.
    ///
    /// - Parameters:
    ///   - shard: The shard of a database that PostgreSQL keeps; nil for a file.
    ///   - wait: The time to wait for another program that writes to the database.
    ///   - asksHolder: True if a service that writes the shard is asked to give it back for a while.
    ///   - tell: Tells the whole path of a new database, and once that it waits.
    package func withStore<Result>(
        _ configuration: Configuration, in shard: ShardPlace?, isDryRun: Bool, waiting wait: Duration,
        askingHolder asksHolder: Bool = false, telling tell: (StoreNews) -> Void,
        _ body: (DatabaseWriter, Transports, TablePublication?) async throws -> Result
    ) async throws -> Result {
        try await withTransports(of: configuration, heedsRefusedLogins: true) { transports -> Result in
            let path = configuration.database
            guard let shard else {
                let isNew = access(path, F_OK) != 0
                return try await withWriter(
                    at: path, publishing: configuration, isDryRun: isDryRun, waiting: wait, telling: tell
                ) { writer, publication in
                    // In a wrong folder, a new database would look like the loss of all rows.
                    if isNew, !isDryRun, let path = FileCreation.resolved(path) { tell(.created(path: path)) }
                    return try await body(writer, transports, publication)
                }
            }
            guard !isDryRun else {
                return try await withThrowawayCopy(of: shard) { copy in
                    try await withWriter(at: copy, publishing: configuration, isDryRun: true) {
                        try await body($0, transports, $1)
                    }
                }
            }
            return try await withCopy(
                of: shard, with: configuration.sources, waiting: wait, askingHolder: asksHolder, telling: tell
            ) { copy in
                try await withWriter(at: copy.path, publishing: configuration, commits: copy.keeper) {
                    try await body($0, transports, $1)
                }
            }
        }
    }

    /// Opens a file for `body`, and closes it however it ends.
    ///
    /// - Parameters:
    ///   - configuration: What is published, if anything is; nil for nothing.
    ///   - commits: The receiver of each commit, if the file is only a copy.
    package func withWriter<Result>(
        at path: String, publishing configuration: Configuration?, isDryRun: Bool = false,
        commits: (any CommitReceiver)? = nil, waiting wait: Duration = .zero,
        telling tell: (StoreNews) -> Void = { _ in },
        _ body: (DatabaseWriter, TablePublication?) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        configuration?.database = path
        let token = configuration?.publish == nil || isDryRun ? nil : Publisher.newToken()
        let writer = try await store(
            at: path, isDryRun: isDryRun, publishingAs: token, commits: commits, waiting: wait, telling: tell)
        var publication: TablePublication?
        if let configuration, let token {
            publication = TablePublication(configuration, writer, token: token, self)
        }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(writer, publication)) } catch { result = .failure(error) }
        await publication?.close()
        await writer.close()
        return try result.get()
    }

    private func store(
        at path: String, isDryRun: Bool, publishingAs token: String?, commits: (any CommitReceiver)?,
        waiting wait: Duration, telling tell: (StoreNews) -> Void
    ) async throws -> DatabaseWriter {
        let stopwatch = Stopwatch(timing.clock)
        var hasTold = false
        let beginning = try await (commits as? ShardKeeper)?.beginning()
        while true {
            do {
                return try DatabaseWriter(
                    path: path, isDryRun: isDryRun, publishingAs: token, synchronous: synchronous, clock: clock,
                    hintText: \.words, commits: commits, beginning: beginning, now: now)
            } catch let error as PersistenceError where error.kind == .locked && stopwatch.elapsed < wait {
                if !hasTold { tell(.waiting(error)) }
                hasTold = true
                try await stopwatch.sleep(until: min(stopwatch.elapsed + .milliseconds(200), wait))
            }
        }
    }

    /// Opens the connections for `body`, and closes them however it ends.
    ///
    /// - Parameters:
    ///   - configuration: The configuration whose streams are requested; nil for one without tokens.
    ///   - heedsRefusedLogins: False if a person asks for a login now, although it was refused before.
    package func withTransports<Result>(
        of configuration: Configuration?, heedsRefusedLogins: Bool = false,
        _ body: (Transports) async throws -> Result
    ) async throws -> Result {
        let transports = try transports(
            keepingTokensBeside: configuration?.place, heedsRefusedLogins: heedsRefusedLogins)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(transports)) } catch { result = .failure(error) }
        try? await transports.shutdown()
        return try result.get()
    }

    package func pageFetchers(over transports: Transports) -> @Sendable (StreamConfiguration) throws -> PageFetcher {
        { stream in try transports.access(to: stream, timing: timing).fetcher(of: stream) }
    }

    /// - Parameters:
    ///   - configuration: The file of the stream. Nothing is read of a stream that seems to be renamed in it.
    ///   - renewed: Returns the stream with new secrets if the server no longer accepts the old ones; nil if there are none.
    package func streamSync(
        _ stream: StreamConfiguration, of configuration: Configuration, into writer: DatabaseWriter,
        over transports: Transports,
        renewed: @escaping @Sendable () -> StreamConfiguration? = { nil }
    ) async -> StreamSync {
        let fetcher = pageFetchers(over: transports)
        let mayBeRenamed = (try? await writer.mayBeRenamed(stream, among: configuration.streams)) ?? true
        let first: Result<PageFetcher, any Error> = Result {
            if mayBeRenamed { try configuration.refuseRenamed(stream) }
            if let parent = stream.parent?.stream, let move = stream.elsewhere[parent] {
                throw PersistenceError(
                    .configuration, "the parent \(parent) of \(stream.name) is in another shard",
                    hint: "move the source \(stream.name.source) to it: \(move)")
            }
            return try fetcher(stream)
        }
        return StreamSync(stream, into: writer, fetcher: try first.get()) { try renewed().map(fetcher) }
    }
}

extension TokenFile: TokenStorage {
    package func turn(for key: String) -> RenewalTurn {
        do { return try lockForRenewal(of: key).map { .held($0) } ?? .taken } catch { return .unknown }
    }
}

private struct TokenPrograms: ProgramRunner {
    let environment: [String: String]

    func run(_ words: [String], maximumOutput: Int) async throws -> ProgramResult {
        let child = ChildProcess(
            words: words, environment: ChildProcess.inherited(environment), input: "",
            maximumOutput: maximumOutput, mergesErrors: false, endsAtMaximum: true)
        let ending: ChildProcess.Ending
        do {
            ending = try await child.run()
        } catch HookError.notStarted(let program, let code) {
            throw ProgramError(reason: "\(program): \(HookError.reason(of: code, for: program))")
        }
        try Task.checkCancellation()
        return ProgramResult(
            problem: ending.phrase, output: ending.output, errors: ending.errors,
            isCut: ending.isCut)
    }
}
