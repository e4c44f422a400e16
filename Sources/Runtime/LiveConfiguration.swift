package import GarnerCatalog
import GarnerLibC
package import Logging
package import GarnerModel
import GarnerPersistence
import GarnerReports
package import GarnerScheduler
import ServiceLifecycle
import Synchronization

/// The configuration in use. A reload replaces it as a whole.
package final class LiveConfiguration: Sendable {
    private struct State {
        let configuration: Configuration
        let streams: [StreamName: StreamConfiguration]
        /// True if secrets come from files, or are missing. Each run asks this, so that no run looks at all streams for it.
        let canRefresh: Bool
        /// The last reload, if it was refused.
        var refusal: ReloadRefusal?

        init(_ configuration: Configuration) {
            self.configuration = configuration
            streams = Dictionary(configuration.streams.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            canRefresh = configuration.fileSecrets != nil || !configuration.missing.isEmpty
        }
    }

    private let state: Mutex<State>

    package init(_ configuration: Configuration) {
        state = Mutex(State(configuration))
    }

    package var configuration: Configuration { state.withLock(\.configuration) }

    package subscript(name: StreamName) -> StreamConfiguration? { state.withLock { $0.streams[name] } }

    package func replace(with configuration: Configuration) {
        let fresh = State(configuration)
        state.withLock { $0 = fresh }
    }

    /// Why the last reload was refused; nil if it was not.
    package var refusal: ReloadRefusal? { state.withLock(\.refusal) }

    /// Keeps the configuration in use, and remembers that the new one was refused.
    package func refuse(_ refusal: ReloadRefusal) { state.withLock { $0.refusal = refusal } }

    /// The notices about the configuration in use. Each call reads the files again.
    package var notices: [ServiceNotice] {
        let (configuration, refusal) = state.withLock { ($0.configuration, $0.refusal) }
        if let refusal { return [refusal.notice] }
        guard configuration.isOutdated else { return [] }
        return [
            ServiceNotice(
                .changedFile,
                "\(configuration.file) has changed since the service read it; the service goes on with the older file",
                remedy: "reload it with: \(Self.reload)")
        ]
    }

    /// Returns the notice for a command that has read another file, which says nothing of what the service does.
    ///
    /// - Parameter file: Its path, or the digest of its text if it may be on another machine.
    func notices(besides file: String?) -> [ServiceNotice] {
        let own = configuration.wholePath
        guard let file, file != own, file != configuration.digest else { return [] }
        guard file.hasPrefix("/") else {
            return [
                ServiceNotice(
                    .otherFile,
                    "the service has read a file with another text, \(own) on its machine, and does what that one says",
                    remedy: "write the same file there, and reload it with: \(Self.reload)")
            ]
        }
        return [
            ServiceNotice(
                .otherFile, "the service has read \(own), and does what that file says, not \(file)",
                remedy: "name its file with --config \(ShellText.quoted(own)); or stop it first, with: kill \(getpid())"
            )
        ]
    }

    /// Takes over changed secrets from their files, if nothing else has changed; other changes wait for a SIGHUP.
    ///
    /// - Parameter load: Loads the configuration again.
    /// - Returns: True if a secret has changed.
    @discardableResult
    func refreshSecrets(_ load: () throws -> Configuration) -> Bool {
        let (before, canRefresh) = state.withLock { ($0.configuration, $0.canRefresh) }
        guard canRefresh, var fresh = try? load(), fresh.isSameText(as: before),
            fresh.fileSecrets != before.fileSecrets, fresh.newlyMissing(since: before).isEmpty
        else { return false }
        fresh.place = before.place
        replace(with: fresh)
        return true
    }

    /// The command that makes this process read its file again.
    package static var reload: String { "kill -HUP \(getpid())" }
}

/// The reason why a configuration cannot take the place of the one in force: as a notice, and for the log.
package struct ReloadRefusal: Error {
    let notice: ServiceNotice
    let metadata: Logger.Metadata

    package init(_ notice: ServiceNotice, _ metadata: Logger.Metadata) {
        (self.notice, self.metadata) = (notice, metadata)
    }

    package func log(to logger: Logger) {
        logger.error("Configuration not reloaded: the one before stays", metadata: metadata)
    }
}

/// A service that reloads the configuration when it is asked to. An invalid one changes nothing.
struct Reloading: Service {
    let source: SourceService
    let observer: any ServiceObserver
    /// One element for each reload.
    let requests: AsyncStream<Void>
    let load: @Sendable (Configuration) throws(ReloadRefusal) -> Configuration

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in requests {
                observer.reloading()
                await reload()
                await source.scheduler.pulse()
                observer.ready()
            }
        }
    }

    private func reload() async {
        let (streams, logger) = (source.streams, source.logger)
        let before = streams.configuration
        do throws(ReloadRefusal) {
            let after = try load(before)
            streams.replace(with: after)
            source.scheduler.send(.reloaded(after.scheduledStreams))
            after.logWarnings(to: logger)
            if after.listen != before.listen {
                logger.warning(
                    "Dashboard not moved", metadata: ["try": "restart the service to listen at another address"])
            }
            if (after.publish == nil) != (before.publish == nil) {
                logger.warning("Publishing not changed", metadata: ["try": "restart the service to begin or end it"])
            }
            after.logStreams(
                since: before, storing: await streamsWithTables(in: before.database),
                misfits: await misfits(of: after.streams, in: before.database), to: logger)
            logger.info("Configuration reloaded", metadata: ["streams": "\(after.streams.count)"])
        } catch {
            streams.refuse(error)
            error.log(to: logger)
        }
    }

    /// The names of the streams that have a table. A database that cannot be read now has none.
    private func streamsWithTables(in database: String) async -> Set<StreamName> {
        let known = try? await DatabaseReader(path: database).read { try $0.knownStreams() }
        return Set((known ?? []).filter { $0.table != nil }.map(\.name))
    }

    /// Returns why streams cannot have the tables that they have. A database that cannot be read now says nothing.
    private func misfits(
        of streams: [StreamConfiguration], in database: String
    ) async -> [StreamName: PersistenceError] {
        let found = try? await DatabaseReader(path: database).read { reader in
            var misfits: [StreamName: PersistenceError] = [:]
            for stream in streams {
                do {
                    try reader.requireTable(of: stream)
                } catch let error as PersistenceError where error.kind == .configuration {
                    misfits[stream.name] = error
                }
            }
            return misfits
        }
        return found ?? [:]
    }
}

