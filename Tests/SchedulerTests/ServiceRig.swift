import Catalog
import Logging
import Scheduler
import ServiceLifecycle
import Sync
import TestSupport

/// A scheduler service in a service group, on a clock that the test moves; all it does is written down.
struct ServiceRig: Sendable {
    struct Run: Sendable, Equatable {
        let stream: StreamName
        let nominal: Timestamp
    }

    let clock = ManualClock()
    let begun = Watched<[Run]>([])
    let ended = Watched<[Run]>([])
    let skips = Watched<[Skip]>([])
    /// The messages the service logged: what it has taken note of.
    let log = Watched<[String]>([])
    private let wallOffset = Watched(Duration.zero)

    var wall: Timestamp {
        // 2026-01-31T08:05:00Z
        Timestamp(millisecondsSince1970: 1_769_846_700_000) + clock.now.offset + wallOffset.value
    }

    func setWallClock(forwardBy duration: Duration) {
        wallOffset.change { $0 += duration }
    }

    func service(
        _ streams: [(StreamName, Schedule)], after lastNominal: [StreamName: Timestamp] = [:], places: Int = 8,
        perform: @escaping @Sendable (StreamName, StopRequest) async -> RunResult = { _, _ in .succeeded }
    ) -> SchedulerService {
        SchedulerService(
            streams: streams, lastNominal: lastNominal, maximumConcurrentRuns: places, clock: clock, now: { wall },
            logger: Logger(label: "test") { _ in Notebook(log: log) },
            perform: { stream, nominal, stop in
                let run = Run(stream: stream, nominal: nominal)
                begun.change { $0.append(run) }
                let result = await perform(stream, stop)
                ended.change { $0.append(run) }
                return result
            },
            skipped: { skip in skips.change { $0.append(skip) } })
    }

    /// Serves while the body goes on, then shuts down gracefully.
    func serve(_ service: SchedulerService, while body: (ServiceGroup) async throws -> Void) async throws {
        let group = ServiceGroup(services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        async let serving: Void = group.run()
        try await body(group)
        await group.triggerGracefulShutdown()
        try await serving
    }

    /// Waits until the service has taken note of so many ends and skips together.
    func untilNoted(_ count: Int) async {
        await log.until { $0.count { $0 == "Run ended" || $0 == "Run skipped" } >= count }
    }

    func nominals(of stream: StreamName) -> [Timestamp] {
        begun.value.filter { $0.stream == stream }.map(\.nominal)
    }
}

private struct Notebook: LogHandler {
    let log: Watched<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(log: Watched<[String]>) {
        self.log = log
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        log.change { $0.append("\(event.message)") }
    }
}
