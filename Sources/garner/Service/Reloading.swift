import Catalog
import Logging
import Scheduler
import ServiceLifecycle

/// Reads the configuration again with each SIGHUP; one that is not valid changes nothing.
struct Reloading: Service {
    let setup: Setup
    let streams: LiveConfiguration
    let scheduler: SchedulerService
    let notifier: ServiceNotifier
    let logger: Logger
    /// One element a SIGHUP.
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
            let after = try setup.configuration()
            guard after.database == before.database else {
                logger.error(
                    "Configuration not reloaded",
                    metadata: [
                        "error": "the database is another one: \(after.database)",
                        "try": "restart the service to serve another database",
                    ])
                return
            }
            streams.replace(with: after)
            scheduler.send(.reloaded(after.scheduledStreams))
            after.logWarnings(to: logger)
            logger.info("Configuration reloaded", metadata: ["streams": "\(after.streams.count)"])
        } catch {
            let failure = Failure(error)
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
    /// Logs what is allowed but unwise.
    func logWarnings(to logger: Logger) {
        for issue in warnings {
            logger.warning(
                "Configuration",
                metadata: ["place": "\(issue.place)", "warning": "\(issue.message)", "try": "\(issue.hint ?? "-")"])
        }
    }

    /// All streams, as far as the timetable has to know them: one without a schedule runs when it is asked for.
    var scheduledStreams: [ScheduledStream] {
        streams.map(ScheduledStream.init)
    }
}

extension ScheduledStream {
    init(_ stream: Catalog.Stream) {
        self.init(
            stream.name, stream.schedule, parent: stream.parent?.stream,
            host: WebAddress(stream.request.baseURL)?.host ?? "")
    }
}
