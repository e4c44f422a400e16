import GarnerModel
import GarnerPublish
import GarnerReports
import GarnerTasks
import Logging
import ServiceLifecycle

/// Publishes once a second, and at once when a run has ended.
struct PublicationService: Service {
    static let interval = Duration.seconds(1)
    /// The time for a last word to the server.
    private static let farewell = Duration.seconds(2)

    let publication: TablePublication
    let streams: LiveConfiguration
    let clock: any Clock<Duration>
    let logger: Logger

    func run() async {
        await publication.listen { [logger] in $0.log(to: logger) }
        await cancelWhenGracefulShutdown {
            async let ticking: Void = tick()
            for await _ in publication.occasions {
                await publication.follow(streams.configuration)
                await publication.publishIfDue()
            }
            await ticking
        }
        // The last runs have ended. What they stored goes out, if it goes soon; else it waits for the next start.
        _ = try? await race({ _ = await publication.publish(patience: .zero) }) {
            try await clock.sleep(for: TablePublication.patience)
        }
        _ = try? await result(of: { await publication.close() }, within: Self.farewell, on: clock)
    }

    private func tick() async {
        while (try? await clock.sleep(for: Self.interval)) != nil { publication.wake() }
    }
}

extension PublicationEvent {
    fileprivate func log(to logger: Logger) {
        switch self {
        case .began(let target): logger.info("Publishing begins", metadata: ["target": "\(target)"])
        case .recovered: logger.info("Publishing goes on")
        case .failed(let failure):
            var metadata: Logger.Metadata = ["error": "\(failure.message)"]
            if let hint = failure.hint { metadata["try"] = "\(hint.serviceWords)" }
            logger.warning("Publishing waits", metadata: metadata)
        case .behind(let table, let reason):
            logger.warning("Published table is behind", metadata: ["table": "\(table)", "reason": "\(reason)"])
        case .caughtUp(let table): logger.info("Published table has caught up", metadata: ["table": "\(table)"])
        case .warning(let text): logger.warning("Published with a change", metadata: ["warning": "\(text)"])
        }
    }
}
