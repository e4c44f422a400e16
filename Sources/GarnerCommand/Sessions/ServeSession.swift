import GarnerCatalog
import Dashboard
import GarnerFetcher
import GarnerLibC
import Logging
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerRuntime
import ServiceLifecycle

/// Runs the service until a signal ends it.
struct ServeSession {
    let setup: Setup
    var configuration: Configuration
    let usesHooks: Bool
    let logger: Logger
    let listening: DashboardListening?
    /// The database is there, whatever copy of it the configuration names.
    let place: DatabasePlace

    init(
        setup: Setup, configuration: Configuration, usesHooks: Bool, logger: Logger, listening: DashboardListening?
    ) {
        (self.setup, self.configuration, self.usesHooks) = (setup, configuration, usesHooks)
        (self.logger, self.listening, place) = (logger, listening, configuration.place)
    }

    /// Throws `ExitError` if runs had to be cancelled at the end.
    ///
    /// - Parameter signals: They are watched before any work begins that must not be interrupted.
    func run(until signals: ServiceSignals = ServiceSignals()) async throws {
        defer { signals.stop() }
        if let shard = try setup.shard(of: place, placed: configuration.file) {
            let isInTime = try await WorkerSession(self, shard).run(ending: signals.ending, reloads: signals.reloads)
            return try end(signals, isInTime)
        }
        if let service = await RunningService(of: configuration.database, clock: setup.clock) {
            let stop = service.process.map { "stop it with 'kill \($0)'" } ?? "stop it"
            throw CommandError.locked(
                "\(service) already syncs the database \(configuration.database)",
                hint: "see what it does with 'garner status'; to start another one, \(stop) first")
        }
        let isInTime = try await setup.withStore(
            configuration, tellCreated: { logger.info("Database created", metadata: ["path": "\($0)"]) }
        ) { writer, transports, publication in
            if !setup.isQuiet, isatty(STDERR_FILENO) == 1 {
                let records = try ReadOnlyDatabase(path: configuration.database).scheduleStates()
                StandardError.write(ServiceGreeting(configuration, records, now: setup.now()).text)
            }
            return try await serve(
                writer, transports, publication, until: signals.ending, reloads: signals.reloads)
        }
        try end(signals, isInTime)
    }

    private func end(_ signals: ServiceSignals, _ isInTime: Bool) throws {
        if !isInTime, let signal = signals.first { throw ExitError(code: 128 + signal) }
    }

    /// Runs the service until `ending` stops it. Returns true if all runs ended within their grace period.
    ///
    /// - Parameter reloads: Each element reloads the configuration.
    func serve(
        _ writer: DatabaseWriter, _ transports: Transports, _ publication: TablePublication? = nil,
        until ending: AsyncStream<Void>, reloads: AsyncStream<Void>
    ) async throws -> Bool {
        let context = setup.context
        let hooks = usesHooks ? HookRunner(context, transports: transports, logger: logger) : nil
        let source = try await SourceService(
            context, configuration, writer: writer, transports: transports, hooks: hooks,
            publication: publication, logger: logger)
        let dashboard = dashboard(
            of: configuration.database, { source.streams.configuration }, notices: { source.streams.notices },
            actions: ServiceActions(source: source, writer: writer, clock: setup.clock))
        try await dashboard?.requireFreeAddress()
        let others: [(any Service)?] = [dashboard, hooks]
        return try await ServiceProcess(
            source, others.compactMap(\.self), observer: ServiceNotifier(environment: setup.environment)
        ).run(maximumClients: DescriptorLimit.current.clients, until: ending, reloads: reloads) {
            [setup, place] (before) throws(ReloadRefusal) in
            try setup.reloadedConfiguration(after: before, place: place)
        }
    }
}

extension ServeSession {
    /// Returns the dashboard of the service; nil if there is to be none.
    func dashboard(
        of database: String, _ configuration: @escaping @Sendable () -> Configuration,
        notices: @escaping @Sendable () async -> [ServiceNotice], actions: any DashboardActions
    ) -> DashboardServer? {
        listening.map { listening in
            DashboardServer(
                setup.dashboard(
                    of: database, configuration, access: listening.access, notices: notices, actions: actions,
                    startedAt: setup.now(), demo: listening.demo),
                at: listening.address, logger: logger
            ) { [logger] port in listening.announce(port: port, logger) }
        }
    }
}

extension Setup {
    /// The kind of a refusal that no later reload can undo.
    private static let otherDatabase = "other_database"

    /// Loads the file of the configuration in force again. Refuses what cannot take its place.
    ///
    /// - Parameter place: The place of the database, of which the configuration may name a copy.
    func reloadedConfiguration(
        after before: Configuration, place: DatabasePlace
    ) throws(ReloadRefusal) -> Configuration {
        var missesVariable = false
        do {
            var after = try loadedConfiguration(of: before.file)
            let missing = after.newlyMissing(since: before)
            if !missing.isEmpty {
                missesVariable = true
                throw ConfigurationError.invalid(missing)
            }
            guard after.place == place else {
                let isSame = after.place.server != nil && after.place.server?.url == place.server?.url
                throw CommandError(
                    .misconfigured, kind: Self.otherDatabase,
                    message: isSame
                        ? "'database' asks for another number of shards"
                        : "the database is another one: \(after.place)",
                    hint: isSame
                        ? "restart the service, which makes more shards when it starts"
                        : "restart the service to serve another database")
            }
            after.place = before.place
            try refuseSwappedNames(in: after)
            try refuseSharedTables(in: after)
            return after
        } catch {
            var failure = CommandError(error)
            // A file that was there is put back, and not written anew.
            if case ConfigurationError.notFound = error { failure.hint = "put \(before.file) back in its place" }
            let place = failure.place.map { "\($0): " } ?? ""
            let others = failure.others.isEmpty ? "" : ", and \(failure.others.count) more"
            let hint = failure.hint ?? "mend it"
            // No shell can give a running process a variable.
            let again =
                missesVariable
                ? ", and start the service again; or { file: path } in its place, and reload it with: \(LiveConfiguration.reload)"
                : failure.kind == Self.otherDatabase ? "" : "; then reload it with: \(LiveConfiguration.reload)"
            throw ReloadRefusal(
                ServiceNotice(
                    .refusedReload,
                    "the reload at \(now()) was refused, and the configuration before it is in use: \(place)\(failure.message)\(others)",
                    remedy: hint + again),
                [
                    "error": "\(failure.wholeMessage)", "place": "\(failure.place ?? "-")",
                    "try": "\(failure.hint ?? "-")",
                ])
        }
    }
}
