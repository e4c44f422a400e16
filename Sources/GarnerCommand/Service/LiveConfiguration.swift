import GarnerCatalog
import GarnerLibC
import Logging
import GarnerModel
import GarnerScheduler
import ServiceLifecycle
import Synchronization

/// The configuration in use. A reload replaces it as a whole.
final class LiveConfiguration: Sendable {
    private struct State {
        var configuration: Configuration
        var streams: [StreamName: StreamConfiguration]
        /// The last reload, if it was refused.
        var refusal: ServiceNotice?
    }

    private let state: Mutex<State>

    init(_ configuration: Configuration) {
        state = Mutex(State(configuration: configuration, streams: Self.byName(configuration)))
    }

    var configuration: Configuration { state.withLock(\.configuration) }

    subscript(name: StreamName) -> StreamConfiguration? { state.withLock { $0.streams[name] } }

    func replace(with configuration: Configuration) {
        let streams = Self.byName(configuration)
        state.withLock { $0 = State(configuration: configuration, streams: streams) }
    }

    /// Keeps the configuration in use, and remembers why the new one was refused.
    func refuse(_ reason: CommandError, at instant: Timestamp) {
        let place = reason.place.map { "\($0): " } ?? ""
        let others = reason.others.isEmpty ? "" : ", and \(reason.others.count) more"
        let hint = reason.hint ?? "mend it"
        let remedy = reason.kind == Reloading.otherDatabase ? hint : "\(hint); then reload it with: \(Self.reload)"
        let notice = ServiceNotice(
            .refusedReload,
            "the reload at \(instant) was refused, and the configuration before it is in use: \(place)\(reason.message)\(others)",
            remedy: remedy)
        state.withLock { $0.refusal = notice }
    }

    /// The notices about the configuration in use. Each call reads the files again.
    var notices: [ServiceNotice] {
        let (configuration, refusal) = state.withLock { ($0.configuration, $0.refusal) }
        if let refusal { return [refusal] }
        guard configuration.isOutdated else { return [] }
        return [
            ServiceNotice(
                .changedFile,
                "\(configuration.file) has changed since the service read it; the service goes on with the older file",
                remedy: "check it with 'garner check', then reload it with: \(Self.reload)")
        ]
    }

    /// Takes over changed secrets from their files, if nothing else has changed; other changes wait for a SIGHUP.
    ///
    /// - Parameter load: Loads the configuration again.
    /// - Returns: True if a secret has changed.
    @discardableResult
    func refreshSecrets(_ load: () throws -> Configuration) -> Bool {
        let before = configuration
        guard before.fileSecrets != nil || !before.missing.isEmpty, let fresh = try? load(),
            fresh.isSameText(as: before),
            fresh.fileSecrets != before.fileSecrets, fresh.newlyMissing(since: before).isEmpty
        else { return false }
        replace(with: fresh)
        return true
    }

    /// The command that makes this process read its file again.
    private static var reload: String { "kill -HUP \(getpid())" }

    private static func byName(_ configuration: Configuration) -> [StreamName: StreamConfiguration] {
        Dictionary(configuration.streams.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

/// A service that reloads the configuration on each SIGHUP. An invalid one changes nothing.
struct Reloading: Service {
    /// The kind of a refusal that no later reload can undo.
    static let otherDatabase = "other_database"

    let setup: Setup
    let streams: LiveConfiguration
    let scheduler: SchedulerService
    let notifier: ServiceNotifier
    let logger: Logger
    /// One element for each SIGHUP.
    let requests: AsyncStream<Void>

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in requests {
                notifier.reloading()
                reload()
                await scheduler.pulse()
                notifier.ready()
            }
        }
    }

    private func reload() {
        let before = streams.configuration
        do {
            let after = try setup.loadedConfiguration(of: before.file)
            let missing = after.newlyMissing(since: before)
            if !missing.isEmpty { throw ConfigurationError.invalid(missing) }
            guard after.database == before.database else {
                throw CommandError(
                    .misconfigured, kind: Self.otherDatabase, message: "the database is another one: \(after.database)",
                    hint: "restart the service to serve another database")
            }
            try setup.refuseSwappedNames(in: after)
            streams.replace(with: after)
            scheduler.send(.reloaded(after.scheduledStreams))
            after.logWarnings(to: logger)
            if after.listen != before.listen {
                logger.warning(
                    "Dashboard not moved", metadata: ["try": "restart the service to listen at another address"])
            }
            logger.info("Configuration reloaded", metadata: ["streams": "\(after.streams.count)"])
        } catch {
            var failure = CommandError(error)
            // A file that was there is put back, and not written anew.
            if case ConfigurationError.notFound = error { failure.hint = "put \(before.file) back in its place" }
            streams.refuse(failure, at: setup.now())
            logger.error(
                "Configuration not reloaded: the one before stays",
                metadata: [
                    "error": "\(failure.wholeMessage)", "place": "\(failure.place ?? "-")",
                    "try": "\(failure.hint ?? "-")",
                ])
        }
    }
}

extension Configuration {
    /// Logs valid but unwise settings.
    func logWarnings(to logger: Logger) {
        for issue in warnings {
            logger.warning(
                "Configuration",
                metadata: ["place": "\(issue.place)", "warning": "\(issue.message)", "try": "\(issue.hint ?? "-")"])
        }
    }

    /// All streams for the timetable. A stream without a schedule runs only on request.
    var scheduledStreams: [ScheduledStream] {
        streams.map(ScheduledStream.init)
    }
}

extension ScheduledStream {
    init(_ stream: StreamConfiguration) {
        self.init(
            stream.name, stream.schedule, parent: stream.parent?.stream,
            host: WebAddress(stream.request.baseURL)?.host ?? "")
    }
}