extension Configuration {
    /// Logs valid but unwise settings.
    package func logWarnings(to logger: Logger) {
        for issue in warnings {
            logger.warning(
                "Configuration",
                metadata: ["place": "\(issue.place)", "warning": "\(issue.message)", "try": "\(issue.hint ?? "-")"])
        }
    }

    /// Logs each stream that has come, is gone, or has another name or key than before, and if none is left.
    ///
    /// - Parameters:
    ///   - stored: The streams with a table. One without has nothing to go on with under another name.
    ///   - misfits: Why streams cannot have the tables that they have.
    fileprivate func logStreams(
        since before: Configuration, storing stored: Set<StreamName>, misfits: [StreamName: PersistenceError],
        to logger: Logger
    ) {
        if streams.isEmpty, !before.streams.isEmpty {
            logger.warning(
                "No stream is configured any more",
                metadata: [
                    "try": "write the streams into \(file) again, and reload it with: \(LiveConfiguration.reload)"
                ])
        }
        let former = Dictionary(before.streams.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        let names = Set(streams.map(\.name))
        var gone = before.streams.filter { !names.contains($0.name) }
        for stream in streams {
            if let old = former[stream.name] {
                if let misfit = misfits[stream.name] {
                    logger.warning(
                        "Stream does not fit its table",
                        metadata: [
                            "stream": "\(stream.name)", "error": "\(misfit.message)",
                            "try": "\(misfit.hint.serviceWords)",
                        ])
                }
                guard old.primaryKey != stream.primaryKey else { continue }
                let keys = [old, stream].map { $0.primaryKey?.joined(separator: ", ") ?? "auto" }
                logger.info(
                    "Key changed", metadata: ["stream": "\(stream.name)", "former": "\(keys[0])", "key": "\(keys[1])"])
            } else if !stored.contains(stream.name),
                let index = gone.firstIndex(where: {
                    stored.contains($0.name) && $0.readIdentity == stream.readIdentity
                })
            {
                let old = gone.remove(at: index).name
                let rename = "garner rename \(old) \(stream.name)"
                logger.warning(
                    "Stream renamed",
                    metadata: [
                        "stream": "\(stream.name)", "former": "\(old)",
                        "try": "stop the service, run '\(rename)', and start it again",
                    ])
            } else {
                logger.info("Stream added", metadata: ["stream": "\(stream.name)"])
            }
        }
        for old in gone { logger.info("Stream removed", metadata: ["stream": "\(old.name)"]) }
    }

    /// All streams for the timetable. A stream without a schedule runs only on request.
    package var scheduledStreams: [ScheduledStream] {
        streams.map(ScheduledStream.init)
    }
}

extension ScheduledStream {
    package init(_ stream: StreamConfiguration) {
        self.init(stream.name, stream.schedule, parent: stream.parent?.stream, host: stream.host)
    }
}
