import GarnerCatalog
import Logging
import GarnerModel
import GarnerScheduler
import ServiceLifecycle
import GarnerSync
import TestSupport

/// A scheduler service in a service group, on a clock that the test moves; all it does is written down.
struct ServiceRig: Sendable {
    struct Run: Sendable, Equatable {
        let stream: StreamName
        let occasion: RunOccasion

        init(_ start: Start) { (stream, occasion) = (start.stream, start.occasion) }

        var nominal: Timestamp? {
            occasion.nominal
        }
    }

    let clock = ManualClock()
    let begun = Watched<[Run]>([])
    let ended = Watched<[Run]>([])
    let notes = Watched<[SchedulerService.Note]>([])
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

    /// - Parameter perform: how a run ends; what is remembered then is what its start says.
    func service(
        _ streams: [(StreamName, Schedule)], after settled: [StreamName: Timestamp] = [:], places: Int = 8,
        perform: @escaping @Sendable (StreamName, StopRequest) async -> RunResult = { _, _ in RunResult(.succeeded) }
    ) -> SchedulerService {
        SchedulerService(
            Timetable(streams.map { ScheduledStream($0.0, $0.1) }, maximumConcurrentRuns: places),
            states: settled.mapValues { ScheduleState(settled: $0) }, clock: clock, now: { wall },
            logger: Logger(label: "test") { _ in Notebook(log) },
            perform: { start, stop in
                let run = Run(start)
                begun.change { $0.append(run) }
                let result = await perform(start.stream, stop)
                ended.change { $0.append(run) }
                return (result, start.state(after: result, at: wall))
            },
            keep: { note in notes.change { $0.append(note) } })
    }

    /// Serves while the body goes on, then shuts down gracefully.
    func serve(_ service: SchedulerService, while body: (ServiceGroup) async throws -> Void) async throws {
        let group = ServiceGroup(services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        async let serving: Void = group.run()
        try await body(group)
        await group.triggerGracefulShutdown()
        try await serving
    }

    /// Waits until the service has taken note of so many ends.
    func untilOver(_ count: Int) async {
        await log.until { $0.count { $0 == "Run over" } >= count }
    }

    func nominals(of stream: StreamName) -> [Timestamp] {
        begun.value.filter { $0.stream == stream }.compactMap(\.nominal)
    }

    var skips: [Skip] {
        notes.value.compactMap { if case .skip(let skip, _) = $0 { skip } else { nil } }
    }
}
